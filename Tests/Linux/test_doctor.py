"""`lubdub doctor`: each failure is provoked, found by its code, and fixed by its advice."""

import asyncio
import contextlib
import ctypes
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import time

from harness import BLUETOOTHD, LUBDUB, ROOT, LinuxTest, end, interfaces, until

NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--init-groups']
MAIN_CONF = pathlib.Path('/etc/bluetooth/main.conf')
POLICY = pathlib.Path('/etc/dbus-1/system.d/bluetooth.conf')
OWN_POLICY = pathlib.Path('/etc/dbus-1/system.d/lubdub.conf')
WELL = '[General]\nExperimental = true\nDeviceID = false\n[Policy]\nAutoEnable=true\n'
MANAGED = ('<busconfig><policy user="root"><allow own="org.bluez"/><allow send_destination="org.bluez"/></policy>'
           '%s<policy context="default"><deny send_destination="org.bluez"/></policy></busconfig>')


class DoctorTests(LinuxTest):
    limit = 90

    @classmethod
    def setUpClass(cls):
        # Reading the program for the first time could delay a controller that must respond within two seconds.
        subprocess.run([LUBDUB, '--version'], check=True, capture_output=True, timeout=20)

    async def doctor(self, *arguments, user=(), radio='bluez'):
        """doctor's findings about a radio.  Starting takes up to a second under emulation."""
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            *user, LUBDUB, 'doctor', '--json', '--radio', radio, *arguments, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        printed, complaints = await process.communicate()
        self.assertLess(time.monotonic() - began, 12)  # on a busy machine
        self.assertEqual(complaints, b'')
        with open(self.folder / 'doctor.messages', 'ab') as messages:
            messages.write(printed)
        report = json.loads(printed)
        self.assertEqual(process.returncode, report['status'])
        name = 'hci:N' if radio.startswith('hci:') else radio.split(':')[0]
        self.assertEqual(report['status'], 0 if self.works(report, name) else 3)
        return report

    @staticmethod
    def works(report, name):
        return next(radio['works'] for radio in report['radios'] if radio['radio'] == name)

    @staticmethod
    def finding(report, code):
        return next((finding for finding in report['findings'] if finding['code'] == code), None)

    async def ill(self, code, level='problem', **options):
        """Waits for the finding with that code; services need a moment."""
        async with asyncio.timeout(10):
            while not (finding := self.finding(await self.doctor(**options), code)):
                await asyncio.sleep(0.2)
        self.assertEqual(finding['level'], level)
        self.assertTrue(finding['mend'] or finding['advice'], finding)
        return finding

    async def mended(self, code, **options):
        """Waits until doctor no longer reports that code."""
        async with asyncio.timeout(15):
            while self.finding(report := await self.doctor(**options), code):
                await asyncio.sleep(0.1)
        return report

    async def content(self):
        """Waits until bluetoothd can serve and doctor finds no problem."""
        async with asyncio.timeout(15):
            while True:
                report = await self.doctor()
                if all(finding['level'] == 'ok' for finding in report['findings']):
                    break
                await asyncio.sleep(0.2)
        self.assertEqual(report['status'], 0)
        return report

    async def refused_serving(self, user=()):
        """serve's message when it cannot start."""
        process = await asyncio.create_subprocess_exec(
            *user, LUBDUB, 'serve', 'scenarios/resting.json', '--radio', 'bluez', cwd=ROOT,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        async with asyncio.timeout(10):
            said, _ = await process.communicate()
        self.assertEqual(process.returncode, 3, said)
        return said.decode()

    async def run_mend(self, command):
        """Runs a shell command; processes that it starts keep running."""
        with open(self.folder / 'mend.messages', 'ab') as messages:
            process = await asyncio.create_subprocess_shell(
                command, stdin=asyncio.subprocess.DEVNULL, stdout=messages, stderr=messages)
            async with asyncio.timeout(20):
                self.assertEqual(await process.wait(), 0, command)

    @contextlib.contextmanager
    def file(self, path, text):
        """Replaces the text of a file of the machine."""
        before = path.read_bytes() if path.exists() else None
        path.write_text(text)
        try:
            yield
        finally:
            path.unlink() if before is None else path.write_bytes(before)

    @contextlib.asynccontextmanager
    async def service(self, name, program):
        """A process that a fix starts, ended with the block."""
        try:
            yield
        finally:
            await self.output('service', name, 'stop')
            await until(lambda: not running(program), f'{program} has ended')

    @contextlib.asynccontextmanager
    async def well(self, configuration=WELL):
        """A machine without problems."""
        with self.file(MAIN_CONF, configuration):
            async with self.btvirt(1) as names, self.message_bus(), self.service('bluetooth', 'bluetoothd'):
                await self.run_mend('service bluetooth start')
                await self.powered(*names)
                yield names[0]

    async def test_the_module_is_not_loaded(self):
        await self.run_mend('modprobe --remove --quiet hci_vhci bnep rfcomm bluetooth')
        try:
            modules = pathlib.Path('/lib/modules', os.uname().release)
            hidden = modules.rename(modules.with_name('hidden'))
            try:
                await self.ill('LD0201')
            finally:
                hidden.rename(modules)
            finding = await self.ill('LD0202')
            self.assertEqual(finding['mend'], 'modprobe bluetooth')
            self.assertFalse(pathlib.Path('/sys/class/bluetooth').exists(), 'doctor has changed the machine')
            await self.run_mend(finding['mend'])
            finding = await self.ill('LD0222', 'hint')
            await self.run_mend(finding['mend'])
            report = await self.doctor()
            self.assertEqual([self.finding(report, code) for code in ('LD0202', 'LD0222')], [None, None])
        finally:
            await self.run_mend('modprobe --all bluetooth hci_vhci')

    async def test_in_another_network_namespace(self):
        await self.ill('LD0203', 'hint', user=['unshare', '--net'])
        await self.mended('LD0203')

    async def test_the_configuration(self):
        async with self.well('[General]\nControllerMode = bredr\n#DeviceID = false\n[Policy]\nAutoEnable=true\n'):
            for code, level in [('LD0219', 'problem'), ('LD0220', 'hint'), ('LD0221', 'hint')]:
                finding = await self.ill(code, level)
                self.assertTrue(finding['mend'].endswith('&& service bluetooth restart'))
                await self.run_mend(finding['mend'])
            await self.content()

    async def test_ports_in_use(self):
        with contextlib.ExitStack() as taken:
            taken.enter_context(socket.create_server(('127.0.0.1', 6402)))
            self.assertIn('serve would use 6403', (await self.ill('LD0223', 'hint'))['found'])
            for port in range(6403, 6412):
                taken.enter_context(socket.create_server(('127.0.0.1', port)))
            mend = (await self.ill('LD0224'))['mend']
            async with self.running('serve', '/bin/sh', '-c', f'exec {mend.replace("lubdub", LUBDUB, 1)}') as process:
                said = self.folder / 'serve.messages'
                await until(lambda: 'controller tcp:127.0.0.1:' in said.read_text(), 'serve has a port', process)
        await self.mended('LD0224')

    async def test_an_adapter_in_all_its_states(self):
        async with self.well() as name:
            report = await self.content()
            subjects = [finding['subject'] for finding in report['findings']]
            self.assertEqual(subjects, ['kernel', 'rfkill', 'adapter', 'bus', 'bluez', 'bluetoothd', name, 'port'])
            self.assertEqual((await self.doctor(radio=f'bluez:{name}'))['status'], 0)
            self.assertEqual((await self.doctor(radio=f'bluez:{name},hci9'))['status'], 3)
            version = r'(?m)^bluez +ok +/usr/libexec/bluetooth/bluetoothd is of BlueZ \d\.\d+$'
            async with asyncio.timeout(20):  # bluetoothd may start more slowly than doctor waits for its version
                while not re.search(version, printed := await self.output(LUBDUB, 'doctor', '--color', 'never')):
                    await asyncio.sleep(0.2)
            self.assertRegex(printed, rf'(?m)^bluez +works +serve, monitor, scan on {name};')
            for name_of_test, test in [
                    ('blocked', self.blocked), ('off', self.switched_off), ('taken', self.taken),
                    ('crowded', self.crowded), ('silent', self.silent)]:
                with self.subTest(name_of_test):
                    await test(name)
                    await self.content()

    async def blocked(self, name):
        switch, = pathlib.Path(f'/sys/class/bluetooth/{name}').glob('rfkill*')
        (switch / 'soft').write_text('1')
        self.assertRegex(await self.refused_serving(), f'cannot switch on {name}: .*rfkill unblock bluetooth')
        await self.run_mend((await self.ill('LD0207'))['mend'])

    async def switched_off(self, _):
        await self.output('bluetoothctl', 'power', 'off')
        finding = await self.ill('LD0216', 'hint')
        self.assertEqual(finding['mend'], 'bluetoothctl power on')
        await self.run_mend(finding['mend'])

    async def taken(self, name):
        """Another program advertises, then ends."""
        await self.output('bluetoothctl', 'power', 'off')
        with user_channel(int(name.removeprefix('hci'))):
            await self.ill('LD0226', radio=f'bluez:{name}')

    async def crowded(self, _):
        """With three advertisements, the maximum of btvirt."""
        async with contextlib.AsyncExitStack() as stack:
            for number in range(3):
                await stack.enter_async_context(self.advertiser(f'advertiser{number}'))
            await self.run_mend((await self.ill('LD0218'))['mend'])
            await self.content()

    @contextlib.asynccontextmanager
    async def advertiser(self, name):
        """A bluetoothctl that advertises until bluetoothd is restarted."""
        said = self.folder / f'{name}.messages'
        with open(said, 'wb') as messages:
            process = await asyncio.create_subprocess_exec(
                'bluetoothctl', stdin=asyncio.subprocess.PIPE, stdout=messages, stderr=messages)
        try:
            await until(lambda: 'Agent registered' in said.read_text(), f'{name} is there', process)
            process.stdin.write(b'advertise on\n')
            await until(lambda: 'Advertising object registered' in said.read_text(), f'{name} advertises', process)
            yield
        finally:
            await end(process)

    async def silent(self, _):
        daemon, = running('bluetoothd')
        os.kill(daemon, signal.SIGSTOP)
        try:
            self.assertEqual((await self.ill('LD0214'))['mend'], 'service bluetooth restart')
        finally:
            os.kill(daemon, signal.SIGCONT)

    async def test_an_adapter_without_bluetoothd_in_all_its_states(self):
        """`--radio hci:0`: six failures, and others; after each command the radio works."""
        async with self.well() as name:
            self.assertEqual((name, await self.works_alone()), ('hci0', True))
            for name_of_test, test in [
                    ('permission', self.not_permitted), ('busy', self.held), ('blocked', self.blocked_alone),
                    ('another number', self.unknown_number), ('no firmware', self.not_set_up)]:
                with self.subTest(name_of_test):
                    await test()
                    async with asyncio.timeout(20):
                        while not await self.works_alone():
                            await asyncio.sleep(0.2)
        with self.subTest('unplugged, and another one without LE'):
            await until(lambda: not interfaces(), 'the adapter is gone')
            await self.ill('LD0205', radio='hci:0')
            async with self.running('btvirt', 'btvirt', '-B', '-l1') as process:
                await until(interfaces, 'there is an adapter', process)
                self.assertIn('4.0', (await self.ill('LD0228', radio='hci:0'))['advice'])

    async def works_alone(self):
        return self.works(await self.doctor(radio='hci:0'), 'hci:N')

    async def not_permitted(self):
        finding = await self.ill('LD0225', 'hint', radio='hci:0', user=NOBODY)
        await self.run_mend(finding['mend'].removeprefix('sudo '))
        self.assertTrue(self.works(await self.mended('LD0225', radio='hci:0', user=NOBODY), 'hci:N'))

    async def held(self):
        async with self.running('lubdub', LUBDUB, 'serve', 'scenarios/resting.json', '--radio', 'hci:0') as process:
            # The process has the adapter a moment before the keeper, by which doctor finds the process.
            async with asyncio.timeout(10):
                while not (finding := await self.ill('LD0226', radio='hci:0'))['mend']:
                    await asyncio.sleep(0.2)
            self.assertEqual(finding['mend'], f'kill {process.pid}')
            await self.run_mend(finding['mend'])
            await process.wait()

    async def blocked_alone(self):
        switch, = pathlib.Path('/sys/class/bluetooth/hci0').glob('rfkill*')
        (switch / 'soft').write_text('1')
        await self.run_mend((await self.ill('LD0207', radio='hci:0'))['mend'])

    async def unknown_number(self):
        """Such as the former number of an adapter that USB has reset."""
        finding = await self.ill('LD0229', radio='hci:7')
        self.assertEqual(finding['mend'], 'lubdub doctor --radio hci:0')
        await self.run_mend(finding['mend'].replace('lubdub', LUBDUB, 1))

    async def not_set_up(self):
        """A second adapter does not answer, as one without its firmware."""
        with open('/dev/vhci', 'r+b', buffering=0) as silent:
            silent.write(b'\xFF\0')
            await until(lambda: 'hci1' in interfaces(), 'there is a second adapter')
            finding = await self.ill('LD0227', radio='hci:1')
            self.assertIn('dmesg', finding['advice'])
            process = await asyncio.create_subprocess_exec(
                LUBDUB, 'scan', '--radio', 'hci:1', stderr=asyncio.subprocess.PIPE)
            _, said = await process.communicate()
            self.assertIn(b'cannot use hci1: the kernel could not set it up, perhaps for lack of its firmware', said)
            self.assertEqual(process.returncode, 3)
        await until(lambda: 'hci1' not in interfaces(), 'it is gone')

    async def test_from_nothing_by_following_the_advice(self):
        """No bus, no bluetoothd, no adapter, an unusable adapter, and a good one."""
        pathlib.Path('/run/dbus/system_bus_socket').unlink(missing_ok=True)
        with self.file(MAIN_CONF, WELL):
            async with self.service('dbus', 'dbus-daemon'), self.service('bluetooth', 'bluetoothd'):
                self.assertEqual((finding := await self.ill('LD0209'))['mend'], 'service dbus start')
                await self.run_mend(finding['mend'])
                await self.mended('LD0209')
                await self.installed()
                self.assertEqual((finding := await self.ill('LD0212'))['mend'], 'service bluetooth start')
                self.assertEqual(running('bluetoothd'), [], 'doctor has started something')
                await self.run_mend(finding['mend'])
                await self.mended('LD0212')
                await self.ill('LD0205')
                async with self.running('btvirt', 'btvirt', '-B', '-l1') as process:
                    await until(interfaces, 'there is an adapter', process)
                    await self.powered(*interfaces())
                    await self.ill('LD0228')
                await until(lambda: not interfaces(), 'the adapter is gone')
                async with self.btvirt(1) as names:
                    await self.powered(*names)
                    await self.content()

    async def installed(self):
        """Starts bluetoothd."""
        program = pathlib.Path(BLUETOOTHD)
        hidden = program.rename(program.with_name('hidden'))
        try:
            self.assertEqual((await self.ill('LD0211'))['mend'], 'apt-get install bluez')
        finally:
            hidden.rename(program)
        await self.mended('LD0211')

    async def test_the_bus_is_silent(self):
        async with self.message_bus():
            daemon, = running('dbus-daemon')
            os.kill(daemon, signal.SIGSTOP)
            try:
                self.assertEqual((await self.ill('LD0210'))['mend'], 'service dbus restart')
            finally:
                os.kill(daemon, signal.SIGCONT)
            await self.mended('LD0210')

    async def test_the_policy_forbids(self):
        groups = pathlib.Path('/etc/group')
        allowed = '<policy group="bluetooth"><allow send_destination="org.bluez"/></policy>'
        with (
                self.file(POLICY, MANAGED % allowed), self.file(groups, groups.read_text()),
                self.file(OWN_POLICY, '<busconfig></busconfig>')):
            async with self.well():
                finding = await self.ill('LD0213', user=NOBODY)
                self.assertIn('AccessDenied', await self.refused_serving(NOBODY))
                self.assertEqual(finding['mend'], 'sudo usermod --append --groups bluetooth "$(id -un)"')
                await self.run_mend(finding['mend'].replace('sudo ', '').replace('"$(id -un)"', 'nobody'))
                self.assertEqual((await self.mended('LD0213', user=NOBODY))['status'], 0)
                POLICY.write_text(MANAGED % '')  # the bus reloads it automatically
                finding = await self.ill('LD0213', user=NOBODY)
                await self.run_mend(finding['mend'].replace('sudo ', ''))
                self.assertEqual((await self.mended('LD0213', user=NOBODY))['status'], 0)


@contextlib.contextmanager
def user_channel(index):
    """Takes the adapter from the kernel: Linux, `include/net/bluetooth/hci_sock.h`, HCI_CHANNEL_USER."""
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as channel:
        address = struct.pack('HHH', socket.AF_BLUETOOTH, index, 1)
        if ctypes.CDLL(None, use_errno=True).bind(channel.fileno(), address, len(address)) != 0:
            raise OSError(ctypes.get_errno(), 'cannot take the adapter')
        yield


def running(*names):
    """The processes of these programs."""
    found = []
    for path in pathlib.Path('/proc').glob('[0-9]*/comm'):
        with contextlib.suppress(OSError):
            if path.read_text().strip() in names:
                found.append(int(path.parent.name))
    return found
