"""Documentation/bluez-programs.md: its programs pass with the commands beside them, and `serve` prints the lines shown."""

import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest

import browser
from harness import LUBDUB, ROOT
from test_system_clients import DEBIAN, needs_debian

PAGE = (ROOT / 'Documentation/bluez-programs.md').read_text()
PATHS = {'app.py': 'import asyncio', 'page.py': 'import pathlib'}


def blocks(language):
    return re.findall(rf'^```{language}\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)


class PageTests(unittest.TestCase):
    limit = 60

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'bin').mkdir()
        (self.folder / 'bin/lubdub').symlink_to(LUBDUB)
        (self.folder / 'scenarios').symlink_to(ROOT / 'scenarios')
        for text in blocks('python'):
            name, = [name for name, begin in PATHS.items() if text.startswith(begin)]
            (self.folder / name).write_text(text)
        (self.folder / 'heart_rate.html').write_text(*blocks('html'))

    def run_command_of(self, program, python):
        """Runs the command of the page with a program of it, by this Python."""
        command = next(command for command in blocks('sh') if program in command)
        (self.folder / 'bin/python3').write_text(f'#!/bin/sh\nexec {shlex.quote(str(python))} "$@"\n')
        (self.folder / 'bin/python3').chmod(0o755)
        done = subprocess.run(
            ['sh', '-c', command], cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def environment(self):
        return os.environ | {'PATH': f'{self.folder}/bin:{os.environ["PATH"]}'}

    def test_the_app_with_bleak_passes(self):
        self.assertRegex(self.run_command_of('app.py', sys.executable), r'(?m)^pass  ')

    @needs_debian
    @unittest.skipUnless(browser.PROGRAM == '/usr/bin/chromium', browser.MISSING)
    def test_the_web_page_in_playwright_passes(self):
        self.assertRegex(self.run_command_of('page.py', DEBIAN), r'(?m)^pass  ')

    def test_serve_prints_the_line_shown(self):
        command, = [command for command in blocks('sh') if 'serve' in command]
        shown = blocks('text')[0]
        process = subprocess.Popen(
            shlex.split(command.replace('/tmp/', f'{self.folder}/')), cwd=self.folder, env=self.environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        with process:
            line = next(line for line in process.stdout if line.startswith('system '))
            process.send_signal(signal.SIGTERM)
        self.assertEqual(line.replace(f'{self.folder}/', '/tmp/'), shown)

    def test_every_option_exists(self):
        for command in blocks('sh') + re.findall(r'- run: (lubdub .*)', PAGE):
            words = shlex.split(command)
            usage = subprocess.run([LUBDUB, words[1], '--help'], capture_output=True, text=True, timeout=20).stdout
            for option in (word for word in words if word.startswith('--')):
                self.assertIn(f'\n  {option} ', usage)


if __name__ == '__main__':
    unittest.main()
