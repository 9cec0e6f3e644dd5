"""Android's virtual controller under Lubdub's host and under Bumble's, in one air.

rootcanal listens on all addresses, so the test runs itself again in a network namespace that has only the loopback address.
"""

import asyncio
import contextlib
import fcntl
import os
import pathlib
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import unittest

import rootcanal.binaries

import test_radio
from harness import Interoperability, host, lubdub, peer

IS_INSIDE = 'LUBDUB_INSIDE' in os.environ
OWN_NETWORK = ['unshare', '--net'] if os.geteuid() == 0 else ['unshare', '--map-root-user', '--net']
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
NAMES = ['hci', 'test', 'link', 'link_ble']


def free_ports(count):
    """Ports that nobody uses at this time."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(('127.0.0.1', 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


@contextlib.asynccontextmanager
async def air():
    """rootcanal: yields the port at which each connection gets a controller."""
    program = pathlib.Path(rootcanal.binaries.get_package_binary_resource_path('rootcanal'))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)  # the wheel does not set it
    ports = free_ports(len(NAMES))
    options = [word for name, port in zip(NAMES, ports) for word in (f'-{name}_port', str(port))]
    process = await asyncio.create_subprocess_exec(
        program, *options, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL)
    try:
        async with asyncio.timeout(10):
            while True:
                with contextlib.suppress(OSError):
                    _, writer = await asyncio.open_connection('127.0.0.1', ports[0])
                    writer.close()
                    break
                await asyncio.sleep(0.05)
        yield ports[0]
    finally:
        process.terminate()
        await process.wait()


def start_loopback():
    """netdevice(7): struct ifreq."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack('16sh22x', b'lo', IFF_UP))


@unittest.skipIf(IS_INSIDE, 'this is the test inside')
@unittest.skipUnless(os.uname().machine == 'x86_64', 'the wheel of rootcanal has a program for x86-64 only')
class RootcanalTests(unittest.TestCase):
    def test_in_its_own_network(self):
        if subprocess.run([*OWN_NETWORK, 'true'], capture_output=True).returncode:
            self.skipTest('this machine does not let tests have their own network')
        done = subprocess.run(
            [*OWN_NETWORK, sys.executable, '-W', 'ignore', '-m', 'unittest', 'test_rootcanal.InsideTests'],
            env=os.environ | {'LUBDUB_INSIDE': '1'}, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn('skipped', done.stderr)


@unittest.skipUnless(IS_INSIDE, 'RootcanalTests runs it')
class InsideTests(Interoperability):
    def setUp(self):
        start_loopback()

    async def test_a_strap_and_both_hosts(self):
        async with (
                air() as port, lubdub('serve', test_radio.SCENARIO, '--radio', f'hci:tcp:127.0.0.1:{port}'),
                host(port, 'Central', 'F0:F1:F2:F3:F4:F5') as central):
            async with peer(central) as strap:
                self.assertTrue(all(50 < rate < 80 for rate in await test_radio.rates(strap, 3)))
            async with lubdub(
                    'check', '--radio', f'hci:tcp:127.0.0.1:{port}', '--peer', 'Lubdub HRM', '--only', 'GATT/SR/GAD/*') as check:
                said = (await check.stdout.read()).decode()
                self.assertEqual(await check.wait(), 0, said)
            self.assertRegex(said, r'[1-9]\d* pass, 0 fail')

    async def test_its_advertising_becomes_weaker_and_a_link_is_lost(self):
        def change(document):
            document['script'] = [
                {'when': '1 s', 'do': 'distance', 'to': '10 m', 'for': '1 s'},
                {'when': {'event': 'subscribed', 'of': 'heart_rate', 'nth': 1, 'after': '1 s'}, 'do': 'link_loss',
                 'for': '4 s'}]

        with tempfile.TemporaryDirectory() as folder:
            events = pathlib.Path(folder, 'events.jsonl')
            async with (
                    air() as port,
                    lubdub('serve', test_radio.changed(folder, change), '--radio', f'hci:tcp:127.0.0.1:{port}', '--events',
                           events, stderr=asyncio.subprocess.PIPE) as serve,
                    host(port, 'Central', 'F0:F1:F2:F3:F4:F5') as central):
                await asyncio.sleep(3)
                async with peer(central) as strap:
                    await test_radio.rates(strap, 1)
                    async with asyncio.timeout(10):
                        while not test_radio.happened(events, 'disconnected'):
                            await asyncio.sleep(0.1)
                serve.send_signal(signal.SIGINT)
                _, said = await serve.communicate()
            lost, *_ = test_radio.happened(events, 'disconnected')
        self.assertEqual(lost['reason'], 'connection_timeout', said)
        self.assertRegex(said.decode(), r'advertises with -?\d+ dBm, 30 dB less than usual\n')
