"""Centrals of `lubdub serve` pair with straps of Bumble."""

import asyncio
import contextlib
import dataclasses
import itertools
import json
import pathlib
import tempfile
import unittest

from bumble import keys, pairing

from harness import Interoperability, controller_port, host, lubdub
from test_control import line
from test_secure_strap import CAPABILITIES, PASSKEY, part

CENTRALS = {
    '_'.join([io, 'secure' if secure else 'legacy', *(['mitm'] if mitm else [])]): (io, secure, mitm)
    for io, secure, mitm in itertools.product(CAPABILITIES, (False, True), (False, True))}
ADDRESSES = {
    **{strap: f'C0:FF:EE:00:00:{number:02X}/random' for number, strap in enumerate(CAPABILITIES, 1)},
    **{central: f'F0:F1:F2:F3:F4:{number:02X}/random' for number, central in enumerate(CENTRALS, 1)}}


def address(device):
    """The address of a device as Bumble writes it."""
    return ADDRESSES[device].removesuffix('/random')


def scenario():
    """The centrals, and the addresses of the straps, which are elsewhere."""
    centrals = [
        {'id': central, 'role': 'central', 'address': ADDRESSES[central], 'services': [], 'security': {
            'io': io, 'passkey': PASSKEY, 'secure_connections': secure, 'mitm': 'preferred' if mitm else 'off'}}
        for central, (io, secure, mitm) in CENTRALS.items()]
    absent = [{'id': strap, 'address': ADDRESSES[strap], 'services': []} for strap in CAPABILITIES]
    return {
        'lubdub': 1, 'name': 'Centrals', 'devices': absent + centrals,
        'script': [{'when': '0 s', 'do': 'stop_advertising', 'of': strap['id']} for strap in absent]}


class User(pairing.PairingDelegate):
    """Does what the strap asks, and remembers the part in the last pairing: a letter of PARTS."""

    part = '.'

    async def get_number(self):
        self.part = 'E'
        return PASSKEY

    async def generate_passkey(self):
        return PASSKEY

    async def display_number(self, number, digits):
        self.part = 'D'

    async def compare_numbers(self, number, digits):
        self.part = 'C'
        return True


class Keys(keys.MemoryKeyStore):
    """Bumble, as a peripheral, looks for a key of LE legacy pairing that it has distributed under the name of the other."""

    async def update(self, name, bond):
        bond = bond if bond.ltk else dataclasses.replace(bond, ltk_peripheral=bond.ltk_central)
        await super().update(name, bond)


# The events of a connection, as the central and the strap report them.
PAIRS = [['encrypted', 'paired', 'disconnected'], ['began', 'encrypted', 'paired']]
RETURNS = [['encrypted', 'disconnected'], ['encrypted']]
IS_FORGOTTEN = [['encryption_failed pin_or_key_missing', 'disconnected'], []]


async def collect(queue, wanted):
    """The events up to the last of those wanted, or up to a failure."""
    events = []
    while events[-1:] != wanted[-1:] and not (events and 'failed' in events[-1]):
        events.append(await queue.get())
    return events


class Log:
    """Reads the event log, and gives each central the events of its links."""

    EVENTS = 'encrypted', 'encryption_failed', 'paired', 'pairing_failed', 'disconnected'

    def __init__(self):
        self.queues = {central: asyncio.Queue() for central in CENTRALS}

    async def read(self, lines):
        async for text in lines:
            record = json.loads(text)
            if record['event'] in self.EVENTS and record['of'] in self.queues:
                reason = record.get('reason') if 'failed' in record['event'] else None
                self.queues[record['of']].put_nowait(' '.join(filter(None, [record['event'], reason])))


class SecureStrap:
    """A strap of Bumble, to which centrals of Lubdub connect on request."""

    def __init__(self, io, device, control, log):
        self.io, self.device, self.control, self.log = io, device, control, log
        self.user, self.connections, self.events = User(CAPABILITIES[io]), asyncio.Queue(), asyncio.Queue()
        device.keystore = Keys()
        device.pairing_config_factory = lambda _: pairing.PairingConfig(
            sc=True, mitm=False, bonding=True, delegate=self.user,
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM)
        device.on('connection', self.take)

    def take(self, connection):
        connection.on('pairing_start', lambda: self.events.put_nowait('began'))
        connection.on('pairing', lambda _: self.events.put_nowait('paired'))
        connection.on('pairing_failure', lambda reason: self.events.put_nowait(f'failed {reason}'))
        connection.on('connection_encryption_change', lambda: self.events.put_nowait('encrypted'))
        self.connections.put_nowait(connection)

    async def meet(self, central, wanted):
        """Connects a central, and disconnects when both sides have reported what they should; returns what they report."""
        self.user.part = '.'
        await self.ask({'do': 'connect', 'of': central, 'to': self.io})
        log = self.log.queues[central]
        async with asyncio.timeout(20):
            connection = await self.connections.get()
            found = [await collect(log, wanted[0][:-1]), await collect(self.events, wanted[1])]
            await connection.disconnect()
            found[0] += await collect(log, wanted[0][-1:])
        while not self.events.empty():
            found[1].append(self.events.get_nowait())
        return found

    async def bond(self, central):
        """The key of the bond with a central, whether it is authenticated, and whether LE Secure Connections made it."""
        bond = await self.device.keystore.get(address(central))
        key = bond.ltk or bond.ltk_central
        return key.value[::-1].hex().upper(), key.authenticated, bond.ltk is not None

    async def forget(self, central):
        await self.device.keystore.delete(address(central))

    async def is_forgotten_by(self, central):
        await self.ask({'do': 'forget_bond', 'of': central})

    async def ask(self, action):
        answer = await self.control.ask(action)
        assert answer == {'ok': True}, answer


