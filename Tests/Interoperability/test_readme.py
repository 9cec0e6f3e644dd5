"""The commands in README.md run and print the lines shown, and its first screen has what a reader needs first.

An unknown command fails the test, since a reader could not run it either.
"""

import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from harness import LUBDUB, ROOT

README = (ROOT / 'README.md').read_text()
MAKEFILE = (ROOT / 'Makefile').read_text()
CONTAINERFILE = (ROOT / 'Containerfile').read_text()
CUSTOMARY = '127.0.0.1:6402'
SIGINT = 128 + signal.SIGINT

# How to run a command, by its first words: until it ends with status 0; or, if a line is given, until it has printed
# that line and was interrupted.  The first match counts.
UNTIL_THE_END = None
WAYS = [
    (r'lubdub (run|check|new|validate|explain|scan|control|replay|matrix) ', UNTIL_THE_END),
    (r'lubdub serve ', r'^controller '),
    (r'lubdub controller ', r'^controller '),
    (r'lubdub (demo|monitor)\b', r'\bbpm, contact, RR \d'),
    (r'\.venv/bin/bumble-scan ', r'Lubdub HRM'),
    (r'tshark ', UNTIL_THE_END),
]
STAYS = r'lubdub (serve|controller) '  # runs during the rest of its block
FAULTY = r'lubdub run .*--faulty '  # a case fails, and all lines are the same each time: time is virtual
# What make cannot be given here: `make test-package` and the Containerfile do these.
INSTALLING = [r'apt install \./lubdub_\*\.deb', r'podman build --tag lubdub \.']


