"""Examples/HeartRateApp's sensor with values that need encryption, and Bumble as the central that pairs with it.

Core Specification 6.0, Vol 3, Part C, 10.3.1.1, has the errors.  Vol 3, Part H, 2.3.5.1, has the methods of pairing.
"""

import asyncio
import contextlib
import unittest

from bumble import att, core, device, gatt, keys, pairing

from examining import air
from harness import Interoperability, find, host
from test_corebluetooth import Sensor, needs_sensor
from test_secure_central import User
from test_secure_strap import PASSKEY

IO = pairing.PairingDelegate.IoCapability
AUTHENTICATION, ENCRYPTION = att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR, att.ATT_INSUFFICIENT_ENCRYPTION_ERROR
# What Bumble has, whether it uses LE Secure Connections, and the part of its user; the phone has a keyboard and a display.
METHODS = {
    'Just Works': (IO.NO_OUTPUT_NO_INPUT, True, '.'),
    'LE legacy Just Works': (IO.NO_OUTPUT_NO_INPUT, False, '.'),
    'Numeric Comparison': (IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT, True, 'C'),
    'Passkey Entry': (IO.DISPLAY_OUTPUT_ONLY, True, 'D'),
    'LE legacy Passkey Entry': (IO.DISPLAY_OUTPUT_ONLY, False, 'D'),
}


class Reader:
    """A Bumble central, and the values that it knows of the sensor."""

    def __init__(self, central, io, secure):
        self.central, self.user = central, User(io)
        central.keystore = keys.MemoryKeyStore()
        central.pairing_config_factory = lambda _: pairing.PairingConfig(
            sc=secure, mitm=io != IO.NO_OUTPUT_NO_INPUT, bonding=True, delegate=self.user,
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM)

    async def connect(self):
        advertisement = await find(self.central)
        self.connection = await self.central.connect(advertisement.address)
        sensor = device.Peer(self.connection)
        await sensor.discover_all()
        self.rate, = sensor.get_characteristics_by_uuid(gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC)
        self.control, = sensor.get_characteristics_by_uuid(gatt.GATT_HEART_RATE_CONTROL_POINT_CHARACTERISTIC)
        self.version, = sensor.get_characteristics_by_uuid(gatt.GATT_SOFTWARE_REVISION_STRING_CHARACTERISTIC)

    async def refusals(self):
        """The errors of a read, a write and a subscription."""
        operations = [
            self.version.read_value(), self.control.write_value(bytes([1]), with_response=True),
            self.rate.subscribe(lambda value: None)]
        errors = []
        for operation in operations:
            try:
                await operation
                errors.append(None)
            except core.ProtocolError as error:
                errors.append(error.error_code)
        return errors

    async def use(self):
        """Reads, writes and subscribes; returns what it has read, and the first measurement."""
        text = (await self.version.read_value()).decode()
        await self.control.write_value(bytes([1]), with_response=True)
        measurements = asyncio.Queue()
        await self.rate.subscribe(measurements.put_nowait)
        return text, await measurements.get()


@contextlib.asynccontextmanager
async def readers(io, secure, passkey=PASSKEY):
    """The sensor, and a central that has connected to it."""
    sensor = Sensor('needsPairing', LUBDUB_PASSKEY=str(passkey))
    async with air() as (address, _), sensor.above(address), host(
            address.rsplit(':', 1)[1], 'central', 'F0:F1:F2:F3:F4:F6') as central:
        reader = Reader(central, io, secure)
        await reader.connect()
        yield reader


@needs_sensor
class PairingTests(Interoperability):
    def check(self, text, measurement):
        self.assertEqual(text, 'HeartRateApp 1.0, which plays a heart rate strap')
        self.assertEqual(measurement[1], 62)

    async def test_a_central_pairs_and_then_reads_writes_and_subscribes(self):
        for method, (io, secure, part) in METHODS.items():
            with self.subTest(method):
                async with readers(io, secure) as reader:
                    self.assertEqual(await reader.refusals(), [AUTHENTICATION] * 3)
                    await reader.connection.pair()
                    self.assertTrue(reader.connection.is_encrypted)
                    self.assertEqual(reader.user.part, part)
                    self.check(*await reader.use())

    async def test_a_bonded_central_only_has_to_encrypt(self):
        async with readers(IO.NO_OUTPUT_NO_INPUT, True) as reader:
            await reader.connection.pair()
            await reader.connection.disconnect()
            await reader.connect()
            self.assertEqual(await reader.refusals(), [ENCRYPTION] * 3)
            await reader.connection.encrypt()
            self.check(*await reader.use())

    async def test_a_central_that_fails_to_pair_is_refused(self):
        async with readers(IO.DISPLAY_OUTPUT_ONLY, True, passkey=654321) as reader:
            with self.assertRaises(core.ProtocolError):
                await reader.connection.pair()
            self.assertEqual(await reader.refusals(), [AUTHENTICATION] * 3)


if __name__ == '__main__':
    unittest.main()
