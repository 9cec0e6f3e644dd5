"""Bumble, as a central, pairs with straps of `lubdub serve`."""

import asyncio
import contextlib
import json
import pathlib
import tempfile
import unittest

from bumble import att, device, gatt, hci, keys, pairing

from harness import Interoperability, controller_port, host, lubdub

IO = pairing.PairingDelegate.IoCapability
PASSKEY = 123456
CAPABILITIES = {
    'display_only': IO.DISPLAY_OUTPUT_ONLY, 'display_yes_no': IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    'keyboard_only': IO.KEYBOARD_INPUT_ONLY, 'no_input_no_output': IO.NO_OUTPUT_NO_INPUT,
    'keyboard_display': IO.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT}

# Table 2.8 of Core 6.0, Vol 3, Part H, section 2.3.5.1, with LE legacy pairing and with LE Secure Connections.  Of a responder
# (row) and an initiator (column), the user of the responder enters a passkey (E) that the initiator displays, or reads one (D)
# for the initiator, or both users enter the same (B), or compare numbers (C); with Just Works (.) they do nothing.
PARTS = {
    'display_only': ('..DD', '..DD'), 'display_yes_no': ('..DD', '.CDC'), 'keyboard_only': ('EEBE', 'EEBE'),
    'no_input_no_output': ('....', '....'), 'keyboard_display': ('EEDE', 'ECDC')}
COLUMNS = ['display_only', 'display_yes_no', 'keyboard_only', 'keyboard_display']


def part(responder, initiator, secure):
    """The part of the responder's user in a pairing that is to authenticate."""
    return PARTS[responder][secure][COLUMNS.index(initiator)] if initiator in COLUMNS else '.'


class User(pairing.PairingDelegate):
    """Enters and generates the same passkey as the strap's user, and finds that numbers are equal."""

    async def get_number(self):
        return PASSKEY

    async def generate_passkey(self):
        return PASSKEY

    async def compare_numbers(self, number, digits):
        return True


def strap(number, io, **security):
    return {
        'id': io, 'name': f'Strap {number}', 'address': f'C0:FF:EE:00:00:0{number}/random',
        'security': {'io': io, 'passkey': PASSKEY, **security}, 'advertise': {'interval': '20 ms', 'services': ['180D']},
        'services': [{'service': 'heart_rate', 'permissions': ['encrypted'], 'location': 'chest', 'value': 62}]}


@contextlib.asynccontextmanager
async def served(devices, *options):
    """The port of a controller in range of these devices, and a list that has the event log after the block."""
    with tempfile.TemporaryDirectory() as folder:
        path, log = pathlib.Path(folder, 'scenario.json'), pathlib.Path(folder, 'events.jsonl')
        path.write_text(json.dumps({'lubdub': 1, 'name': 'Straps', 'devices': devices}))
        async with lubdub('serve', str(path), '--controller', 'tcp:127.0.0.1:0', '--events', str(log), *options) as process:
            records = []
            yield await controller_port(process), records
        records += map(json.loads, log.read_text().splitlines())


def configure(central, io, secure, mitm, bonding=True):
    central.keystore = keys.MemoryKeyStore()
    central.pairing_config_factory = lambda _: pairing.PairingConfig(
        sc=secure, mitm=mitm, bonding=bonding, delegate=User(CAPABILITIES[io]),
        identity_address_type=pairing.PairingConfig.AddressType.RANDOM)


async def connect(central, number):
    quick = device.ConnectionParametersPreferences(
        connection_interval_min=7.5, connection_interval_max=7.5, supervision_timeout=2000)
    async with asyncio.timeout(20):
        return await central.connect(
            hci.Address(f'C0:FF:EE:00:00:0{number}'), connection_parameters_preferences={hci.HCI_LE_1M_PHY: quick})


