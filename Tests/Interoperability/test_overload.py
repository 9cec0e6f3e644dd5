"""More hosts than this machine can serve in real time."""

import asyncio
import contextlib
import pathlib
import signal
import subprocess
import tempfile

from bumble import hci

from harness import LUBDUB, ROOT, Interoperability, needs_release

HOSTS = 200
MEMORY = 64  # MiB


def command(opcode, parameters=b''):
    return bytes([hci.HCI_COMMAND_PACKET, opcode & 0xFF, opcode >> 8, len(parameters)]) + parameters


RESET = command(hci.HCI_RESET_COMMAND)


def session(number):
    """The commands of a host that advertises every 20 ms, and scans actively without the duplicate filter."""
    address = bytes([number & 0xFF, number >> 8, 1, 2, 3, 0xC0])
    data = bytes([31, 30, 9]) + bytes(29)
    return RESET + b''.join(
        command(opcode, parameters)
        for opcode, parameters in [
            (hci.HCI_SET_EVENT_MASK_COMMAND, bytes([0xFF] * 8)),
            (hci.HCI_LE_SET_EVENT_MASK_COMMAND, bytes([0xFF] * 8)),
            (hci.HCI_LE_SET_RANDOM_ADDRESS_COMMAND, address),
            (hci.HCI_LE_SET_ADVERTISING_PARAMETERS_COMMAND, bytes([0x20, 0, 0x20, 0, 0, 1, 0]) + bytes(6) + bytes([7, 0])),
            (hci.HCI_LE_SET_ADVERTISING_DATA_COMMAND, data),
            (hci.HCI_LE_SET_ADVERTISING_ENABLE_COMMAND, b'\x01'),
            (hci.HCI_LE_SET_SCAN_PARAMETERS_COMMAND, bytes([1, 0, 0x10, 0, 0x10, 1, 0])),
            (hci.HCI_LE_SET_SCAN_ENABLE_COMMAND, b'\x01\x00'),
        ])


@needs_release
class OverloadTests(Interoperability):
    limit = 120

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, 'hci')

    async def listen(self, *arguments):
        """A process that offers controllers at `path`."""
        process = subprocess.Popen(
            [LUBDUB, *arguments, f'unix:{self.path}'], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while not self.path.exists():
            await asyncio.sleep(0.01)
        return process

    async def crowd(self, stack, octets):
        """Hosts that read until each has received this number of octets, and then read no more."""

        async def host(number):
            reader, writer = await asyncio.open_unix_connection(str(self.path), limit=1 << 12)
            stack.callback(writer.close)
            writer.write(session(number))
            await writer.drain()
            for _ in range(octets // 1024):
                await reader.readexactly(1024)

        await asyncio.gather(*(host(number) for number in range(HOSTS)))

    def peak(self, process):
        """The peak memory in MiB."""
        status = pathlib.Path(f'/proc/{process.pid}/status').read_text()
        return int(status.split('VmHWM:')[1].split()[0]) / 1024

    async def check(self, process, messages):
        """A further host is served, a signal ends the process, and its memory was bounded."""
        reader, writer = await asyncio.open_unix_connection(str(self.path))
        with contextlib.closing(writer):
            writer.write(RESET)
            self.assertEqual(await reader.readexactly(7), bytes.fromhex('040E0401030C00'))
        self.assertLess(self.peak(process), MEMORY)
        process.send_signal(signal.SIGTERM)
        _, errors = await asyncio.to_thread(process.communicate)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertFalse(self.path.exists())
        for message in messages:
            self.assertIn(message, errors)

    async def test_hosts_that_advertise_and_scan(self):
        process = await self.listen('controller', '--listen')
        with contextlib.ExitStack() as stack:
            await self.crowd(stack, 1 << 16)
            await self.check(process, ['the host reads too slowly: advertising reports are dropped'])

    async def test_a_speed_that_the_machine_cannot_reach(self):
        process = await self.listen('serve', 'scenarios/three_straps.json', '--speed', '100', '--controller')
        with contextlib.ExitStack() as stack:
            await self.crowd(stack, 1 << 14)
            await self.check(process, ['this machine cannot keep up: the devices\' time runs at'])
