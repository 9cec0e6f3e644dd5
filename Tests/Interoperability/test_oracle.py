"""The questions of Tests/Oracle, put to the bluetoothd that Lubdub plays: it answers as the real one did."""

import difflib
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from harness import LUBDUB, ROOT

ORACLE = ROOT / 'Tests/Oracle'
sys.path.insert(0, str(ORACLE))

import comparing  # noqa: E402


class OracleTests(unittest.TestCase):
    # The longest chapter waits for bluetoothd's timers: 40 s until Connect fails, 30 s until a device is forgotten.
    limit = 240

    def ask(self, chapter, cache):
        """The answers of the played bluetoothd to a chapter."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        bus, control, log = (pathlib.Path(folder.name, name) for name in ('bus', 'control', 'log'))
        with open(log, 'wb') as messages, subprocess.Popen(
                [LUBDUB, 'serve', ORACLE / 'scenario.json', '--system', f'bluez:unix:{bus}', '--bluez-cache', cache,
                 '--control', f'unix:{control}'], stdin=subprocess.DEVNULL, stdout=messages, stderr=messages) as serve:
            try:
                while b'system ' not in log.read_bytes() or not control.exists():
                    self.assertIsNone(serve.poll(), log.read_text())
                    time.sleep(0.02)
                asked = subprocess.run(
                    [sys.executable, '-B', ORACLE / 'oracle.py', chapter, control, cache], capture_output=True, text=True,
                    timeout=self.limit, env=os.environ | {'DBUS_SYSTEM_BUS_ADDRESS': f'unix:path={bus}'})
            finally:
                serve.terminate()
        self.assertEqual(asked.returncode, 0, asked.stderr)
        return asked.stdout

    def compare(self, chapter, cache='always'):
        """Asks once more if an answer differs: on a busy machine, a discovery begins anew elsewhere."""
        expected, _ = comparing.expected(chapter, cache)
        for _ in range(2):
            lines = list(difflib.unified_diff(
                expected.splitlines(), self.ask(chapter, cache).splitlines(), 'the real one', 'the played one', lineterm=''))
            if not lines:
                return
        self.fail('\n'.join(lines))

    def test_objects(self):
        self.compare('objects')

    def test_scans(self):
        self.compare('scans')

    def test_attributes(self):
        self.compare('attributes')

    def test_losses(self):
        self.compare('losses')

    def test_losses_without_a_cache(self):
        self.compare('losses', 'no')

    def test_links(self):
        self.compare('links')

    def test_pairing(self):
        self.compare('pairing')


class DifferenceTests(unittest.TestCase):
    def test_each_difference_that_is_meant_is_one(self):
        used = [difference for chapter in comparing.CHAPTERS for difference in comparing.expected(*chapter)[1]]
        for difference in comparing.DIFFERENCES:
            self.assertIn(difference, used, f'{difference} changes no answer: remove it')

    def test_there_are_many_questions(self):
        count = sum(
            line[1:2] == '>' for chapter in comparing.CHAPTERS for line in comparing.stored(*chapter).read_text().splitlines())
        self.assertGreater(count, 150)


if __name__ == '__main__':
    unittest.main()
