"""`lubdub serve --radio bluez`: bleak uses all sensors of a device, and bleakheart uses the ECG of a Polar device.
"""

import asyncio
import json
import struct

import bleakheart

from harness import ROOT, until
from serving import ServingTest

STEPS, TODAY, ECG = (f'6c75{number}-6264-4562-a000-4c7562647562' for number in ('0101', '0102', '0201'))
TEMPERATURE, MEASURED, KIND = (f'0000{number}-0000-1000-8000-00805f9b34fb' for number in ('2a6e', '2a1c', '2a1d'))
SIGN, LIMIT, OUTSIDE = (f'5a3b000{number}-9c1e-4f7a-8f52-3d1c6e0b7a90' for number in (2, 3, 5))
FILES = {'fitness': 'fitness', 'thermometer': 'health_thermometer', 'ecg_500hz': 'ecg', 'custom_feed': 'custom'}


def add_sensors(document):
    """Gives the strap one service of each of these scenarios; bluetoothd chooses the handles."""
    strap = document['devices'][0]
    for file, kind in FILES.items():
        text = (ROOT / f'scenarios/{file}.json').read_text().replace('"${steps}"', '6600')
        strap['services'] += [service for device in json.loads(text)['devices'] for service in device['services']
                              if service['service'] == kind]
    for characteristic in strap['services'][-1]['characteristics']:
        characteristic.pop('handle', None)


class SensorTests(ServingTest):
    async def test_bleak_uses_every_sensor(self):
        async with self.two_adapters() as (own, other):
            async with self.served(own, self.scenario(add_sensors)) as (process, events), self.client(other) as client:
                self.client_, self.events, self.process = client, events, process
                for uuid, part in [(STEPS, 'steps'), (TODAY, 'steps_today')]:
                    value, = struct.unpack('<I', await client.read_gatt_char(uuid))
                    self.assertEqual(value, (await self.told('read', f'strap/fitness/{part}', 1))[-1]['value'])
                value, = struct.unpack('<h', await client.read_gatt_char(TEMPERATURE))
                told = (await self.told('read', 'strap/fitness/temperature', 1))[-1]['value']['celsius']
                self.assertAlmostEqual(value / 100, told, places=3)
                self.assertEqual(await client.read_gatt_char(KIND), b'\x03')
                await self.hears('strap/health_thermometer', MEASURED, 2)
                self.is_whole(await self.hears('strap/ecg/samples', ECG, 10))
                await self.hears('strap/shop/outside', OUTSIDE, 4)
                await self.writes(client)

    async def told(self, event, part, count):
        """The first `count` records of an event."""
        def records():
            found = [record for record in self.happened(self.events, event) if record['of'] == part]
            return found if len(found) >= count else None

        await until(records, f'{part} {event}', self.process)
        return records()

    async def hears(self, part, uuid, count):
        """The first `count` notified or indicated values, which equal those of the event log."""
        heard, enough = [], asyncio.Event()

        def take(_, value):
            heard.append(bytes(value))
            if len(heard) >= count:
                enough.set()

        await self.client_.start_notify(uuid, take)
        async with asyncio.timeout(20):
            await enough.wait()
        await self.client_.stop_notify(uuid)
        event = 'indicated' if uuid == MEASURED else 'notified'
        told = [bytes.fromhex(record['octets']) for record in await self.told(event, part, count)]
        self.assertIn(heard[:count], [told[first:first + count] for first in range(len(told))])
        return heard

    def is_whole(self, frames):
        """Asserts that no sample of the ECG is missing."""
        following = None
        for frame in frames:
            index, count = struct.unpack_from('<IB', frame, 4)
            self.assertIn(following, (None, index))
            following = index + count

    async def writes(self, client):
        kiosk = json.loads((ROOT / 'scenarios/custom_feed.json').read_text())['devices'][1]['services'][0]
        self.assertEqual((await client.read_gatt_char(SIGN)).decode(), kiosk['characteristics'][0]['value'])
        await client.write_gatt_char(LIMIT, struct.pack('<H', 300), response=True)
        self.assertEqual(await client.read_gatt_char(LIMIT), struct.pack('<H', 300))
        await client.write_gatt_char(SIGN, b'Closed. ' * 40, response=True)
        self.assertEqual(await client.read_gatt_char(SIGN), b'Closed. ' * 40)

    async def test_bleakheart_streams_the_ecg_of_a_polar_h10(self):
        async with self.two_adapters() as (own, other):
            async with self.served(own, 'scenarios/devices/polar_h10.json'):
                async with self.client(other, 'Polar H10 BC3CF62E') as client:
                    frames = asyncio.Queue()
                    polar = bleakheart.PolarMeasurementData(client, ecg_queue=frames)
                    self.assertEqual(await polar.available_measurements(), ['ECG'])
                    settings = await polar.available_settings('ECG')
                    self.assertEqual((settings['SAMPLE_RATE'], settings['RESOLUTION']), ([130], [14]))
                    self.assertEqual((await polar.start_streaming('ECG'))[:2], (0, 'SUCCESS'))
                    self.assertEqual((await polar.start_streaming('ECG'))[:2], (6, 'ALREADY IN STATE'))
                    async with asyncio.timeout(20):
                        heard = [await frames.get() for _ in range(6)]
                    self.assertEqual((await polar.stop_streaming('ECG'))[:2], (0, 'SUCCESS'))
        for (_, before, _), (kind, after, samples) in zip(heard, heard[1:]):
            self.assertEqual(kind, 'ECG')
            self.assertAlmostEqual(after - before, len(samples) * 10 ** 9 / 130, delta=1000)
        self.assertGreater(max(sample for _, _, samples in heard for sample in samples), 700)
