"""Private addresses: Bumble over Lubdub's controllers, with straps of `lubdub serve`, and with `lubdub monitor`."""

import asyncio
import contextlib
import json
import pathlib
import tempfile
import unittest

from bumble import device, gatt, hci, keys, pairing, transport

from harness import HEART_RATE, Interoperability, controller_port, find, host, lubdub
from test_pairing import disconnect, read_secret, secret_service
from test_radio import central_of_bumble
from test_secure_strap import configure, location, served, strap

CENTRAL, PERIPHERAL = 'F0:F1:F2:F3:F4:01', 'F0:F1:F2:F3:F4:02'
RESOLVABLE = hci.OwnAddressType.RESOLVABLE_OR_RANDOM
IRKS = {CENTRAL: bytes(range(16)), PERIPHERAL: bytes(range(16, 32))}


@contextlib.asynccontextmanager
async def private_host(port, name, address, **options):
    """A powered Bumble host with an IRK, which keeps its random address as its identity."""
    async with await transport.open_transport(f'tcp-client:127.0.0.1:{port}') as hci_transport:
        bumble = device.Device.with_hci(name, hci.Address(address), hci_transport.source, hci_transport.sink)
        bumble.irk, bumble.keystore = IRKS[address], keys.MemoryKeyStore()
        for option, value in options.items():
            setattr(bumble, option, value)
        bumble.pairing_config_factory = lambda _: pairing.PairingConfig(
            mitm=False, identity_address_type=pairing.PairingConfig.AddressType.RANDOM)
        async with asyncio.timeout(10):
            await bumble.power_on()
        yield bumble


async def set_timeout(bumble, seconds):
    await bumble.send_sync_command(hci.HCI_LE_Set_Resolvable_Private_Address_Timeout_Command(rpa_timeout=seconds))


async def addresses(scanner, count):
    """The first addresses that a scanner finds, in order."""
    found, complete = [], asyncio.Event()

    def hear(advertisement):
        if advertisement.address not in found:
            found.append(advertisement.address)
        if len(found) == count:
            complete.set()

    scanner.on('advertisement', hear)
    await scanner.start_scanning()
    async with asyncio.timeout(20):
        await complete.wait()
    await scanner.stop_scanning()
    scanner.remove_listener('advertisement', hear)
    return found


async def connected(central, peripheral, address=None):
    """The link, as both hosts see it, with private addresses of both; to the address that the central finds by default."""
    accepted = asyncio.get_running_loop().create_future()
    peripheral.once('connection', accepted.set_result)
    await peripheral.start_advertising(
        own_address_type=RESOLVABLE, advertising_interval_min=20, advertising_interval_max=20)
    address = address or (await addresses(central, 1))[0]
    async with asyncio.timeout(20):
        return await central.connect(address, own_address_type=RESOLVABLE), await accepted


class ControllerPrivacyTests(Interoperability):
    async def test_controllers_generate_and_resolve_addresses(self):
        async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0', '--quiet') as process:
            port = await controller_port(process)
            async with (
                private_host(port, 'Peripheral', PERIPHERAL, address_generation_offload=True) as peripheral,
                private_host(port, 'Central', CENTRAL, address_resolution_offload=True) as central,
                host(port, 'Stranger', 'F0:F1:F2:F3:F4:03') as stranger,
            ):
                peripheral.add_service(secret_service())
                connection, accepted = await connected(central, peripheral)
                self.assertTrue(connection.peer_address.is_resolvable, 'no bond yet')
                await connection.pair()
                await disconnect(connection, accepted)

                connection, accepted = await connected(central, peripheral, hci.Address(PERIPHERAL))
                self.assertTrue(connection.peer_address.is_resolved)
                self.assertEqual(connection.peer_address.to_string(False), PERIPHERAL)
                self.assertEqual(connection.peer_resolvable_address, accepted.self_resolvable_address)
                # The peripheral's host resolves the central's address, which the central's controller has generated.
                self.assertEqual(accepted.peer_address.to_string(False), CENTRAL)
                self.assertEqual(connection.self_resolvable_address, accepted.peer_resolvable_address)
                await connection.encrypt()
                self.assertEqual(await read_secret(connection), b'secret')
                await disconnect(connection, accepted)

                await set_timeout(peripheral, 1)
                await peripheral.start_advertising(own_address_type=RESOLVABLE, advertising_interval_min=20)
                seen = await addresses(stranger, 3)
                self.assertTrue(all(address.is_resolvable for address in seen), seen)
                known, = await addresses(central, 1)
                self.assertTrue(known.is_resolved)


