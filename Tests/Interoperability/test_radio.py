"""`lubdub serve --radio`: straps over other controllers, Bumble's or those of another lubdub."""

import asyncio
import contextlib
import json
import pathlib
import signal
import socket
import subprocess
import tempfile

from bumble import controller, core, device, hci, host, link
from bumble.transport.common import AsyncPipeSink
from bumble.transport.tcp_server import open_tcp_server_transport_with_socket

from harness import LUBDUB, ROOT, Interoperability, controller_port, host as host_at, lubdub, peer

MEASUREMENT = core.UUID.from_16_bits(0x2A37)
SCENARIO = 'scenarios/resting.json'


async def rates(strap, count):
    """The first heart rates in uint8 format that the strap notifies."""
    characteristic, = strap.get_characteristics_by_uuid(MEASUREMENT)
    heard = asyncio.Queue()
    await strap.subscribe(characteristic, heard.put_nowait)
    async with asyncio.timeout(20):
        return [(await heard.get())[1] for _ in range(count)]


def refused(*arguments):
    """The status and the message of a `serve` that cannot start."""
    done = subprocess.run([LUBDUB, 'serve', *arguments], cwd=ROOT, capture_output=True, text=True, timeout=20)
    return done.returncode, done.stderr


@contextlib.asynccontextmanager
async def controller_of_bumble(air):
    """The port of a Bumble controller."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        async with await open_tcp_server_transport_with_socket(listener) as transport:
            controller.Controller('under lubdub', transport.source, transport.sink, air)
            yield listener.getsockname()[1]


@contextlib.asynccontextmanager
async def central_of_bumble():
    """A Bumble central, and the port of a Bumble controller in the same air."""
    air = link.LocalLink()
    under = controller.Controller('central', link=air)
    central = device.Device('Central', hci.Address('F0:F1:F2:F3:F4:F5'), host=host.Host(under, AsyncPipeSink(under)))
    async with controller_of_bumble(air) as port:
        await central.power_on()
        yield central, port


def changed(folder, change):
    """The path of a copy of the scenario, after `change` was applied to its document."""
    path = pathlib.Path(folder, 'scenario.json')
    scenario = json.loads((ROOT / SCENARIO).read_text())
    del scenario['expect'], scenario['$schema']
    change(scenario)
    path.write_text(json.dumps(scenario))
    return path


def away(folder, duration):
    """The path of the scenario with a `link_loss` 2 s after the first subscription."""
    rule = {'id': 'away', 'when': {'event': 'subscribed', 'of': 'heart_rate', 'nth': 1, 'after': '2 s'},
            'do': 'link_loss', 'for': duration}
    return changed(folder, lambda scenario: scenario.update(script=[rule]))


def happened(events, name):
    """The records of these events in an event log that is being written."""
    lines = events.read_text().splitlines(keepends=True) if events.exists() else []
    records = [json.loads(line) for line in lines if line.endswith('\n')]
    return [record for record in records if record['event'] == name]


class RadioTests(Interoperability):
    async def test_a_strap_over_a_bumble_controller(self):
        with tempfile.TemporaryDirectory() as folder:
            events = pathlib.Path(folder, 'events.jsonl')
            async with (
                    central_of_bumble() as (central, port),
                    lubdub('serve', SCENARIO, '--radio', f'hci:tcp:127.0.0.1:{port}', '--events', events) as serve,
                    peer(central) as strap):
                self.assertEqual(str(strap.connection.peer_address), 'C0:FF:EE:00:00:01')
                self.assertTrue(all(50 < rate < 80 for rate in await rates(strap, 3)))
                gone = asyncio.get_running_loop().create_future()
                strap.connection.on('disconnection', gone.set_result)
                serve.send_signal(signal.SIGINT)
                async with asyncio.timeout(5):
                    self.assertEqual(await gone, hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR)
                    self.assertEqual(await serve.wait(), 128 + signal.SIGINT)
            log = [json.loads(line) for line in events.read_text().splitlines()]
        self.assertEqual(log[-1], {'event': 'end', 'status': 128 + signal.SIGINT})
        self.assertEqual([record['of'] for record in log if record['event'] == 'subscribed'], ['strap/heart_rate'])

    async def test_straps_over_lubdub_controllers(self):
        async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0') as air:
            port = await controller_port(air)
            radios = ['--radio', f'hci:tcp:127.0.0.1:{port}'] * 3
            async with (
                    lubdub('serve', 'scenarios/three_straps.json', *radios),
                    host_at(port, 'Central', 'F0:F1:F2:F3:F4:F5') as central, peer(central) as strap):
                self.assertEqual(len(await rates(strap, 2)), 2)

    async def test_a_link_is_lost_without_a_word(self):
        """`link_loss` resets the strap's controller: the central notices it after the supervision timeout."""
        with tempfile.TemporaryDirectory() as folder:
            path, events = away(folder, '6 s'), pathlib.Path(folder, 'events.jsonl')
            async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0') as air:
                port = await controller_port(air)
                async with (
                        lubdub('serve', str(path), '--radio', f'hci:tcp:127.0.0.1:{port}', '--events', events),
                        host_at(port, 'Central', 'F0:F1:F2:F3:F4:F5') as central):
                    async with peer(central) as strap:
                        gone = asyncio.get_running_loop().create_future()
                        strap.connection.on('disconnection', gone.set_result)
                        await rates(strap, 1)
                        async with asyncio.timeout(12):
                            self.assertEqual(await gone, hci.HCI_CONNECTION_TIMEOUT_ERROR)
                    async with asyncio.timeout(20), peer(central) as strap:
                        self.assertEqual(len(await rates(strap, 2)), 2)
            log = [json.loads(line) for line in events.read_text().splitlines()]
        names = [(record['event'], record.get('of')) for record in log
                 if record['event'] in ('began', 'ended', 'connected', 'disconnected', 'subscribed')]
        self.assertEqual(names[:8], [
            ('connected', 'strap'), ('subscribed', 'strap/heart_rate'), ('began', 'away'), ('disconnected', 'strap'),
            ('ended', 'away'), ('connected', 'strap'), ('subscribed', 'strap/heart_rate'), ('disconnected', 'strap')])

    async def test_a_controller_that_keeps_its_links_through_a_reset_ends_them(self):
        """Bumble's: `link_loss` cannot be silent there, and both the log and a message tell what happened."""
        with tempfile.TemporaryDirectory() as folder:
            events = pathlib.Path(folder, 'events.jsonl')
            async with central_of_bumble() as (central, port):
                async with lubdub(
                        'serve', away(folder, '3 s'), '--radio', f'hci:tcp:127.0.0.1:{port}', '--events', events,
                        stderr=asyncio.subprocess.PIPE) as serve:
                    async with peer(central) as strap:
                        gone = asyncio.get_running_loop().create_future()
                        strap.connection.on('disconnection', gone.set_result)
                        await rates(strap, 1)
                        async with asyncio.timeout(10):
                            self.assertEqual(
                                await gone, hci.HCI_REMOTE_DEVICE_TERMINATED_CONNECTION_DUE_TO_POWER_OFF_ERROR)
                    async with asyncio.timeout(20), peer(central) as strap:
                        self.assertEqual(len(await rates(strap, 2)), 2)
                    serve.send_signal(signal.SIGINT)
                    _, said = await serve.communicate()
            first, *_ = happened(events, 'disconnected')
        self.assertEqual(said.decode().count('the controller keeps its links through HCI Reset'), 1)
        self.assertEqual(first['reason'], 'connection_terminated_by_local_host')

    async def test_check_skips_what_needs_a_loss_on_such_a_controller(self):
        air = link.LocalLink()
        async with (
                controller_of_bumble(air) as port, controller_of_bumble(air) as other,
                lubdub('serve', SCENARIO, '--radio', f'hci:tcp:127.0.0.1:{port}'),
                lubdub('check', '--radio', f'hci:tcp:127.0.0.1:{other}', '--peer', 'C0:FF:EE:00:00:01', '--only',
                       'reconnection/advertises_*', '--strict', '--verbose') as check):  # Bumble sends no scan response
            printed, _ = await check.communicate()
        self.assertRegex(printed.decode(), r'skip +reconnection/advertises_after_loss')
        self.assertIn('the controller keeps its links through HCI Reset', printed.decode())
        self.assertRegex(printed.decode(), r'pass +reconnection/advertises_again')

    async def test_check_loses_links_by_a_reset(self):
        async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0') as air:
            radio = f'hci:tcp:127.0.0.1:{await controller_port(air)}'
            async with (
                    lubdub('serve', SCENARIO, '--radio', radio),
                    lubdub('check', '--radio', radio, '--peer', 'Lubdub HRM', '--only',
                           'reconnection/advertises_after_loss', '--strict') as check):
                printed, _ = await check.communicate()
        self.assertRegex(printed.decode(), r'pass +reconnection/advertises_after_loss')

    async def test_a_lost_controller_is_named(self):
        async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0') as air:
            address = f'tcp:127.0.0.1:{await controller_port(air)}'
            serve = subprocess.Popen(
                [LUBDUB, 'serve', SCENARIO, '--radio', f'hci:{address}'], cwd=ROOT, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            with serve:
                self.assertIn('advertising', serve.stderr.readline())
                air.kill()
                self.assertEqual(serve.wait(5), 3)
                self.assertIn(f'lubdub: {address}: ', serve.stderr.read())

    async def test_a_controller_with_another_protocol_is_named(self):
        async def babble(_, writer):
            writer.write(b'HTTP/1.1 400 Bad Request\r\n\r\n')

        async with await asyncio.start_server(babble, '127.0.0.1', 0) as server:
            address = f'tcp:127.0.0.1:{server.sockets[0].getsockname()[1]}'
            process = await asyncio.create_subprocess_exec(
                LUBDUB, 'serve', SCENARIO, '--radio', f'hci:{address}', cwd=ROOT,
                stderr=subprocess.PIPE)
            async with asyncio.timeout(5):
                _, message = await process.communicate()
            self.assertEqual(process.returncode, 3)
            self.assertIn('does not speak H4', message.decode())

    async def test_invalid_options_are_rejected(self):
        with socket.create_server(('127.0.0.1', 0)) as listener:
            radio = ['--radio', f'hci:tcp:127.0.0.1:{listener.getsockname()[1]}']
            for arguments, words in [
                    (['scenarios/three_straps.json', *radio], 'has 3 devices, and each needs a --radio'),
                    ([SCENARIO, *radio, '--controller', 'tcp:127.0.0.1:0'], 'needs the virtual radio'),
                    ([SCENARIO, *radio, '--speed', 'max'], 'needs the virtual radio'),
                    ([SCENARIO, '--radio', 'usb:0'], 'not "usb:0"'),
                    ([SCENARIO, '--radio', 'bluez', '--speed', 'max'], 'needs the virtual radio'),
                    ([SCENARIO, '--radio', 'bluez:hci0,hci1'], 'has 1 device'),
                    ([SCENARIO, '--radio', 'bluez:eth0'], 'has 1 device'),
                    ([SCENARIO, '--radio', 'hci:tcp:nowhere'], 'write the host and the port, as in tcp:127.0.0.1:6402')]:
                status, message = refused(*arguments)
                self.assertEqual(status, 2)
                self.assertIn(words, message)
        status, message = refused(SCENARIO, *radio)
        self.assertEqual(status, 3)
        self.assertIn('is a program listening there?', message)
