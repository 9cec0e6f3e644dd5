"""Pairing with what `lubdub serve --radio bluez` serves: bluetoothd asks both ends' agents."""

import asyncio
import contextlib
import os
import pty
import re

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

from harness import LUBDUB, until
from serving import PROPERTIES, ServingTest, call


class ClientAgent(ServiceInterface):
    """The person at the client: enters what the strap shows, and agrees to everything."""

    def __init__(self, shown):
        super().__init__('org.bluez.Agent1')
        self.shown, self.digits = shown, None

    @method()
    async def RequestPasskey(self, device: 'o') -> 'u':
        await until(self.shown, 'the strap shows digits')
        return int(self.shown())

    @method()
    def DisplayPasskey(self, device: 'o', passkey: 'u', entered: 'q'):
        self.digits = f'{passkey:06}'

    @method()
    def RequestConfirmation(self, device: 'o', passkey: 'u'):
        self.digits = f'{passkey:06}'

    @method()
    def RequestAuthorization(self, device: 'o'):
        pass

    @method()
    def Cancel(self):
        pass

    @method()
    def Release(self):
        pass


class PairingTests(ServingTest):
    limit = 150

    def that_pairs(self, **security):
        return self.scenario(lambda document: document['devices'][0].update(security=security))

    @contextlib.asynccontextmanager
    async def served_at_terminal(self, adapter, scenario):
        """Gives what was said so far, and how to type."""
        master, slave = pty.openpty()
        text, loop = bytearray(), asyncio.get_running_loop()
        loop.add_reader(master, lambda: text.extend(os.read(master, 1024)))
        process = await asyncio.create_subprocess_exec(
            LUBDUB, 'serve', scenario, '--radio', f'bluez:{adapter}', '--events', self.folder / 'events.jsonl',
            preexec_fn=lambda: os.login_tty(slave))
        try:
            await until(
                lambda: self.happened(self.folder / 'events.jsonl', 'advertising'), 'the strap advertises', process)
            yield lambda: text.decode(), lambda line: os.write(master, line)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()
            loop.remove_reader(master)
            os.close(master)
            os.close(slave)
            (self.folder / 'terminal.messages').write_bytes(text)

    async def pair(self, adapter, capability, said, meanwhile=None):
        """The error of pairing from this adapter, None if it went well; and the client's agent."""
        bus = await MessageBus(bus_type=BusType.SYSTEM).connect()

        async def ask(path, interface, member, signature='', body=()):
            answer = await bus.call(Message(
                destination='org.bluez', path=path, interface=interface, member=member, signature=signature,
                body=list(body)))
            return answer.error_name if answer.message_type == MessageType.ERROR else None

        def shown():
            found = re.search(r'enter (\d{6}) there', said())
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
                if meanwhile:
                    await meanwhile(agent)
                return await pairing, agent
        finally:
            bus.disconnect()

    async def test_devices_pair_as_their_security_says(self):
        for step in (self.just_works, self.shows_a_passkey, self.compares_digits, self.enters_digits,
                     self.does_not_pair):
            for attempt in range(3):
                if await self.is_played(step):
                    break
                print(f'attempt {attempt + 1} of {step.__name__}: bluetoothd ended by itself')
            else:
                self.fail(f'bluetoothd 5.66 does not live through {step.__name__}')

    async def is_played(self, step):
        """Plays a step on adapters of its own; false if bluetoothd crashed, as 5.66 does now and then after pairing."""
        async with self.btvirt() as (own, other), self.bluetoothd() as daemon:
            await self.powered(own, other)
            before = await self.state(own)
            try:
                await step(own, other)
                for adapter in (own, other):
                    await self.part(adapter)
                await self.is_as_before(own, before)
            except Exception:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(daemon.wait(), 1)
                if daemon.returncode is None:
                    raise
                (self.folder / 'events.jsonl').unlink(missing_ok=True)
                return False
        return True

    async def part(self, adapter):
        """Ends an adapter's connections, and forgets whom it has keys of."""
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
        (self.folder / 'events.jsonl').unlink()

    async def shows_a_passkey(self, own, other):
        async with self.served(own, self.that_pairs(io='display_only')):
            error, _ = await self.pair(other, 'KeyboardOnly', self.said)
            self.assertIsNone(error)
            self.assertRegex(self.said(), r'pairs: enter \d{6} there')
        (self.folder / 'events.jsonl').unlink()

    async def compares_digits(self, own, other):
        for word, expected in (('no', 'org.bluez.Error.AuthenticationFailed'), ('yes', None)):
            async with self.served_at_terminal(own, self.that_pairs(io='display_yes_no')) as (said, write):
                async def answer(agent):
                    await until(lambda: 'yes or no' in said(), 'the terminal asks')
                    write(f'{word}\n'.encode())
                error, agent = await self.pair(other, 'DisplayYesNo', said, answer)
                self.assertEqual(error, expected)
                self.assertIn(f'does it show {agent.digits}?', said())
            (self.folder / 'events.jsonl').unlink()

    async def enters_digits(self, own, other):
        async with self.served_at_terminal(own, self.that_pairs(io='keyboard_only')) as (said, write):
            async def answer(agent):
                await until(lambda: 'which six digits' in said() and agent.digits, 'the terminal asks')
                write(f'{agent.digits}\n'.encode())
            error, _ = await self.pair(other, 'DisplayOnly', said, answer)
            self.assertIsNone(error)
        (self.folder / 'events.jsonl').unlink()

    async def does_not_pair(self, own, other):
        async with self.served(own):
            # The client asks for keys that are kept only if its own adapter keeps them.  It has no agent: the first one
            # makes bluetoothd let all of its adapters pair.
            await call(f'/org/bluez/{other}', PROPERTIES, 'Set', 'ssv', 'org.bluez.Adapter1', 'Pairable',
                       Variant('b', True))
            self.assertFalse((await self.state(own))['Pairable'])
            error, _ = await self.pair(other, None, self.said)
            self.assertEqual(error, 'org.bluez.Error.AuthenticationFailed')
