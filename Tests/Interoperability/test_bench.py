"""The counts and allocations of `make bench`; times are printed, but not tested."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

from harness import RELEASE, ROOT, needs_release


PROGRAM = (ROOT / (RELEASE or '.build/release/lubdub')).resolve()
BENCHMARKS = str(PROGRAM.with_name('benchmarks'))
ENVIRONMENT = os.environ | {'LUBDUB': str(PROGRAM)}


@needs_release
class Bench(unittest.TestCase):
    limit = 60

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.counter = str(pathlib.Path(folder.name) / 'count_allocations.so')
        source = pathlib.Path(__file__).with_name('count_allocations.c')
        subprocess.run(['clang', '-shared', '-fPIC', '-O2', '-o', self.counter, str(source)], check=True)

    def bench(self, *arguments):
        finished = subprocess.run(
            [BENCHMARKS, '--json', *arguments], cwd=ROOT, timeout=120, stdout=subprocess.PIPE, text=True,
            env=ENVIRONMENT | {'LD_PRELOAD': self.counter})
        rows = {row['row']: row for row in map(json.loads, finished.stdout.splitlines())}
        return finished.returncode, rows

    def test_counts_are_right_and_a_notification_allocates_nothing(self):
        code, rows = self.bench('--alone')
        self.assertEqual(code, 0)
        self.assertEqual(
            list(rows),
            ['notifications', 'logged', 'client', 'reads', 'greeting', 'hour', 'day', 'encryption', 'pairing', 'ecg',
             'lateness', 'idle', 'crowd', 'crowd_memory', 'suite', 'start', 'memory', 'system_start'])
        schema = json.loads((ROOT / 'Benchmarks/row.schema.json').read_text())
        for name, row in rows.items():
            jsonschema.validate(row, schema)
            self.assertTrue(row['valid'], row)
            self.assertIsNone(row['ratio'], row)
            if name not in ('lateness', 'encryption'):  # both may be about 0
                self.assertGreater(row['value'], 0, row)
        self.assertEqual(rows['notifications']['count'], 120_000)
        self.assertEqual(rows['logged']['count'], 120_000)
        self.assertEqual(rows['client']['count'], 120_000)
        self.assertEqual(rows['greeting']['count'], 1000)
        self.assertIn(rows['hour']['count'], range(3590, 3601))
        self.assertEqual(rows['reads']['count'], 100_000)
        self.assertIn(rows['ecg']['count'], range(1_795_000, 1_800_001))
        # Proves that the counter counts.
        self.assertGreater(rows['greeting']['allocations_per_item'], 10)
        self.assertLess(rows['notifications']['allocations_per_item'], 0.01)
        # The array of RR-Intervals.
        self.assertLess(rows['client']['allocations_per_item'], 1.01)

    def test_bumble_does_the_same_work(self):
        code, rows = self.bench('notifications', 'reads', 'greeting')
        self.assertEqual(code, 0)
        for row in rows.values():
            self.assertGreater(row['bumble_cpu_us_per_item'], row['cpu_us_per_item'], row)
            self.assertAlmostEqual(row['ratio'], row['bumble_cpu_us_per_item'] / row['cpu_us_per_item'], delta=1)

    def test_a_row_is_compared_with_stored_results(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, 'Benchmarks')
            place.mkdir()
            for bounds, status in [({'max': 1e6}, 0), ({'max': 1e-6}, 1), ({'min': 1e6}, 1), ({'min': 1e-6}, 0)]:
                (place / 'expected.json').write_text(json.dumps({'idle': {'value': bounds}}))
                with self.subTest(bounds):
                    finished = subprocess.run(
                        [BENCHMARKS, '--alone', '--check', 'idle'], cwd=folder, timeout=60, capture_output=True,
                        text=True, env=ENVIRONMENT)
                    self.assertEqual(finished.returncode, status, finished.stderr)
                    self.assertEqual('value is' in finished.stderr, status == 1)

    def test_a_csv_file_is_read_without_an_allocation_per_line(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario, table = pathlib.Path(folder, 'long.json'), pathlib.Path(folder, 'long.csv')
            scenario.write_text(json.dumps({'lubdub': 1, 'name': 'Long', 'devices': [{'id': 'strap', 'services': [
                {'service': 'heart_rate', 'value': {'curve': 'csv', 'file': 'long.csv'}}]}]}))
            table.write_text('time,bpm\n' + ''.join(f'{n / 4},{60 + n % 40}\n' for n in range(1_200_000)))
            finished = subprocess.run(
                [str((ROOT / RELEASE).resolve()), 'validate', str(scenario)], timeout=120, capture_output=True, text=True,
                env=os.environ | {'LD_PRELOAD': self.counter, 'COUNT_ALLOCATIONS': '1'})
        self.assertEqual((finished.returncode, finished.stdout), (0, f'{scenario}: no problems\n'))
        self.assertLess(int(finished.stderr.split()[-1]), 100_000)

    def test_its_help_names_the_rows_and_options(self):
        finished = subprocess.run([BENCHMARKS, '--help'], timeout=60, capture_output=True, text=True)
        self.assertEqual((finished.returncode, finished.stderr), (0, ''))
        for word in ('Usage: benchmarks [OPTION...]', '--check', '--json', '--alone', '--bumble', 'crowd_memory'):
            self.assertIn(word, finished.stdout)

    def test_the_product_has_no_such_command(self):
        finished = subprocess.run([str(PROGRAM), 'bench'], timeout=60, capture_output=True, text=True)
        self.assertEqual((finished.returncode, finished.stdout), (2, ''))
        self.assertIn('unknown command "bench"', finished.stderr)

    def test_an_unknown_row_is_rejected(self):
        code, rows = self.bench('notification')
        self.assertEqual((code, rows), (2, {}))


if __name__ == '__main__':
    unittest.main()
