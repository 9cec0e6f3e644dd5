"""bluetoothd and its clients, over the kernel and lubdub's virtual controller."""

import asyncio
import contextlib

import bleak

from harness import LinuxTest, until
from heart import BATTERY_LEVEL, HEART_RATE, LOCATION, hear, logged

STRAP = 'C0:FF:EE:00:00:01'


def delivered(records):
    """The heart rates that the strap's link layer delivered, in order."""
    return [record['value']['bpm'] for record in records
            if record['event'] == 'delivered' and record['of'] == 'strap/heart_rate']


class BlueZTests(LinuxTest):
    @contextlib.asynccontextmanager
    async def worn_strap(self):
        """The strap at rest for a powered interface of bluetoothd: yields the interface and the event log."""
        events = self.folder / 'events.jsonl'
        async with (
                self.lubdub('serve', 'scenarios/resting.json', '--events', events) as path,
                self.bluetoothd(), self.bridge(path) as interface):
            await self.powered(interface.name)
            yield interface, events
            self.assertEqual(interface.troubles, [])
        self.assertEqual(self.kernel_complaints(), [])

    async def test_bleak_finds_reads_and_subscribes_twice(self):
        async with self.worn_strap() as (_, events):
            heard = []
            for _ in range(2):
                strap = await bleak.BleakScanner.find_device_by_filter(
                    lambda _, heard: HEART_RATE in heard.service_uuids, timeout=8)
                self.assertIsNotNone(strap, 'nothing advertised 180D')
                self.assertEqual((strap.address, strap.name), (STRAP, 'Lubdub HRM'))
                async with bleak.BleakClient(strap) as client:
                    self.assertEqual(await client.read_gatt_char(LOCATION), b'\x01')
                    self.assertEqual(await client.read_gatt_char(BATTERY_LEVEL), b'\x57')
                    heard += await hear(client, 4, limit=10)
                await until(lambda: logged(events)[-1]['event'] == 'advertising', 'the strap advertises again')
        records = logged(events)
        self.assertGreaterEqual(len(heard), 8)
        self.assertEqual(heard, delivered(records))
        links = [record for record in records if record['event'] in ('connected', 'disconnected')]
        self.assertEqual([record['event'] for record in links], ['connected', 'disconnected'] * 2)
        self.assertEqual({record.get('reason') for record in links}, {None, 'remote_user_terminated_connection'})

    async def test_bluetoothctl_scans_connects_and_disconnects(self):
        async with self.worn_strap():
            self.assertIn(f'Device {STRAP} Lubdub HRM', await self.bluetoothctl('--timeout', '2', 'scan', 'le'))
            self.assertIn('Connection successful', await self.bluetoothctl('connect', STRAP))
            while 'Battery Percentage: 0x57 (87)' not in (known := await self.bluetoothctl('info', STRAP)):
                await asyncio.sleep(0.1)
            for expected in ('Connected: yes', 'Appearance: 0x0341', 'UUID: Heart Rate  ', 'UUID: Battery Service  '):
                self.assertIn(expected, known)
            self.assertIn('Successful disconnected', await self.bluetoothctl('disconnect', STRAP))
            self.assertIn('Connected: no', await self.bluetoothctl('info', STRAP))

    async def bluetoothctl(self, *arguments):
        return await self.output('bluetoothctl', *arguments)
