"""Examples/HeartRateApp, whose core uses CoreBluetooth: above Bumble's controller with Bumble's peripheral, and with `run --client`.
Its sensor uses CoreBluetooth, too: with `check`, and with Bumble as the central.

`make test` builds the programs and runs these tests; elsewhere they are skipped.  HEART_RATE_CLIENT names another client, and
HEART_RATE_SENSOR another sensor.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import unittest

from bumble import att, controller, core, device, gatt, hci, host, link
from bumble.transport.common import AsyncPipeSink
from bumble.transport.tcp_server import open_tcp_server_transport_with_socket

from examining import air, examined
from harness import HEART_RATE, LUBDUB, ROOT, Interoperability, end, host as host_at, lubdub, peer as connected

BUILT = ROOT / '.build/debug'
CLIENT = pathlib.Path(os.environ.get('HEART_RATE_CLIENT', BUILT / 'heart-rate-client'))
SENSOR = pathlib.Path(os.environ.get('HEART_RATE_SENSOR', BUILT / 'heart-rate-sensor'))
needs_client = unittest.skipUnless(CLIENT.exists(), f'{CLIENT} is not built; `make test` builds it')
needs_sensor = unittest.skipUnless(SENSOR.exists(), f'{SENSOR} is not built; `make test` builds it')
ADDRESS = 'C0:FF:EE:00:00:01'


def strap_of_bumble(air):
    """A Bumble peripheral with a heart rate, and the characteristic."""
    under = controller.Controller('strap', link=air)
    strap = device.Device('Bumble HRM', hci.Address(ADDRESS), host=host.Host(under, AsyncPipeSink(under)))
    rate = gatt.Characteristic(
        gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC, gatt.Characteristic.Properties.NOTIFY, 0, bytes([0, 60]))
    strap.add_service(gatt.Service(gatt.GATT_HEART_RATE_SERVICE, [rate]))
    strap.advertising_data = bytes(core.AdvertisingData([
        (core.AdvertisingData.FLAGS, bytes([6])),
        (core.AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes(HEART_RATE)),
        (core.AdvertisingData.COMPLETE_LOCAL_NAME, b'Bumble HRM')]))
    return strap, rate


@contextlib.asynccontextmanager
async def client_of(port):
    """The client above the controller at a port, as `run --client` starts it."""
    environment = os.environ | {'LUBDUB_CONTROLLER': f'tcp:127.0.0.1:{port}', 'LUBDUB_CASE': 'bumble', 'LUBDUB_SEED': '1'}
    process = await asyncio.create_subprocess_exec(CLIENT, env=environment, stdout=asyncio.subprocess.PIPE)
    try:
        yield process
    finally:
        await end(process)


async def lines_until(process, wanted):
    """The client's lines up to one with this content."""
    lines = []
    async with asyncio.timeout(20):
        async for line in process.stdout:
            lines.append(json.loads(line))
            if lines[-1] == wanted:
                return lines
    raise AssertionError(f'the client ended after {lines}')


@needs_client
class BumbleTests(Interoperability):
    async def test_the_app_reads_a_bumble_peripheral_above_a_bumble_controller(self):
        air = link.LocalLink()
        strap, rate = strap_of_bumble(air)
        with socket.create_server(('127.0.0.1', 0)) as listener:
            async with await open_tcp_server_transport_with_socket(listener) as transport:
                controller.Controller('app', transport.source, transport.sink, air)
                await strap.power_on()
                await strap.start_advertising(auto_restart=True)
                async with client_of(listener.getsockname()[1]) as app:
                    peer = f'{ADDRESS}/random'
                    lines = await lines_until(app, {'state': 'subscribed', 'peer': peer})
                    states = [line['state'] for line in lines if 'state' in line]
                    self.assertEqual(states, ['scanning', 'connecting', 'connected', 'subscribed'])
                    await strap.notify_subscribers(rate, bytes([0, 72]))
                    await lines_until(app, {'heart_rate': {'bpm': 72}})
                    await strap.notify_subscribers(rate, bytes([0x07, 0x2C, 0x01]))
                    await lines_until(app, {'heart_rate': {'bpm': 300, 'contact': True}})
                    connection, = strap.connections.values()
                    await connection.disconnect()
                    lines = await lines_until(app, {'state': 'subscribed', 'peer': peer})
                    self.assertIn({'heart_rate': None}, lines)
                    await strap.notify_subscribers(rate, bytes([0, 80]))
                    await lines_until(app, {'heart_rate': {'bpm': 80}})


