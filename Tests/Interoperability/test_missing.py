"""The messages of commands about missing devices and invalid operands."""

import contextlib
import json
import pathlib
import subprocess
import tempfile
import unittest

from harness import LUBDUB, ROOT

TWO = {
    'lubdub': 1, 'name': 'Two', 'devices': [
        {'id': name, 'name': name.title(), 'address': f'C0:FF:EE:00:00:0{number}/random', 'distance': f'{number * 4} m',
         'advertise': {'services': ['180D']}, 'services': [{'service': 'heart_rate', 'value': 60 + number}]}
        for number, name in [(1, 'near'), (2, 'far')]]}


def lubdub(*arguments):
    """A finished `lubdub ARGUMENTS...`."""
    return subprocess.run([LUBDUB, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=60)


@contextlib.contextmanager
def file(scenario):
    """A file with this content."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'scenario.json')
        path.write_text(json.dumps(scenario))
        yield path


class MissingTests(unittest.TestCase):
    def test_a_peer_that_is_not_found_is_reported_with_the_others(self):
        with subprocess.Popen(
                [LUBDUB, 'serve', 'scenarios/three_straps.json', '--controller', 'tcp:127.0.0.1:0'], cwd=ROOT,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as serve:
            try:
                radio = 'hci:' + serve.stdout.readline().split()[1]
                done = lubdub('monitor', '--radio', radio, '--peer', 'Nobody', '--for', '2s', '--plain')
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertRegex(done.stderr, r'^lubdub: "Nobody" was not found, but .*C0:FF:EE:00:00:0\d/random')
                self.assertEqual(lubdub('monitor', '--radio', radio, '--for', '4s').returncode, 0)
            finally:
                serve.kill()

    def test_without_any_device(self):
        with subprocess.Popen(
                [LUBDUB, 'controller', '--listen', 'tcp:127.0.0.1:0'], cwd=ROOT, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True) as controller:
            try:
                radio = 'hci:' + controller.stdout.readline().split()[1]
                done = lubdub('monitor', '--radio', radio, '--for', '3s')
                self.assertEqual(done.returncode, 3)
                self.assertEqual(
                    done.stderr,
                    'lubdub: a device with a service that this client knows was not found, and no other device\n')
                self.assertEqual(lubdub('scan', '--radio', radio, '--for', '3s').returncode, 0)
            finally:
                controller.kill()

    def test_a_bridge_needs_an_adapter_and_an_address(self):
        for words, message in (
                (['tcp:127.0.0.1:6402'], 'an adapter has a name such as hci:0, not "tcp:127.0.0.1:6402" (lubdub doctor '
                 "lists this machine's)"),
                (['hci:0', '--controller', 'vhci'],
                 '--controller: invalid address "vhci": use tcp:HOST:PORT or unix:PATH'),
                (['hci:0', '--for', 'long'], '--for must be a duration such as "5 s", not "long"')):
            done = lubdub('bridge', *words)
            self.assertEqual((done.returncode, done.stderr), (2, f'lubdub: {message}\n'))

    def test_an_endless_file_is_not_read(self):
        for words in ['0s', '9ms', '0 min']:
            done = lubdub('monitor', '--radio', 'hci:tcp:127.0.0.1:1', '--every', words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'--every must be a duration of at least 10 ms, for example "5 s", not "{words}"', done.stderr)

    def test_a_pattern_without_a_match_lists_the_cases(self):
        done = lubdub('run', 'scenarios/resting.json', '--only', 'workout')
        self.assertEqual(done.returncode, 3)
        self.assertIn('no case matches "workout" (the only case is "scenarios/resting")', done.stderr)
        done = lubdub('run', 'scenarios/recovery/away_long.json', '--only', 'returns')
        self.assertIn('(that is an expectation of "scenarios/recovery/away_long"; --only selects cases)', done.stderr)
        for words, meant in [
            (('scenarios/recovery', '--only', 'recovery/another_address'), 'another_address'),
            (('scenarios', '--only', 'another_address'), 'recovery/another_address'),
            (('scenarios', '--only', 'recovery/anotheraddress'), 'recovery/another_address'),
        ]:
            done = lubdub('run', *words)
            self.assertEqual(done.returncode, 3)
            self.assertIn(f'(did you mean "{meant}"?)', done.stderr)

    def test_a_malformed_suite_is_reported_although_no_case_matches(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'suite.json')
            path.write_text('{"kind": "suite", "cases": [{"id": "a" "scenario": "a.json"}]}')
            done = lubdub('run', path, '--only', 'a')
        self.assertEqual(done.returncode, 2)
        self.assertIn('LD0102', done.stderr)
        self.assertNotIn('no case matches', done.stderr)

    def test_help_lines_are_indented(self):
        for command in ['serve', 'run', 'monitor', 'demo', 'controller', 'doctor', 'scan', 'validate']:
            usage, _, *rest = lubdub(command, '--help').stdout.splitlines()
            table = rest[rest.index('') + 1:]
            headings = [line for line in table if line and not line.startswith('  ')]
            self.assertTrue(all(line.endswith(':') for line in headings), headings)
            self.assertGreater(len(table), 2 * len(headings))
            self.assertTrue(usage.startswith('Usage: '))


class TargetTests(unittest.TestCase):
    def test_only_the_target_is_connected_to(self):
        for target, rates in [({'target': 'far'}, '62 bpm'), ({'target': 'near'}, '61 bpm'), ({}, '61 bpm')]:
            with file(TWO | target) as path:
                done = lubdub('run', path, '--for', '10s')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(rates, done.stdout)
            self.assertNotIn({'61 bpm': '62 bpm', '62 bpm': '61 bpm'}[rates], done.stdout)


class SkipTests(unittest.TestCase):
    def test_years_of_milliseconds_pass_immediately(self):
        walk = {'curve': 'walk', 'start': 36.6, 'by': 0.1, 'period': '1 ms', 'range': [36, 38]}
        scenario = {
            'lubdub': 1, 'name': 'Years', 'limit': '20 s', 'devices': [
                {'id': 'd', 'address': 'C0:FF:EE:00:00:01/random', 'advertise': {'services': ['1809']},
                 'services': [{'service': 'health_thermometer', 'value': walk}]}],
            'script': [{'when': '10 s', 'do': 'skip_time', 'by': '100000 days'}]}
        with file(scenario) as path:
            once, again = lubdub('run', path), lubdub('run', path)
        self.assertEqual(once.returncode, 0, once.stderr)
        self.assertEqual(once.stdout, again.stdout)


if __name__ == '__main__':
    unittest.main()
