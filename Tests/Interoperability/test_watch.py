"""`--watch` of `run` and `validate`: files that change in all the ways in which editors change them."""

import contextlib
import json
import os
import pathlib
import queue
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from harness import LUBDUB, ROOT

SCENARIO = {
    'lubdub': 1, 'name': 'watched', 'limit': '10 s',
    'devices': [{'id': 'strap', 'services': [
        {'service': 'heart_rate', 'value': {'curve': 'csv', 'file': 'rates.csv', 'column': 'bpm', 'time': 'seconds'}}]}]}
WATCHING = 'Ctrl-C ends'


def replace(path, text):
    """Replaces a file by renaming another one, as most editors do."""
    other = path.with_name(path.name + '~')
    other.write_text(text)
    os.rename(other, path)


class Watch:
    """A running command and its lines, of standard output and standard error."""

    def __init__(self, *arguments, **options):
        self.process = subprocess.Popen(
            [LUBDUB, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            stdin=subprocess.DEVNULL, **options)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip('\n'))
        self.lines.put(None)

    def until(self, text, limit=30):
        """The lines up to the first that contains the text."""
        lines, end = [], time.monotonic() + limit
        while not lines or text not in lines[-1]:
            line = self.lines.get(timeout=max(0.1, end - time.monotonic()))
            assert line is not None, f'no {text!r} in {lines}'
            lines.append(line)
        return lines


class WatchTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scenario, self.rates = self.folder / 'a.json', self.folder / 'rates.csv'
        self.scenario.write_text(json.dumps(SCENARIO))
        self.rates.write_text('seconds,bpm\n0,62\n')

    @contextlib.contextmanager
    def watching(self, *arguments):
        watch = Watch(*arguments, '--watch', cwd=self.folder)
        try:
            yield watch
        finally:
            if watch.process.poll() is None:
                watch.process.kill()
            watch.process.wait()

    def ends(self, watch, number=signal.SIGINT):
        watch.process.send_signal(number)
        self.assertEqual(watch.process.wait(10), 128 + number)

    def test_a_run_follows_the_scenario_and_its_csv_file(self):
        with self.watching('run', 'a.json') as watch:
            self.assertTrue(any('62 bpm' in line for line in watch.until(WATCHING)))
            replace(self.rates, 'seconds,bpm\n0,77\n')
            lines = watch.until(WATCHING)
            self.assertIn('rates.csv', lines[0])
            self.assertTrue(any('77 bpm' in line for line in lines))
            self.assertFalse(any('62 bpm' in line for line in lines))
            self.scenario.write_text('{"lubdub": 1,')
            self.assertTrue(any('LD0102' in line for line in watch.until(WATCHING)))
            self.scenario.unlink()
            self.assertTrue(any('no such file' in line for line in watch.until(WATCHING)))
            replace(self.scenario, json.dumps(SCENARIO))
            self.assertTrue(any('77 bpm' in line for line in watch.until(WATCHING)))
            self.ends(watch)

    def test_validate_follows_a_folder(self):
        with self.watching('validate', '.') as watch:
            self.assertTrue(watch.until(WATCHING)[0].endswith('a.json: no problems'))
            (self.folder / 'b.json').write_text(json.dumps(SCENARIO | {'nmae': 'x'}))
            lines = watch.until(WATCHING)
            self.assertTrue(any('b.json' in line and 'LD0107' in line for line in lines), lines)
            (self.folder / 'b.json').unlink()
            self.assertEqual(len([line for line in watch.until(WATCHING) if 'no problems' in line]), 1)
            self.ends(watch, signal.SIGTERM)

    def test_what_a_run_writes_is_no_change(self):
        with self.watching('run', '.', '--report', 'report.json') as watch:
            watch.until(WATCHING)
            self.assertTrue((self.folder / 'report.json').exists())
            with self.assertRaises(queue.Empty):
                watch.lines.get(timeout=1.5)
            self.ends(watch)

    def test_a_change_interrupts_a_run_and_its_client(self):
        command = 'echo $$ >> clients; echo "{\\"state\\": \\"scanning\\"}"; exec sleep 60'
        with self.watching('run', 'a.json', '--client', command, '--for', '60 s') as watch:
            watch.until('scanning')
            self.scenario.write_text(json.dumps(SCENARIO | {'name': 'another'}))
            watch.until('has changed')
            watch.until('scanning')
            self.ends(watch)
        clients = (self.folder / 'clients').read_text().split()
        self.assertEqual(len(clients), 2)
        self.assertEqual([client for client in clients if pathlib.Path('/proc', client).exists()], [])

    def test_what_cannot_be_watched_is_refused(self):
        for options in [['--ask'], ['--keep', 'kept']]:
            done = subprocess.run(
                [LUBDUB, 'run', 'a.json', '--watch', *options], cwd=self.folder, capture_output=True, text=True, timeout=30)
            self.assertEqual((done.returncode, done.stdout), (2, ''))
            self.assertIn('--watch cannot be combined with', done.stderr)

    def test_it_ends_with_the_reader_of_its_output(self):
        process = subprocess.Popen(
            [LUBDUB, 'run', ROOT / 'scenarios' / 'resting.json', '--watch'], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        process.stdout.close()
        self.assertEqual(process.wait(20), 128 + signal.SIGPIPE)


if __name__ == '__main__':
    unittest.main()
