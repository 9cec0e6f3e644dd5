"""What `lubdub bench` counts: times are printed and never judged, counts and allocations are."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from harness import ROOT

RELEASE = os.environ.get('LUBDUB_RELEASE')


@unittest.skipUnless(RELEASE, 'LUBDUB_RELEASE names no release binary, and a debug build allocates as it likes')
class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.counter = str(pathlib.Path(folder.name) / 'count_allocations.so')
        source = pathlib.Path(__file__).with_name('count_allocations.c')
        subprocess.run(['clang', '-shared', '-fPIC', '-O2', '-o', self.counter, str(source)], check=True)

    def bench(self, *arguments):
        finished = subprocess.run(
            [str((ROOT / RELEASE).resolve()), 'bench', '--json', *arguments], cwd=ROOT, timeout=120,
            stdout=subprocess.PIPE, text=True, env=os.environ | {'LD_PRELOAD': self.counter})
        rows = {row['row']: row for row in map(json.loads, finished.stdout.splitlines())}
        return finished.returncode, rows

    def test_counts_are_right_and_a_notification_allocates_nothing(self):
        code, rows = self.bench('--alone')
        self.assertEqual(code, 0)
        self.assertEqual(
            list(rows), ['notifications', 'logged', 'greeting', 'hour', 'idle', 'start', 'memory'])
        for row in rows.values():
            self.assertTrue(row['valid'], row)
            self.assertIsNone(row['ratio'], row)
            self.assertGreater(row['value'], 0, row)
        self.assertEqual(rows['notifications']['count'], 120_000)
        self.assertEqual(rows['logged']['count'], 120_000)
        self.assertEqual(rows['greeting']['count'], 1000)
        self.assertIn(rows['hour']['count'], range(3590, 3601))
        # A counter that counts nothing would prove nothing.
        self.assertGreater(rows['greeting']['allocations_per_item'], 10)
        self.assertLess(rows['notifications']['allocations_per_item'], 0.01)

    def test_bumble_does_the_same_work(self):
        code, rows = self.bench('notifications', 'greeting')
        self.assertEqual(code, 0)
        for row in rows.values():
            self.assertGreater(row['bumble_cpu_us_per_item'], row['cpu_us_per_item'], row)
            self.assertAlmostEqual(row['ratio'], row['bumble_cpu_us_per_item'] / row['cpu_us_per_item'], delta=1)

    def test_an_unknown_row_is_refused(self):
        code, rows = self.bench('notification')
        self.assertEqual((code, rows), (2, {}))


if __name__ == '__main__':
    unittest.main()
