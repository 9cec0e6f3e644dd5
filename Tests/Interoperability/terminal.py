"""Pseudo-terminals for programs under test."""

import asyncio
import contextlib
import copy
import fcntl
import os
import pty
import re
import struct
import termios

import pyte
from pyte import modes

from harness import ROOT, end

COLOURS = re.compile(r'\x1b\[[0-9;]*m')


def resize(descriptor, columns, rows):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))


class Terminal:
    """A pseudo-terminal and the program that runs on it."""

    def __init__(self, name='xterm', columns=120, rows=24):
        self.name = name
        self.ours, self.theirs = pty.openpty()
        resize(self.theirs, columns, rows)
        self.before = self.modes()
        self.text = ''
        self.heard = asyncio.Event()
        asyncio.get_running_loop().add_reader(self.ours, self.read)

    async def start(self, *command, environment={}, **streams):
        streams = {'stdin': self.theirs, 'stdout': self.theirs, 'stderr': self.theirs} | streams
        self.process = await asyncio.create_subprocess_exec(
            *command, cwd=ROOT, env=os.environ | {'TERM': self.name} | environment, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(self.theirs, termios.TIOCSCTTY, 0), **streams)

    def read(self):
        self.take(os.read(self.ours, 65536))
        self.heard.set()

    def take(self, octets):
        self.text += octets.decode()

    def modes(self):
        return termios.tcgetattr(self.theirs)

    def gives_lines(self):
        return bool(self.modes()[3] & termios.ICANON and self.modes()[3] & termios.ECHO)

    def press(self, octets):
        """Types text; returns the position where its output starts."""
        os.write(self.ours, octets)
        return len(self.text)

    async def shows(self, pattern, place=0, limit=10):
        """The first match after a position."""
        async with asyncio.timeout(limit):
            while not (match := re.search(pattern, COLOURS.sub('', self.text[place:]))):
                self.heard.clear()
                await self.heard.wait()
            return match

    async def ended(self):
        async with asyncio.timeout(10):
            return await self.process.wait()

    async def close(self):
        if self.process.returncode is None:
            await end(self.process)
        asyncio.get_running_loop().remove_reader(self.ours)
        os.close(self.ours)
        os.close(self.theirs)


class Screen(pyte.Screen):
    """pyte's screen with xterm's alternate screen, private mode 1049, which pyte lacks."""

    def set_mode(self, *numbers, **kind):
        if kind.get('private') and 1049 in numbers:
            self.first = copy.deepcopy(self.buffer), copy.copy(self.cursor)
        super().set_mode(*numbers, **kind)

    def reset_mode(self, *numbers, **kind):
        super().reset_mode(*numbers, **kind)
        if kind.get('private') and 1049 in numbers:
            self.buffer, self.cursor = self.first

    def seen(self):
        """The visible state of the screen, and all state that affects further output."""
        return (
            self.rows(), self.cursor.x, self.cursor.y, self.cursor.hidden, self.cursor.attrs._replace(data=' '),
            modes.DECAWM in self.mode)

    def rows(self):
        return [row.rstrip() for row in self.display]


class SeenTerminal(Terminal):
    """A pseudo-terminal with an emulator: `screen` is the visible text."""

    def __init__(self, columns, rows, name='xterm'):
        super().__init__(name, columns, rows)
        self.screen = Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)

    def take(self, octets):
        self.stream.feed(octets)

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        resize(self.ours, columns, rows)

    def read_rest(self):
        """The remaining output of a program that has ended."""
        os.set_blocking(self.ours, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self.read()

    async def sees(self, condition, limit=20):
        """The rows, once `condition` holds for them."""
        async with asyncio.timeout(limit):
            while not condition(self.screen.rows()):
                self.heard.clear()
                await self.heard.wait()
        return self.screen.rows()
