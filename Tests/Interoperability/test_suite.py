"""Folders and suites: their output, and their reports as other programs read them."""

import json
import pathlib
import signal
import subprocess
import tempfile
import unittest
from xml.etree import ElementTree

import jsonschema

from harness import LUBDUB, ROOT

# The schema that Jenkins uses; Tools/setup downloads it.
JENKINS = ROOT / '.venv' / 'share' / 'junit-10.xsd'


def heart(name, expect='', device='', limit='10 s'):
    """A scenario with one strap, as text."""
    return f'''{{"lubdub": 1, "name": "{name}", "limit": "{limit}", "variables": {{"rest": 62}},
        "devices": [{{"id": "strap", "name": "Strap", "advertise": {{"services": ["180D"]}},
        "services": [{{"service": "heart_rate", "value": "${{rest}}"}}]{device}}}],
        "expect": [{expect}]}}'''


HEARD = '{"id": "heard", "expect": "seen", "event": "subscribed", "within": "8 s", "requirement": "HRP/COL/HRF/BV-04-C"}'
NEVER = '{"id": "never", "expect": "never", "event": "connected", "requirement": "A <&> \\u001b"}'
STAYS = '{"id": "stays", "expect": "never", "event": "disconnected"}'
OPEN = '''{"id": "back", "expect": "seen", "event": "connected", "since": "disconnected", "within": "1 s"}'''
FILES = {
    'good.json': heart('Good', f'{HEARD}, {STAYS}'),
    'bad/fails.json': heart('Fails \\u0007<', f'{HEARD}, {NEVER}, {OPEN}'),
    'bad/open.json': heart('Open', OPEN),
    'bad/broken.json': '{"lubdub": 1, "name": "Broken", "devices": [{"id": "strap", "nme": "x"}]}',
    'bad/part.json': '{"lubdub": 1, "expect": []}',
    'suite.json': '''{"lubdub": 1, "kind": "suite", "name": "Some", "cases": [
        {"scenario": "good.json"}, {"scenario": "good.json", "id": "fast", "seed": 5, "variables": {"rest": 150}}]}''',
}


def shell(text):
    """The words of a line after the first, split as in a shell."""
    return subprocess.run(
        ['sh', '-c', f'lubdub() {{ printf "%s\\n" "$@"; }}; {text}'], capture_output=True, text=True,
        check=True).stdout.splitlines()


class SuiteTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.suites = self.folder / 'suites'
        for name, text in FILES.items():
            path = self.suites / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run_cases(self, *words, program=LUBDUB):
        return subprocess.run(
            [program, 'run', *map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=300)

    def reported(self, path):
        report = json.loads(path.read_text())
        schema = json.loads((ROOT / 'schema' / 'report.schema.json').read_text())
        jsonschema.validators.validator_for(schema).check_schema(schema)
        jsonschema.validate(report, schema)
        return report

    def check_junit(self, path):
        root = ElementTree.fromstring(path.read_text())
        if JENKINS.exists():
            from lxml import etree
            schema = etree.XMLSchema(etree.parse(str(JENKINS)))
            schema.assertValid(etree.parse(str(path)))
        return root

    def test_a_folder_is_run_and_reported(self):
        xml, js = self.folder / 'report.xml', self.folder / 'report.json'
        done = self.run_cases(self.suites, '--report', xml, '--report', js)
        self.assertEqual(done.returncode, 4, done.stderr)
        lines = [line for line in done.stdout.splitlines() if line[:1] != ' ']
        self.assertEqual(
            [line.split()[:2] for line in lines[:4]],
            [['error', 'bad/broken'], ['fail', 'bad/fails'], ['inconclusive', 'bad/open'], ['pass', 'good']])
        self.assertIn('LD0107', done.stdout)
        self.assertIn('never (A <&> \\u001b)\n                expected  no connection', done.stdout)
        self.assertRegex(done.stdout, r'\nbad +0 +1 +1 +0 +1\nno folder +1 +0 +0 +0 +0\n')
        self.assertRegex(
            done.stdout, r'1 pass, 1 fail, 1 inconclusive, 0 skip, 1 error in [0-9.]+ s of virtual time\n$')

        report = self.reported(js)
        self.assertEqual(report['seed'], 1)
        self.assertEqual(report['summary'], {'pass': 1, 'fail': 1, 'inconclusive': 1, 'skip': 0, 'error': 1})
        broken, fails, undecided, good = report['cases']
        self.assertEqual((broken['id'], broken['verdict'], broken['replay']), ('bad/broken', 'error', None))
        self.assertEqual(fails['title'], 'Fails \a<')
        self.assertEqual(fails['requirement'], 'A <&> \x1b')
        said = fails['reason'].splitlines()
        self.assertEqual([line.split(' ', 1)[0] for line in said if line[:2] != '  '], ['never', 'back:'])
        self.assertTrue(any('<- LE Connection Complete' in line for line in said), said)
        self.assertEqual((undecided['verdict'], undecided['requirement']), ('inconclusive', None))
        self.assertEqual((good['verdict'], good['requirement']), ('pass', 'HRP/COL/HRF/BV-04-C'))
        self.assertIsNone(good['reason'])
        self.assertAlmostEqual(good['start'], undecided['start'] + undecided['duration'])

        suites = self.check_junit(xml)
        self.assertEqual([suite.get('name') for suite in suites], ['bad', 'lubdub'])
        self.assertEqual(suites.attrib, suites.attrib | {'tests': '4', 'failures': '2', 'errors': '1'})
        again = self.folder / 'again.json'
        self.run_cases(self.suites, '--report', again)
        self.assertEqual(again.read_bytes(), js.read_bytes())

    def test_the_replay_line_repeats_the_case(self):
        js = self.folder / 'report.json'
        for operands in [[self.suites], [self.suites, self.suites / 'bad'], [self.suites / 'bad' / 'fails.json']]:
            with self.subTest(len(operands)):
                self.run_cases(*operands, '--seed', '9', '--report', js)
                case = next(case for case in self.reported(js)['cases'] if 'fails' in case['id'])
                words = shell(case['replay'])
                self.assertEqual(words[0], 'run')
                self.run_cases(*words[1:], '--report', js)
                again, = self.reported(js)['cases']
                for key in ['title', 'verdict', 'requirement', 'reason', 'duration']:
                    self.assertEqual(again[key], case[key])

    def test_a_suite_sets_the_seeds_and_variables_of_its_cases(self):
        js, kept = self.folder / 'report.json', self.folder / 'kept'
        done = self.run_cases(self.suites / 'suite.json', '--report', js, '--keep', kept)
        self.assertEqual(done.returncode, 0, done.stdout)
        good, fast = self.reported(js)['cases']
        self.assertEqual((good['id'], fast['id']), ('good', 'fast'))
        self.assertEqual(self.reported(kept / 'report.json'), self.reported(js))
        self.check_junit(kept / 'report.xml')
        self.assertIn('class="picture"', (kept / 'report.html').read_text())
        run = json.loads((kept / 'fast' / 'run.json').read_text())
        self.assertEqual((run['seed'], run['set']), (5, ['rest=150']))
        records = map(json.loads, (kept / 'fast' / 'events.jsonl').read_text().splitlines())
        rates = {record['value']['bpm'] for record in records if record['event'] == 'delivered'}
        self.assertEqual(rates, {150})
        self.assertTrue((kept / 'good' / 'trace.btsnoop').exists())
        done = self.run_cases(self.suites / 'suite.json', '--set', 'rest=99', '--seed', '8', '--keep', kept)
        self.assertEqual(json.loads((kept / 'fast' / 'run.json').read_text())['seed'], 8)

    def test_cases_are_independent(self):
        kept, alone = self.folder / 'kept', self.folder / 'alone'
        self.run_cases('scenarios/formats', '--keep', kept)
        self.run_cases('scenarios/formats/two_byte.json', '--keep', alone)
        for name in ['events.jsonl', 'trace.btsnoop']:
            self.assertEqual(
                (kept / 'two_byte' / name).read_bytes(), (alone / name).read_bytes(), name)

    def test_cases_can_be_selected(self):
        def listed(*words):
            done = self.run_cases(self.suites, '--list', *words)
            return done.returncode, done.stdout.split()

        ids = ['bad/broken', 'bad/fails', 'bad/open', 'good']
        self.assertEqual(listed(), (0, ids))
        self.assertEqual(listed('--only', 'bad/*'), (0, ids[:3]))
        self.assertEqual(listed('--shard', '1/2'), (0, ids[::2]))
        self.assertEqual(listed('--only', 'bad/*', '--shard', '2/2'), (0, ids[1:2]))
        self.assertEqual(listed('--only', 'none')[0], 3)
        self.assertEqual(listed('--shard', '5/5')[0], 3)
        self.assertEqual(listed('--shard', '3/2')[0], 2)
        done = self.run_cases(self.suites, '--only', 'good', '--quiet')
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stdout.splitlines()), 1)

    def test_invalid_operands_are_reported_before_any_case_runs(self):
        nowhere = self.folder / 'none' / 'r.xml'
        (self.suites / 'self.json').write_text(
            '{"lubdub": 1, "kind": "suite", "name": "Self", "cases": [{"scenario": "self.json"}]}')
        for words, status, message in [
                (['--report', nowhere], 3, 'No such file or directory'),
                (['--report', self.folder], 2, '.xml (JUnit), .json, .html or .md'),
                (['--report', self.folder / 'r.htm'], 2, '.html or .md, not'),
                (['--report', self.folder / 'r.json', '--report', self.folder / 'r.json'], 2, 'twice'),
                (['--events', 'e.jsonl'], 2, '--keep DIR'),
                (['--jobs', '65'], 2, 'from 1 to 64'),
                ([self.folder / 'missing.json'], 2, 'LD0113'),
                (['--keep', '/dev/null/x'], 3, 'choose a writable path')]:
            with self.subTest(words):
                done = self.run_cases(self.suites, *words)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stdout, '')
        done = self.run_cases(self.suites / 'self.json')
        self.assertEqual(done.returncode, 4)
        self.assertIn('expected a scenario: a suite cannot contain suites', done.stdout)

    def test_an_interrupt_writes_reports_of_the_finished_cases(self):
        for index in range(400):
            (self.suites / f'{index:03}.json').write_text(heart('Long', STAYS, limit='600 s'))
        xml, js = self.folder / 'report.xml', self.folder / 'report.json'
        html, md = self.folder / 'report.html', self.folder / 'report.md'
        xml.write_text('old')
        reports = [word for path in [xml, js, html, md] for word in ['--report', str(path)]]
        with subprocess.Popen(
                [LUBDUB, 'run', str(self.suites), *reports], cwd=ROOT,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            lines = [process.stdout.readline()]
            self.assertEqual(xml.read_text(), 'old')
            process.send_signal(signal.SIGINT)
            output, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertIn('interrupted: ', messages)
        count = len(self.reported(js)['cases'])
        self.assertTrue(0 < count < 400, count)
        self.assertEqual(self.check_junit(xml).get('tests'), str(count))
        self.assertEqual(html.read_text().count('<th scope="row">'), count)
        self.assertTrue(html.read_text().endswith('</html>\n'))
        self.assertTrue(md.read_text().startswith('### '))
        self.assertEqual(
            sorted(path.name for path in self.folder.iterdir()),
            ['report.html', 'report.json', 'report.md', 'report.xml', 'suites'])

    def test_closed_output_does_not_prevent_reports(self):
        js = self.folder / 'report.json'
        with subprocess.Popen(
                [LUBDUB, 'run', str(self.suites), '--report', str(js)], cwd=ROOT, stdout=subprocess.PIPE) as process:
            process.stdout.close()
            self.assertEqual(process.wait(60), 128 + signal.SIGPIPE)
        self.assertEqual([case['id'] for case in self.reported(js)['cases']], ['bad/broken'])

    def test_the_same_run_gives_the_same_page(self):
        pages = []
        for name in ['one.html', 'two.html']:
            self.run_cases(self.suites, 'scenarios/recovery/away_long.json', '--report', self.folder / name)
            pages.append((self.folder / name).read_bytes())
        self.assertEqual(*pages)
        self.assertIn(b'class="away"', pages[0])

    def test_reports_can_be_compared(self):
        def matrix(*words):
            return subprocess.run(
                [LUBDUB, 'matrix', *map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=60)

        one, other, page = self.folder / 'one.json', self.folder / 'other.json', self.folder / 'm.html'
        self.run_cases(self.suites, '--report', one)
        self.run_cases(self.suites / 'bad', '--report', other)
        done = matrix(one, other, '-o', page)
        self.assertEqual((done.returncode, done.stdout), (0, f'Wrote {page}: 7 cases from 2 reports\n'), done.stderr)
        self.assertIn('<span class="name">other</span>', page.read_text())
        done = matrix(one, other)
        self.assertEqual((done.returncode, done.stdout), (0, page.read_text()), done.stderr)
        self.assertEqual(matrix(one, '-o', self.folder / 'm.md').returncode, 0)
        (self.folder / 'bad.json').write_text('{"lubdub": 1}')
        big = self.folder / 'big.json'
        with big.open('wb') as file:
            file.truncate(257 << 20)
        before = page.read_bytes()
        for words, status, message in [
                ([self.folder / 'bad.json'], 2, 'bad.json:1:12: LD0108: lubdub: expected a string'),
                ([self.folder / 'none.json', one], 2, 'LD0113'), ([self.folder], 2, 'LD0113'), ([big], 2, 'LD0112'),
                (['schema/scenario.schema.json'], 2, 'LD0107')]:
            with self.subTest(words):
                done = matrix(*words, '-o', page)
                self.assertEqual(done.returncode, status)
                self.assertIn(message, done.stderr)
                self.assertEqual((done.stdout, page.read_bytes()), ('', before))
        for words, status in [
                ([one, '-o', 'x.txt'], 2), (['-o', page], 2), ([one, '-o', self.folder / 'none' / 'x.md'], 3),
                ([page, '-o', page], 2)]:
            self.assertEqual(matrix(*words).returncode, status, words)

    def test_folders_can_be_validated(self):
        def validate(*words):
            done = subprocess.run(
                [LUBDUB, 'validate', *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=60)
            return done.returncode, done.stdout.splitlines()

        status, lines = validate('suites')
        self.assertEqual(status, 2)
        self.assertTrue(lines[0].startswith('suites/bad/broken.json:1:'), lines)
        self.assertEqual(lines[4:], [
            f'suites/{name}.json: no problems' for name in ['bad/fails', 'bad/open', 'good', 'suite']])
        (self.suites / 'bad' / 'broken.json').unlink()
        self.assertEqual(validate('suites/', 'suites/bad')[0], 0)
        (self.folder / 'empty').mkdir()
        self.assertEqual(validate('empty'), (2, ['empty:1:1: LD0113: this folder contains no scenario']))

    def test_groups_have_the_names_of_folders(self):
        done = subprocess.run(
            [LUBDUB, 'run', './suites/good.json', './suites/bad', '--seed', '2'], cwd=self.folder, capture_output=True,
            text=True, timeout=60)
        self.assertRegex(done.stdout, r'\nsuites +1 +0 ')
        self.assertNotRegex(done.stdout, r'(?m)^\. ')

    def test_checks_are_reported_too(self):
        xml, js, html = (self.folder / f'report.{end}' for end in ['xml', 'json', 'html'])
        done = subprocess.run(
            [LUBDUB, 'check', 'scenarios/resting.json', '--only', 'HRS/*', '--report', xml, '--report', js, '--report', html],
            cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.reported(js)
        self.assertGreater(report['summary']['pass'], 5)
        self.assertTrue(all(case['id'].startswith('HRS/') and case['requirement'] for case in report['cases']))
        self.assertEqual(self.check_junit(xml).get('tests'), str(len(report['cases'])))
        self.assertEqual(html.read_text().count('<th scope="row">'), len(report['cases']))

    def test_a_suite_without_cases_runs_nothing(self):
        (self.suites / 'none.json').write_text('{"lubdub": 1, "kind": "suite", "name": "None", "cases": []}')
        done = self.run_cases(self.suites / 'none.json')
        self.assertEqual(done.returncode, 3)
        self.assertIn('has no cases', done.stderr)

    def test_one_scenario_is_reported_too(self):
        js = self.folder / 'report.json'
        plain = self.run_cases('scenarios/resting.json')
        done = self.run_cases('scenarios/resting.json', '--report', js)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, plain.stdout, plain.stderr))
        case, = self.reported(js)['cases']
        self.assertEqual((case['id'], case['verdict']), ('scenarios/resting', 'pass'))
        done = self.run_cases(self.suites / 'bad' / 'fails.json', '--quiet', '--report', js)
        self.assertEqual(done.returncode, 1)
        case, = self.reported(js)['cases']
        self.assertIn(f'replay: {case["replay"]}', done.stdout)


if __name__ == '__main__':
    unittest.main()
