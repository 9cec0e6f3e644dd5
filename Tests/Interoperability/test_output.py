"""Results that cannot be written, and machines without /proc: an exit status, and a message where one helps."""

import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from harness import LUBDUB, ROOT

# A command line of each command, which prints results; those that need a radio, or much time, print their help.
COMMANDS = [
    ['demo', '--speed', 'max', '--for', '5s'], ['run', 'resting', '--list'], ['run', 'resting', '--only', '*resting'],
    ['check', 'resting', '--only', 'GATT/SR/GAD/BV-01-C'], ['check', '--list'],
    ['serve', 'resting', '--speed', 'max', '--for', '2s', '--events', '-'], ['monitor', '--help'], ['scan', '--help'],
    ['record', '--help'], ['controller', '--listen', 'unix:CONTROLLER', '--for', '0.1s'], ['bridge', '--help'],
    ['merge', 'REPORT', '-o', 'MERGED'], ['matrix', 'REPORT'], ['list'], ['list', '--null'], ['new', 'strap'],
    ['validate', 'resting'], ['validate', '--schema'], ['validate', '--schema-of', 'list'], ['prove', '--list'], ['explain'],
    ['explain', 'silence'], ['scan', '--help'], ['doctor', '--json'], ['control', 'unix:CONTROL', 'status'],
    ['replay', 'EVENTS'], ['completions', 'bash'], ['manual'], ['manual', '--list'], ['help'], ['--version'], []]


class OutputTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.lubdub(['run', 'resting', '--only', '*resting', '--report', 'REPORT'], stdout=subprocess.DEVNULL)
        cls.lubdub(['serve', 'resting', '--speed', 'max', '--for', '2s', '--events', 'EVENTS'], stdout=subprocess.DEVNULL)
        server = subprocess.Popen(
            [LUBDUB, 'serve', 'resting', '--controller', f'unix:{cls.folder}/host', '--control', f'unix:{cls.folder}/control'],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(server.stdout.close)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.kill)
        server.stdout.readline()

    @classmethod
    def lubdub(cls, words, through=(), **settings):
        files = {'REPORT': 'report.json', 'MERGED': 'merged.json', 'EVENTS': 'events.jsonl', 'unix:CONTROL': 'control',
                 'unix:CONTROLLER': 'controller'}
        words = [('unix:' if ':' in word else '') + f'{cls.folder}/{files[word]}' if word in files else word for word in words]
        return subprocess.run(
            [*through, LUBDUB, *words], cwd=ROOT, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120,
            **settings)

    def test_each_command_is_tried(self):
        names = subprocess.run([LUBDUB, 'manual', '--list'], capture_output=True, text=True, timeout=60).stdout.split()
        self.assertLessEqual(set(names), {words[0] for words in COMMANDS if words})

    def test_results_that_cannot_be_written_are_an_error(self):
        for words in COMMANDS:
            with self.subTest(words):
                done = self.lubdub(words, stdout=subprocess.PIPE)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout)
                with open('/dev/full', 'wb') as full:
                    done = self.lubdub(words, stdout=full)
                self.assertEqual(done.returncode, 3)
                self.assertIn('No space left on device', done.stderr)
                done = self.lubdub(words, through=['sh', '-c', 'exec "$@" >&-', 'sh'])
                self.assertEqual(done.returncode, 3, words)
                self.assertRegex(done.stderr, 'lubdub: cannot write to standard output: it is closed|Bad file descriptor')

    def test_a_reader_that_goes_away_is_no_error_to_report(self):
        for words in COMMANDS:
            ends = os.pipe()
            os.close(ends[0])
            with self.subTest(words), open(ends[1], 'wb') as pipe:
                done = self.lubdub(words, stdout=pipe)
                self.assertEqual(done.returncode, 128 + signal.SIGPIPE)
                self.assertNotIn('cannot write', done.stderr)


HIDING = ['unshare', '--mount', *([] if os.geteuid() == 0 else ['--map-root-user']), 'sh', '-c',
          'mount -t tmpfs none "$0" && exec "$@"']


@unittest.skipIf(
    subprocess.run([*HIDING, '/proc', 'true'], capture_output=True).returncode, 'this user cannot mount over /proc')
class HiddenFolderTests(unittest.TestCase):
    """A container or a chroot without /proc or /sys."""

    def lubdub(self, *words, without=None):
        through = [*HIDING, without] if without else []
        return subprocess.run(
            [*through, LUBDUB, *words], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def test_commands_do_the_same_without_proc(self):
        for words, status in [
                (['run', 'resting', '--only', '*resting'], 0),
                (['list'], 0), (['validate', 'Tests/nowhere.json'], 2), (['serv'], 2), ([], 0),
                (['check', 'resting', '--only', 'GATT/SR/GAD/BV-01-C'], 0)]:
            with self.subTest(words):
                with_proc, without = self.lubdub(*words), self.lubdub(*words, without='/proc')
                self.assertEqual((with_proc.returncode, without.returncode), (status, status))
                self.assertEqual(with_proc.stdout, without.stdout)
                self.assertEqual(with_proc.stderr, without.stderr)

    def test_what_needs_the_folder_names_it(self):
        for words, folder in [
                (['run', 'resting', '--client', 'true'], '/proc'), (['doctor'], '/proc'), (['doctor'], '/sys')]:
            with self.subTest(words):
                done = self.lubdub(*words, without=folder)
                self.assertEqual(done.returncode, 3, done.stdout)
                self.assertRegex(done.stderr + done.stdout, f'needs {folder}, which is not mounted: mount it with mount -t ')


if __name__ == '__main__':
    unittest.main()