class PrivateStrapTests(Interoperability):
    async def test_a_central_with_the_bond_finds_the_strap_after_each_rotation(self):
        private = strap(1, 'none', privacy='5 s')
        async with served([private]) as (port, records):
            async with host(port, 'Central', CENTRAL) as central, host(port, 'Stranger', 'F0:F1:F2:F3:F4:03') as stranger:
                configure(central, 'no_input_no_output', True, False)
                address = (await find(central)).address
                self.assertTrue(address.is_resolvable)
                connection = await central.connect(address)
                await connection.pair()
                self.assertEqual(await location(connection), b'\x01')
                await connection.disconnect()
                used = {address}
                for _ in range(2):
                    before, = await addresses(stranger, 1)
                    await addresses(stranger, 2)  # waits for a rotation
                    async with asyncio.timeout(20):
                        connection = await central.connect(hci.Address('C0:FF:EE:00:00:01'))
                    self.assertNotEqual(connection.peer_resolvable_address, before)
                    used.add(connection.peer_resolvable_address)
                    await connection.encrypt()
                    self.assertEqual(await location(connection), b'\x01')
                    await connection.disconnect()
                self.assertEqual(len(used), 3)
        self.assertEqual(sum(record['event'] == 'paired' for record in records), 1)

    async def test_a_strap_above_a_bumble_controller_rotates(self):
        # Not during a connection: Bumble's LocalLink routes data by the random address.
        rotation = {'when': {'event': 'disconnected', 'after': '300 ms'}, 'do': 'rotate_address', 'of': 'none'}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'scenario.json')
            path.write_text(json.dumps({
                'lubdub': 1, 'name': 'Straps', 'devices': [strap(1, 'none', privacy=True)], 'script': [rotation]}))
            async with (
                central_of_bumble() as (central, port),
                lubdub('serve', str(path), '--radio', f'hci:tcp:127.0.0.1:{port}', '--quiet'),
            ):
                configure(central, 'no_input_no_output', True, False)
                used = []
                for pairs in (True, False, False):
                    while (address := (await find(central)).address) in used:
                        pass
                    used.append(address)
                    async with asyncio.timeout(20):
                        connection = await central.connect(address if pairs else hci.Address('C0:FF:EE:00:00:01'))
                    self.assertEqual(connection.peer_resolvable_address or connection.peer_address, address)
                    await (connection.pair() if pairs else connection.encrypt())
                    self.assertEqual(await location(connection), b'\x01')
                    await connection.disconnect()

    async def test_a_strap_knows_a_bonded_central_by_its_identity(self):
        async with served([strap(1, 'none')]) as (port, records):
            async with private_host(port, 'Central', CENTRAL, address_generation_offload=True) as central:
                for pairs in (True, False):
                    async with asyncio.timeout(20):
                        connection = await central.connect(
                            hci.Address('C0:FF:EE:00:00:01'), own_address_type=RESOLVABLE)
                    # A controller has private addresses only for devices on its list.
                    self.assertEqual(connection.self_resolvable_address is None, pairs)
                    await (connection.pair() if pairs else connection.encrypt())
                    self.assertEqual(await location(connection), b'\x01')
                    await connection.disconnect()
        peers = [record['peer'] for record in records if record['event'] == 'connected']
        self.assertEqual(peers, 2 * [f'{CENTRAL}/random'])