async def location(connection):
    """The sensor location, or the ATT error of reading it."""
    peer = device.Peer(connection)
    service, = await peer.discover_service(gatt.GATT_HEART_RATE_SERVICE)
    await service.discover_characteristics()
    value, = service.get_characteristics_by_uuid(gatt.GATT_BODY_SENSOR_LOCATION_CHARACTERISTIC)
    try:
        return await value.read_value()
    except att.ATT_Error as error:
        return error.error_code


class SecureStrapTests(Interoperability):
    limit = 150

    async def pairs(self, port, number, responder):
        async with host(port, f'Central {number}', f'F0:F1:F2:F3:F4:0{number}') as central:
            for initiator in CAPABILITIES:
                for secure in (False, True):
                    for mitm in (False, True):
                        configure(central, initiator, secure, mitm)
                        connection = await connect(central, number)
                        paired = asyncio.get_running_loop().create_future()
                        connection.once('pairing', paired.set_result)
                        async with asyncio.timeout(20):
                            await connection.pair()
                            bond = await paired
                        what = responder, initiator, secure, mitm
                        expected = mitm and part(responder, initiator, secure) != '.'
                        self.assertTrue(connection.is_encrypted, what)
                        self.assertEqual((bond.ltk or bond.ltk_central).authenticated, expected, what)
                        self.assertEqual(bond.ltk is not None, secure, what)
                        self.paired += 1
                        await connection.disconnect()

    async def test_each_pair_of_io_capabilities_pairs(self):
        self.paired = 0
        straps = [strap(number, io, bonding=False) for number, io in enumerate(CAPABILITIES, 1)]
        async with served(straps, '--speed', '4') as (port, records):
            await asyncio.gather(*(self.pairs(port, number, io) for number, io in enumerate(CAPABILITIES, 1)))
        self.assertEqual(self.paired, 100)
        self.assertEqual(sum(record['event'] == 'paired' for record in records), 100)
        self.assertFalse([record for record in records if record['event'] == 'pairing_failed'])

    async def test_a_bond_lasts_and_an_encrypted_value_is_readable(self):
        for secure in (False, True):
            async with served([strap(1, 'no_input_no_output')]) as (port, _):
                async with host(port, 'Central', 'F0:F1:F2:F3:F4:01') as central:
                    configure(central, 'no_input_no_output', secure, False)
                    connection = await connect(central, 1)
                    self.assertEqual(await location(connection), att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR)
                    await connection.pair()
                    self.assertEqual(await location(connection), b'\x01')
                    await connection.disconnect()
                    connection = await connect(central, 1)
                    self.assertEqual(await location(connection), att.ATT_INSUFFICIENT_ENCRYPTION_ERROR)
                    await connection.encrypt()
                    self.assertEqual(await location(connection), b'\x01')
                    await connection.disconnect()

    async def test_a_bond_in_a_file_survives_the_strap(self):
        with tempfile.TemporaryDirectory() as folder:
            bonds = str(pathlib.Path(folder, 'bonds.json'))
            store = None
            for _ in range(2):
                async with served([strap(1, 'no_input_no_output')], '--bonds', bonds) as (port, records):
                    async with host(port, 'Central', 'F0:F1:F2:F3:F4:01') as central:
                        configure(central, 'no_input_no_output', True, False)
                        connection = await connect(central, 1)
                        if store is None:
                            await connection.pair()
                            store = central.keystore
                        else:
                            central.keystore = store
                            await connection.encrypt()
                        self.assertEqual(await location(connection), b'\x01')
                        await connection.disconnect()
            self.assertEqual([record for record in records if record['event'] == 'paired'], [])

    async def test_a_central_that_has_lost_its_keys_pairs_again(self):
        async with served([strap(1, 'no_input_no_output')]) as (port, _):
            async with host(port, 'Central', 'F0:F1:F2:F3:F4:01') as central:
                for _ in range(2):
                    configure(central, 'no_input_no_output', True, False)  # without the keys
                    connection = await connect(central, 1)
                    await connection.pair()
                    self.assertEqual(await location(connection), b'\x01')
                    await connection.disconnect()


if __name__ == '__main__':
    unittest.main()
