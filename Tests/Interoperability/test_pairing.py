"""Two Bumble hosts pair, and encrypt their link, over lubdub's virtual controllers."""

import asyncio
import contextlib
import dataclasses
import tempfile
import unittest

from bumble import att, core, device, gatt, hci, keys, pairing

from harness import Interoperability, controller_port, host, lubdub
from test_trace import tshark

CENTRAL, PERIPHERAL = 'F0:F1:F2:F3:F4:01', 'F0:F1:F2:F3:F4:02'
SECRET = core.UUID('5A3E0001-8C5B-4F3B-9E0A-7C1D2B3A4F50')
IO = pairing.PairingDelegate.IoCapability


class Display(pairing.PairingDelegate):
    """Shows a passkey."""

    def __init__(self):
        super().__init__(IO.DISPLAY_OUTPUT_ONLY)
        self.shown = asyncio.get_running_loop().create_future()

    async def display_number(self, number, digits):
        self.shown.set_result(number)


class Keyboard(pairing.PairingDelegate):
    """Enters what a display shows."""

    def __init__(self, display):
        super().__init__(IO.KEYBOARD_INPUT_ONLY)
        self.display = display

    async def get_number(self):
        return await self.display.shown


def configure(bumble, secure, delegate):
    """How a host pairs; it keeps its random address as its identity."""
    bumble.pairing_config_factory = lambda _: pairing.PairingConfig(
        sc=secure, mitm=delegate is not None, bonding=True, delegate=delegate,
        identity_address_type=pairing.PairingConfig.AddressType.RANDOM)


def secret_service():
    """A service with a value that only encrypted links read."""
    permissions = gatt.Characteristic.READABLE | gatt.Characteristic.READ_REQUIRES_ENCRYPTION
    secret = gatt.Characteristic(SECRET, gatt.Characteristic.Properties.READ, permissions, b'secret')
    return gatt.Service(SECRET, [secret])


@contextlib.asynccontextmanager
async def hosts(*options):
    """A central and a peripheral, which has a secret that only encrypted links read."""
    async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0', '--quiet', *options) as process:
        port = await controller_port(process)
        async with host(port, 'Central', CENTRAL) as central, host(port, 'Peripheral', PERIPHERAL) as peripheral:
            peripheral.add_service(secret_service())
            for bumble in (central, peripheral):
                bumble.keystore = keys.MemoryKeyStore()
                configure(bumble, True, None)
            yield central, peripheral


async def connected(central, peripheral):
    """The link, as the central and as the peripheral see it."""
    accepted = asyncio.get_running_loop().create_future()
    peripheral.once('connection', accepted.set_result)
    await peripheral.start_advertising(advertising_interval_min=20, advertising_interval_max=20)
    quick = device.ConnectionParametersPreferences(
        connection_interval_min=7.5, connection_interval_max=7.5, supervision_timeout=1000)
    connection = await central.connect(
        hci.Address(PERIPHERAL), connection_parameters_preferences={hci.HCI_LE_1M_PHY: quick})
    return connection, await accepted


async def read_secret(connection):
    """The secret, or None without encryption."""
    peer = device.Peer(connection)
    await peer.discover_services()
    await peer.discover_characteristics()
    characteristic, = peer.get_characteristics_by_uuid(SECRET)
    try:
        return await characteristic.read_value()
    except att.ATT_Error as error:
        assert error.error_code == att.ATT_INSUFFICIENT_ENCRYPTION_ERROR, error
        return None


def ended(connection):
    """A future of the reason for which a link ends, as this host learns it."""
    reason = asyncio.get_running_loop().create_future()
    connection.once('disconnection', reason.set_result)
    return reason


async def disconnect(connection, other):
    """Ends the link at both hosts."""
    reason = ended(other)
    await connection.disconnect()
    await reason


