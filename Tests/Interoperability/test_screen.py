"""`lubdub monitor` on a terminal: the screen, and the terminal afterwards."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import tempfile

from harness import LUBDUB, Interoperability, controller_port, lubdub
from terminal import SeenTerminal

SCENARIO = 'scenarios/resting.json'
UTF8, ASCII = {'LC_ALL': 'C.UTF-8'}, {'LC_ALL': 'C'}
BRAILLE = re.compile('[\u2801-\u28ff]')


EVERYTHING = {
    'lubdub': 1, 'name': 'All that a screen shows', 'limit': '60 s', 'devices': [{
        'id': 'patch', 'name': 'Lubdub HRM', 'services': [
            {'service': 'heart_rate', 'value': 70, 'contact': True},
            {'service': 'battery', 'value': 87},
            {'service': 'fitness', 'steps': 23456, 'temperature': 36.55},
            {'service': 'ecg', 'rate': '500 Hz'}]}]}


@contextlib.asynccontextmanager
async def serving(scenario):
    """A radio with a strap."""
    command = ['serve', scenario, '--controller', 'tcp:127.0.0.1:0']
    async with lubdub(*command, stderr=asyncio.subprocess.DEVNULL) as strap:
        yield f'hci:tcp:127.0.0.1:{await controller_port(strap)}'


@contextlib.asynccontextmanager
async def monitoring(
        *arguments, columns=80, rows=24, environment=UTF8, name='xterm', scenario=SCENARIO, **streams):
    """A terminal where lubdub monitors a strap, after a line of a shell."""
    async with serving(scenario) as radio:
        terminal = SeenTerminal(columns, rows, name)
        os.write(terminal.theirs, b'\x1b[1mbefore\x1b[0m\r\n$ lubdub monitor\r\n')
        await terminal.sees(lambda shown: shown[1] == '$ lubdub monitor')
        terminal.first = terminal.screen.seen()
        command = ['monitor', '--radio', radio, '--peer', 'Lubdub HRM', *arguments]
        await terminal.start(LUBDUB, *command, environment=environment, **streams)
        try:
            yield terminal
        finally:
            await terminal.close()


def has_rate(rows):
    """Subscribed, and the chart is not empty."""
    return ' subscribed ' in rows[0] and any(BRAILLE.search(row) or ':' in row[6:] for row in rows[7:-1])


class ScreenTests(Interoperability):
    async def test_a_screenshot_of_each_size(self):
        for columns, lines in [(80, 24), (120, 40)]:
            with self.subTest(columns=columns):
                async with monitoring(columns=columns, rows=lines) as terminal:
                    rows = await terminal.sees(lambda shown: has_rate(shown) and 'RR' in shown[5])
                    self.assertEqual(len(rows), lines)
                    self.assertRegex(
                        rows[0], r'^ Lubdub HRM  C0:FF:EE:00:00:01/random  subscribed +session 0:00:\d\d$')
                    self.assertEqual(len(rows[0]), columns - 1)
                    self.assertEqual(rows[1], '')
                    self.assertRegex(rows[2], r'^  [┏╺╻ ][━ ][┓╸╻] .* {3}contact +yes +average +–$')
                    self.assertRegex(rows[3], r'^  .* bpm +battery +87 % +resting +–$')
                    self.assertRegex(rows[4], r' temperature +– +frequent +–$')
                    self.assertRegex(rows[5], r'^ RR interval (–|[\d,]+ ms)  RMSSD –  pairs \d  left out 0$')
                    self.assertEqual(rows[6], ' heart rate, the last 30')
                    self.assertRegex(rows[7], r'^ {2,3}\d{2,3}( |$)')
                    self.assertRegex(rows[-2], r'^ {2,4}\d{1,3}( |$)')
                    self.assertEqual(rows[-1], ' ? explains, q quits')
                    self.assertTrue(terminal.screen.cursor.hidden)
                    await self.quits(terminal)

    async def test_a_page_explains_the_screen(self):
        async with monitoring() as terminal:
            await terminal.sees(has_rate)
            terminal.press(b'?')
            rows = await terminal.sees(lambda shown: shown[0] == ' Keys')
            self.assertIn('  RMSSD         heart rate variability: the root mean square of the differences', rows)
            terminal.press(b'x?')
            await terminal.sees(has_rate)
            terminal.press(b'?')
            await terminal.sees(lambda shown: shown[0] == ' Keys')
            await self.quits(terminal)

    async def test_steps_temperature_and_ecg_of_a_device_that_has_them(self):
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump(EVERYTHING, file)
            file.flush()
            async with monitoring('--height', '200', scenario=file.name) as terminal:
                rows = await terminal.sees(
                    lambda shown: ' subscribed ' in shown[0] and any(row.startswith(' steps') for row in shown)
                    and len(BRAILLE.findall(''.join(shown[11:16]))) > 100)
                self.assertRegex(rows[4], r' temperature +36\.55 °C ')
                self.assertEqual(rows[11], ' ECG in mV, the last 3 s, 500 Hz')
                self.assertEqual(rows[17], ' steps  0 today · 23,456 in all · 0.0 km · 0 kcal')
                self.assertRegex(rows[18], r'^ \w+ 20\d\d  0 steps · 0\.0 km · 0 kcal · 0 badges of 10,000$')
                self.assertRegex(rows[22], r'^ {6}1       5 +10 +15 +20 +25')
                await self.quits(terminal)

    async def quits(self, terminal):
        terminal.press(b'q')
        self.assertEqual(await terminal.ended(), 0)
        self.is_as_before(terminal)

    def is_as_before(self, terminal):
        terminal.read_rest()
        self.assertEqual(terminal.modes(), terminal.before)
        self.assertEqual(terminal.screen.seen(), terminal.first)

    async def test_every_exit_restores_the_terminal(self):
        for press, number in [
                (b'\x03', signal.SIGINT), (b'\x1c', signal.SIGQUIT), (None, signal.SIGTERM), (None, signal.SIGHUP)]:
            with self.subTest(number):
                async with monitoring() as terminal:
                    await terminal.sees(lambda shown: shown[-1] == ' ? explains, q quits')
                    self.assertFalse(terminal.gives_lines())
                    if press:
                        terminal.press(press)
                    else:
                        terminal.process.send_signal(number)
                    self.assertEqual(await terminal.ended(), 128 + number)
                    self.is_as_before(terminal)

    async def test_the_terminal_is_restored_when_the_time_is_over(self):
        async with monitoring('--for', '1 s') as terminal:
            self.assertEqual(await terminal.ended(), 0)
            self.is_as_before(terminal)

    async def test_a_failure_is_shown_on_the_first_screen(self):
        with socket.create_server(('127.0.0.1', 0)) as listener:
            terminal = SeenTerminal(80, 24)
            radio = f'tcp:127.0.0.1:{listener.getsockname()[1]}'
            await terminal.start(LUBDUB, 'monitor', '--radio', f'hci:{radio}', environment=UTF8)
            try:
                controller, _ = await asyncio.to_thread(listener.accept)
                await terminal.sees(lambda shown: shown[0] == ' scanning')
                controller.close()
                self.assertEqual(await terminal.ended(), 3)
                terminal.read_rest()
                self.assertRegex(terminal.screen.rows()[0], f'^lubdub: {radio}: .')
                self.assertEqual(terminal.screen.rows()[1], '')
                self.assertEqual(terminal.modes(), terminal.before)
                self.assertFalse(terminal.screen.cursor.hidden)
            finally:
                await terminal.close()

    async def test_a_new_size_redraws_the_screen(self):
        async with monitoring() as terminal:
            await terminal.sees(has_rate)
            for columns, lines in [(120, 40), (40, 10), (1, 1), (80, 24)]:
                terminal.resize(columns, lines)
                rows = await terminal.sees(
                    lambda shown: len(shown) == lines and (columns == 1 or shown[-1] == ' ? explains, q quits'))
                self.assertEqual([row for row in rows if len(row) > columns], [])
            await terminal.sees(has_rate)
            await self.quits(terminal)

    async def test_a_stop_restores_the_screen_and_continuing_redraws_it(self):
        async with serving(SCENARIO) as radio:
            terminal = SeenTerminal(80, 24)
            script = '"$0" monitor --radio "$1"; echo stopped; read line; fg; echo "ended $?"'
            await terminal.start('bash', '--norc', '-m', '-c', script, LUBDUB, radio, environment=UTF8)
            try:
                await terminal.sees(has_rate)
                terminal.press(b'\x1a')
                rows = await terminal.sees(lambda shown: 'stopped' in shown)
                self.assertFalse([row for row in rows if 'heart rate' in row])
                self.assertTrue(terminal.gives_lines())
                self.assertFalse(terminal.screen.cursor.hidden)
                terminal.press(b'\n')
                await terminal.sees(has_rate)
                terminal.press(b'q')
                await terminal.sees(lambda shown: 'ended 0' in shown)
                self.assertEqual(terminal.modes(), terminal.before)
            finally:
                await terminal.close()

    async def test_without_utf8_it_is_drawn_with_ascii(self):
        async with monitoring(environment=ASCII) as terminal:
            rows = await terminal.sees(has_rate)
            self.assertEqual([row for row in rows if not row.isascii()], [])
            self.assertRegex(rows[2], r'contact +yes +average +-$')
            await self.quits(terminal)

    async def test_without_keys_there_is_a_screen_too(self):
        async with monitoring(stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL) as terminal:
            await terminal.sees(has_rate)
            self.assertTrue(terminal.gives_lines())
            terminal.process.send_signal(signal.SIGINT)
            self.assertEqual(await terminal.ended(), 128 + signal.SIGINT)
            self.is_as_before(terminal)

    async def test_lines_instead_of_a_screen(self):
        for arguments, options in [(['--plain'], {}), (['--json'], {}), ([], {'name': 'dumb'})]:
            with self.subTest(arguments):
                async with monitoring(*arguments, **options) as terminal:
                    await terminal.sees(
                        lambda shown: any(' bpm, contact' in row or '"bpm": ' in row for row in shown))
                    self.assertEqual(terminal.screen.rows()[:2], ['before', '$ lubdub monitor'])
                    self.assertTrue(terminal.gives_lines())
                    terminal.press(b'\x03')
                    self.assertEqual(await terminal.ended(), 128 + signal.SIGINT)
