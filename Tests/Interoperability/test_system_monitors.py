"""Passive scans of programs of BlueZ: advertisement monitors, which bluetoothd has with --experimental only."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import LUBDUB, ROOT

# Looks for heart-rate services without a scan request, connects to the device that it finds, and shows a value.
APP = '''
import asyncio, json
from bleak import BleakClient, BleakScanner
from bleak.args.bluez import BlueZScannerArgs, OrPattern
from bleak.assigned_numbers import AdvertisementDataType
MEASUREMENT = '00002a37-0000-1000-8000-00805f9b34fb'
def say(line):
    print(json.dumps(line), flush=True)
async def main():
    found = asyncio.get_running_loop().create_future()
    def detected(device, data):
        say({'heard': {'address': device.address, 'services': [uuid[4:8] for uuid in data.service_uuids]}})
        if not found.done():
            found.set_result(device)
    pattern = OrPattern(0, AdvertisementDataType.COMPLETE_LIST_SERVICE_UUID16, bytes([0x0D, 0x18]))
    async with BleakScanner(
            detected, scanning_mode='passive', bluez=BlueZScannerArgs(or_patterns=[pattern])) as scanner:
        device = await found
        async with BleakClient(device) as client:
            values = asyncio.Queue()
            await client.start_notify(MEASUREMENT, lambda _, value: values.put_nowait(value))
            say({'heart_rate': {'bpm': (await values.get())[1]}})
asyncio.run(main())
'''


def device(number, **more):
    return {'id': f'device{number}', 'name': f'Device {number}', 'address': f'C0:FF:EE:00:00:0{number}/random'} | more


STRAP = device(1, advertise={'interval': '100 ms', 'services': ['180D']}, services=[{'service': 'heart_rate', 'value': 62}])
THERMOMETER = device(
    2, advertise={'interval': '100 ms', 'services': ['1809']}, services=[{'service': 'health_thermometer', 'value': 37}])


class MonitorTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'app.py').write_text(APP)

    def play(self, *options):
        shows = {'event': 'said', 'line': {'heart_rate': {'bpm': 62}}}
        scenario = {
            'lubdub': 1, 'name': 'Passive', 'limit': '30 s', 'devices': [STRAP, THERMOMETER],
            'expect': [{'id': 'shows', 'expect': 'seen', 'event': shows, 'within': '25 s'}]}
        (self.folder / 'scenario.json').write_text(json.dumps(scenario))
        return subprocess.run(
            [LUBDUB, 'run', f'{self.folder}/scenario.json', '--client', f'exec {sys.executable} {self.folder}/app.py',
             '--system', 'bluez', '--events', f'{self.folder}/events.jsonl', '--trace', f'{self.folder}/trace.btsnoop', *options],
            capture_output=True, text=True, timeout=120, cwd=ROOT)

    def events(self):
        return [json.loads(line) for line in (self.folder / 'events.jsonl').read_text().splitlines()]

    def test_bleak_scans_passively_finds_a_pattern_and_connects(self):
        done = self.play('--bluez-experimental')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        heard = [event['line']['heard'] for event in self.events() if event['event'] == 'said' and 'heard' in event['line']]
        self.assertEqual({device['address'] for device in heard}, {'C0:FF:EE:00:00:01'})
        self.assertEqual(heard[0]['services'], ['180d'])

    @unittest.skipUnless(shutil.which('tshark'), 'tshark is not installed')
    def test_a_passive_scan_sends_no_scan_requests(self):
        self.assertEqual(self.play('--bluez-experimental').returncode, 0)
        types = subprocess.run(
            ['tshark', '-r', f'{self.folder}/trace.btsnoop', '-Y', 'bthci_cmd.opcode == 0x200b', '-T', 'fields',
             '-e', 'bthci_cmd.le_scan_type'], capture_output=True, text=True, timeout=60, check=True).stdout.split()
        self.assertEqual({int(kind, 0) for kind in types}, {0}, types)

    def test_without_the_option_bleak_asks_for_experimental_as_with_bluetoothd(self):
        done = self.play()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn('--experimental enabled', done.stdout + done.stderr)

    def test_calls_and_their_replies_are_in_the_event_log(self):
        self.assertEqual(self.play('--bluez-experimental').returncode, 0)
        events = self.events()
        calls = [event for event in events if event['event'] == 'called']
        replies = [event for event in events if event['event'] == 'replied']
        call = next(event for event in calls if event['member'] == 'RegisterMonitor')
        self.assertEqual(call['path'], '/org/bluez/hci0')
        self.assertEqual(call['interface'], 'org.bluez.AdvertisementMonitorManager1')
        self.assertRegex(call['sender'], r'^:\d+\.\d+$')
        answered = [(event['sender'], event['serial']) for event in replies]
        for event in calls:
            if event['member'] in ('RegisterMonitor', 'Connect', 'StartNotify', 'GetManagedObjects'):
                self.assertEqual(answered.count((event['sender'], event['serial'])), 1, event)
        times = [event['t'] for event in events if 't' in event]
        self.assertEqual(times, sorted(times))
        # The air's event that a call causes follows it, at its instant.
        names = [event.get('member', event['event']) + event.get('of', '').removeprefix('device1') for event in events]
        self.assertLess(names.index('RegisterMonitor'), names.index('scanningclient'))
        self.assertLess(names.index('Connect'), names.index('connected'))
        self.assertLess(names.index('StartNotify'), names.index('subscribed/heart_rate'))

    def test_the_option_needs_a_system(self):
        done = subprocess.run(
            [LUBDUB, 'serve', 'scenarios/resting.json', '--bluez-experimental'], capture_output=True, text=True, timeout=60, cwd=ROOT)
        self.assertEqual(done.returncode, 2)
        self.assertIn('--bluez-experimental requires --system bluez', done.stderr)


if __name__ == '__main__':
    unittest.main()
