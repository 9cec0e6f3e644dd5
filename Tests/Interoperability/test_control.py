"""`serve --control`, `lubdub control` and `lubdub replay`: what a Bumble client sees of good and bad control clients."""

import asyncio
import contextlib
import json
import os
import pathlib
import socket
import stat
import tempfile
import unittest

from bumble import core

from harness import LUBDUB, ROOT, Interoperability, controller_port, find, host, lubdub, peer
from test_keys import ANYWHERE, MEASUREMENT, SCENARIO, serving, soon

LONGEST = 64 << 10
CLIENTS = 16
LOST = 0x08  # Connection Timeout


@contextlib.asynccontextmanager
async def controlled(*arguments, scenario=SCENARIO, **streams):
    """A `serve` with a control socket, and that socket's path."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'control')
        async with lubdub('serve', scenario, *ANYWHERE, '--control', f'unix:{path}', *arguments, **streams) as serve:
            yield serve, path


class Line:
    """A client of the control socket."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def ask(self, line):
        """The response to a line; an object is sent as JSON."""
        self.say(line if isinstance(line, str) else json.dumps(line))
        return await self.hear()

    def say(self, *lines):
        self.writer.write(''.join(f'{line}\n' for line in lines).encode())

    async def hear(self):
        async with asyncio.timeout(10):
            line = await self.reader.readline()
        return json.loads(line) if line else None


@contextlib.asynccontextmanager
async def line(path):
    reader, writer = await asyncio.open_unix_connection(path, limit=1 << 22)
    try:
        yield Line(reader, writer)
    finally:
        writer.close()


async def tool(*words):
    """Status, standard output and standard error of `lubdub WORDS...`."""
    process = await asyncio.create_subprocess_exec(
        LUBDUB, *words, cwd=ROOT, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE)
    async with asyncio.timeout(20):
        output, errors = await process.communicate()
    return process.returncode, output.decode(), errors.decode()


def records(path, event=None):
    found = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    return [record for record in found if event in (None, record['event'])]


