"""Pipes that nobody reads: serving goes on, and signals end the program."""

import asyncio
import contextlib
import fcntl
import os
import pathlib
import select
import signal
import subprocess
import tempfile
import termios

from harness import LUBDUB, ROOT, Interoperability

RESET = bytes([0x01, 0x03, 0x0C, 0x00])
PIPE_SIZE = 8192


def pipe():
    """A small pipe."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
    return reader, writer


async def reset(path):
    """The answer to HCI Reset of a controller at this path."""
    reader, writer = await asyncio.open_unix_connection(str(path))
    with contextlib.closing(writer):
        writer.write(RESET)
        answer = await reader.readexactly(7)
    await writer.wait_closed()
    return answer


class UnreadTests(Interoperability):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.reader, self.writer = pipe()
        self.addCleanup(os.close, self.reader)

    def start(self, *arguments, **streams):
        """A process whose end of the pipe is the only one."""
        streams.setdefault('stderr', subprocess.DEVNULL)
        process = subprocess.Popen([LUBDUB, *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, **streams)
        os.close(self.writer)
        self.addCleanup(process.kill)
        return process

    def full(self):
        """Whether the pipe has hardly any room."""
        octets = bytearray(4)
        fcntl.ioctl(self.reader, termios.FIONREAD, octets)
        return int.from_bytes(octets, 'little') > 5000

    async def read(self):
        while not select.select([self.reader], [], [], 0)[0]:
            await asyncio.sleep(0.01)
        return os.read(self.reader, 1 << 16)

    async def fill(self):
        while not self.full():
            await asyncio.sleep(0.01)

    def ends(self, process, number=signal.SIGTERM):
        process.send_signal(number)
        self.assertEqual(process.wait(5), 128 + number)

    async def test_serving_does_not_wait_for_a_reader_of_messages(self):
        path = self.folder / 'hci'
        serve = self.start('controller', '--listen', f'unix:{path}', stdout=subprocess.DEVNULL, stderr=self.writer)
        while not path.exists():
            await asyncio.sleep(0.01)

        self.assertEqual({await reset(path) for _ in range(200)}, {bytes.fromhex('040E0401030C00')})
        self.assertTrue(self.full())
        messages = b''
        while messages.count(b'disconnected') < 200:  # the queue is written when reading goes on
            messages += await self.read()
        self.assertNotIn(b'dropped', messages)
        self.ends(serve)
        self.assertFalse(path.exists())

    async def test_a_signal_ends_serving_whose_messages_nobody_reads(self):
        path = self.folder / 'hci'
        serve = self.start(
            'serve', 'scenarios/ecg_500hz.json', '--controller', f'unix:{path}', '--events',
            str(self.folder / 'events'), stdout=subprocess.DEVNULL, stderr=self.writer)
        while not path.exists():
            await asyncio.sleep(0.01)
        while not self.full():
            with contextlib.suppress(ConnectionRefusedError):  # it exists shortly before connections are accepted
                await reset(path)
        self.ends(serve, signal.SIGINT)
        self.assertFalse(path.exists())
        self.assertIn('"status":130', (self.folder / 'events').read_text().splitlines()[-1].replace(' ', ''))

    async def test_a_signal_ends_a_run_whose_results_nobody_reads(self):
        run = self.start('run', 'scenarios/resting.json', '--for', '100 h', stdout=self.writer)
        await self.fill()
        self.ends(run)

    async def test_a_signal_ends_a_run_whose_log_nobody_reads(self):
        run = self.start('run', 'scenarios/ecg_500hz.json', '--events', '-', '--for', '1 h', stdout=self.writer)
        await self.fill()
        self.ends(run)

    async def test_a_signal_ends_a_run_whose_client_writes_errors_that_nobody_reads(self):
        run = self.start(
            'run', 'scenarios/resting.json', '--client', 'yes trouble >&2', stdout=subprocess.DEVNULL, stderr=self.writer)
        await self.fill()
        self.ends(run)

    async def test_a_signal_ends_the_wait_for_the_reader_of_a_named_pipe(self):
        fifo = self.folder / 'trace'
        os.mkfifo(fifo)
        run = self.start('run', 'scenarios/resting.json', '--trace', str(fifo), stdout=subprocess.DEVNULL, stderr=self.writer)
        messages = b''
        while b'\n' not in messages:
            messages += await self.read()
        self.assertIn(f'waiting for a program that reads {fifo}'.encode(), messages)
        self.ends(run, signal.SIGINT)

    async def test_a_named_pipe_gets_the_whole_trace(self):
        fifo, file = self.folder / 'pipe', self.folder / 'file'
        os.mkfifo(fifo)
        arguments = ['run', 'scenarios/resting.json', '--for', '10 min', '--trace']
        run = self.start(*arguments, str(fifo), stdout=subprocess.DEVNULL)
        self.assertEqual(subprocess.run([LUBDUB, *arguments, str(file)], cwd=ROOT, timeout=20,
                                        stdout=subprocess.DEVNULL).returncode, 0)
        self.assertEqual(fifo.read_bytes(), file.read_bytes())
        self.assertEqual(run.wait(5), 0)