def fences(text=README):
    """The fenced blocks in order: language and lines."""
    blocks = re.findall(r'^```(\w+)\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    return [(language, body.splitlines()) for language, body in blocks]


def saved():
    """The files that a reader is told to save: names and texts."""
    return re.findall(r'Save this as `([\w.]+)`:\n\n```\w+\n(.*?)^```$', README, re.MULTILINE | re.DOTALL)


def commands(lines):
    """The commands of a block, without comments."""
    return [command for command in (re.sub(r'(^|\s+)#.*', '', line).strip() for line in lines) if command]


def sessions():
    """Each block of commands, with the lines of the output block after it."""
    blocks = fences()
    for (language, lines), (next_language, shown) in zip(blocks, blocks[1:] + [('', [])]):
        if language == 'sh':
            yield commands(lines), shown if next_language == 'text' else []


def anonymous(text):
    """The text with all numbers replaced: they differ in real time."""
    return re.sub(r'\d+', '0', text)


class Session:
    """The commands of a block, in a separate folder where `lubdub` is the program under test."""

    def __init__(self, folder, port):
        self.folder, self.port = pathlib.Path(folder), port
        binaries = self.folder / 'bin'
        binaries.mkdir()
        (binaries / 'lubdub').symlink_to(LUBDUB)
        for name in ['scenarios', '.venv']:
            (self.folder / name).symlink_to(ROOT / name)
        for name, text in saved():
            (self.folder / name).write_text(text)
        self.environment = os.environ | {
            'PATH': f'{binaries}:{os.environ["PATH"]}', 'LC_ALL': 'C.UTF-8', 'PYTHONUNBUFFERED': '1'}
        self.output = self.folder / 'output'
        self.output.touch()
        self.running = []

    def start(self, command):
        written = self.output.open('ab')
        with written:
            process = subprocess.Popen(
                ['/bin/sh', '-c', f'exec {command.replace(CUSTOMARY, self.port)}'], cwd=self.folder,
                env=self.environment, stdin=subprocess.DEVNULL, stdout=written, stderr=written)
        self.running.append(process)
        return process

    def lines_since(self, place):
        return self.output.read_text(errors='replace')[place:]

    def shows(self, process, pattern, place, limit=20):
        """Whether a line that matches the pattern arrives."""
        until = time.monotonic() + limit
        while time.monotonic() < until:
            if re.search(pattern, self.lines_since(place), re.MULTILINE):
                return True
            if process.poll() is not None:
                return bool(re.search(pattern, self.lines_since(place), re.MULTILINE))
            time.sleep(0.02)
        return False

    def interrupt(self, process):
        process.send_signal(signal.SIGINT)
        return process.wait(5)

    def close(self):
        for process in self.running:
            if process.poll() is None:
                process.kill()
                process.wait()


class ReadmeTests(unittest.TestCase):
    uses_default_port = True

    maxDiff = None

    def run_session(self, words, shown):
        with tempfile.TemporaryDirectory() as folder:
            session = Session(folder, self.free_address())
            try:
                staying = [self.run_command(session, command) for command in words]
                for command, process in filter(None, staying):
                    self.assertEqual(session.interrupt(process), SIGINT, command)
                printed = session.output.read_text(errors='replace')
            finally:
                session.close()
        if all(re.match(FAULTY, command) for command in words):
            self.assertEqual(printed.splitlines(), shown)
            return
        printed = {anonymous(re.sub(r'\x1b\[\d*m', '', line)) for line in printed.splitlines()}
        for line in shown:
            if line != '...':
                self.assertTrue(
                    any(anonymous(line) in candidate for candidate in printed), f'{words} never printed {line!r}')

    def run_command(self, session, command):
        """Runs a command; returns one that stays."""
        if match := re.fullmatch(r'make (\w+)(?: PREFIX=~/\.local)?', command):
            self.assertRegex(MAKEFILE, rf'(?m)^{match[1]}:  ## ')
            return None
        if any(re.fullmatch(pattern, command) for pattern in INSTALLING):
            if command.startswith('podman'):
                self.assertIn(f'\n#   {command}\n', CONTAINERFILE)
            return None
        if match := re.fullmatch(r'alias lubdub=(\S+)', command):
            self.assertIn(f'LUBDUB := {match[1]}\n', MAKEFILE)
            return None
        ways = [line for beginning, line in WAYS if re.match(beginning, command)]
        self.assertTrue(ways, f'README has a command that nobody knows how to run: {command}')
        place = len(session.output.read_text(errors='replace'))
        process = session.start(command)
        if ways[0] is UNTIL_THE_END:
            status = 1 if re.match(FAULTY, command) else 0
            self.assertEqual(process.wait(60), status, f'{command}: {session.lines_since(place)[-500:]}')
            return None
        self.assertTrue(session.shows(process, ways[0], place), f'{command}: {session.lines_since(place)[-500:]}')
        if re.match(STAYS, command):
            if match := re.search(r'^controller tcp:(\S+)', session.lines_since(place), re.MULTILINE):
                session.port = match[1]
            return command, process
        status = session.interrupt(process)
        if command.startswith('lubdub'):
            self.assertEqual(status, SIGINT, command)
        return None

    def free_address(self):
        """The default address, or another if it is in use."""
        for port in [6402, 0]:
            try:
                with socket.create_server(('127.0.0.1', port)) as listener:
                    return f'127.0.0.1:{listener.getsockname()[1]}'
            except OSError:
                continue
        self.fail('no port is free')

    def test_every_command_runs_and_prints_the_lines_shown(self):
        found = list(sessions())
        self.assertGreater(len(found), 4)
        for words, shown in found:
            with self.subTest(words):
                self.run_session(words, shown)

    def test_an_unknown_command_fails(self):
        with self.assertRaisesRegex(AssertionError, 'nobody knows how to run'):
            self.run_session(['lubdub dance'], [])

    def test_a_missing_line_fails(self):
        with self.assertRaisesRegex(AssertionError, 'never printed'):
            self.run_session(['lubdub explain LD0107'], ['LD0107: All is well.'])

    def test_a_verdict_and_the_commands_that_matter_are_on_the_first_screen(self):
        lines = README.splitlines()
        self.assertLessEqual(len(lines), 150)
        for begin in ['make run ', 'make test ', 'lubdub run ', 'fail  ', '      cause  ', 'replay: ']:
            self.assertTrue(any(line.startswith(begin) for line in lines[:50]), begin)

    def test_every_command_has_help(self):
        listed = re.findall(r'^  (\w+)  ', self.finish('--help'), re.MULTILINE)
        self.assertEqual(sorted(listed), sorted(self.finish('manual', '--list').split()))
        for name in listed:
            self.assertTrue(self.finish(name, '--help').startswith(f'Usage: lubdub {name} '), name)
            self.assertEqual(self.finish('help', name), self.finish(name, '--help'))

    def test_every_option_shown_exists(self):
        pages = [README, (ROOT / 'Documentation/where-to-begin.md').read_text()]
        blocks = [lines for page in pages for language, lines in fences(page) if language == 'sh']
        self.assertGreater(len(blocks), 12)
        for lines in blocks:
            for command in commands(lines):
                parts = shlex.split(command.removeprefix('sudo '))
                if parts[0] == 'lubdub':
                    usage = self.finish(parts[1], '--help')
                    for option in (part for part in parts if part.startswith('--')):
                        self.assertIn(f'\n  {option} ', usage)

    def test_the_scenario_is_valid(self):
        texts = ['\n'.join(lines) for language, lines in fences() if language == 'json']
        self.assertTrue(texts)
        for text in texts:
            with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
                file.write(text)
                file.flush()
                self.finish('validate', file.name)

    def finish(self, *arguments):
        done = subprocess.run([LUBDUB, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 0, f'{arguments}: {done.stderr}{done.stdout}')
        return done.stdout


if __name__ == '__main__':
    unittest.main()
