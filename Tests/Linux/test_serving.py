"""`lubdub serve --radio bluez`: bluetoothd has the radio, and clients on another adapter hear the strap."""

import asyncio
import contextlib
import json
import signal
import struct

import bleak
from bleak.exc import BleakError

from harness import LUBDUB, LinuxTest, end, until

HEART_RATE, MEASUREMENT, LOCATION, CONTROL_POINT, BATTERY_LEVEL, MANUFACTURER = (
    f'0000{number}-0000-1000-8000-00805f9b34fb' for number in ('180d', '2a37', '2a38', '2a39', '2a19', '2a29'))


def bpm(measurement):
    """The heart rate of a Heart Rate Measurement: Heart Rate Service 1.0, section 3.1."""
    return struct.unpack_from('<H' if measurement[0] & 1 else '<B', measurement, 1)[0]


class ServingTests(LinuxTest):
    limit = 60

    @contextlib.asynccontextmanager
    async def served(self, adapter, *arguments):
        """The strap at rest, served by bluetoothd: gives the process and the event log's path."""
        events = self.folder / 'events.jsonl'
        async with self.running(
                'lubdub', LUBDUB, 'serve', 'scenarios/resting.json', '--radio', f'bluez:{adapter}', '--events', events,
                *arguments) as process:
            await until(lambda: self.happened(events, 'advertising'), 'the strap advertises', process)
            yield process, events

    @staticmethod
    def logged(events):
        """The finished lines of an event log that is being written."""
        if not events.exists():
            return []
        return [json.loads(line) for line in events.read_text().splitlines(keepends=True) if line.endswith('\n')]

    def happened(self, events, *names):
        return [record for record in self.logged(events) if record['event'] in names]

    async def find(self, adapter):
        """The strap as bleak finds it from this adapter, by its service."""
        for _ in range(10):  # btvirt reports once when a scan begins, perhaps before the kernel listens
            found = await bleak.BleakScanner.find_device_by_filter(
                lambda _, heard: HEART_RATE in heard.service_uuids, timeout=2, adapter=adapter)
            if found:
                return found
        raise AssertionError('nothing with 180D was heard')

    @contextlib.asynccontextmanager
    async def client(self, adapter):
        """A client that knows the services: one bluetoothd at both ends needs a second try now and then."""
        for attempt in range(3):
            client = bleak.BleakClient(await self.find(adapter), adapter=adapter)
            try:
                await client.connect()
                if client.services.get_characteristic(MEASUREMENT) and client.services.get_characteristic(BATTERY_LEVEL):
                    break
            except (BleakError, TimeoutError) as failure:
                print(f'attempt {attempt + 1}: {failure!r}')
            with contextlib.suppress(BleakError):
                await client.disconnect()
        else:
            raise AssertionError('no connection with all services')
        try:
            yield client
        finally:
            await client.disconnect()

    async def hear(self, client, count):
        heard, enough = [], asyncio.Event()

        def notified(_, value):
            heard.append(bpm(value))
            if len(heard) == count:
                enough.set()

        await client.start_notify(MEASUREMENT, notified)
        async with asyncio.timeout(15):
            await enough.wait()
        await client.stop_notify(MEASUREMENT)
        return heard

    async def property(self, adapter, name):
        printed = await self.output(
            'dbus-send', '--system', '--print-reply=literal', '--dest=org.bluez', f'/org/bluez/{adapter}',
            'org.freedesktop.DBus.Properties.Get', 'string:org.bluez.Adapter1', f'string:{name}')
        return printed.split(None, 1)[1].strip()

    async def test_bleak_finds_reads_and_hears_the_strap(self):
        async with self.two_adapters() as (own, other):
            before = [await self.property(own, name) for name in ('Alias', 'Powered')]
            async with self.served(own) as (process, events):
                async with self.client(other) as client:
                    self.assertEqual(await client.read_gatt_char(LOCATION), b'\x01')
                    self.assertEqual(await client.read_gatt_char(BATTERY_LEVEL), b'\x57')
                    self.assertEqual(await client.read_gatt_char(MANUFACTURER), b'Lubdub')
                    heard = await self.hear(client, 4)
                    await self.refusals(client)
                await until(lambda: self.happened(events, 'disconnected'), 'the strap notes the end', process)
                process.send_signal(signal.SIGINT)
                self.assertEqual(await process.wait(), 130)
            notified = [record['value']['bpm'] for record in self.happened(events, 'notified')]
            self.assertEqual(heard, notified[:len(heard)])
            self.assertEqual([await self.property(own, name) for name in ('Alias', 'Powered')], before)
            left = await self.output(
                'dbus-send', '--system', '--print-reply', '--dest=org.bluez', f'/org/bluez/{own}',
                'org.freedesktop.DBus.Properties.Get', 'string:org.bluez.LEAdvertisingManager1',
                'string:ActiveInstances')
            self.assertIn('byte 0', left)

    async def refusals(self, client):
        """The errors of the Heart Rate Service, as the client sees them."""
        for error, ask in (
                ('not permitted', lambda: client.read_gatt_char(MEASUREMENT)),
                ('not permitted', lambda: client.write_gatt_char(LOCATION, b'\x01', response=True)),
                ('length', lambda: client.write_gatt_char(CONTROL_POINT, b'\x01\x01', response=True)),
                ('0x80', lambda: client.write_gatt_char(CONTROL_POINT, b'\x02', response=True))):
            with self.assertRaises(Exception) as refused:
                await ask()
            self.assertIn(error, str(refused.exception).lower())
        await client.write_gatt_char(CONTROL_POINT, b'\x01', response=True)

    async def test_bluetoothd_begins_again_and_the_strap_is_heard_again(self):
        async with self.btvirt() as (own, other), self.message_bus():
            async with self.daemon() as daemon:
                await self.powered(own, other)
                serving = self.served(own)
                process, events = await serving.__aenter__()
                self.addAsyncCleanup(serving.__aexit__, None, None, None)
                async with self.client(other) as client:
                    await self.hear(client, 1)
                await end(daemon)
            async with self.daemon():
                await self.powered(own, other)
                await until(lambda: len(self.happened(events, 'advertising')) > 1, 'it is advertised anew', process)
                async with self.client(other) as client:
                    self.assertGreaterEqual(len(await self.hear(client, 2)), 2)
                self.assertIsNone(process.returncode)

    async def test_what_is_missing_is_said(self):
        async def said(*arguments):
            process = await asyncio.create_subprocess_exec(
                LUBDUB, 'serve', 'scenarios/resting.json', '--radio', *arguments,
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
            _, messages = await process.communicate()
            self.assertEqual(process.returncode, 3, messages)
            return messages.decode()

        self.assertIn('no bus at', await said('bluez'))
        async with self.message_bus():
            self.assertIn('systemctl start bluetooth', await said('bluez'))
            async with self.daemon():
                self.assertIn('no Bluetooth adapter', await said('bluez'))
                async with self.btvirt(1) as (own,):
                    await self.powered(own)
                    self.assertIn(f'no adapter hci9; there is {own}', await said('bluez:hci9'))
