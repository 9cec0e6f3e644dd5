"""`lubdub serve --radio bluez`: its clients, a restart of bluetoothd, and missing prerequisites."""

import asyncio
import signal

from harness import LUBDUB, end, until
from heart import BATTERY_LEVEL, CONTROL_POINT, LOCATION, MANUFACTURER, MEASUREMENT, hear
from serving import NAME, ServingTest


class ServingTests(ServingTest):
    limit = 80

    async def test_bleak_finds_reads_and_subscribes(self):
        async with self.two_adapters() as (own, other):
            before = await self.state(own)
            async with self.served(own) as (process, events):
                state = await self.state(own)
                self.assertEqual((state['Alias'], state['serves'], state['advertises']), (NAME, True, 1))
                async with self.client(other) as client:
                    self.assertEqual(await client.read_gatt_char(LOCATION), b'\x01')
                    self.assertEqual(await client.read_gatt_char(BATTERY_LEVEL), b'\x57')
                    self.assertEqual(await client.read_gatt_char(MANUFACTURER), b'Lubdub')
                    heard = await hear(client, 4)
                    await self.refusals(client)
                await until(lambda: self.happened(events, 'disconnected'), 'the strap notes the end', process)
                process.send_signal(signal.SIGINT)
                self.assertEqual(await process.wait(), 130)
            notified = [record['value']['bpm'] for record in self.happened(events, 'notified')]
            self.assertEqual(heard, notified[:len(heard)])
            await self.is_as_before(own, before)

    async def refusals(self, client):
        """The errors of the Heart Rate Service, as a client receives them."""
        for error, ask in (
                ('not permitted', lambda: client.read_gatt_char(MEASUREMENT)),
                ('not permitted', lambda: client.write_gatt_char(LOCATION, b'\x01', response=True)),
                ('length', lambda: client.write_gatt_char(CONTROL_POINT, b'\x01\x01', response=True)),
                ('0x80', lambda: client.write_gatt_char(CONTROL_POINT, b'\x02', response=True))):
            with self.assertRaises(Exception) as refused:
                await ask()
            self.assertIn(error, str(refused.exception).lower())
        await client.write_gatt_char(CONTROL_POINT, b'\x01', response=True)

    async def test_a_restart_of_bluetoothd_restores_the_strap(self):
        async with self.btvirt() as (own, other), self.message_bus():
            async with self.daemon() as daemon:
                await self.powered(own, other)
                serving = self.served(own)
                process, events = await serving.__aenter__()
                self.addAsyncCleanup(serving.__aexit__, None, None, None)
                async with self.client(other) as client:
                    await hear(client, 1)
                await end(daemon)
            async with self.daemon():
                # The demand begins when org.bluez is back; when a client scans is up to the client.
                await until(
                    lambda: len(self.happened(events, 'advertising')) > 1, 'it is advertised anew', process, limit=5)
                await self.powered(other)  # otherwise bluetoothd rejects a scan
                async with self.client(other) as client:
                    self.assertGreaterEqual(len(await hear(client, 2)), 2)
                self.assertIsNone(process.returncode)

    async def test_missing_prerequisites_are_reported(self):
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
                    self.assertIn(f'no adapter hci9; use one of {own}', await said('bluez:hci9'))
