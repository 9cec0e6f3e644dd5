"""How `lubdub serve --radio bluez` ends: the adapter is as before, or it is said why not."""

import contextlib
import signal

from harness import CONFIGURATION, end, until
from serving import DBusFailure, ServingTest


class EndTests(ServingTest):
    limit = 40

    async def test_an_adapter_that_was_off_is_off_again_after_sigterm(self):
        async with self.btvirt(1) as (own,), self.message_bus(), self.daemon(
                CONFIGURATION.replace('AutoEnable=true', 'AutoEnable=false')):
            before = None
            while not before:
                with contextlib.suppress(DBusFailure):
                    before = await self.state(own)
            self.assertFalse(before['Powered'])
            async with self.served(own) as (process, _):
                self.assertTrue((await self.state(own))['Powered'])
                process.send_signal(signal.SIGTERM)
                self.assertEqual(await process.wait(), 143)
            await self.is_as_before(own, before)

    async def test_a_bluetoothd_that_hangs_is_not_waited_for(self):
        async with self.btvirt(1) as (own,), self.bluetoothd() as daemon:
            await self.powered(own)
            before = await self.state(own)
            async with self.served(own) as (process, _):
                daemon.send_signal(signal.SIGSTOP)
                try:
                    process.send_signal(signal.SIGINT)
                    await until(lambda: process.returncode is not None, 'it ends', limit=8)
                finally:
                    daemon.send_signal(signal.SIGCONT)
                self.assertEqual(process.returncode, 130)
            self.assertIn('bluetoothd does not answer', self.said())
            await self.is_as_before(own, before)  # it finds what it was asked when it goes on

    async def test_a_bluetoothd_that_has_ended_cannot_put_back(self):
        async with self.btvirt(1) as (own,), self.message_bus():
            async with self.daemon() as daemon:
                await self.powered(own)
                serving = self.served(own)
                process, _ = await serving.__aenter__()
                self.addAsyncCleanup(serving.__aexit__, None, None, None)
                await end(daemon)
            await until(lambda: 'waiting for it' in self.said(), 'it is noted', process)
            process.send_signal(signal.SIGINT)
            await until(lambda: process.returncode is not None, 'it ends', limit=3)
            self.assertEqual(process.returncode, 130)
            self.assertIn('bluetoothctl system-alias', self.said())

    async def test_an_adapter_that_is_unplugged_ends_it(self):
        async with self.message_bus():
            async with self.btvirt(1) as (own,):
                daemon = self.daemon()
                await daemon.__aenter__()
                self.addAsyncCleanup(daemon.__aexit__, None, None, None)
                await self.powered(own)
                serving = self.served(own)
                process, _ = await serving.__aenter__()
                self.addAsyncCleanup(serving.__aexit__, None, None, None)
            await until(lambda: process.returncode is not None, 'it ends')
            self.assertEqual(process.returncode, 3)
            self.assertIn(f'{own} is not there any more', self.said())

    async def test_an_adapter_that_is_switched_off_ends_it(self):
        async with self.btvirt(1) as (own,), self.bluetoothd():
            await self.powered(own)
            async with self.served(own) as (process, _):
                await self.set_power(own, False)
                await until(lambda: process.returncode is not None, 'it ends')
            self.assertEqual(process.returncode, 3)
            self.assertIn(f'{own} was switched off', self.said())
