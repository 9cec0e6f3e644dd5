"""The end of `lubdub serve --radio bluez`: the adapter is restored, or a message explains why not."""

import signal

from harness import end, until
from serving import ServingTest


class EndTests(ServingTest):
    async def ended(self, process, code, *messages, limit=8):
        """Waits until it has ended with this status and message; clears the output."""
        await until(lambda: process.returncode is not None, 'it ends', limit=limit)
        self.assertEqual(process.returncode, code)
        for message in messages:
            self.assertIn(message, self.said())
        (self.folder / 'lubdub.messages').write_text('')
        (self.folder / 'events.jsonl').unlink()

    async def test_bluetoothd_hangs_and_the_adapter_is_switched_off(self):
        async with self.btvirt(1) as (own,), self.bluetoothd() as daemon:
            await self.powered(own)
            before = await self.state(own)
            async with self.served(own) as (process, _):
                daemon.send_signal(signal.SIGSTOP)
                process.send_signal(signal.SIGINT)
                await self.ended(process, 130, 'bluetoothd does not reply')
                daemon.send_signal(signal.SIGCONT)
            await self.is_as_before(own, before)  # it processes the requests when it continues

            async with self.served(own) as (process, _):
                await self.set_power(own, False)
                await self.ended(process, 3, f'{own} was switched off')
            off = before | {'Powered': False}
            await self.is_as_before(own, off)

            async with self.served(own) as (process, _):
                self.assertTrue((await self.state(own))['Powered'])
                process.send_signal(signal.SIGTERM)
                await self.ended(process, 143)
            await self.is_as_before(own, off)

    async def test_the_adapter_and_bluetoothd_go(self):
        async with self.message_bus(), self.daemon() as daemon:
            async with self.btvirt(1) as (own,):
                await self.powered(own)
                unplugged = self.served(own)
                process, _ = await unplugged.__aenter__()
                self.addAsyncCleanup(unplugged.__aexit__, None, None, None)
            await self.ended(process, 3, f'{own} was removed')

            async with self.btvirt(1) as (own,):
                await self.powered(own)
                async with self.served(own) as (process, _):
                    await end(daemon)
                    await until(lambda: 'waiting for it' in self.said(), 'it is noted', process)
                    process.send_signal(signal.SIGINT)
                    await self.ended(process, 130, 'bluetoothctl system-alias', limit=3)
