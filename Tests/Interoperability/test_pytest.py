"""The pytest plugin of Tools/python: installed by pip, it runs the example of the documentation, and reports failures."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import LUBDUB, ROOT
from test_action import SILENT
from test_client import ADAPTER

PAGE = (ROOT / 'Documentation/continuous-integration.md').read_text()
EXAMPLES = re.findall(r'```python\n(.*?)```', PAGE, re.DOTALL)
BUMBLE, = [text for text in EXAMPLES if 'shown_rate' in text]
RECOVERY, = [text for text in EXAMPLES if 'follow' in text]
JUDGING, = [text for text in EXAMPLES if 'lubdub_run' in text]
BLEAK, = [text for text in EXAMPLES if 'bleak' in text]

# Tests of the plugin itself.
OWN = '''
import os
import pathlib
import signal

import lubdub
import pytest


def test_a_missing_scenario_names_the_reason(strap):
    with pytest.raises(lubdub.Failure, match='no installed scenario is named "restin"'):
        strap('restin')


def test_a_wrong_action_is_refused(strap):
    device = strap('resting')
    with pytest.raises(lubdub.Refused, match='did you mean "strap"'):
        device.act('silence', 'strab')
    assert device.act('silence', 'strap', lasting='1 h') == {'ok': True}
    assert [action['do'] for action in device.status['in_force']] == ['silence']
    assert device.clear() == {'ok': True}
    assert device.status['in_force'] == []
    assert device.wait_for('ended')['t'] >= device.wait_for('began')['t']


def test_an_event_is_found_by_a_short_path(strap):
    device = strap('resting')
    device.act('set', 'heart_rate', to=90)
    path = device.wait_for('began')['of']
    assert path == 'strap/heart_rate'
    began = device.events('began', of=path)
    assert len(began) == 1 and began == device.events('began', of='heart_rate') == device.events('began', of='strap')
    for wrong in ['rate', 'hart_rate', 'strap/']:
        with pytest.raises(lubdub.Failure, match=f'unknown path {wrong}; .*strap/heart_rate'):
            device.events('began', of=wrong)


def test_two_straps_have_two_controllers_and_folders(strap):
    one, other = strap('resting', seed=7), strap('polar_h10')
    assert one.port != other.port and one.folder != other.folder
    assert one.events('start')[0]['seed'] == 7
    with pytest.raises(lubdub.Failure, match='there is no event conected: .*did you mean "connected"'):
        one.events('conected')


def test_an_event_that_never_comes_fails(strap):
    device = strap('resting')
    with pytest.raises(lubdub.Failure, match='no event subscribed  within 0.1 s;'):
        device.wait_for('subscribed', limit=0.1)
    with pytest.raises(lubdub.Failure, match='within 0.1 s after 5 s;'):
        device.wait_for('subscribed', limit=0.1, after=5)
    assert device.close() == 128 + signal.SIGTERM
    with pytest.raises(lubdub.Failure):
        device.act('clear')


def test_a_strap_needs_no_pytest(tmp_path):
    with lubdub.Strap('resting', variables={}, folder=tmp_path / 'kept') as device:
        assert device.controller == f'tcp:127.0.0.1:{device.port}'
    assert device.events()[-1]['event'] == 'end' and device.trace.stat().st_size > 0


def test_the_verdicts_of_a_client(lubdub_run):
    report = lubdub_run('clients/named')
    report.check()
    assert [(case.id.rsplit('/', 1)[-1], case.verdict) for case in report.cases] == [('named', 'pass')]
    silent = lubdub_run('clients/named', client='python3 silent.py')
    with pytest.raises(AssertionError, match='(?s)named: fail.* replay: lubdub run .*event logs and traces: /'):
        silent.check()
    swapped = lubdub_run('clients/two_octets', options=['--faulty', 'big_endian'])
    with pytest.raises(AssertionError, match='it looks like swapped octets'):
        swapped.check()
    missing = lubdub_run('clients/named', client='python3 missing.py')
    with pytest.raises(AssertionError, match="stderr: .*can't open file"):
        missing.check()


@pytest.mark.skipif('FAILING' not in os.environ, reason='only to see how a failure looks')
def test_that_fails(strap):
    strap('resting')
    assert False
'''


class PytestTests(unittest.TestCase):
    limit = 120

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        source = cls.folder / 'python'
        # pip writes into the folder.
        shutil.copytree(ROOT / 'Tools/python', source, ignore=shutil.ignore_patterns('build', '*.egg-info', '__pycache__'))
        cls.packages = cls.folder / 'packages'
        subprocess.run(
            [sys.executable, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-index', '--no-deps',
             '--no-build-isolation', '--target', cls.packages, source], check=True, timeout=100)

    def pytest(self, text, *options, **environment):
        """Runs pytest with these tests; returns its status and output."""
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (place / 'test_example.py').write_text(text)
        (place / 'client.py').write_text(ADAPTER)
        (place / 'silent.py').write_text(SILENT)
        done = subprocess.run(
            [sys.executable, '-W', 'ignore', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--basetemp', place / 'kept',
             *options, 'test_example.py'],
            cwd=place, env=os.environ | {'PYTHONPATH': str(self.packages), 'LUBDUB': LUBDUB} | environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
        return done.returncode, done.stdout

    def test_the_example_for_bumble_passes(self):
        status, output = self.pytest(BUMBLE)
        self.assertEqual(status, 0, output)
        self.assertIn('1 passed', output)

    def test_the_example_for_bumble_can_fail(self):
        status, output = self.pytest(BUMBLE.replace('to=300', 'to=299'))
        self.assertEqual(status, 1, output)
        self.assertIn('assert 299 == 300', output)

    def test_the_example_of_recovery_passes_only_if_the_client_comes_back(self):
        status, output = self.pytest(RECOVERY)
        self.assertEqual(status, 0, output)
        status, output = self.pytest(RECOVERY.replace('while True:', 'if True:').replace('limit=30', 'limit=8'))
        self.assertEqual(status, 1, output)
        self.assertIn('no event delivered', output)

    def test_the_example_that_judges_a_client_runs_it(self):
        text = JUDGING.replace("'recovery'", "'clients/named', 'clients/silence'")
        client = f'{sys.executable} client.py'
        status, output = self.pytest(text.replace('python3 client.py', client))
        self.assertEqual(status, 0, output)

    def test_the_example_for_bleak_is_python(self):
        compile(BLEAK, 'example', 'exec')

    def test_straps_actions_events_and_verdicts(self):
        status, output = self.pytest(OWN)
        self.assertEqual(status, 0, output)
        self.assertIn('7 passed, 1 skipped', output)

    def test_a_failure_names_the_folder_with_the_event_log(self):
        status, output = self.pytest(OWN, '-k', 'test_that_fails', '-rA', FAILING='1')
        self.assertEqual(status, 1, output)
        folder, = re.findall(r'^\S+/strap1$', output, re.MULTILINE)
        self.assertIn('"event": "end"', (pathlib.Path(folder) / 'events.jsonl').read_text())

    def test_a_missing_program_is_named(self):
        status, output = self.pytest("def test_it(strap):\n    strap('resting')\n", '--lubdub', '/nowhere/lubdub')
        self.assertEqual(status, 1, output)
        self.assertIn('/nowhere/lubdub is not installed', output)


if __name__ == '__main__':
    unittest.main()