class ControlTests(Interoperability):
    @contextlib.asynccontextmanager
    async def beats(self, port):
        """The strap's heart rates as a Bumble client receives them, in a queue."""
        async with host(port, 'Central', 'F0:F1:F2:F3:F4:F5') as central, peer(central) as strap:
            measurement, = strap.get_characteristics_by_uuid(MEASUREMENT)
            heard = asyncio.Queue()
            await strap.subscribe(measurement, heard.put_nowait)
            await heard.get()
            yield strap, heard

    async def hears(self, heard, rate):
        async with asyncio.timeout(10):
            while (await heard.get())[1] != rate:
                pass

    async def test_a_client_sees_actions_and_the_log_has_them(self):
        with tempfile.TemporaryDirectory() as folder:
            events = os.path.join(folder, 'events.jsonl')
            async with controlled('--events', events) as (serve, path):
                port = await controller_port(serve)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
                async with self.beats(port) as (strap, heard), line(path) as control:
                    set_, for_a_while = ({'do': 'set', 'of': 'heart_rate', 'to': rate} for rate in (99, 111))
                    self.assertEqual(await control.ask(set_), {'ok': True})
                    await self.hears(heard, 99)
                    self.assertEqual(await control.ask(for_a_while | {'for': '2 s'}), {'ok': True})
                    await self.hears(heard, 111)
                    await self.hears(heard, 99)
                    self.assertEqual(await control.ask({'do': 'silence', 'chance': 0}), {'ok': True, 'done': False})
                    self.assertEqual(await control.ask({'do': 'silence'}), {'ok': True})
                    status = await control.ask({'ask': 'status'})
                    self.assertEqual(status['devices'][0]['id'], 'strap')
                    self.assertEqual(status['devices'][0]['clients'], 1)
                    self.assertEqual(status['devices'][0]['bpm'], 99)
                    self.assertEqual(len(status['devices'][0]['mtu']), 1)
                    self.assertEqual(
                        [(force['do'], force['of'], force['rule']) for force in status['in_force']],
                        [('set', 'strap/heart_rate', 'control 1'), ('silence', 'strap', 'control 1')])
                    self.assertGreater(status['t'], status['in_force'][1]['since'])
                    self.assertEqual(await control.ask({'do': 'clear'}), {'ok': True})
                    self.assertEqual((await control.ask({'ask': 'status'}))['in_force'], [])
                    async with line(path) as other:
                        gone = asyncio.get_running_loop().create_future()
                        strap.connection.once('disconnection', gone.set_result)
                        self.assertEqual(await other.ask({'do': 'disconnect'}), {'ok': True})
                        async with asyncio.timeout(5):
                            await gone
            self.assertFalse(os.path.exists(path))
            told = [
                (record['event'], record['line'].get('do'), record['rule'])
                for record in records(events) if 'line' in record]
            self.assertEqual(told, [
                ('began', 'set', 'control 1'), ('began', 'set', 'control 1'), ('ended', 'set', 'control 1'),
                ('began', 'silence', 'control 1'), ('began', 'clear', 'control 1'), ('ended', 'set', 'control 1'),
                ('ended', 'silence', 'control 1'), ('ended', 'clear', 'control 1'),
                ('began', 'disconnect', 'control 2'), ('ended', 'disconnect', 'control 2')])

    async def test_ineffective_actions_are_rejected(self):
        with tempfile.TemporaryDirectory() as folder:
            events, replay = os.path.join(folder, 'events.jsonl'), os.path.join(folder, 'replay.json')
            async with controlled('--events', events) as (serve, path):
                await controller_port(serve)
                async with line(path) as control:
                    skip = {'do': 'skip_time', 'of': 'strap', 'by': '100000 days'}
                    for words, reason in [
                            (skip, None), (skip, "the device's wall clock would leave its range of 292 years"),
                            ({'do': 'move_handles', 'of': 'strap', 'by': 65535}, 'the device does not have enough handles'),
                            ({'do': 'move_handles', 'of': 'strap', 'by': 100}, None)]:
                        answer = await control.ask(words)
                        self.assertEqual(answer.get('at'), 'by' if reason else None, answer)
                        self.assertIn(reason or '', answer.get('error', ''))
            self.assertEqual(records(events, 'saturated'), [])
            self.assertEqual(
                [record['line']['do'] for record in records(events, 'began')], ['skip_time', 'move_handles'])
            self.assertEqual((await tool('replay', events, '-o', replay))[0], 0)

    async def test_bad_clients_do_not_affect_others(self):
        async with controlled('--quiet') as (serve, path):
            port = await controller_port(serve)
            async with self.beats(port) as (_, heard), contextlib.AsyncExitStack() as stack:
                good = await stack.enter_async_context(line(path))
                deaf = await stack.enter_async_context(line(path))
                endless = await stack.enter_async_context(line(path))
                noisy = await stack.enter_async_context(line(path))

                deaf.reader._transport.pause_reading()
                with contextlib.suppress(ConnectionError, TimeoutError):
                    async with asyncio.timeout(5):
                        while True:
                            deaf.say(*['{"ask": "status"}'] * 1000)
                            await deaf.writer.drain()
                with contextlib.suppress(ConnectionError):
                    endless.writer.write(b'{' * (LONGEST + 1))
                    self.assertIn('the line is too long', (await endless.hear())['error'])
                    self.assertIsNone(await endless.hear())

                for garbage in [b'\xff\xfe\x00\n', b'{"do": "silence"\n', b'\n', b'[' * 1000 + b'\n']:
                    noisy.writer.write(garbage)
                    self.assertEqual((await noisy.hear())['at'], '')
                for said, at in [
                        ({'do': 'silenc'}, 'do'), ({'do': 'silence', 'of': 'stap'}, 'of'),
                        ({'do': 'silence', 'for': 8}, 'for'), ({'do': 'set', 'of': 'battery', 'to': 101}, 'to'),
                        ({'do': 'silence', 'until': '0 s'}, 'until')]:
                    answer = await noisy.ask(said)
                    self.assertEqual(answer['at'], at)
                    self.assertNotIn('ok', answer)
                noisy.writer.write(b'{"do": "silence"')  # and disconnects within the line
                noisy.writer.close()

                self.assertEqual((await good.ask({'ask': 'status'}))['in_force'], [])
                while not heard.empty():
                    heard.get_nowait()
                async with asyncio.timeout(3):
                    await heard.get()
            self.assertIsNone(serve.returncode)

    async def test_patterns_of_events_are_checked(self):
        async with controlled('--quiet') as (serve, path):
            await controller_port(serve)
            async with line(path) as control:
                for pattern, paths in [
                        ('connected', ['strap']), ({'event': 'notified'}, ['strap/heart_rate', 'strap/battery']),
                        ({'event': 'subscribed', 'of': 'heart_rate', 'nth': 2}, ['strap/heart_rate'])]:
                    self.assertEqual(await control.ask({'ask': 'event', 'event': pattern}), {'ok': True, 'of': paths})
                for pattern, at, meant in [
                        ({'event': 'conected'}, 'event.event', 'connected'),
                        ({'event': 'connected', 'of': 'strab'}, 'event.of', 'strap'),
                        ({'event': 'connected', 'off': 'strap'}, 'event.off', 'of'),
                        ({'event': 'said', 'line': {'heartrate': 62}}, 'event.line.heartrate', 'heart_rate')]:
                    answer = await control.ask({'ask': 'event', 'event': pattern})
                    self.assertEqual(answer['at'], at)
                    self.assertIn(f'did you mean "{meant}"?', answer['error'])

    async def test_lines_are_processed_in_order(self):
        async with controlled('--quiet') as (serve, path):
            await controller_port(serve)
            async with line(path) as control:
                lines = [json.dumps({'do': 'set', 'of': 'heart_rate', 'to': rate}) for rate in range(100, 200)]
                for letter in '\n'.join(lines[:2]):
                    control.writer.write(letter.encode())
                    await control.writer.drain()
                control.say('', *lines[2:], '{"ask": "status"}')
                for _ in lines:
                    self.assertEqual(await control.hear(), {'ok': True})
                status = await control.hear()
                self.assertEqual(status['devices'][0]['bpm'], 199)
                self.assertEqual(len(status['in_force']), 1)

    async def test_the_number_of_clients_is_limited(self):
        async with controlled('--quiet') as (serve, path):
            await controller_port(serve)
            async with contextlib.AsyncExitStack() as stack:
                clients = [await stack.enter_async_context(line(path)) for _ in range(CLIENTS)]
                for client in clients:
                    self.assertTrue((await client.ask({'ask': 'status'}))['ok'])
                async with line(path) as late:
                    self.assertIn('the maximum is 16', (await late.ask({'ask': 'status'}))['error'])
                    self.assertIsNone(await late.hear())
                status, output, _ = await tool('control', f'unix:{path}', 'status')
                self.assertEqual(status, 1)
                self.assertIn('the maximum is 16', output)
                for _ in range(100):  # silent clients are dropped too
                    await stack.enter_async_context(line(path))
                self.assertTrue((await clients[0].ask({'ask': 'status'}))['ok'])
                clients[0].writer.close()

                async with asyncio.timeout(5):
                    while (await tool('control', f'unix:{path}', 'status'))[0] != 0:
                        pass

    async def test_a_live_socket_is_kept_a_stale_one_replaced_and_a_file_never(self):
        async with controlled('--quiet') as (serve, path):
            await controller_port(serve)
            words = ['serve', SCENARIO, *ANYWHERE, '--for', '1 s', '--control']
            status, _, errors = await tool(*words, f'unix:{path}')
            self.assertEqual(status, 3)
            self.assertIn('stop the program that listens there, or use another path', errors)
            async with line(path) as control:
                self.assertTrue((await control.ask({'ask': 'status'}))['ok'])
            with tempfile.TemporaryDirectory() as folder:
                stale, file = os.path.join(folder, 'stale'), os.path.join(folder, 'file')
                with socket.socket(socket.AF_UNIX) as old:
                    old.bind(stale)
                self.assertEqual((await tool(*words, f'unix:{stale}'))[0], 0)
                self.assertFalse(os.path.exists(stale))
                pathlib.Path(file).write_text('mine')
                self.assertEqual((await tool(*words, f'unix:{file}'))[0], 3)
                self.assertEqual(pathlib.Path(file).read_text(), 'mine')
                for wrong in ['tcp:127.0.0.1:0', 'unix:', 'unix:' + 'a' * 108]:
                    status, _, errors = await tool(*words, wrong)
                    self.assertEqual(status, 2)
                    self.assertIn('--control', errors)
        self.assertEqual((await tool('serve', SCENARIO, '--speed', 'max', '--control', 'unix:/tmp/never'))[0], 2)

    async def test_the_command_sends_lines_and_prints_responses(self):
        async with controlled('--quiet') as (serve, path):
            await controller_port(serve)
            address = f'unix:{path}'
            status, output, _ = await tool('control', address, 'status')
            self.assertEqual((status, json.loads(output)['ok']), (0, True))
            for words in [['silence', 'strap', 'for=8s'], ['clear'], ['{"do": "set", "of": "battery", "to": 5}']]:
                self.assertEqual(await tool('control', address, *words), (0, '{"ok": true}\n', ''))
            status, output, _ = await tool('control', address, 'silence', 'stap')
            self.assertEqual(status, 1)
            self.assertEqual(json.loads(output)['at'], 'of')
            self.assertEqual((await tool('control', address, 'silence', 'strap', '8s'))[0], 2)
            self.assertEqual((await tool('control', address))[0], 2)
        status, output, errors = await tool('control', address, 'status')
        self.assertEqual((status, output), (3, ''))
        self.assertIn(address, errors)


