"""The lines of `--json`, against the schemas."""

import contextlib
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import jsonschema

from harness import LUBDUB, ROOT

NAMES = ['check-list', 'doctor', 'list', 'monitor', 'prove', 'prove-list', 'run', 'run-list', 'scan']
COUNTS = ['error', 'fail', 'inconclusive', 'pass', 'skip']


def schema(name):
    return json.loads((ROOT / 'schema' / f'{name}.schema.json').read_text())


@contextlib.contextmanager
def serving(scenario):
    """The radio of a running scenario."""
    command = [LUBDUB, 'serve', scenario, '--controller', 'tcp:127.0.0.1:0', '--quiet']
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        try:
            yield 'hci:' + process.stdout.readline().split()[1]
        finally:
            process.terminate()


class JSONTests(unittest.TestCase):
    def lines(self, name, *arguments, status=0):
        """The objects that a command prints, each of which its schema describes."""
        done = subprocess.run([LUBDUB, *map(str, arguments), '--json'], cwd=ROOT, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        objects = [json.loads(line) for line in done.stdout.splitlines()]
        validator = jsonschema.Draft202012Validator(schema(name))
        for thing in objects:
            self.assertEqual([error.message for error in validator.iter_errors(thing)], [], thing)
        return objects

    def test_schemas_are_valid_strict_and_printed_as_committed(self):
        for name in NAMES:
            with self.subTest(name):
                jsonschema.Draft202012Validator.check_schema(schema(name))
                done = subprocess.run(
                    [LUBDUB, 'validate', '--schema-of', name], cwd=ROOT, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.stdout, (ROOT / 'schema' / f'{name}.schema.json').read_text())
                self.assertFalse(jsonschema.Draft202012Validator(schema(name)).is_valid({'unheard-of': 1}))
        done = subprocess.run([LUBDUB, 'validate', '--schema-of', 'x'], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)

    def test_the_page_names_every_schema(self):
        page = (ROOT / 'Documentation' / 'json.md').read_text()
        named = set(re.findall(r'schema/([a-z-]+)\.schema\.json', page))
        self.assertEqual(named, set(NAMES) | {'problem', 'report', 'scenario'})
        self.assertEqual(named, {path.name.split('.')[0] for path in (ROOT / 'schema').glob('*.json')})

    def test_prove_prints_a_line_for_each_expectation_and_each_faulty_client(self):
        clients = [client['name'] for client in self.lines('prove-list', 'prove', '--list')]
        self.assertEqual(len(clients), len(set(clients)))
        rows = self.lines('prove', 'prove', 'scenarios/formats/two_byte.json')
        self.assertEqual([row['expectation'] for row in rows], ['shows'])
        for row in rows:
            self.assertEqual((row['case'], row['proven'], row['problem']), ('scenarios/formats/two_byte', True, None))
            self.assertIn('big_endian', row['failed_by'])
            self.assertLessEqual(set(row['failed_by']), set(clients))

    def test_run_prints_a_line_for_each_case_and_a_summary(self):
        with tempfile.NamedTemporaryFile(suffix='.json') as report:
            *cases, last = self.lines('run', 'run', 'scenarios/formats', '--report', report.name)
            whole = json.loads(pathlib.Path(report.name).read_text())
        self.assertEqual(sorted(last['summary']), COUNTS)
        self.assertGreater(len(cases), 3)
        for case in whole['cases']:
            del case['start']
        self.assertEqual(cases, whole['cases'])
        self.assertEqual(last['summary'], whole['summary'])

    def test_run_of_a_single_case(self):
        case, last = self.lines('run', 'run', 'scenarios/resting.json')
        self.assertEqual((case['id'], case['verdict'], last['summary']['pass']), ('scenarios/resting', 'pass', 1))

    def test_a_client_that_fails(self):
        case, last = self.lines('run', 'run', 'scenarios/resting.json', '--client', 'echo noise; exit 3', status=1)
        self.assertEqual((case['verdict'], last['summary']['fail']), ('fail', 1))
        self.assertIn('3', case['reason'])

    def test_a_campaign_has_seeds_and_runs(self):
        options = ['run', 'scenarios/resting.json', '--seeds', '3..4', '--repeat', '2']
        listed = self.lines('run-list', *options, '--list')
        self.assertEqual([(case['seed'], case['run']) for case in listed], [(3, 1), (3, 2), (4, 1), (4, 2)])
        *cases, last = self.lines('run', *options, '--for', '10 s')
        self.assertEqual([case['id'] for case in cases], [case['id'] for case in listed])
        self.assertEqual([case['case'] for case in cases], [case['case'] for case in listed])
        self.assertEqual(last['summary']['pass'], 4)

    def test_json_excludes_what_else_uses_standard_output(self):
        for options in [['--events', '-'], ['--ask']]:
            with self.subTest(options):
                self.assertEqual(self.lines('run', 'run', 'scenarios/resting.json', *options, status=2), [])

    def test_check(self):
        listed = self.lines('check-list', 'check', '--list')
        self.assertGreater(len(listed), 200)
        self.assertEqual({check['weight'] for check in listed}, {'required', 'recommended', 'robustness'})
        *checks, last = self.lines('run', 'check', 'scenarios/resting.json', '--only', 'HRS/*')
        self.assertEqual(len(checks), sum(last['summary'].values()))
        self.assertLessEqual({check['id'] for check in checks}, {check['id'] for check in listed})

    def test_list_and_doctor(self):
        self.assertLessEqual({'scenario', 'folder'}, {row['kind'] for row in self.lines('list', 'list')})
        report, = self.lines('doctor', 'doctor')
        self.assertEqual(report['status'], 0)

    def test_scan_and_monitor(self):
        with serving('scenarios/resting.json') as radio:
            device, = self.lines('scan', 'scan', '--radio', radio, '--for', '1 s')
            self.assertEqual(device['found']['name'], 'Lubdub HRM')
        with serving('scenarios/thermometer.json') as radio:
            lines = self.lines('monitor', 'monitor', '--radio', radio, '--for', '8 s')
        keys = {next(iter(line)) for line in lines}
        self.assertLessEqual({'state', 'found', 'temperature'}, keys)


if __name__ == '__main__':
    unittest.main()
