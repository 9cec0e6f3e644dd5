"""Starts lubdub, the kernel's Bluetooth and bluetoothd together, inside Tools/linux-machine.

The environment variable LUBDUB names the program.  The output of the machine's processes goes to files in a test's
folder, and is shown if the test fails.
"""

import asyncio
import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import socket
import struct
import sys
import tempfile
import unittest

# The tests delete pairings and replace the system's D-Bus.
if not pathlib.Path('/run/machine/settings').exists():
    raise RuntimeError('only inside Tools/linux-machine: run make test-linux')

ROOT = pathlib.Path(__file__).resolve().parents[2]
LUBDUB = str((ROOT / os.environ.get('LUBDUB', '.build/release/lubdub')).resolve())
# If set, a folder that keeps the traces, logs and messages of each test.
KEPT = os.environ.get('LUBDUB_KEPT')
# The severities of syslog: lower is worse.
WARNING = 4
HCIGETDEVINFO = 0x800448D3
BLUETOOTHD = '/usr/libexec/bluetooth/bluetoothd'
# Plain ATT instead of EATT, and no cached attributes: like a new peer.
CONFIGURATION = '[General]\nControllerMode=le\n[Policy]\nAutoEnable=true\n[GATT]\nCache=no\nChannels=1\n'


class LinuxTest(unittest.IsolatedAsyncioTestCase):
    """A test with a time limit and a folder, which watches the kernel's log."""

    limit = 40

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.bridges = 0
        self.forget_devices()
        self.complaints_before = len(complaints())

    def tearDown(self):
        for path in self.folder.iterdir():
            if path.is_socket():
                path.unlink()
        if KEPT:
            shutil.copytree(self.folder, pathlib.Path(KEPT, self.id()), dirs_exist_ok=True)
        shutil.rmtree(self.folder)

    @staticmethod
    def forget_devices():
        """Removes bluetoothd's storage of known devices; it does not run."""
        for known in pathlib.Path('/var/lib/bluetooth').iterdir():
            shutil.rmtree(known)

    def _callTestMethod(self, method):
        async def bounded():
            try:
                async with asyncio.timeout(self.limit):
                    await method()
            except BaseException:
                self.show_messages()
                raise

        super()._callTestMethod(bounded)

    def show_messages(self):
        """Prints the output of the processes and the kernel, each line with its source."""
        for path in sorted(self.folder.glob('*.messages')):
            for line in path.read_text(errors='replace').splitlines()[-40:]:
                print(f'{path.stem}: {line}', file=sys.stderr)
        for line in self.kernel_complaints():
            print(f'kernel: {line}', file=sys.stderr)

    def kernel_complaints(self):
        """The kernel's warnings since the test began."""
        return complaints()[self.complaints_before:]

    async def asyncSetUp(self):
        # asyncio's debug checks cost more than the tests under emulation.
        asyncio.get_running_loop().set_debug(False)

    @contextlib.asynccontextmanager
    async def running(self, name, *arguments):
        """A process that ends with the block; its output is in `NAME.messages`."""
        with open(self.folder / f'{name}.messages', 'ab', buffering=0) as messages:
            process = await asyncio.create_subprocess_exec(
                *arguments, cwd=ROOT, stdin=asyncio.subprocess.DEVNULL, stdout=messages, stderr=messages)
            try:
                yield process
            finally:
                await end(process)

    async def output(self, *arguments, typed=None, limit=20):
        """The output of a command, messages included, whatever its status."""
        process = await asyncio.create_subprocess_exec(
            *arguments, cwd=ROOT, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT)
        try:
            async with asyncio.timeout(limit):
                printed, _ = await process.communicate(typed)
        finally:
            await end(process)
        with open(self.folder / f'{pathlib.Path(arguments[0]).name}.messages', 'ab') as messages:
            messages.write(printed)
        return printed.decode(errors='replace')

    @contextlib.asynccontextmanager
    async def lubdub(self, *arguments):
        """A running `lubdub ARGUMENTS...` with a controller: yields the path of its socket."""
        path = self.folder / 'hci'
        option = '--listen' if arguments[0] == 'controller' else '--controller'
        trace = self.folder / 'trace.btsnoop'
        async with self.running('lubdub', LUBDUB, *arguments, option, f'unix:{path}', '--trace', trace) as process:
            await until(path.exists, f'lubdub offers {path}', process)
            yield path

    @contextlib.asynccontextmanager
    async def bridge(self, path):
        """A kernel interface over lubdub's controller at `path`."""
        script = pathlib.Path(__file__).with_name('vhci.py')
        self.bridges += 1
        name = f'vhci{self.bridges}'
        interface = Interface(self.folder / f'{name}.messages')
        async with self.running(name, sys.executable, '-IS', script, path) as process:
            await until(interface.facts, 'the kernel has an interface', process)
            yield interface
        await until(lambda: interface.name not in interfaces(), f'{interface.name} is gone')

    @contextlib.asynccontextmanager
    async def message_bus(self):
        """The system's D-Bus."""
        address = pathlib.Path('/run/dbus/system_bus_socket')
        address.unlink(missing_ok=True)
        await self.output('dbus-uuidgen', '--ensure')
        async with self.running('dbus-daemon', 'dbus-daemon', '--system', '--nofork', '--nopidfile') as process:
            await until(address.exists, f'dbus-daemon offers {address}', process)
            yield

    @contextlib.asynccontextmanager
    async def daemon(self, configuration=CONFIGURATION):
        """BlueZ's daemon on the existing D-Bus; it powers every interface."""
        file = self.folder / 'main.conf'
        file.write_text(configuration)
        async with self.running('bluetoothd', BLUETOOTHD, '-n', '-f', file) as process:
            await self.owned('org.bluez', process)
            yield process

    @contextlib.asynccontextmanager
    async def bluetoothd(self):
        """BlueZ's daemon on a new D-Bus."""
        async with self.message_bus(), self.daemon() as process:
            yield process

    async def owned(self, name, process):
        """Waits until a program owns the name on the D-Bus."""
        while 'boolean true' not in await self.output(
                'dbus-send', '--system', '--print-reply', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus',
                'org.freedesktop.DBus.NameHasOwner', f'string:{name}'):
            if process.returncode is not None:
                raise AssertionError(f'nobody owns {name}: the program ended with {process.returncode}')

    async def powered(self, *names):
        """Waits until bluetoothd has found and powered the interfaces."""
        for name in names:
            while 'boolean true' not in await self.output(
                    'dbus-send', '--system', '--print-reply', '--dest=org.bluez', f'/org/bluez/{name}',
                    'org.freedesktop.DBus.Properties.Get', 'string:org.bluez.Adapter1', 'string:Powered'):
                await asyncio.sleep(0.05)

    @contextlib.asynccontextmanager
    async def btvirt(self, count=2):
        """BlueZ's btvirt controllers, all in one air: yields their names, `hci0` first."""
        before = interfaces()
        for _ in range(3):
            is_ready = False
            async with self.running('btvirt', 'btvirt', f'-l{count}') as process:
                await until(lambda: len(interfaces() - before) == count, f'{count} controllers are there', process)
                names = sorted(interfaces() - before)
                # The kernel gives up a controller that does not respond within 2 s, such as btvirt on a busy machine.
                with contextlib.suppress(AssertionError):
                    await until(lambda: all(map(address, names)), 'the kernel has set them up', process, limit=5)
                    is_ready = True
                if is_ready:
                    yield names
            await until(lambda: interfaces() <= before, 'the controllers are gone')
            if is_ready:
                return
        raise AssertionError('the kernel sets no controller of btvirt up')

    @contextlib.asynccontextmanager
    async def two_adapters(self):
        """Two btvirt controllers in one air, powered by bluetoothd: yields their names."""
        async with self.btvirt() as names, self.bluetoothd():
            await self.powered(*names)
            yield names