class PairingTests(Interoperability):
    async def paired(self, central, peripheral):
        """Pairs, and ends the link."""
        connection, accepted = await connected(central, peripheral)
        self.assertIsNone(await read_secret(connection))
        await connection.pair()
        self.assertTrue(connection.is_encrypted and accepted.is_encrypted)
        self.assertEqual(await read_secret(connection), b'secret')
        await disconnect(connection, accepted)
        (name, bond), = await peripheral.keystore.get_all()
        if bond.ltk is None:
            # Bumble 0.0.236 keeps a legacy key that it distributed as ltk_central, but looks for it in ltk_peripheral.
            await peripheral.keystore.update(name, dataclasses.replace(bond, ltk_peripheral=bond.ltk_central))

    async def pairs_and_reconnects(self, secure, with_passkey):
        async with hosts() as (central, peripheral):
            if with_passkey:
                display = Display()
                configure(peripheral, secure, display)
                configure(central, secure, Keyboard(display))
            else:
                configure(peripheral, secure, None)
                configure(central, secure, None)
            await self.paired(central, peripheral)
            if with_passkey:
                self.assertTrue(display.shown.done())

            connection, accepted = await connected(central, peripheral)
            self.assertIsNone(await read_secret(connection))
            await connection.encrypt()
            self.assertEqual(await read_secret(connection), b'secret')

            refreshed = asyncio.get_running_loop().create_future()
            connection.once('connection_encryption_key_refresh', lambda: refreshed.set_result(None))
            encrypting = asyncio.create_task(connection.encrypt())  # waits for Encryption Change, which does not come
            await refreshed
            encrypting.cancel()
            self.assertEqual(await read_secret(connection), b'secret')
            await disconnect(connection, accepted)

    async def test_legacy_just_works(self):
        await self.pairs_and_reconnects(secure=False, with_passkey=False)

    async def test_legacy_passkey(self):
        await self.pairs_and_reconnects(secure=False, with_passkey=True)

    async def test_secure_connections_just_works(self):
        await self.pairs_and_reconnects(secure=True, with_passkey=False)

    async def test_secure_connections_passkey(self):
        await self.pairs_and_reconnects(secure=True, with_passkey=True)

    async def test_forgotten_bond(self):
        async with hosts() as (central, peripheral):
            await self.paired(central, peripheral)
            await peripheral.keystore.delete_all()
            connection, accepted = await connected(central, peripheral)
            with self.assertRaises(hci.HCI_Error) as raised:
                await connection.encrypt()
            self.assertEqual(raised.exception.error_code, hci.HCI_PIN_OR_KEY_MISSING_ERROR)
            # The link is still there, and the hosts can pair again.
            self.assertIsNone(await read_secret(connection))
            await connection.pair()
            self.assertEqual(await read_secret(connection), b'secret')
            await disconnect(connection, accepted)

    async def test_wrong_key(self):
        async with hosts() as (central, peripheral):
            await self.paired(central, peripheral)
            (name, bond), = await peripheral.keystore.get_all()
            other = dataclasses.replace(bond.ltk, value=bytes(16))
            await peripheral.keystore.update(name, dataclasses.replace(bond, ltk=other))
            connection, accepted = await connected(central, peripheral)
            reasons = ended(connection), ended(accepted)
            encrypting = asyncio.create_task(connection.encrypt())
            self.assertEqual(await reasons[1], hci.HCI_CONNECTION_TERMINATED_DUE_TO_MIC_FAILURE_ERROR)
            self.assertEqual(await reasons[0], hci.HCI_CONNECTION_TIMEOUT_ERROR)
            with self.assertRaises((asyncio.CancelledError, core.BaseError)):
                await encrypting

    async def test_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = f'{folder}/trace.btsnoop'
            async with hosts('--trace', trace) as (central, peripheral):
                await self.paired(central, peripheral)
            self.assertEqual(await tshark(trace, '-Y', '_ws.malformed'), [])
            public_keys = await tshark(trace, '-Y', 'btsmp.opcode == 0x0c and hci_mon.opcode == 4')
            self.assertEqual(len(public_keys), 2)
            changes = await tshark(
                trace, '-Y', 'bthci_evt.code == 0x08', '-T', 'fields', '-e', 'bthci_evt.encryption_enable')
            self.assertEqual([int(line, 0) for line in changes], [1, 1])


if __name__ == '__main__':
    unittest.main()
