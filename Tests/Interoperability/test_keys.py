"""`lubdub serve` on a terminal: keys, their effect on a Bumble client, and the terminal afterwards."""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import socket
import tempfile

from bumble import core

from harness import LUBDUB, Interoperability, host, lubdub, peer
from terminal import COLOURS, Terminal, resize

SCENARIO = 'scenarios/resting.json'
ANYWHERE = ['--controller', 'tcp:127.0.0.1:0']
MEASUREMENT = core.UUID.from_16_bits(0x2A37)
BATTERY = core.UUID.from_16_bits(0x2A19)
UP, DOWN, SHIFT_UP, SHIFT_DOWN = b'\x1b[A', b'\x1b[B', b'\x1b[1;2A', b'\x1b[1;2B'
TOUCHED, NOT_TOUCHED = 0b110, 0b100  # Sensor Contact, of the flags


@contextlib.asynccontextmanager
async def serving(*arguments, name='xterm', **streams):
    """A terminal with a running serve."""
    terminal = Terminal(name)
    await terminal.start(LUBDUB, 'serve', *arguments, **streams)
    try:
        yield terminal
    finally:
        await terminal.close()


async def soon(condition, limit=10):
    """Waits for a condition."""
    async with asyncio.timeout(limit):
        while not (value := condition()):
            await asyncio.sleep(0.01)
        return value


