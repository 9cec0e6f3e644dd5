"""A Bumble central connects to the strap of a scenario."""

import asyncio
import time
import unittest

from bumble import att, core, crypto, gatt
from bumble.profiles.battery_service import BatteryServiceProxy
from bumble.profiles.device_information_service import DeviceInformationServiceProxy
from bumble.profiles.heart_rate_service import HeartRateService, HeartRateServiceProxy

from harness import HEART_RATE, Interoperability, controller_port, exchange, find, host, lubdub, peer

ADDRESS = 'F0:F1:F2:F3:F4:F5'


def serve(scenario, *options):
    return lubdub('serve', scenario, '--controller', 'tcp:127.0.0.1:0', *options)


def central(port):
    return host(port, 'Central', ADDRESS)


def handle_of(strap, uuid):
    return strap.get_characteristics_by_uuid(uuid)[0].handle


def client_configuration(strap):
    """The handle of the measurement's configuration."""
    measurement = strap.get_characteristics_by_uuid(gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC)[0]
    return measurement.get_descriptor(gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR).handle


async def measurements(strap, enough):
    """The values of 2A37 with their times, until `enough(list)`."""
    heard = []
    complete = asyncio.Event()

    def take(value):
        heard.append((time.monotonic(), value))
        if enough(heard):
            complete.set()

    await strap.create_service_proxy(HeartRateServiceProxy).heart_rate_measurement.subscribe(take)
    await complete.wait()
    return heard