@needs_client
class RunTests(unittest.TestCase):
    def play(self, scenario, *bug, options=('--speed', 'max')):
        """The status and the output of a case with the client, perhaps with a bug, over TCP."""
        command = ' '.join([str(CLIENT), *bug])
        done = subprocess.run(
            [LUBDUB, 'run', f'scenarios/{scenario}.json', '--client', command, *options], cwd=ROOT, capture_output=True,
            text=True, timeout=120)
        return done.returncode, done.stdout

    def test_the_app_passes(self):
        for scenario in ['clients/two_octets', 'clients/too_short', 'clients/comes_back', 'clients/handles_moved']:
            with self.subTest(scenario):
                self.assertEqual(self.play(scenario)[0], 0)
        self.assertEqual(self.play('clients/comes_back', options=())[0], 0, 'in real time')

    def test_other_values_are_skipped_with_bpm_only(self):
        self.assertEqual(self.play('clients/several_rr')[0], 1)
        status, output = self.play('clients/several_rr', options=['--bpm-only', '--speed', 'max'])
        self.assertEqual(status, 0, output)
        self.assertIn('the client shows only its heart rate', output)

    def test_each_bug_is_found(self):
        for scenario, bug, words in [
                ('clients/two_octets', 'byteOrder', 'it looks like swapped octets'),
                ('clients/comes_back', 'noResubscription', 'fail'),
                ('clients/subscribes', 'unretainedPeripheral', 'fail'),
                ('clients/too_short', 'uncheckedLength', 'client: ')]:
            with self.subTest(bug):
                status, output = self.play(scenario, bug)
                self.assertEqual(status, 1, output)
                self.assertIn(words, output)


class Sensor:
    """The app that plays a sensor, perhaps with a bug, or one that centrals have to pair with."""

    name = 'Phone HR'

    def __init__(self, *word, **environment):
        self.word, self.environment = word, environment

    @contextlib.asynccontextmanager
    async def above(self, address):
        environment = os.environ | {'LUBDUB_CONTROLLER': address, 'LUBDUB_NAME': self.name} | self.environment
        process = await asyncio.create_subprocess_exec(SENSOR, *self.word, env=environment)
        try:
            yield
        finally:
            await end(process)


@needs_sensor
class CheckTests(Interoperability):
    """`lubdub check` examines an app that plays a sensor."""

    limit = 300

    async def verdicts(self, sensor, *only, options=()):
        arguments = [*options, *(word for glob in only for word in ('--only', glob))]
        async with examined(sensor, *arguments, peer=sensor.name) as examination:
            return await examination.verdicts(), examination.lines

    async def test_the_sensor_passes(self):
        seen, lines = await self.verdicts(Sensor())
        self.assertEqual({check for check, verdict in seen.items() if verdict not in ('pass', 'skip')}, set(), lines)
        passed = {check for check, verdict in seen.items() if verdict == 'pass'}
        self.assertGreater(len(passed), 60)
        self.assertLessEqual(
            {'HRS/SEN/CN/BV-01-C', 'HRS/SEN/CW/BV-01-C', 'HRS/SEN/CW/BI-01-C', 'heart_rate/flags_explain_octets',
             'GATT/SR/GAR/BV-04-C'}, passed)
        seen, lines = await self.verdicts(Sensor(), 'reconnection/advertises_again', options=['--strict'])
        self.assertEqual(seen, {'reconnection/advertises_again': 'pass'}, lines)

    async def test_each_bug_fails_its_check(self):
        for bug, check in [
                ('swappedOctets', 'heart_rate/is_plausible'), ('missingEnergy', 'heart_rate/flags_explain_octets'),
                ('ignoredOffset', 'GATT/SR/GAR/BV-04-C')]:
            with self.subTest(bug):
                seen, lines = await self.verdicts(Sensor(bug), check)
                self.assertEqual(seen.get(check), 'fail', lines)


@needs_sensor
class MonitorTests(Interoperability):
    async def test_the_built_in_client_shows_the_sensor(self):
        async with air() as (address, _), Sensor().above(address), lubdub(
                'monitor', '--radio', f'hci:{address}') as monitor, asyncio.timeout(30):
            async for line in monitor.stdout:
                if b'62 bpm' in line:
                    return
        self.fail('monitor ended without a value')


@needs_sensor
class BumbleCentralTests(Interoperability):
    async def test_bumble_reads_subscribes_and_writes(self):
        async with air() as (address, _), Sensor().above(address), host_at(
                address.rsplit(':', 1)[1], 'central', 'F0:F1:F2:F3:F4:F6') as central, connected(central) as sensor:
            rate, = sensor.get_characteristics_by_uuid(gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC)
            location, = sensor.get_characteristics_by_uuid(gatt.GATT_BODY_SENSOR_LOCATION_CHARACTERISTIC)
            control, = sensor.get_characteristics_by_uuid(gatt.GATT_HEART_RATE_CONTROL_POINT_CHARACTERISTIC)
            version, = sensor.get_characteristics_by_uuid(gatt.GATT_SOFTWARE_REVISION_STRING_CHARACTERISTIC)
            self.assertEqual(await location.read_value(), bytes([1]))
            self.assertEqual(
                (await version.read_value()).decode(), 'HeartRateApp 1.0, which plays a heart rate strap')
            heard = asyncio.Queue()
            await rate.subscribe(heard.put_nowait)
            async with asyncio.timeout(15):
                measurements = [await heard.get() for _ in range(3)]
            self.assertEqual({value[1] for value in measurements}, {62})
            self.assertLessEqual({value[0] for value in measurements}, {0x06, 0x0E})
            await control.write_value(bytes([1]), with_response=True)
            with self.assertRaises(core.ProtocolError) as refused:
                await control.write_value(bytes([9]), with_response=True)
            self.assertEqual(refused.exception.error_code, 0x80)
            with self.assertRaises(core.ProtocolError) as refused:
                await rate.read_value()
            self.assertEqual(refused.exception.error_code, att.ATT_READ_NOT_PERMITTED_ERROR)
            await rate.unsubscribe(heard.put_nowait)
