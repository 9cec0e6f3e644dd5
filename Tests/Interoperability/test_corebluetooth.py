"""Examples/HeartRateApp, whose core uses CoreBluetooth: above Bumble's controller with Bumble's peripheral, and with `run --client`.

`make examples` builds the client and runs these tests; elsewhere they are skipped.  HEART_RATE_CLIENT names another client.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import unittest

from bumble import controller, core, device, gatt, hci, host, link
from bumble.transport.common import AsyncPipeSink
from bumble.transport.tcp_server import open_tcp_server_transport_with_socket

from harness import HEART_RATE, LUBDUB, ROOT, Interoperability, end

CLIENT = pathlib.Path(os.environ.get('HEART_RATE_CLIENT', ROOT / 'Examples/HeartRateApp/.build/debug/heart-rate-client'))
needs_client = unittest.skipUnless(CLIENT.exists(), f'{CLIENT} is not built; `make examples` builds it')
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
    def play(self, scenario, *bug, options=()):
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

    def test_other_values_are_skipped_with_bpm_only(self):
        self.assertEqual(self.play('clients/several_rr')[0], 1)
        status, output = self.play('clients/several_rr', options=['--bpm-only'])
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