class CentralTests(Interoperability):
    async def test_scan_shows_the_service_and_the_name(self):
        async with serve('scenarios/resting.json') as process, central(await controller_port(process)) as bumble:
            advertisement = await find(bumble)
            self.assertTrue(advertisement.is_connectable)
            # The name may be in the scan response.
            names = set()
            seen = asyncio.Event()

            def heard(advertisement):
                if name := advertisement.data.get(core.AdvertisingData.COMPLETE_LOCAL_NAME):
                    names.add(name)
                    seen.set()

            bumble.on('advertisement', heard)
            await bumble.start_scanning()
            await asyncio.wait_for(seen.wait(), 10)
            await bumble.stop_scanning()
            self.assertEqual(len(names), 1)

    async def test_mtu_discovery_and_reading(self):
        async with (
            serve('scenarios/resting.json') as process,
            central(await controller_port(process)) as bumble,
            peer(bumble) as strap,
        ):
            mtu = await strap.request_mtu(247)
            self.assertGreaterEqual(mtu, 23)
            self.assertLessEqual(mtu, 247)
            services = {service.uuid.to_hex_str() for service in strap.services}
            self.assertLessEqual({'1800', '1801', '180A', '180D', '180F'}, services)

            heart = strap.create_service_proxy(HeartRateServiceProxy)
            self.assertEqual(
                await heart.body_sensor_location.read_value(), HeartRateService.BodySensorLocation.CHEST)
            battery = strap.create_service_proxy(BatteryServiceProxy)
            self.assertIn(await battery.battery_level.read_value(), range(101))
            information = strap.create_service_proxy(DeviceInformationServiceProxy)
            self.assertTrue(await information.manufacturer_name.read_value())

            properties = {
                characteristic.uuid.to_hex_str(): int(characteristic.properties)
                for characteristic in strap.get_services_by_uuid(HEART_RATE)[0].characteristics
            }
            self.assertEqual(properties, {'2A37': 0x10, '2A38': 0x02, '2A39': 0x08})

    async def test_heart_beats_once_a_second_and_intervals_agree(self):
        async with (
            serve('scenarios/resting.json') as process,
            central(await controller_port(process)) as bumble,
            peer(bumble) as strap,
        ):
            heard = await measurements(strap, lambda heard: len(heard) == 9)
            heard = heard[1:]  # the first may come immediately
            seconds = (heard[-1][0] - heard[0][0]) / (len(heard) - 1)
            self.assertAlmostEqual(seconds, 1, delta=0.2)
            rates = [value.heart_rate for _, value in heard]
            self.assertTrue(all(30 <= rate <= 120 for rate in rates), rates)
            intervals = [interval for _, value in heard for interval in value.rr_intervals or ()]
            # Eight seconds of heartbeats, within one beat at each end.
            self.assertAlmostEqual(len(intervals), 8 * sum(rates) / len(rates) / 60, delta=2)
            self.assertAlmostEqual(
                60 / (sum(intervals) / len(intervals)), sum(rates) / len(rates), delta=6)

    async def test_rates_above_255(self):
        async with (
            serve('scenarios/formats/two_byte.json', '--speed', '5') as process,
            central(await controller_port(process)) as bumble,
            peer(bumble) as strap,
        ):
            heard = await measurements(strap, lambda heard: heard[-1][1].heart_rate >= 300)
            rates = [value.heart_rate for _, value in heard]
            self.assertEqual(max(rates), 300)

    async def test_errors(self):
        async with (
            serve('scenarios/resting.json') as process,
            central(await controller_port(process)) as bumble,
            peer(bumble) as strap,
        ):
            measurement = handle_of(strap, gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC)
            location = handle_of(strap, gatt.GATT_BODY_SENSOR_LOCATION_CHARACTERISTIC)
            control = handle_of(strap, gatt.GATT_HEART_RATE_CONTROL_POINT_CHARACTERISTIC)
            manufacturer = handle_of(strap, gatt.GATT_MANUFACTURER_NAME_STRING_CHARACTERISTIC)
            behind = (await strap.discover_attributes())[-1].handle + 1

            for what, opcode, handle, rest, error in [
                ('handle 0', 0x0A, 0, '', 0x01),
                ('reading 2A37', 0x0A, measurement, '', 0x02),
                ('writing 2A38', 0x12, location, '01', 0x03),
                ('a request that does not exist', 0x3F, None, '', 0x06),
                ('a blob beyond the end', 0x0C, manufacturer, '0002', 0x07),
                ('discovery past the last handle', 0x04, behind, 'FFFF', 0x0A),
                ('two octets to 2A39', 0x12, control, '0101', 0x0D),
                ('2 to 2A39', 0x12, control, '02', 0x80),
            ]:
                with self.subTest(what):
                    place = b'' if handle is None else handle.to_bytes(2, 'little')
                    answer = await exchange(strap, bytes([opcode]) + place + bytes.fromhex(rest))
                    self.assertEqual(answer.hex(), (bytes([0x01, opcode]) + (place or b'\0\0') + bytes([error])).hex())

            # The connection still works after the errors.
            await strap.gatt_client.write_value(control, b'\x01', with_response=True)
            self.assertEqual(await strap.gatt_client.read_value(location), b'\x01')

    async def test_prepared_writes_and_their_errors(self):
        async with (
            serve('scenarios/resting.json') as process,
            central(await controller_port(process)) as bumble,
            peer(bumble) as strap,
        ):
            control = handle_of(strap, gatt.GATT_HEART_RATE_CONTROL_POINT_CHARACTERISTIC)
            location = handle_of(strap, gatt.GATT_BODY_SENSOR_LOCATION_CHARACTERISTIC)

            async def prepare(handle, offset, part):
                return await strap.gatt_client.send_request(att.ATT_Prepare_Write_Request(
                    attribute_handle=handle, value_offset=offset, part_attribute_value=part))

            async def execute(flags):
                return await strap.gatt_client.send_request(att.ATT_Execute_Write_Request(flags=flags))

            def refused(response, handle, error):
                self.assertEqual((response.op_code, response.attribute_handle_in_error, response.error_code),
                                 (att.Opcode.ATT_ERROR_RESPONSE, handle, error))

            refused(await prepare(0xFFFF, 0, b'\x01'), 0xFFFF, 0x01)
            refused(await prepare(location, 0, b'\x01'), location, 0x03)
            echo = await prepare(control, 0, b'\x01')
            self.assertEqual(echo.part_attribute_value, b'\x01')
            self.assertEqual((await execute(1)).op_code, att.Opcode.ATT_EXECUTE_WRITE_RESPONSE)

            for offset, part, error in [(1, b'\x01', 0x07), (0, b'\x01\x01', 0x0D), (0, b'\x02', 0x80)]:
                await prepare(control, offset, part)
                refused(await execute(1), control, error)
                self.assertEqual((await execute(1)).op_code, att.Opcode.ATT_EXECUTE_WRITE_RESPONSE)

            full = None
            while full is None:
                response = await prepare(control, 0, b'')
                full = response if response.op_code == att.Opcode.ATT_ERROR_RESPONSE else None
            refused(full, control, 0x09)
            self.assertEqual((await execute(0)).op_code, att.Opcode.ATT_EXECUTE_WRITE_RESPONSE)
            await prepare(control, 0, b'\x01')

    async def test_the_database_hash_matches_the_attributes(self):
        declarations = ['2800', '2801', '2802', '2803', '2900']
        descriptors = ['2901', '2902', '2903', '2904', '2905']
        async with (
            serve('scenarios/resting.json') as process,
            central(await controller_port(process)) as bumble,
            peer(bumble) as strap,
        ):
            message = b''
            for attribute in await strap.discover_attributes():
                kind = attribute.type.to_hex_str()
                if kind in declarations + descriptors:
                    message += attribute.handle.to_bytes(2, 'little') + attribute.type.to_bytes()
                if kind in declarations:
                    message += await strap.gatt_client.read_value(attribute.handle)
            [told] = await strap.gatt_client.read_characteristics_by_uuid(gatt.GATT_DATABASE_HASH_CHARACTERISTIC, None)
            self.assertEqual(bytes(told), crypto.aes_cmac(message, bytes(16))[::-1])

    async def test_a_new_connection_is_not_subscribed(self):
        async with serve('scenarios/resting.json') as process, central(await controller_port(process)) as bumble:
            async with peer(bumble) as strap:
                await measurements(strap, lambda heard: len(heard) == 1)
                self.assertEqual(await strap.gatt_client.read_value(client_configuration(strap)), b'\x01\x00')
            async with peer(bumble) as strap:
                self.assertEqual(await strap.gatt_client.read_value(client_configuration(strap)), b'\x00\x00')

    async def test_a_host_that_reconnects_finds_the_strap(self):
        async with serve('scenarios/resting.json') as process:
            port = await controller_port(process)
            for _ in range(2):
                async with central(port) as bumble:
                    # The stream ends without a disconnection, as when a host is killed.
                    await bumble.connect((await find(bumble, limit=30)).address, timeout=10)


if __name__ == '__main__':
    unittest.main()
