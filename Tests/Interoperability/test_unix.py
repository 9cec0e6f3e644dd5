"""Controllers on Unix sockets: access, connections and cleanup."""

import asyncio
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import unittest

from bumble import transport

from harness import LUBDUB, ROOT, Interoperability, end, lubdub


async def line_with(process, words):
    """The first line of standard output with this text."""
    async with asyncio.timeout(20):
        async for line in process.stdout:
            if words in line.decode():
                return line.decode().strip()
    raise AssertionError(f'no line with {words!r}; it ended with {await process.wait()}')


def refused(*arguments):
    """The status and the message of a command that cannot start."""
    done = subprocess.run([LUBDUB, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=20)
    return done.returncode, done.stderr


class UnixTests(Interoperability):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, 'hci')
        self.address = f'unix:{self.path}'

    def serve(self):
        return lubdub('serve', 'scenarios/resting.json', '--controller', self.address)

    async def test_monitor_connects_and_the_file_is_removed_afterwards(self):
        async with self.serve() as process:
            self.assertEqual(await line_with(process, 'controller'), f'controller {self.address}')
            async with lubdub('monitor', '--radio', f'hci:{self.address}') as monitor:
                await line_with(monitor, ' bpm')
            async with lubdub('scan', '--radio', f'hci:{self.address}') as scan:
                await line_with(scan, 'Lubdub HRM')
            for options, lines in [
                    ([], ['name        address                   services', 'Lubdub HRM  C0:FF:EE:00:00:01/random  180D']),
                    (['--json'], ['{"found": {"name": "Lubdub HRM", "services": ["180D'])]:
                async with lubdub('scan', '--radio', f'hci:{self.address}', '--for', '2 s', *options) as scan:
                    output, _ = await scan.communicate()
                self.assertEqual(len(output.splitlines()), len(lines), output)
                for line, beginning in zip(output.decode().splitlines(), lines):
                    self.assertTrue(line.startswith(beginning), output)
            self.assertTrue(self.path.is_socket())
            self.assertEqual(await end(process), 128 + signal.SIGTERM)
        self.assertFalse(self.path.exists())

    async def test_bumble_reaches_a_controller_too(self):
        async with lubdub('controller', '--listen', self.address) as process:
            await line_with(process, 'controller')
            reset = bytes([0x01, 0x03, 0x0C, 0x00])
            reader, writer = await asyncio.open_unix_connection(str(self.path))
            with contextlib.closing(writer):
                writer.write(reset)
                self.assertEqual(await reader.readexactly(7), bytes([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]))
            async with await transport.open_transport(f'unix:{self.path}') as hci:
                self.assertIsNotNone(hci.sink)

    async def test_the_file_of_a_killed_process_is_replaced(self):
        async with self.serve() as process:
            await line_with(process, 'controller')
            process.kill()
            await process.wait()
        self.assertTrue(self.path.is_socket())
        async with self.serve() as process:
            await line_with(process, 'controller')

    async def test_a_file_that_is_not_a_socket_is_kept(self):
        self.path.write_text('precious')
        status, message = refused('serve', 'scenarios/resting.json', '--controller', self.address)
        self.assertEqual(status, 3)
        self.assertIn('use another path', message)
        self.assertEqual(self.path.read_text(), 'precious')

    async def test_two_processes_cannot_listen_at_one_path(self):
        async with self.serve() as process:
            await line_with(process, 'controller')
            status, message = refused('controller', '--listen', self.address)
            self.assertEqual(status, 3)
            self.assertIn('stop the program that listens there, or use another path', message)
            async with lubdub('monitor', '--radio', f'hci:{self.address}') as monitor:
                await line_with(monitor, ' bpm')

    async def test_the_file_is_removed_when_the_output_is_closed(self):
        process = subprocess.Popen(
            [LUBDUB, 'controller', '--listen', self.address], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with process:
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.wait(5), 128 + signal.SIGPIPE)
        self.assertFalse(self.path.exists())

    async def test_without_a_listener(self):
        for prepare, reason in [(lambda: None, 'No such file'), (self.leave_a_stale_file, 'is a program listening')]:
            prepare()
            status, message = refused('monitor', '--radio', f'hci:{self.address}')
            self.assertEqual(status, 3)
            self.assertIn(reason, message)

    def leave_a_stale_file(self):
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(self.path))

    async def test_a_path_must_fit(self):
        status, message = refused('controller', '--listen', 'unix:' + 'x' * 200)
        self.assertEqual(status, 2)
        self.assertIn('107', message)
        self.assertEqual(refused('controller', '--listen', 'unix:')[0], 2)

    @unittest.skipIf(os.geteuid() == 0, 'root may write anywhere')
    async def test_a_folder_of_another_user(self):
        status, message = refused('controller', '--listen', 'unix:/lubdub')
        self.assertEqual(status, 3)
        self.assertIn('choose a folder that you may write to', message)


class PortTests(Interoperability):
    uses_default_port = True

    async def test_a_port_in_use_is_named_with_the_fix(self):
        with socket.create_server(('127.0.0.1', 0)) as taken:
            address = f'tcp:127.0.0.1:{taken.getsockname()[1]}'
            for command in [
                    ['serve', 'scenarios/resting.json', '--controller', address], ['controller', '--listen', address]]:
                status, message = refused(*command)
                self.assertEqual(status, 3)
                self.assertIn(f'cannot listen at {address}', message)
                self.assertIn('use another port, or 0 for any free port', message)

    async def test_the_next_default_port_is_used(self):
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):  # in use by another process: the same effect
                taken.bind(('127.0.0.1', 6402))
                taken.listen()
            async with lubdub('serve', 'scenarios/resting.json') as process:
                line = await line_with(process, 'controller')
                self.assertIn(int(line.rsplit(':', 1)[1]), range(6403, 6412))


if __name__ == '__main__':
    unittest.main()