def rules(path):
    """The key events in the log so far: event, entity, value, key."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return [
        (record['event'], record['of'], record.get('value'), record['rule']) for record in records if 'rule' in record]


class KeyTests(Interoperability):
    async def test_a_client_sees_each_key_and_the_log_has_it(self):
        with tempfile.TemporaryDirectory() as folder:
            events = pathlib.Path(folder, 'events.jsonl')
            async with serving(SCENARIO, *ANYWHERE, '--events', events) as terminal:
                port = int((await terminal.shows(r'controller tcp:127\.0\.0\.1:(\d+)'))[1])
                await terminal.shows(r'\rstrap \d+ bpm, no client \| \? for keys\x1b\[K')
                self.assertFalse(terminal.gives_lines())
                async with host(port, 'Central', 'F0:F1:F2:F3:F4:F5') as central, peer(central) as strap:
                    await self.press_all(terminal, strap, lambda: rules(events))
            lines = events.read_text().splitlines()
            self.assertEqual(lines[-1], '{"event": "end", "status": 0}')
            self.assertTrue(any('"connection_terminated_by_local_host"' in line for line in lines))

    async def press_all(self, terminal, strap, log):
        measurement, = strap.get_characteristics_by_uuid(MEASUREMENT)
        battery, = strap.get_characteristics_by_uuid(BATTERY)
        heard = asyncio.Queue()
        await strap.subscribe(measurement, heard.put_nowait)

        async def hears(condition):
            async with asyncio.timeout(10):
                while not condition(await heard.get()):
                    pass

        await terminal.shows(r'strap \d+ bpm, 1 client, MTU \d+ \|')
        self.assertEqual((await heard.get())[0] & 0b110, TOUCHED)
        for octets, name, step in [
                (UP, 'up', 1), (SHIFT_UP, 'shift_up', 10), (DOWN, 'down', -1), (SHIFT_DOWN, 'shift_down', -10)]:
            count = len(log())
            terminal.press(octets)
            began = await soon(lambda: log()[count:])
            self.assertEqual((began[0][0], began[0][1], began[0][3]), ('began', 'strap/heart_rate', f'key {name}'))
            if name != 'up':  # the rate was random before
                self.assertEqual(began[0][2], rate + step)
                self.assertEqual([(event, value) for event, _, value, _ in began[1:]], [('ended', rate)])
            rate = began[0][2]
            await hears(lambda value: value[1] == rate)
            await terminal.shows(f'strap {rate} bpm')

        place = terminal.press(b'c')
        await hears(lambda value: value[0] & 0b110 == NOT_TOUCHED)
        await terminal.shows('no contact, 1 client', place)
        terminal.press(b'c')
        await hears(lambda value: value[0] & 0b110 == TOUCHED)
        self.assertEqual(
            [(*record[:2], record[3]) for record in log()[-2:]],
            [(event, 'strap/heart_rate/contact', 'key c') for event in ['began', 'ended']])

        self.assertEqual(await battery.read_value(), bytes([87]))
        for level, event in [(5, 'began'), (87, 'ended')]:
            terminal.press(b'b')
            await soon(lambda: log()[-1] == (event, 'strap/battery', 5, 'key b'))
            self.assertEqual(await battery.read_value(), bytes([level]))

        place = terminal.press(b's')
        await soon(lambda: log()[-1] == ('began', 'strap', None, 'key s'))
        await terminal.shows('silent, 1 client', place)
        while not heard.empty():
            heard.get_nowait()
        with self.assertRaises(TimeoutError):
            async with asyncio.timeout(2.5):
                self.fail(f'notified in silence: {await heard.get()}')
        self.assertEqual(await battery.read_value(), bytes([87]))
        terminal.press(b's')
        await hears(lambda value: value[1] == rate)
        self.assertEqual(log()[-1], ('ended', 'strap', None, 'key s'))

        place = terminal.press(b'?')
        await terminal.shows(r'\nq +quit\r\n\rstrap', place)
        gone = asyncio.get_running_loop().create_future()
        strap.connection.on('disconnection', gone.set_result)
        place = terminal.press(b'd')
        async with asyncio.timeout(10):
            self.assertEqual(await gone, 0x13)
        self.assertEqual(log()[-2:], [(event, 'strap', None, 'key d') for event in ['began', 'ended']])
        await terminal.shows('no client', place)

        count = len(log())
        terminal.press(b'\x1b[D\x1b[15~xZ\xff')
        terminal.press(b'q')
        self.assertEqual(await terminal.ended(), 0)
        self.assertEqual(terminal.modes(), terminal.before)
        self.assertEqual(len(log()), count)

    async def test_help_and_manual_list_the_keys(self):
        for arguments, title in [(['serve', '--help'], 'Keys on a terminal:'), (['manual', 'serve'], 'KEYS')]:
            async with lubdub(*arguments) as program:
                text, _ = await program.communicate()
            self.assertIn(title, text.decode())
            self.assertIn('toggle silence', text.decode().split(title)[1])

    async def test_keys_may_arrive_in_pieces_and_act_on_a_chosen_device(self):
        with tempfile.TemporaryDirectory() as folder:
            events = pathlib.Path(folder, 'events.jsonl')
            async with serving('scenarios/three_straps.json', *ANYWHERE, '--events', events) as terminal:
                await terminal.shows(r'\rall: 1 \w+ \d+ bpm')
                place = terminal.press(b'2')
                await terminal.shows(r'\r2: 1 ', place)
                for octet in SHIFT_UP:
                    terminal.press(bytes([octet]))
                    await asyncio.sleep(0)
                chosen, = await soon(lambda: rules(events))
                self.assertEqual(chosen[3], 'key shift_up')
                place = terminal.press(b'0')
                await terminal.shows(r'\rall: 1 ', place)
                terminal.press(b's')
                silent = await soon(lambda: rules(events)[1:4][2:] and rules(events)[1:4])
                self.assertEqual({record[0] for record in silent}, {'began'})
                things = [record[1] for record in silent]
                self.assertEqual(len(set(things)), 3)
                self.assertEqual(chosen[1], f'{things[1]}/heart_rate')
                place = terminal.press(b'7')
                await terminal.shows('there is no device 7: the scenario has 3', place)

    async def test_every_exit_restores_the_terminal(self):
        for press, number in [
                (b'\x03', signal.SIGINT), (b'\x1c', signal.SIGQUIT), (None, signal.SIGTERM),
                (None, signal.SIGHUP)]:
            with self.subTest(number):
                async with serving(SCENARIO, *ANYWHERE) as terminal:
                    await terminal.shows('for keys')
                    self.assertFalse(terminal.gives_lines())
                    if press:
                        terminal.press(press)
                    else:
                        terminal.process.send_signal(number)
                    self.assertEqual(await terminal.ended(), 128 + number)
                    self.assertEqual(terminal.modes(), terminal.before)
                    await terminal.shows(r'\r\x1b\[K\Z')

    async def test_the_terminal_is_restored_when_output_is_closed(self):
        reading, writing = os.pipe()
        async with serving(SCENARIO, *ANYWHERE, stdout=writing) as terminal:
            os.close(writing)
            await terminal.shows('for keys')
            self.assertFalse(terminal.gives_lines())
            os.close(reading)
            self.assertEqual(await terminal.ended(), 128 + signal.SIGPIPE)
            self.assertEqual(terminal.modes(), terminal.before)

    async def test_the_terminal_is_restored_after_a_failure(self):
        with socket.create_server(('127.0.0.1', 0)) as listener:
            radio = f'tcp:127.0.0.1:{listener.getsockname()[1]}'
            async with serving(SCENARIO, '--radio', f'hci:{radio}') as terminal:
                controller, _ = await asyncio.to_thread(listener.accept)
                await terminal.shows('for keys')
                self.assertFalse(terminal.gives_lines())
                controller.close()
                self.assertEqual(await terminal.ended(), 3)
                self.assertEqual(terminal.modes(), terminal.before)
                await terminal.shows(f'lubdub: {radio}: ')

    async def test_a_stop_restores_the_terminal_and_continuing_takes_it(self):
        terminal = Terminal()
        script = '"$0" serve "$1" --controller tcp:127.0.0.1:0; echo stopped; read line; fg; echo "ended $?"'
        await terminal.start('bash', '--norc', '-m', '-c', script, LUBDUB, SCENARIO)
        try:
            await terminal.shows('for keys')
            self.assertFalse(terminal.gives_lines())
            place = terminal.press(b'\x1a')
            await terminal.shows('stopped', place)
            self.assertTrue(terminal.gives_lines())
            place = terminal.press(b'\n')
            await terminal.shows('for keys', place)
            self.assertFalse(terminal.gives_lines())
            place = terminal.press(b'q')
            await terminal.shows('ended 0', place)
            self.assertEqual(await terminal.ended(), 0)
            self.assertEqual(terminal.modes(), terminal.before)
        finally:
            await terminal.close()

    async def test_in_the_background_the_terminal_is_left_alone(self):
        terminal = Terminal()
        script = (
            '"$0" serve "$1" --controller tcp:127.0.0.1:0 & read line; echo "heard $line"; kill %1; wait %1; '
            'echo "ended $?"')
        await terminal.start('bash', '--norc', '-m', '-c', script, LUBDUB, SCENARIO)
        try:
            await terminal.shows('controller tcp:')
            await terminal.shows('advertising')
            self.assertTrue(terminal.gives_lines())
            terminal.press(b'quiet\n')
            await terminal.shows('heard quiet')
            await terminal.shows('ended 143')
            self.assertNotIn('for keys', terminal.text)
        finally:
            await terminal.close()

    async def test_without_a_terminal_on_both_sides_keys_are_off(self):
        for streams in [{'stdin': asyncio.subprocess.DEVNULL}, {'stderr': asyncio.subprocess.DEVNULL}]:
            with self.subTest(streams):
                async with serving(SCENARIO, *ANYWHERE, '--for', '1 s', **streams) as terminal:
                    await terminal.shows('controller tcp:')
                    self.assertTrue(terminal.gives_lines())
                    terminal.press(b'?')
                    self.assertEqual(await terminal.ended(), 0)
                    self.assertEqual(terminal.modes(), terminal.before)
                    self.assertNotIn('disconnect\r\n', terminal.text)
                    self.assertNotIn('\x1b[K', terminal.text)

    async def test_quiet_has_keys_but_no_status_and_colours_can_be_disabled(self):
        async with serving(SCENARIO, *ANYWHERE, '--quiet') as terminal:
            await terminal.shows('controller tcp:')
            await soon(lambda: not terminal.gives_lines())
            place = terminal.press(b'?q')
            await terminal.shows(r'q +quit', place)
            self.assertEqual(await terminal.ended(), 0)
            self.assertNotIn('\x1b', terminal.text)
        async with serving(SCENARIO, *ANYWHERE, '--color', 'never') as terminal:
            await terminal.shows('for keys')
            self.assertIsNone(COLOURS.search(terminal.text))
        async with serving(SCENARIO, *ANYWHERE, name='dumb') as terminal:
            await soon(lambda: not terminal.gives_lines())
            terminal.press(b'q')
            self.assertEqual(await terminal.ended(), 0)
            self.assertNotIn('\x1b', terminal.text)

    async def test_the_line_is_cut_to_the_width(self):
        async with serving(SCENARIO, *ANYWHERE, '--color', 'never') as terminal:
            await terminal.shows('for keys')
            place = len(terminal.text)
            resize(terminal.ours, columns=13, rows=24)
            match = await terminal.shows(r'\r(strap[^\r\x1b]{0,10})\x1b\[K', place)
            self.assertEqual(len(match[1]), 12)
