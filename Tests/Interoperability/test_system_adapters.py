"""Programs of BlueZ that choose one of several adapters of a played bluetoothd."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import LUBDUB, ROOT

# Finds the strap by one adapter and shows a value; then by the other, while the first adapter is connected to a second strap.
APP = '''
import asyncio, json
from bleak import BleakClient, BleakScanner
MEASUREMENT = '00002a37-0000-1000-8000-00805f9b34fb'
async def show(adapter, address):
    strap = await BleakScanner.find_device_by_address(address, timeout=15, bluez={'adapter': adapter})
    client = BleakClient(strap)
    await client.connect()
    values = asyncio.Queue()
    await client.start_notify(MEASUREMENT, lambda _, value: values.put_nowait(value))
    print(json.dumps({'path': strap.details['path'], 'heart_rate': {'bpm': (await values.get())[1]}}), flush=True)
    return client
async def main():
    clients = [await show('hci1', 'C0:FF:EE:00:00:01'), await show('hci0', 'C0:FF:EE:00:00:02')]
    for client in clients:
        await client.disconnect()
asyncio.run(main())
'''


def strap(number):
    return {
        'id': f'strap{number}', 'name': f'Strap {number}', 'address': f'C0:FF:EE:00:00:0{number}/random',
        'advertise': {'interval': '100 ms', 'services': ['180D']},
        'services': [{'service': 'heart_rate', 'value': 60 + number}]}


class AdapterTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def scenario(self, **more):
        scenario = {'lubdub': 1, 'name': 'Two', 'limit': '60 s', 'devices': [strap(1), strap(2)]} | more
        (self.folder / 'scenario.json').write_text(json.dumps(scenario))
        return f'{self.folder}/scenario.json'

    def test_bleak_uses_two_adapters(self):
        (self.folder / 'app.py').write_text(APP)
        shows = [
            {'id': f'shows{number}', 'expect': 'seen', 'within': '50 s', 'event': {
                'event': 'said', 'line': {'path': path, 'heart_rate': {'bpm': 60 + number}}}}
            for number, path in ((1, '/org/bluez/hci1/dev_C0_FF_EE_00_00_01'), (2, '/org/bluez/hci0/dev_C0_FF_EE_00_00_02'))]
        done = subprocess.run(
            [LUBDUB, 'run', self.scenario(expect=shows), '--client', f'exec {sys.executable} {self.folder}/app.py',
             '--system', 'bluez', '--adapters', '2', '--events', f'{self.folder}/events.jsonl'],
            capture_output=True, text=True, timeout=120, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        events = [json.loads(line) for line in (self.folder / 'events.jsonl').read_text().splitlines()]
        peers = {event['peer'] for event in events if event['event'] == 'connected'}
        self.assertEqual(len(peers), 2, 'each adapter has an address')

    @unittest.skipUnless(shutil.which('bluetoothctl'), 'bluetoothctl is not installed; Tools/setup test installs it')
    def test_bluetoothctl_lists_and_selects_adapters(self):
        with subprocess.Popen(
                [LUBDUB, 'serve', self.scenario(), '--system', f'bluez:unix:{self.folder}/bus', '--adapters', '3'],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True) as serve:
            try:
                line = next(line for line in serve.stdout if line.startswith('system '))
                environment = os.environ | dict(word.split('=', 1) for word in line.split()[2:])

                def control(*commands):
                    done = subprocess.run(
                        ['bluetoothctl', *commands], env=environment, capture_output=True, text=True, timeout=30)
                    return done.stdout

                listed = control('list').splitlines()
                addresses = [line.split()[1] for line in listed if line.startswith('Controller ')]
                self.assertEqual(len(set(addresses)), 3, listed)
                self.assertIn('BlueZ 5.66 #2', control('show', addresses[1]) + control('show', addresses[0]) + control('show', addresses[2]))
            finally:
                serve.terminate()
                serve.wait(10)

    def test_a_number_that_is_none_is_refused(self):
        for number in '0', '17', 'two':
            done = subprocess.run(
                [LUBDUB, 'serve', 'scenarios/resting.json', '--system', 'bluez', '--adapters', number],
                capture_output=True, text=True, timeout=60, cwd=ROOT)
            self.assertEqual(done.returncode, 2)
            self.assertIn('--adapters must be a whole number from 1 to 16', done.stderr)


if __name__ == '__main__':
    unittest.main()
