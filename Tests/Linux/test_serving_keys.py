"""The keys of `lubdub serve --radio bluez` on a terminal, and their effects on a client over bluetoothd."""

import asyncio

from harness import until
from heart import BATTERY_LEVEL, MEASUREMENT, bpm, logged
from serving import ServingTest

UP, DOWN, SHIFT_UP, SHIFT_DOWN = b'\x1b[A', b'\x1b[B', b'\x1b[1;2A', b'\x1b[1;2B'
CONTACT, TOUCHED, NOT_TOUCHED = 0b110, 0b110, 0b100  # flags of Heart Rate Measurement


class KeyTests(ServingTest):
    def in_haste(self):
        """The strap at rest with five heart rates per second, so that effects come sooner."""
        return self.scenario(lambda document: document['devices'][0]['services'][0].update(period='200 ms'))

    def keys(self):
        """The key events in the log: event, entity, value, key."""
        return [(record['event'], record['of'], record.get('value'), record['rule'])
                for record in logged(self.folder / 'events.jsonl') if 'rule' in record]

    async def logs(self, *expected):
        """Waits until the log ends with these."""
        await until(lambda: tuple(self.keys()[-len(expected):]) == expected, f'the log has {expected}')

    async def test_a_client_sees_each_key(self):
        async with self.two_adapters() as (own, other):
            before = await self.state(own)
            async with self.served_at_terminal(own, self.in_haste()) as terminal:
                async with self.client(other) as client:
                    self.terminal, self.client_there, self.heard = terminal, client, asyncio.Queue()
                    await client.start_notify(MEASUREMENT, lambda _, value: self.heard.put_nowait(bytes(value)))
                    rate = await self.up_and_down()
                    await self.contact_and_battery()
                    await self.silence(rate)
                    terminal.type(b'?')
                    await until(lambda: 'disconnect' in terminal.said(), 'the keys are listed')
                    terminal.type(b'd')
                    await until(lambda: not client.is_connected, 'the client is disconnected')
                    await self.logs(*((event, 'strap', None, 'key d') for event in ('began', 'ended')))
                terminal.type(b'q')
                await until(lambda: terminal.process.returncode is not None, 'it ends')
                self.assertEqual(terminal.process.returncode, 0)
            await self.is_as_before(own, before)

    async def hears(self, condition, what):
        """Waits until the client receives such a measurement."""
        try:
            async with asyncio.timeout(10):
                while not condition(await self.heard.get()):
                    pass
        except TimeoutError:
            self.fail(f'the client does not hear {what}')

    async def up_and_down(self):
        rate = None
        for keys, name, step in ((UP, 'up', 1), (SHIFT_UP, 'shift_up', 10), (DOWN, 'down', -1),
                                 (SHIFT_DOWN, 'shift_down', -10)):
            count = len(self.keys())
            self.terminal.type(keys)
            await until(lambda: self.keys()[count:], f'key {name} is logged')
            event, thing, value, key = self.keys()[count]
            self.assertEqual((event, thing, key), ('began', 'strap/heart_rate', f'key {name}'))
            if rate is not None:  # the rate was random before
                self.assertEqual(value, rate + step)
            rate = value
            await self.hears(lambda heard: bpm(heard) == rate, f'{rate} bpm')
        return rate

    async def contact_and_battery(self):
        for event, contact in (('began', NOT_TOUCHED), ('ended', TOUCHED)):
            self.terminal.type(b'c')
            await self.hears(lambda heard: heard[0] & CONTACT == contact, f'contact {contact:#b}')
            self.assertEqual([key[:2] + key[3:] for key in self.keys()][-1], (event, 'strap/heart_rate/contact', 'key c'))
        for event, level in (('began', 5), ('ended', 87)):
            self.terminal.type(b'b')
            await self.logs((event, 'strap/battery', 5, 'key b'))
            self.assertEqual(await self.client_there.read_gatt_char(BATTERY_LEVEL), bytes([level]))

    async def silence(self, rate):
        self.terminal.type(b's')
        await self.logs(('began', 'strap', None, 'key s'))
        await asyncio.sleep(0.3)  # values in flight
        while not self.heard.empty():
            self.heard.get_nowait()
        await asyncio.sleep(1)
        self.assertTrue(self.heard.empty(), 'it is not silent')
        self.terminal.type(b's')
        await self.hears(lambda heard: bpm(heard) == rate, 'it again')
        await self.logs(('ended', 'strap', None, 'key s'))