class ReplayTests(Interoperability):
    async def test_a_replay_repeats_manual_actions(self):
        with tempfile.TemporaryDirectory() as folder:
            events, replay = os.path.join(folder, 'events.jsonl'), os.path.join(folder, 'deep', 'replay.json')
            os.mkdir(os.path.dirname(replay))
            async with controlled('--events', events, '--seed', '9', '--speed', '5') as (serve, path):
                port = await controller_port(serve)
                async with host(port, 'Central', 'F0:F1:F2:F3:F4:F5') as central, peer(central) as strap:
                    measurement, = strap.get_characteristics_by_uuid(MEASUREMENT)
                    heard = asyncio.Queue()
                    await strap.subscribe(measurement, heard.put_nowait)

                    async def hears(rate):
                        async with asyncio.timeout(10):
                            while (await heard.get())[1] != rate:
                                pass

                    self.assertEqual((await tool('control', f'unix:{path}', 'set', 'heart_rate', 'to=211'))[0], 0)
                    await hears(211)
                    words = ['set', 'heart_rate', 'to=212', 'for=2s']
                    self.assertEqual((await tool('control', f'unix:{path}', *words))[0], 0)
                    await hears(212)
                    await hears(211)
                    self.assertEqual((await tool('control', f'unix:{path}', 'clear'))[0], 0)
                    await heard.get()
                    await heard.get()
            status, output, errors = await tool('replay', events, '-o', replay)
            self.assertEqual((status, output, errors), (0, f'Wrote {replay} with 3 manual actions\n', ''))
            self.assertEqual((await tool('validate', replay))[0], 0)
            scenario = json.loads(pathlib.Path(replay).read_text())
            self.assertEqual(scenario['seed'], 9)
            again = os.path.join(folder, 'again.jsonl')
            self.assertEqual((await tool('run', replay, '--events', again))[0], 0)

            # Another client has other instants: the same are the values that the strap sends over time, and when the
            # actions begin and end.
            def rates(path):
                return [(record['t'], record['value']['bpm']) for record in records(path, 'notified')
                        if record['of'] == 'strap/heart_rate']

            first, second, cleared = (record['t'] for record in records(events, 'began'))
            self.assertEqual([record['t'] for record in records(again, 'began')][:3], [first, second, cleared])
            for path in events, again:
                for at, bpm in rates(path):
                    wanted = 212 if second < at < second + 2 else 211 if first < at < cleared else None
                    self.assertTrue(bpm == wanted if wanted else bpm < 200, (path, at, bpm))
            self.assertTrue({211, 212} <= {bpm for _, bpm in rates(again)})

    async def test_a_missing_or_changed_scenario_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, 'mine.json')
            place.write_bytes(pathlib.Path(ROOT, SCENARIO).read_bytes())
            events, replay = os.path.join(folder, 'events.jsonl'), os.path.join(folder, 'replay.json')
            async with controlled('--events', events, scenario=str(place)) as (serve, path):
                await controller_port(serve)
                self.assertEqual((await tool('control', f'unix:{path}', 'silence'))[0], 0)
            self.assertEqual((await tool('replay', events, '-o', replay))[0], 0)
            self.assertIn('"until": "end"', pathlib.Path(replay).read_text())
            place.write_text(place.read_text() + '\n')
            status, _, errors = await tool('replay', events, '-o', replay)
            self.assertEqual(status, 2)
            self.assertIn('has changed since the run', errors)
            self.assertEqual((await tool('replay', events, '-o', replay, '--changed'))[0], 0)
            self.assertEqual((await tool('replay', events, '-o', replay, '--scenario', SCENARIO))[0], 0)
            place.unlink()
            status, _, errors = await tool('replay', events, '-o', replay)
            self.assertEqual(status, 2)
            self.assertIn('--scenario FILE', errors)
            for target in [events, SCENARIO]:
                self.assertEqual((await tool('replay', events, '--scenario', SCENARIO, '-o', target))[0], 2)
            for broken in ['', 'hello\n', '{"t": 0.000000, "event": "start", "scenario": "", "seed": 1}\n']:
                pathlib.Path(events).write_text(broken)
                status, _, errors = await tool('replay', events)
                self.assertEqual(status, 2, errors)


    async def test_the_new_file_works_anywhere_and_has_the_variables_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, 'a', 'mine.json')
            place.parent.mkdir()
            (place.parent / 'feed.csv').write_text('time,value\n0,1\n5,2\n')
            value = {'curve': 'csv', 'file': 'feed.csv'}
            services = [{'service': 'feed', 'value': value}, {'service': 'battery', 'value': '${level}'}]
            place.write_text(json.dumps({
                'lubdub': 1, 'name': 'x', 'variables': {'level': 5}, 'devices': [{'id': 'strap', 'services': services}]}))
            events, replay = pathlib.Path(folder, 'events.jsonl'), pathlib.Path(folder, 'b', 'c', 'replay.json')
            replay.parent.mkdir(parents=True)
            first = {'t': 0, 'event': 'start', 'lubdub': '0', 'scenario': str(place), 'seed': 3, 'set': ['level=77']}
            line = {'t': 0, 'event': 'began', 'of': 'strap', 'line': {'do': 'silence'}, 'rule': 'key s'}
            last = '{"t": 70.250000, "event": "began"'  # truncated
            events.write_text('\n'.join([json.dumps(first), json.dumps(line).replace('0', '1.500000', 1), last]))
            status, _, errors = await tool('replay', str(events), '-o', str(replay))
            self.assertEqual(status, 0, errors)
            self.assertIn('has no digest of', errors)
            made = json.loads(replay.read_text())
            self.assertEqual(made['seed'], 3)
            self.assertEqual(made['script'], [{'when': '1.500000 s', 'do': 'silence', 'until': 'end', 'note': 'key s'}])
            feed, battery = made['devices'][0]['services']
            self.assertEqual((feed['value']['file'], battery['value']), ('../../a/feed.csv', 77))
            self.assertEqual((await tool('validate', str(replay)))[0], 0)


