"""A Bumble central hears the strap of a scenario."""

import asyncio
import time
import unittest

from bumble import core, gatt
from bumble.profiles.battery_service import BatteryServiceProxy
from bumble.profiles.device_information_service import DeviceInformationServiceProxy
from bumble.profiles.heart_rate_service import HeartRateService, HeartRateServiceProxy

from harness import HEART_RATE, Interoperability, controller_port, find, host, lubdub, peer

ADDRESS = 'F0:F1:F2:F3:F4:F5'


def serve(scenario, *options):
    return lubdub('serve', scenario, '--controller', 'tcp:127.0.0.1:0', *options)


def central(port):
    return host(port, 'Central', ADDRESS)


class Request:
    """A request as octets, for what Bumble's own classes would not send."""

    name = 'ATT_RAW_REQUEST'

    def __init__(self, octets):
        self.octets = octets

    def __bytes__(self):
        return self.octets


async def exchange(strap, octets):
    """The octets of the Error Response to a request; fails when none comes within 5 s."""
    async with asyncio.timeout(5):  # Bumble drops any other answer to a request that it does not know
        return bytes(await strap.gatt_client.send_request(Request(octets)))


def handle_of(strap, uuid):
    return strap.get_characteristics_by_uuid(uuid)[0].handle


def client_configuration(strap):
    """The handle of the descriptor that turns notifications of the measurement on."""
    measurement = strap.get_characteristics_by_uuid(gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC)[0]
    return measurement.get_descriptor(gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR).handle


async def measurements(strap, enough):
    """What 2A37 notifies, with the time of each, until `enough(list)`."""
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
            # The name may stand in the scan response.
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
            heard = heard[1:]  # the first may come at once
            seconds = (heard[-1][0] - heard[0][0]) / (len(heard) - 1)
            self.assertAlmostEqual(seconds, 1, delta=0.2)
            rates = [value.heart_rate for _, value in heard]
            self.assertTrue(all(30 <= rate <= 120 for rate in rates), rates)
            intervals = [interval for _, value in heard for interval in value.rr_intervals or ()]
            # Eight seconds of a heart, a beat more or less at both ends.
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

            # And all is well behind the errors.
            await strap.gatt_client.write_value(control, b'\x01', with_response=True)
            self.assertEqual(await strap.gatt_client.read_value(location), b'\x01')

    async def test_a_new_connection_is_not_subscribed(self):
        async with serve('scenarios/resting.json') as process, central(await controller_port(process)) as bumble:
            async with peer(bumble) as strap:
                await measurements(strap, lambda heard: len(heard) == 1)
                self.assertEqual(await strap.gatt_client.read_value(client_configuration(strap)), b'\x01\x00')
            async with peer(bumble) as strap:
                self.assertEqual(await strap.gatt_client.read_value(client_configuration(strap)), b'\x00\x00')

    async def test_a_host_that_comes_back_finds_the_strap(self):
        async with serve('scenarios/resting.json') as process:
            port = await controller_port(process)
            for _ in range(2):
                async with central(port) as bumble:
                    # The stream ends with the link still there, as when a host is killed.
                    await bumble.connect((await find(bumble, limit=30)).address, timeout=10)


if __name__ == '__main__':
    unittest.main()
