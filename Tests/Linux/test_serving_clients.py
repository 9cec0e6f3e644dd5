"""`lubdub serve --radio bluez` with popular clients."""

import asyncio

import bleakheart

from harness import until
from heart import HEART_RATE, hear
from serving import NAME, ServingTest, read


class ClientTests(ServingTest):
    async def test_bleak_and_bleakheart_subscribe_at_once(self):
        both = self.scenario(lambda document: document['devices'][0].update(connections=2))
        async with self.own_adapters(3) as (own, *others):
            async with self.served(own, both) as (process, events):
                async with self.client(others[0]) as first, self.client(others[1]) as second:
                    frames = asyncio.Queue()
                    heart = bleakheart.HeartRate(second, queue=frames, unpack=False)
                    await heart.start_notify()
                    rates = await hear(first, 4)
                    async with asyncio.timeout(15):
                        heard = [await frames.get() for _ in range(4)]
                    await heart.stop_notify()
                    self.assertEqual(len(self.happened(events, 'connected')), 2)
                await until(lambda: self.happened(events, 'disconnected'), 'their ends are noted', process)
            notified = [record['value'] for record in self.happened(events, 'notified')]
            self.compare(heard, notified)
            beginnings = [index for index in range(len(notified))
                          if [value['bpm'] for value in notified[index:index + 4]] == rates[:4]]
            self.assertNotEqual(beginnings, [], (notified, rates))

    def compare(self, heard, notified):
        """bleakheart's values, and the event log from its subscription on."""
        for (kind, _, (rate, intervals), _), value in zip(heard, notified, strict=False):
            self.assertEqual((kind, rate), ('HR', value['bpm']))
            # bleakheart has intervals in rounded milliseconds; the air has 1/1024 s.
            self.assertEqual(len(intervals), len(value.get('rr_ms', [])))
            for interval, sent in zip(intervals, value.get('rr_ms', [])):
                self.assertAlmostEqual(interval, sent, delta=1)

    async def test_bluetoothctl_and_gatttool_list_it(self):
        async with self.two_adapters() as (own, other), self.served(own):
            strap = (await self.find(other)).address
            listed = await self.output(
                'gatttool', '-i', other, '-b', strap, '--primary')
            self.assertIn('uuid: 0000180d', listed)
            values = await self.output('gatttool', '-i', other, '-b', strap, '--char-read', '-u', '2a38')
            self.assertIn('value: 01', values)
            address = await read(f'/org/bluez/{other}', 'org.bluez.Adapter1', 'Address')
            known = await self.bluetoothctl(f'select {address}', 'scan le', f'info {strap}')
            for expected in (f'Device {strap} (public)', f'Name: {NAME}', 'Appearance: 0x0341', f'({HEART_RATE})'):
                self.assertIn(expected, known)

    async def bluetoothctl(self, *commands):
        """Its output for commands that are typed one after another."""
        process = await asyncio.create_subprocess_exec(
            'bluetoothctl', stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT)
        for command in commands:
            await asyncio.sleep(1.5)  # it accepts a command only after it has read bluetoothd's objects
            process.stdin.write(f'{command}\n'.encode())
        await asyncio.sleep(1)
        async with asyncio.timeout(20):
            printed, _ = await process.communicate(b'quit\n')
        return printed.decode(errors='replace')

    async def test_two_devices_use_one_adapter_each(self):
        def double(document):
            first = document['devices'][0]
            second = {'id': 'other', 'name': 'Second HRM', 'address': 'C0:FF:EE:00:00:02/random'}
            document['devices'].append(first | second)

        async with self.btvirt(3) as (one, two, other), self.bluetoothd():
            await self.powered(one, two, other)
            before = [await self.state(adapter) for adapter in (one, two)]
            async with self.served(f'{one},{two}', self.scenario(double), devices=2) as (process, events):
                for name in (NAME, 'Second HRM'):
                    async with self.client(other, name) as client:
                        self.assertGreaterEqual(len(await hear(client, 2)), 2)
            for adapter, state in zip((one, two), before):
                await self.is_as_before(adapter, state)
            connected = {record['of'] for record in self.happened(events, 'connected')}
            self.assertEqual(connected, {'strap', 'other'})
