"""bluetoothd and the kernel pair with straps of lubdub's link layer, and keep their bonds."""

import contextlib
import pathlib

from agent import answering
from harness import CONFIGURATION, address, until
from heart import LOCATION, logged
from serving import ServingTest, call, read

STRAP = 'C0:FF:EE:00:00:01'
# The kernel then gives the controller the keys of bonded devices: Bluetooth's mgmt-api.txt, Experimental Features.
LL_PRIVACY = '15c0a148-c273-11ea-b3de-0242ac130004'
ADD_DEVICE_TO_RESOLVING_LIST = '2027'


def bonded(interface):
    """The path of the strap, which a later bluetoothd knows by its identity address."""
    return f'/org/bluez/{interface.name}/dev_{STRAP.replace(":", "_")}'


class BondTests(ServingTest):
    limit = 100

    def strap(self, permission, script=(), **security):
        def change(document):
            device, = document['devices']
            device.update(address=f'{STRAP}/random', security={'passkey': 123456, **security}, services=[
                {'service': 'heart_rate', 'permissions': [permission], 'location': 'chest', 'value': 62}])
            device['advertise']['interval'] = '100 ms'
            document['script'] = list(script)

        return self.scenario(change)

    @contextlib.asynccontextmanager
    async def worn(self, scenario):
        """The strap in range of an interface of the kernel, without bluetoothd."""
        self.events = self.folder / 'events.jsonl'
        async with (
                self.message_bus(), self.lubdub('serve', scenario, '--events', self.events) as path,
                self.bridge(path) as interface):
            await self.give_storage(interface)
            yield interface
            self.assertEqual(interface.troubles, [])
        self.assertEqual(self.kernel_complaints(), [])

    async def give_storage(self, interface):
        """Makes the folder where bluetoothd keeps the adapter's keys: 5.66 makes it after it has failed to write the first."""
        await until(lambda: address(interface.name), 'the kernel has read the address')
        name = ':'.join(f'{octet:02X}' for octet in reversed(address(interface.name)))
        pathlib.Path('/var/lib/bluetooth', name).mkdir()

    def count(self, *names):
        """How often each event has happened to the strap."""
        happened = [record['event'] for record in logged(self.events)]
        return tuple(map(happened.count, names))

    @contextlib.asynccontextmanager
    async def powering(self, interface, more=''):
        """bluetoothd on the interface."""
        async with self.daemon(CONFIGURATION.replace('[General]\n', f'[General]\n{more}')):
            await self.powered(interface.name)
            yield

    async def characteristic(self, device, uuid):
        """The path of the characteristic of a device."""
        objects, = await call('/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
        found = [path for path, interfaces in objects.items() if path.startswith(f'{device}/')
                 and 'org.bluez.GattCharacteristic1' in interfaces
                 and interfaces['org.bluez.GattCharacteristic1']['UUID'].value == uuid]
        self.assertEqual(len(found), 1, list(objects))
        return found[0]

    async def uses(self, device):
        """Connects, and reads the location as the characteristic permits."""
        await call(device, 'org.bluez.Device1', 'Connect')
        while not await read(device, 'org.bluez.Device1', 'ServicesResolved'):
            pass
        location = await self.characteristic(device, LOCATION)
        value, = await call(location, 'org.bluez.GattCharacteristic1', 'ReadValue', 'a{sv}', {})
        self.assertEqual(bytes(value), b'\1')

    async def pairs(self, interface, capability):
        """Finds and pairs the strap, and uses it."""
        found = await self.find(interface.name)
        device = f'/org/bluez/{interface.name}/dev_{found.address.replace(":", "_")}'
        async with answering(capability):
            await call(device, 'org.bluez.Device1', 'Pair')
        self.assertTrue(await read(device, 'org.bluez.Device1', 'Paired'))
        self.assertEqual(await read(device, 'org.bluez.Device1', 'Address'), STRAP)
        await self.uses(device)
        return device

    async def returns(self, interface):
        """Uses the strap with the bond."""
        await self.uses(bonded(interface))

    async def forget_strap(self, interface):
        """bluetoothd loses the bond."""
        await self.disconnect(bonded(interface))
        await call(f'/org/bluez/{interface.name}', 'org.bluez.Adapter1', 'RemoveDevice', 'o', bonded(interface))

    async def bond_survives(self, scenario, capability, more='', is_lost=False):
        async with self.worn(scenario) as interface:
            async with self.powering(interface, more):
                await self.pairs(interface, capability)
                self.assertEqual(self.count('paired', 'encrypted'), (1, 1))
            await until(lambda: self.count('disconnected') == (1,), 'bluetoothd has ended the link')
            async with self.powering(interface, more):
                await self.returns(interface)
                self.assertEqual(self.count('paired', 'encrypted', 'pairing_failed'), (1, 2, 0))
                if is_lost:
                    await self.forget_strap(interface)
                    await self.pairs(interface, capability)
                    self.assertEqual(self.count('paired', 'encrypted', 'pairing_failed'), (2, 3, 0))
            return [command['opcode'] for command in interface.commands]

    async def test_just_works_and_a_lost_bond(self):
        await self.bond_survives(self.strap('encrypted', io='none'), 'NoInputNoOutput', is_lost=True)

    async def test_a_passkey_authenticates(self):
        await self.bond_survives(self.strap('authenticated', io='display_only', mitm='required'), 'KeyboardOnly')

    async def test_legacy_pairing(self):
        await self.bond_survives(
            self.strap('authenticated', io='display_only', mitm='required', secure_connections='off'), 'KeyboardOnly')

    async def test_a_private_central_with_ll_privacy(self):
        asked = await self.bond_survives(
            self.strap('encrypted', io='none'), 'NoInputNoOutput', f'KernelExperimental={LL_PRIVACY}\nPrivacy=device\n')
        peers = [record['peer'] for record in logged(self.events) if record['event'] == 'connected']
        self.assertRegex(peers[0], '^[4-7].*/random$')
        self.assertRegex(peers[1], '^02:.*/public$')
        self.assertIn(ADD_DEVICE_TO_RESOLVING_LIST, asked)

    async def private_strap_returns(self, more=''):
        rotates = {'when': {'event': 'disconnected', 'of': 'strap'}, 'do': 'rotate_address', 'of': 'strap'}
        async with self.worn(self.strap('encrypted', [rotates], io='none', privacy=True)) as interface:
            async with self.powering(interface, more):
                device = await self.pairs(interface, 'NoInputNoOutput')
                await self.disconnect(device)
                await until(lambda: self.count('began') == (1,), 'the address rotates')
                await self.uses(device)
            await until(lambda: self.count('began') == (2,), 'the address rotates')
            async with self.powering(interface, more):
                await self.returns(interface)
            self.assertEqual(self.count('paired', 'encrypted', 'pairing_failed'), (1, 3, 0))
            return [command['opcode'] for command in interface.commands]

    async def test_a_private_strap_is_known_after_each_rotation(self):
        self.assertNotIn(ADD_DEVICE_TO_RESOLVING_LIST, await self.private_strap_returns())

    async def test_the_controller_knows_a_private_strap(self):
        asked = await self.private_strap_returns(f'KernelExperimental={LL_PRIVACY}\n')
        self.assertIn(ADD_DEVICE_TO_RESOLVING_LIST, asked)