class PrivateMonitorTests(Interoperability):
    async def heard(self, monitor, *wanted):
        """The lines of the client, up to one that has these members."""
        lines = []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(20):
                async for line in monitor.stdout:
                    lines.append(json.loads(line))
                    if dict(wanted).items() <= lines[-1].items():
                        return lines
        self.fail(f'the monitor printed only {lines}')

    @contextlib.asynccontextmanager
    async def private_strap(self):
        """The port of a controller in range of a strap with privacy, whose location only encrypted links read."""
        permissions = gatt.Characteristic.READABLE | gatt.Characteristic.READ_REQUIRES_ENCRYPTION
        chest = gatt.Characteristic(
            gatt.GATT_BODY_SENSOR_LOCATION_CHARACTERISTIC, gatt.Characteristic.Properties.READ, permissions, b'\x01')
        rate = gatt.Characteristic(
            gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC, gatt.Characteristic.Properties.NOTIFY,
            gatt.Characteristic.READABLE, b'')
        async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0', '--quiet') as process:
            port = await controller_port(process)
            async with private_host(port, 'Strap', PERIPHERAL, le_privacy_enabled=True) as peripheral:
                peripheral.add_service(gatt.Service(HEART_RATE, [chest, rate]))
                await peripheral.start_advertising(advertising_interval_min=20, advertising_interval_max=20)
                self.assertTrue(peripheral.random_address.is_resolvable)
                yield port, peripheral

    async def come_back_with_another_address(self, peripheral):
        """Ends the link, and advertises with the next private address: Bumble's `update_rpa` sets the old one again."""
        connection, = peripheral.connections.values()
        ended = asyncio.get_running_loop().create_future()
        connection.once('disconnection', ended.set_result)
        await connection.disconnect()
        await ended
        peripheral.random_address = hci.Address.generate_private_address(peripheral.irk)
        await peripheral.send_sync_command(
            hci.HCI_LE_Set_Random_Address_Command(random_address=peripheral.random_address))
        # Again if a monitor that ends connects first.
        await peripheral.start_advertising(
            auto_restart=True, advertising_interval_min=20, advertising_interval_max=20)

    def is_found_by_its_bond(self, lines):
        self.assertFalse([line for line in lines if 'paired' in line], 'the bond is enough')
        connected = [line['peer'] for line in lines if line.get('state') == 'connected']
        self.assertEqual(connected, [f'{PERIPHERAL}/random'])

    async def test_a_monitor_finds_a_bonded_strap_after_a_rotation(self):
        async with self.private_strap() as (port, peripheral):
            async with lubdub('monitor', '--json', '--peer', 'Bumble', '--radio', f'hci:tcp:127.0.0.1:{port}') as monitor:
                lines = await self.heard(monitor, ('location', 'chest'))
                self.assertTrue(any('paired' in line for line in lines), lines)
                await self.come_back_with_another_address(peripheral)
                self.is_found_by_its_bond(await self.heard(monitor, ('location', 'chest')))

    async def test_a_later_monitor_finds_it_by_its_identity(self):
        with tempfile.TemporaryDirectory() as folder:
            options = ['--json', '--bonds', f'{folder}/bonds.json', '--radio']
            async with self.private_strap() as (port, peripheral):
                async with lubdub('monitor', '--peer', 'Bumble', *options, f'hci:tcp:127.0.0.1:{port}') as monitor:
                    await self.heard(monitor, ('location', 'chest'))
                    await self.come_back_with_another_address(peripheral)
                peer = f'{PERIPHERAL}/random'
                async with lubdub('monitor', '--peer', peer, *options, f'hci:tcp:127.0.0.1:{port}') as monitor:
                    self.is_found_by_its_bond(await self.heard(monitor, ('location', 'chest')))


if __name__ == '__main__':
    unittest.main()
