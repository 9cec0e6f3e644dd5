"""`lubdub monitor --radio hci:` pairs with a strap of bluetoothd and the kernel, and keeps the bond."""

import asyncio
import contextlib
import json

from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags as Flags
from bluez_peripheral.gatt.characteristic import characteristic
from bluez_peripheral.gatt.service import Service
from bluez_peripheral.util import Adapter, get_message_bus
from dbus_fast import Variant
from dbus_next import DBusError

from agent import answering
from harness import LUBDUB, end
from serving import PROPERTIES, ServingTest, call


def strap(needed):
    """A strap whose location has this flag."""
    class Strap(Service):
        def __init__(self):
            super().__init__('180D', True)

        @characteristic('2A37', Flags.NOTIFY)
        def measurement(self, options):
            raise DBusError('org.bluez.Error.NotPermitted', 'not for reading')

        @characteristic('2A38', Flags.READ | needed)
        def location(self, options):
            return b'\1'

    return Strap()


async def known(adapter):
    """The paths of the devices that bluetoothd knows."""
    objects, = await call('/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
    return [path for path, interfaces in objects.items()
            if path.startswith(f'/org/bluez/{adapter}/') and 'org.bluez.Device1' in interfaces]


class SecureMonitorTests(ServingTest):
    limit = 120

    @contextlib.asynccontextmanager
    async def served_by_bluetoothd(self, service, capability):
        """The strap on an adapter with a user of this capability: yields a controller in range of it, and the adapter's name."""
        async with self.lubdub('controller') as path, self.message_bus(), self.bridge(path) as interface:
            async with self.daemon():
                await self.powered(interface.name)
                adapter = f'/org/bluez/{interface.name}'
                bus = await get_message_bus()
                try:
                    served = Adapter(bus.get_proxy_object('org.bluez', adapter, await bus.introspect('org.bluez', adapter)))
                    await service.register(bus, adapter=served)
                    async with answering(capability):
                        await call(adapter, PROPERTIES, 'Set', 'ssv', 'org.bluez.Adapter1', 'Pairable', Variant('b', True))
                        await Advertisement('Another strap', ['180D'], 0x0341, 0).register(bus, served)
                        yield path, interface.name
                finally:
                    bus.disconnect()
            self.assertEqual(interface.troubles, [])

    async def monitor(self, path, *options, until='location'):
        """The lines of a client with a file of bonds, up to one that has a key."""
        lines = []
        with open(self.folder / 'monitor.messages', 'ab', buffering=0) as messages:
            process = await asyncio.create_subprocess_exec(
                LUBDUB, 'monitor', '--radio', f'hci:unix:{path}', '--json', '--peer', 'Another strap',
                '--bonds', self.folder / 'bonds.json', *options,
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=messages)
            try:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(25):
                        async for line in process.stdout:
                            messages.write(line)
                            lines.append(json.loads(line))
                            # A busy machine can miss the strap; the client tries again.
                            is_missed = 'was not heard in time' in lines[-1].get('error', '')
                            if until in lines[-1] and not is_missed:
                                break
            finally:
                await end(process)
        return lines

    async def pairs_once(self, path, authenticated, *options):
        """The first client pairs, and the next one uses its bond."""
        for pairings in ([{'bonded': True, 'authenticated': authenticated}], []):
            lines = await self.monitor(path, *options)
            self.assertEqual(lines[-1].get('location'), 'chest', lines)
            self.assertEqual([line['paired'] for line in lines if 'paired' in line], pairings)

    async def forgets(self, adapter):
        """The strap loses its bonds, once the links have ended."""
        while await known(adapter):
            await self.forget(adapter)

    async def test_just_works_and_a_lost_bond(self):
        async with self.served_by_bluetoothd(strap(Flags.ENCRYPT_READ), 'NoInputNoOutput') as (path, adapter):
            await self.pairs_once(path, False)
            await self.forgets(adapter)
            lines = await self.monitor(path, until='error')
            self.assertIn('has lost the keys of an earlier pairing', lines[-1].get('error', ''), lines)
            await self.pairs_once(path, False, '--pair')

    async def test_a_passkey_authenticates(self):
        async with self.served_by_bluetoothd(strap(Flags.ENCRYPT_AUTHENTICATED_READ), 'KeyboardOnly') as (path, _):
            await self.pairs_once(path, True, '--passkey', '123456')
