"""Pairing with devices of `lubdub serve --radio bluez`: bluetoothd asks the agents of both ends."""

import asyncio
import contextlib
import re
import signal
import sys

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from agent import ClientAgent
from harness import LUBDUB, until
from serving import PROPERTIES, ServingTest, call, read


class Spoilt(Exception):
    """A program other than lubdub failed, so the step proves nothing."""


class PairingTests(ServingTest):
    limit = 150

    def strap(self, **more):
        """The path of a scenario with heart rates only, since the client's bluetoothd reads other values immediately.
        Version 5.66 crashes when it removes attributes after a link ended during a read."""
        def change(document):
            device, = document['devices']
            device.update(services=device['services'][:1], **more)

        return self.scenario(change)

    def that_pairs(self, **security):
        return self.strap(security=security)

    async def pair(self, adapter, capability, said, meanwhile=None):
        """The error of pairing from this adapter, None on success; and the client's agent."""
        bus = await MessageBus(bus_type=BusType.SYSTEM).connect()

        async def ask(path, interface, member, signature='', body=()):
            answer = await bus.call(Message(
                destination='org.bluez', path=path, interface=interface, member=member, signature=signature,
                body=list(body)))
            return answer.error_name if answer.message_type == MessageType.ERROR else None

        def shown():
            found = re.search(r'enter (\d{6}) on that device', said())
            return found and found[1]

        agent = ClientAgent(shown)
        bus.export('/client/agent', agent)
        try:
            if capability:
                self.assertIsNone(await ask(
                    '/org/bluez', 'org.bluez.AgentManager1', 'RegisterAgent', 'os', ('/client/agent', capability)))
            strap = await self.find(adapter)
            path = f'/org/bluez/{adapter}/dev_{strap.address.replace(":", "_")}'
            async with asyncio.timeout(25):
                pairing = asyncio.create_task(ask(path, 'org.bluez.Device1', 'Pair'))
                await self.linked(path, pairing)
                if meanwhile:
                    await meanwhile(agent)
                return await pairing, agent
        finally:
            bus.disconnect()

    async def linked(self, path, pairing):
        """Waits for the link before pairing: btvirt sometimes loses one when it reports before the kernel scans."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(6):
                while not pairing.done() and not await read(path, 'org.bluez.Device1', 'Connected'):
                    await asyncio.sleep(0.2)
                return
        pairing.cancel()
        raise Spoilt('btvirt made no link')

    async def test_devices_pair_as_their_security_requires(self):
        for step in (self.just_works, self.forgets_its_client, self.shows_a_passkey, self.refuses_digits, self.agrees_to_digits,
                     self.enters_digits, self.does_not_pair):
            for attempt in range(4):
                try:
                    await self.play(step)
                    break
                except Spoilt as reason:
                    print(f'attempt {attempt + 1} of {step.__name__}: {reason}', file=sys.stderr)
                    for name in ('events.jsonl', 'lubdub.messages', 'terminal.messages'):
                        (self.folder / name).unlink(missing_ok=True)
            else:
                self.fail(f'{step.__name__} could not be played')

    async def play(self, step):
        """Runs a step on new adapters, so that its effects on bluetoothd do not reach the next."""
        async with self.btvirt() as (own, other), self.bluetoothd() as daemon:
            await self.powered(own, other)
            before = await self.state(own)
            try:
                await step(own, other)
                (self.folder / 'events.jsonl').unlink()
                for adapter in (own, other):
                    await self.part(adapter)
                await self.is_as_before(own, before)
            except Exception as failure:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(daemon.wait(), 1)
                if daemon.returncode in (-signal.SIGSEGV, -signal.SIGABRT):
                    raise Spoilt(f'bluetoothd crashed: {signal.strsignal(-daemon.returncode)}') from failure
                raise

    async def part(self, adapter):
        """Ends an adapter's connections and removes its bonds."""
        objects, = await call('/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
        for path, interfaces in objects.items():
            if path.startswith(f'/org/bluez/{adapter}/') and 'org.bluez.Device1' in interfaces:
                await self.disconnect(path)
        await self.forget(adapter)

    async def just_works(self, own, other):
        async with self.served(own, self.that_pairs()) as (process, _):
            error, _ = await self.pair(other, 'NoInputNoOutput', self.said)
            self.assertIsNone(error)
            await until(lambda: 'has paired' in self.said(), 'it is noted', process)
            self.assertIn('Just Works', self.said())

    async def forgets_its_client(self, own, other):
        async def bonds():
            objects, = await call('/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
            devices = {path: interfaces.get('org.bluez.Device1') for path, interfaces in objects.items()}
            return [path for path, device in devices.items()
                    if path.startswith(f'/org/bluez/{own}/') and device and device['Paired'].value]

        socket = f'unix:{self.folder}/control'
        async with self.served(own, self.that_pairs(), options=['--control', socket]) as (process, _):
            error, _ = await self.pair(other, 'NoInputNoOutput', self.said)
            self.assertIsNone(error)
            await until(lambda: 'has paired' in self.said(), 'it is noted', process)
            self.assertEqual(len(await bonds()), 1)
            control = await asyncio.create_subprocess_exec(
                LUBDUB, 'control', socket, 'forget_bond', 'strap', stdout=asyncio.subprocess.DEVNULL)
            self.assertEqual(await control.wait(), 0)
            await until(lambda: 'bluetoothd has removed the bond with' in self.said(), 'the bond is gone', process)
            self.assertEqual(await bonds(), [])

    async def shows_a_passkey(self, own, other):
        async with self.served(own, self.that_pairs(io='display_only')):
            error, _ = await self.pair(other, 'KeyboardOnly', self.said)
            self.assertIsNone(error)
            self.assertRegex(self.said(), r'pairs: enter \d{6} on that device')

    async def refuses_digits(self, own, other):
        self.assertEqual(await self.compares_digits(own, other, 'no'), 'org.bluez.Error.AuthenticationFailed')

    async def agrees_to_digits(self, own, other):
        self.assertIsNone(await self.compares_digits(own, other, 'yes'))

    async def compares_digits(self, own, other, word):
        """The error of pairing when the user of the terminal enters this word."""
        async with self.served_at_terminal(own, self.that_pairs(io='display_yes_no')) as terminal:
            async def answer(agent):
                await until(lambda: 'yes or no' in terminal.said(), 'the terminal asks')
                terminal.type(f'{word}\n'.encode())
            error, agent = await self.pair(other, 'DisplayYesNo', terminal.said, answer)
            self.assertIn(f'does it show {agent.digits}?', terminal.said())
            return error

    async def enters_digits(self, own, other):
        async with self.served_at_terminal(own, self.that_pairs(io='keyboard_only')) as terminal:
            async def answer(agent):
                await until(lambda: 'enter the six digits' in terminal.said() and agent.digits, 'the terminal asks')
                terminal.type(f'{agent.digits}\n'.encode())
            error, _ = await self.pair(other, 'DisplayOnly', terminal.said, answer)
            self.assertIsNone(error)

    async def does_not_pair(self, own, other):
        async with self.served(own, self.strap()):
            # The client requests a bond only if its adapter stores keys.  It has no agent: the first one
            # makes bluetoothd allow pairing on all of its adapters.
            await call(f'/org/bluez/{other}', PROPERTIES, 'Set', 'ssv', 'org.bluez.Adapter1', 'Pairable',
                       Variant('b', True))
            self.assertFalse((await self.state(own))['Pairable'])
            error, _ = await self.pair(other, None, self.said)
            self.assertEqual(error, 'org.bluez.Error.AuthenticationFailed')
