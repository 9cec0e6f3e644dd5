"""Programs of BlueZ on the bus of a played bluetoothd: bleak and bluetoothctl, unmodified, without Bluetooth in the kernel."""

import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from harness import LUBDUB, ROOT

STRAP = {
    'lubdub': 1, 'name': 'System',
    'devices': [{
        'id': 'strap', 'name': 'Strap', 'address': 'C0:FF:EE:00:00:01/random',
        'advertise': {'interval': '100 ms', 'services': ['180D']},
        'services': [
            {'service': 'heart_rate', 'value': 62, 'location': 'chest', 'energy': True},
            {'service': 'battery', 'value': 80},
        ],
    }],
}

# Finds the strap, reads, writes, subscribes, and says what happened; "again" subscribes after a loss, too.
APP = '''
import asyncio, json, os, sys
from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError
MEASUREMENT, LOCATION, CONTROL, BATTERY = (f'0000{n}-0000-1000-8000-00805f9b34fb' for n in ('2a37', '2a38', '2a39', '2a19'))
def say(line):
    print(json.dumps(line), flush=True)
def show(_, value):
    say({'heart_rate': {'bpm': int.from_bytes(value[1:3], 'little') if value[0] & 1 else value[1]}})
async def main():
    strap = await BleakScanner.find_device_by_filter(lambda _, data: any('180d' in uuid for uuid in data.service_uuids), 20)
    first = True
    while True:
        gone = asyncio.Event()
        try:
            async with BleakClient(strap, disconnected_callback=lambda _: gone.set()) as client:
                if first and 'look' in sys.argv:
                    say({'services': sorted(s.uuid[4:8] for s in client.services)})
                    say({'location': list(await client.read_gatt_char(LOCATION))})
                    say({'battery': list(await client.read_gatt_char(BATTERY))})
                    for value in (b'\\x01', b'\\x02'):
                        try:
                            await client.write_gatt_char(CONTROL, value, response=True)
                            say({'written': list(value)})
                        except BleakError as error:
                            say({'refused': str(error)})
                if first or 'again' in sys.argv:
                    await client.start_notify(MEASUREMENT, show)
                first = False
                await gone.wait()
        except (BleakError, asyncio.TimeoutError) as error:
            print(error, file=sys.stderr, flush=True)
            await asyncio.sleep(1)
asyncio.run(main())
'''

# Types commands into bluetoothctl, each when the text before it has come.
TYPIST = '''
import subprocess, sys
tool = subprocess.Popen(['bluetoothctl'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
steps = [
    (b'registered', 'scan on'), (sys.argv[1].encode(), 'scan off'), (b'Discovery stopped', 'connect ' + sys.argv[1]),
    (b'ServicesResolved: yes', 'menu gatt'), (b'Menu gatt', 'select-attribute 00002a37-0000-1000-8000-00805f9b34fb'),
    (b'char', 'notify on'),
]
seen = b''
while octets := tool.stdout.read1():
    sys.stdout.buffer.write(octets)
    sys.stdout.buffer.flush()
    seen += octets
    while steps and steps[0][0] in seen:
        seen = seen[seen.index(steps[0][0]) + len(steps[0][0]):]
        tool.stdin.write(steps.pop(0)[1].encode() + bytes([10]))
        tool.stdin.flush()
'''

# Prints NotifyAcquired and Notifying of the heart rates below a device.
ACQUIRED = '''
import asyncio, sys
from dbus_fast import BusType, Message
from dbus_fast.aio import MessageBus
async def main():
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    reply = await bus.call(Message(
        destination='org.bluez', path='/', interface='org.freedesktop.DBus.ObjectManager', member='GetManagedObjects'))
    for path, interfaces in reply.body[0].items():
        values = interfaces.get('org.bluez.GattCharacteristic1')
        if path.startswith(sys.argv[1]) and values and values['UUID'].value.startswith('00002a37'):
            print(values['NotifyAcquired'].value, values['Notifying'].value)
asyncio.run(main())
'''


class SystemTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'app.py').write_text(APP)

    @unittest.skipUnless(shutil.which('bluetoothctl'), 'needs bluetoothctl')
    def test_bluetoothctl_is_judged_by_patterns(self):
        """Its text has the octets of values, and what happens to the device."""
        address = 'C0:FF:EE:00:00:01'
        scenario = dict(STRAP, limit='20 s', expect=[
            {'id': 'connects', 'expect': 'seen', 'within': '15 s', 'event': {'event': 'said', 'line': {'state': 'connected'}}},
            {'id': 'shows', 'expect': 'seen', 'within': '15 s', 'event': {
                'event': 'said', 'line': {'heart_rate': {'bpm': 62}}}},
            {'id': 'battery', 'expect': 'seen', 'within': '15 s', 'event': {'event': 'said', 'line': {'battery': 80}}},
        ])
        (self.folder / 'scenario.json').write_text(json.dumps(scenario))
        (self.folder / 'client.py').write_text(TYPIST)
        done = subprocess.run(
            [LUBDUB, 'run', str(self.folder / 'scenario.json'), '--client',
             f'{sys.executable} {self.folder}/client.py {address}', '--system', 'bluez',
             '--lines', '(?<connected>Connection successful)', '--lines', '^  (?<heart_rate_octets>([0-9a-f]{2} )+) '],
            capture_output=True, text=True, timeout=120, cwd=ROOT)
        self.assertIn('pass  connects', done.stdout, done.stdout + done.stderr)
        self.assertIn('pass  shows', done.stdout)
        self.assertIn('skip  battery', done.stdout)
        self.assertIn('no pattern of --lines finds its values', done.stdout)
        self.assertEqual(done.returncode, 0)

    def run_app(self, scenario, *words, options=('--speed', 'max')):
        path = self.folder / 'scenario.json'
        path.write_text(json.dumps(scenario))
        command = f'{sys.executable} {self.folder}/app.py {" ".join(words)}'
        return subprocess.run(
            [LUBDUB, 'run', str(path), '--client', command, '--system', 'bluez', *options],
            capture_output=True, text=True, timeout=120, cwd=ROOT)

    def test_bleak_finds_reads_writes_and_subscribes(self):
        ended = self.run_app(STRAP | {'limit': '12 s', 'expect': [self.shows()]}, 'look', options=())
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        for line in ('{"services": ["1801", "180d", "180f"]}', '{"location": [1]}', '{"battery": [80]}', '{"written": [1]}'):
            self.assertIn(line, ended.stdout)
        self.assertRegex(ended.stdout, '"refused".*0x80')

    @staticmethod
    def shows(**more):
        truth = {'$truth': 'last', 'of': 'strap/heart_rate', 'fresh': True}
        event = {'event': 'said', 'line': {'heart_rate': {'bpm': truth}}}
        return {'id': 'shows', 'expect': 'seen', 'within': '15 s', 'event': event, 'within': '10 s'} | more

    def away(self):
        away = {'id': 'away', 'do': 'link_loss', 'of': 'strap', 'for': '2 s',
                'when': {'event': 'subscribed', 'of': 'heart_rate', 'nth': 1, 'after': '2 s'}}
        since = {'event': 'ended', 'of': 'away'}
        return STRAP | {'limit': '20 s', 'script': [away], 'expect': [self.shows(since=since, within='8 s')]}

    def test_an_app_that_subscribes_again_passes(self):
        ended = self.run_app(self.away(), 'again')
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_an_app_that_forgets_to_subscribe_again_fails(self):
        ended = self.run_app(self.away())
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertIn('no value of strap/heart_rate was delivered since', ended.stdout)
        self.assertRegex(ended.stdout, 'the client connected again at .* has not subscribed again to strap/heart_rate')
        self.assertIn('--system bluez', ended.stdout)

    def test_an_app_without_a_bus_is_told_of_the_option(self):
        path = self.folder / 'scenario.json'
        path.write_text(json.dumps(STRAP | {'limit': '5 s', 'expect': [self.shows()]}))
        nowhere = f'unix:path={self.folder}/nowhere'
        ended = subprocess.run(
            [LUBDUB, 'run', str(path), '--client', f'{sys.executable} {self.folder}/app.py'],
            capture_output=True, text=True, timeout=60, cwd=ROOT, env=os.environ | {'DBUS_SYSTEM_BUS_ADDRESS': nowhere})
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertIn('a program of BlueZ needs --system bluez', ended.stdout)

    def test_a_bad_day_of_bluetoothd_is_skipped_without_one(self):
        ended = subprocess.run(
            [LUBDUB, 'run', 'scenarios/bluez/bus_dies.json'], capture_output=True, text=True, timeout=60, cwd=ROOT)
        self.assertEqual(ended.returncode, 3, ended.stdout + ended.stderr)
        self.assertIn('use --system bluez', ended.stdout)

    def test_options_of_bluetoothd_need_it(self):
        for options in (['--bluez-cache', 'no'], ['--bluez-pace', 'quick'], ['--bluez-version', '5.60']):
            for command in (['serve', 'scenarios/resting.json'], ['run', 'scenarios/resting.json', '--client', 'exit 0'],
                            ['run', 'scenarios/resting.json'], ['controller', '--listen', 'tcp:127.0.0.1:0']):
                ended = subprocess.run([LUBDUB, *command, *options], capture_output=True, text=True, timeout=60, cwd=ROOT)
                self.assertEqual(ended.returncode, 2, (command, options))
                self.assertIn(f'{options[0]} requires --system bluez', ended.stderr)

    def test_a_report_names_the_pace_and_an_app_passes_without_a_cache(self):
        path = self.folder / 'scenario.json'
        path.write_text(json.dumps(self.away()))
        options = ['--bluez-cache', 'no', '--bluez-pace', 'quick', '--bluez-version', '5.60', '--speed', 'max']
        ended = subprocess.run(
            [LUBDUB, 'run', str(path), '--client', f'{sys.executable} {self.folder}/app.py again', '--system', 'bluez',
             *options, '--report', f'{self.folder}/r.json'], capture_output=True, text=True, timeout=120, cwd=ROOT)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        case, = json.loads((self.folder / 'r.json').read_text())['cases']
        self.assertIn(' '.join(['--bluez-version', '5.60', '--bluez-cache', 'no', '--bluez-pace', 'quick']), case['replay'])

    def test_an_app_that_does_not_use_the_bus_is_inconclusive(self):
        path = self.folder / 'scenario.json'
        path.write_text(json.dumps(STRAP | {'limit': '5 s', 'expect': [self.shows()]}))
        ended = subprocess.run(
            [LUBDUB, 'run', str(path), '--client', 'exit 0', '--system', 'bluez'],
            capture_output=True, text=True, timeout=60, cwd=ROOT)
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertIn('before it used org.bluez', ended.stdout)

    def test_a_program_of_kernel_sockets_is_told_so(self):
        path = self.folder / 'scenario.json'
        path.write_text(json.dumps(STRAP | {'limit': '5 s', 'expect': [self.shows()]}))
        program = 'import os, sys; sys.exit(os.strerror(97))'  # EAFNOSUPPORT, as gatttool prints it in a container
        ended = subprocess.run(
            [LUBDUB, 'run', str(path), '--client', f'{sys.executable} -c "{program}"', '--system', 'bluez'],
            capture_output=True, text=True, timeout=60, cwd=ROOT)
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertIn('before it used org.bluez (it uses sockets of the kernel, not org.bluez)', ended.stdout)

    def test_bluetoothctl_shows_the_device_and_its_attributes(self):
        with self.serve() as environment, subprocess.Popen(
                ['bluetoothctl'], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as control:
            seen = self.converse(control, [
                ('', 'Agent registered'), ('scan on', 'NEW.*Strap|Device C0:FF:EE:00:00:01 Strap'),
                ('scan off', 'Discovery stopped'), ('connect C0:FF:EE:00:00:01', 'ServicesResolved: yes'),
                ('info C0:FF:EE:00:00:01', 'Heart Rate'), ('quit', None)])
        self.assertIn('Connection successful', seen)
        self.assertIn('char', seen)
        self.assertFalse((self.folder / 'bus').exists())

    def test_bluetoothctl_acquires_notifications(self):
        with self.serve() as environment, subprocess.Popen(
                ['bluetoothctl'], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as control:
            self.converse(control, [
                ('', 'Agent registered'), ('scan on', 'NEW.*Strap|Device C0:FF:EE:00:00:01 Strap'),
                ('scan off', 'Discovery stopped'), ('connect C0:FF:EE:00:00:01', 'ServicesResolved: yes'),
                ('menu gatt', None), ('select-attribute 00002a37-0000-1000-8000-00805f9b34fb', 'char'),
                ('acquire-notify', '(?s)NotifyAcquired: yes.*AcquireNotify success'), ('', '00 3e'),
                ('release-notify', 'NotifyAcquired: no'), ('quit', None)])

    def test_bleak_acquires_notifications(self):
        (self.folder / 'acquire.py').write_text(APP.replace(
            'start_notify(MEASUREMENT, show)', "start_notify(MEASUREMENT, show, bluez={'use_start_notify': False})"))
        with self.serve() as environment, subprocess.Popen(
                [sys.executable, f'{self.folder}/acquire.py'], env=environment, stdout=subprocess.PIPE, text=True) as app:
            try:
                shown = [app.stdout.readline() for _ in range(3)]
                self.assertIn('{"heart_rate": {"bpm": 62}}', shown[-1])
                path = '/org/bluez/hci0/dev_C0_FF_EE_00_00_01'
                got = subprocess.run(
                    [sys.executable, '-c', ACQUIRED, path], env=environment, capture_output=True, text=True, timeout=30)
                self.assertEqual(got.stdout.split(), ['True', 'False'], got.stderr)
            finally:
                app.kill()

    @contextlib.contextmanager
    def serve(self):
        """The environment of programs that find the strap."""
        if not shutil.which('bluetoothctl'):
            self.skipTest('bluetoothctl is not installed')
        path = self.folder / 'scenario.json'
        path.write_text(json.dumps(STRAP))
        with subprocess.Popen(
                [LUBDUB, 'serve', str(path), '--system', f'bluez:unix:{self.folder}/bus'], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True) as serve:
            try:
                line = next(line for line in serve.stdout if line.startswith('system '))
                exported = dict(word.split('=', 1) for word in line.removeprefix('system export ').split())
                yield os.environ | exported
            finally:
                serve.terminate()
                serve.wait(10)

    def converse(self, program, steps):
        """Writes each command, and waits for an answer."""
        seen, limit = '', time.monotonic() + 60
        os.set_blocking(program.stdout.fileno(), False)
        for command, answer in steps:
            if command:
                program.stdin.write(f'{command}\n')
                program.stdin.flush()
            start = len(seen)
            while answer and not re.search(answer, seen[start:]):
                ready, _, _ = select.select([program.stdout], [], [], 30)
                self.assertTrue(ready and time.monotonic() < limit, f'{command}: no answer {answer}\n{seen}')
                chunk = os.read(program.stdout.fileno(), 65536).decode(errors='replace')
                self.assertTrue(chunk, f'{command}: it ended\n{seen}')
                seen += chunk
        return seen


if __name__ == '__main__':
    unittest.main()