class Interface:
    """A kernel interface over `vhci.py`, which reports its commands."""

    def __init__(self, messages):
        self.messages = messages

    def facts(self):
        return [json.loads(line) for line in self.messages.read_text().splitlines()]

    @property
    def name(self):
        return f'hci{self.facts()[0]["index"]}'

    @property
    def commands(self):
        """The kernel's answered commands, in the order of the answers."""
        return self.facts()[1:]

    @property
    def troubles(self):
        """The commands that failed or had a late answer."""
        return [command for command in self.commands if command['status'] != 0 or command['took'] > 1000]


def interfaces():
    """The kernel's Bluetooth interfaces."""
    return {path.name for path in pathlib.Path('/sys/class/bluetooth').glob('hci*') if ':' not in path.name}


def address(name):
    """The address that the kernel has read from an interface's controller; None before the setup.

    <net/bluetooth/hci_sock.h>: struct hci_dev_info has its number in octets 0 and 1, and its address in 10 to 15.
    """
    facts = bytearray(struct.pack('<H', int(name.removeprefix('hci'))).ljust(256, b'\0'))
    with (
            socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as asking,
            contextlib.suppress(OSError)):  # it may be listed before it is ready
        fcntl.ioctl(asking, HCIGETDEVINFO, facts)
    return bytes(facts[10:16]).strip(b'\0')


def complaints():
    """The lines about Bluetooth in the kernel's log that are warnings or worse."""
    lines = []
    device = os.open('/dev/kmsg', os.O_RDONLY | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while record := os.read(device, 8192).decode(errors='replace'):
            priority, line = int(record.split(',', 1)[0]), record.split(';', 1)[1].splitlines()[0]
            if priority & 7 <= WARNING and line.startswith('Bluetooth:'):
                lines.append(line)
    os.close(device)
    return lines


async def until(holds, what, process=None, limit=15):
    """Waits for a condition, at most while `process` runs."""
    try:
        async with asyncio.timeout(limit):
            while not holds():
                if process and process.returncode is not None:
                    raise AssertionError(f'not before its end with status {process.returncode}: {what}')
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f'not within {limit} s: {what}') from None


async def end(process):
    """Terminates the process, kills it after 5 s, and returns its status."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(5):
            return await process.wait()
    except TimeoutError:
        process.kill()
        return await process.wait()