class AwayTests(Interoperability):
    """A strap that goes out of range on command."""

    async def test_the_key_o_removes_the_strap_and_brings_it_back(self):
        async with serving(SCENARIO, *ANYWHERE) as terminal:
            port = int((await terminal.shows(r'controller tcp:127\.0\.0\.1:(\d+)'))[1])
            async with host(port, 'Central', 'F0:F1:F2:F3:F4:F5') as central:
                async with peer(central) as strap:
                    gone = asyncio.get_running_loop().create_future()
                    strap.connection.once('disconnection', gone.set_result)
                    place = terminal.press(b'o')
                    await terminal.shows('away', place)
                    async with asyncio.timeout(30):
                        self.assertEqual(await gone, LOST)
                place = terminal.press(b'o')
                await terminal.shows(r'strap \d+ bpm, no client', place)
                async with peer(central) as strap:
                    self.assertTrue(strap.get_characteristics_by_uuid(MEASUREMENT))

    async def test_a_lost_link_ends_by_its_supervision_timeout_without_advertising(self):
        async with controlled('--quiet') as (serve, path):
            port = await controller_port(serve)
            clock = asyncio.get_running_loop()
            async with host(port, 'Central', 'F0:F1:F2:F3:F4:F5') as central, line(path) as control:
                async with peer(central) as strap:
                    gone = clock.create_future()
                    strap.connection.once('disconnection', lambda reason: gone.set_result((clock.time(), reason)))
                    parameters = strap.connection.parameters
                    timeout, interval = parameters.supervision_timeout / 1000, parameters.connection_interval / 1000
                    self.assertEqual(await control.ask({'do': 'link_loss', 'of': 'strap'}), {'ok': True})
                    began = clock.time()
                    async with asyncio.timeout(30):
                        ended, reason = await gone
                    self.assertEqual(reason, LOST)
                    self.assertGreater(ended - began, timeout - interval - 0.05)
                    self.assertLess(ended - began, timeout + interval + 2)  # on a busy machine
                with self.assertRaises(TimeoutError):
                    await find(central, limit=2)
                self.assertEqual(await control.ask({'do': 'clear', 'of': 'strap'}), {'ok': True})
                async with peer(central) as strap:
                    self.assertTrue(strap.get_characteristics_by_uuid(MEASUREMENT))
