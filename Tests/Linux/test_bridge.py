"""`lubdub bridge`: hosts without privileges use an adapter over a socket, one after the other."""

import asyncio
import contextlib
import os
import pathlib
import re
import signal
import unittest
import sys

from bumble import core, device, gatt, hci, transport

from borrowing import AdapterTest
from harness import LUBDUB, ROOT, until
from heart import bpm
from serving import NAME

# The app and the sensor of Examples/HeartRateApp, which `make test` builds.
APPS = pathlib.Path(os.environ.get('LUBDUB_APPS', ROOT / '.build/debug'))
NOBODY = 65534
RESET, RESET_ANSWER = bytes.fromhex('01 03 0C 00'), bytes.fromhex('04 0E 04 01 03 0C 00')
# The longest packet that the kernel takes: HCI_MAX_FRAME_SIZE, of a connection that does not exist.
LONGEST = bytes.fromhex('02 40 20 FF 03') + bytes(1023)


class BridgeTests(AdapterTest):
    limit = 240

    @contextlib.asynccontextmanager
    async def bridged(self, adapter, *options):
        """A bridge to an adapter: yields the process and the bridge's address."""
        async with self.running(
                'bridge', LUBDUB, 'bridge', f'hci:{adapter.removeprefix("hci")}', '--controller', 'tcp:127.0.0.1:0',
                *options) as process:
            await until(lambda: re.search(r'controller (tcp:\S+)\n', self.bridge_said()), 'it listens', process)
            yield process, re.findall(r'controller (tcp:\S+)\n', self.bridge_said())[-1]

    def bridge_said(self):
        return (self.folder / 'bridge.messages').read_text()

    async def until_bridge_says(self, text, process):
        await until(lambda: text in self.bridge_said(), f'the bridge prints: {text}', process)

    async def answer(self, address, octets):
        """What the bridge sends to a host until the answer to Reset, or until it ends the connection."""
        reader, writer = await asyncio.open_connection(*address.removeprefix('tcp:').split(':'))
        writer.write(octets)
        received = b''
        with contextlib.suppress(ConnectionResetError):
            while not received.endswith(RESET_ANSWER) and (chunk := await reader.read(1024)):
                received += chunk
        writer.close()
        return received

    @contextlib.asynccontextmanager
    async def bumble(self, address):
        """A Bumble host above the bridge."""
        async with await transport.open_transport(address.replace('tcp:', 'tcp-client:')) as stream:
            host = device.Device.with_hci('host', hci.Address('F0:F1:F2:F3:F4:F5'), stream.source, stream.sink)
            async with asyncio.timeout(30):
                await host.power_on()
            yield host

    async def test_hosts_use_the_adapter_one_after_the_other(self):
        async with self.own_adapters(2) as (own, other):
            before = await self.state(other)
            async with self.played(own) as (_, events), self.bridged(other) as (process, address):
                async with self.bumble(address) as host:
                    rates, heard = asyncio.Queue(), asyncio.get_running_loop().create_future()

                    def advertised(report):
                        if report.data.get(core.AdvertisingData.COMPLETE_LOCAL_NAME) == NAME and not heard.done():
                            heard.set_result(report.address)

                    host.on('advertisement', advertised)
                    async with asyncio.timeout(60):
                        await host.start_scanning()
                        found = await heard
                        await host.stop_scanning()
                        connection = await host.connect(found)
                        strap = device.Peer(connection)
                        await strap.discover_all()
                        measurement, = strap.get_characteristics_by_uuid(gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC)
                        await strap.subscribe(measurement, rates.put_nowait)
                        self.assertIn(bpm(await rates.get()), range(45, 80))
                        # Another host, meanwhile.
                        reader, writer = await asyncio.open_connection(*address.removeprefix('tcp:').split(':'))
                        self.assertEqual(await reader.read(), b'')
                        writer.close()
                        self.assertIn(bpm(await rates.get()), range(45, 80))
                await self.until_bridge_says(
                    'lubdub: host 2 was disconnected: another host uses the controller (disconnect that one first)\n',
                    process)
                # Bumble has left without disconnecting from the strap, and so does a client that is killed.
                await until(lambda: len(self.happened(events, 'disconnected')) == 1, 'the first link ends', process, 30)
                async with self.running(
                        'monitor', LUBDUB, 'monitor', '--plain', '--radio', f'hci:{address}', '--peer', NAME) as monitor:
                    said = self.folder / 'monitor.messages'
                    await until(lambda: re.search(r'\d bpm, contact', said.read_text()), 'it shows one', monitor, 60)
                    monitor.kill()
                    await monitor.wait()
                await until(lambda: len(self.happened(events, 'disconnected')) == 2, 'the second link ends', process, 30)
                shown = await self.output(
                    LUBDUB, 'monitor', '--plain', '--radio', f'hci:{address}', '--peer', NAME, '--for', '15s', limit=90)
                self.assertRegex(shown, r'\d bpm, contact')
                process.send_signal(signal.SIGINT)
                self.assertEqual(await process.wait(), 130)
            await self.given_back(other, before)

    @contextlib.asynccontextmanager
    async def app(self, name, address):
        """An app above CoreBluetooth, without privileges: yields the process and the file with its output."""
        async with self.running(
                name, 'setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups', 'env',
                f'LUBDUB_CONTROLLER={address}', APPS / name) as process:
            yield process, self.folder / f'{name}.messages'

    @unittest.skipUnless((APPS / 'heart-rate-client').exists(), f'{APPS} has no apps; `make test` builds them')
    async def test_apps_above_corebluetooth_use_the_adapter(self):
        async with self.own_adapters(2) as (own, other), self.bridged(other) as (process, address):
            async with self.played(own), self.app('heart-rate-client', address) as (app, shown):
                await until(lambda: re.search(r'"bpm": \d', shown.read_text()), 'the app shows a heart rate', app, 60)
            await self.until_bridge_says('host 1 disconnected', process)
            async with self.app('heart-rate-sensor', address):
                read = await self.output(
                    LUBDUB, 'monitor', '--plain', '--radio', f'hci:{own.removeprefix("hci")}', '--for', '20s',
                    limit=90)
                self.assertRegex(read, r'\d bpm')

    async def test_the_adapter_is_given_back_after_a_kill(self):
        async with self.two_adapters() as (own, _):
            before = await self.state(own)
            async with self.bridged(own, '--quiet') as (process, address):
                self.assertEqual(await self.answer(address, RESET), RESET_ANSWER)
                process.kill()
                await process.wait()
            await self.given_back(own, before)
            self.assertEqual(self.bridge_said(), f'controller {address}\n')

    async def test_hosts_with_malformed_packets_are_disconnected_and_the_next_one_is_served(self):
        async with self.btvirt() as (own, _), self.bridged(own) as (process, address):
            hosts = 0

            async def answer(octets):
                """The answer to a new host, which has left."""
                nonlocal hosts
                hosts += 1
                received = await self.answer(address, octets)
                await until(
                    lambda: re.search(f'host {hosts} (was )?disconnected', self.bridge_said()), f'host {hosts} has left',
                    process)
                return received

            for octets, reason in (
                    (b'GET / HTTP/1.1\r\n\r\n', 'the host does not speak H4: 0x47 where an H4 packet should begin'),
                    (b'\x02\x40\x20\x00\x04' + bytes(1024), '1028 octets; 1027 are allowed'),
                    (RESET_ANSWER, 'it sends a packet of kind event'),
                    (b'\x05\x40\x00\x00\x00', 'it sends a packet of kind isochronous')):
                with self.subTest(reason):
                    self.assertEqual(await answer(octets), b'')
                    await self.until_bridge_says(reason, process)
                    self.assertEqual(await answer(RESET), RESET_ANSWER)
            self.assertTrue((await answer(LONGEST + RESET)).endswith(RESET_ANSWER))
            self.assertTrue((await answer(RESET * 500 + RESET[:2])).endswith(RESET_ANSWER))
            self.assertEqual(await answer(RESET), RESET_ANSWER)

    async def test_the_adapter_is_unplugged(self):
        async with contextlib.AsyncExitStack() as bridge:
            async with self.btvirt() as (own, _):
                process, address = await bridge.enter_async_context(self.bridged(own))
                reader, writer = await asyncio.open_connection(*address.removeprefix('tcp:').split(':'))
                await self.until_bridge_says('host 1 connected', process)
            async with asyncio.timeout(20):
                self.assertEqual(await process.wait(), 3)
                self.assertEqual(await reader.read(), b'')
                writer.close()
        self.assertIn(f'lubdub: {own}: the adapter has gone (plug it in again; if USB has reset it, see', self.bridge_said())

    async def test_messages(self):
        async with self.btvirt() as (own, _):
            self.assertIn(
                'cannot use hci7: there is no such adapter (see lubdub doctor', await self.said_by('bridge', 'hci:7'))
            self.assertIn(
                f'cannot use {own}: the capability CAP_NET_ADMIN is missing (give it to the program: sudo setcap',
                await self.said_by('bridge', own, before=lambda: os.setuid(NOBODY)))
            async with self.bridged(own) as (_, address):
                self.assertIn(
                    f'cannot listen at {address}: Address already in use (use another port',
                    await self.said_by('bridge', own, '--controller', address))