def bond_of(central, strap, bonds):
    """The same about the central's bond with a strap, from the file of bonds."""
    device, = (device for device in json.loads(bonds.read_text())['devices'] if device['address'] == ADDRESSES[central])
    bond, = (bond for bond in device['bonds'] if bond['peer'] == ADDRESSES[strap])
    return tuple(bond['central'][member] for member in ('ltk', 'authenticated', 'secure_connections'))


@contextlib.asynccontextmanager
async def straps(bonds):
    """The straps, in range of the centrals, which keep their bonds in a file."""
    with tempfile.TemporaryDirectory() as folder:
        path, socket, log = pathlib.Path(folder, 'scenario.json'), str(pathlib.Path(folder, 'control')), Log()
        path.write_text(json.dumps(scenario()))
        async with contextlib.AsyncExitStack() as stack:
            process = await stack.enter_async_context(lubdub(
                'serve', str(path), '--controller', 'tcp:127.0.0.1:0', '--control', f'unix:{socket}', '--speed', '4',
                '--quiet', '--bonds', str(bonds), '--events', '-', stderr=asyncio.subprocess.PIPE))
            port = await controller_port(process, process.stderr)
            reading = asyncio.create_task(log.read(process.stdout))
            stack.callback(reading.cancel)
            result = []
            for io in CAPABILITIES:
                device = await stack.enter_async_context(host(port, io, address(io)))
                result.append(SecureStrap(io, device, await stack.enter_async_context(line(socket)), log))
                await device.start_advertising(
                    auto_restart=True, advertising_interval_min=20, advertising_interval_max=20)
            yield result
            for strap in result:
                await strap.device.stop_advertising()


class SecureCentralTests(Interoperability):
    limit = 150

    def setUp(self):
        self.agreed = set()

    async def meets(self, strap, central, wanted):
        self.assertEqual(await strap.meet(central, wanted), wanted, (strap.io, central))

    async def agree(self, strap, central, bonds):
        """They pair by the right model, and the central returns; both have the same key."""
        io, secure, mitm = CENTRALS[central]
        expected = part(strap.io, io, secure) if mitm else '.'
        await self.meets(strap, central, PAIRS)
        self.assertEqual(strap.user.part, 'E' if expected == 'B' else expected, (strap.io, central))
        await self.meets(strap, central, RETURNS)
        bond = await strap.bond(central)
        self.assertEqual(bond[1:], (expected != '.', secure), (strap.io, central))
        self.assertEqual(bond_of(central, strap.io, bonds), bond, (strap.io, central))
        self.agreed.add(bond[0])

    async def play(self, strap, central, bonds):
        """One cell of the table: they pair; then the bond is lost by the central, by the strap, and by both."""
        await self.agree(strap, central, bonds)
        await strap.is_forgotten_by(central)
        await self.agree(strap, central, bonds)
        await strap.forget(central)
        await self.meets(strap, central, IS_FORGOTTEN)
        await strap.is_forgotten_by(central)
        await self.agree(strap, central, bonds)

    async def test_each_pair_of_io_capabilities_pairs_returns_and_forgets(self):
        locks = {central: asyncio.Lock() for central in CENTRALS}

        async def play_all(strap, bonds, first):
            order = list(CENTRALS)
            for central in order[first:] + order[:first]:
                async with locks[central]:  # it forgets all straps at once
                    await self.play(strap, central, bonds)

        with tempfile.TemporaryDirectory() as folder:
            bonds = pathlib.Path(folder, 'bonds.json')
            async with straps(bonds) as present, asyncio.TaskGroup() as group:
                for number, strap in enumerate(present):
                    group.create_task(play_all(strap, bonds, 4 * number))
        self.assertEqual(len(self.agreed), 3 * len(CAPABILITIES) * len(CENTRALS))


if __name__ == '__main__':
    unittest.main()
