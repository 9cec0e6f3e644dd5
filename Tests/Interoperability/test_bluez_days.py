"""The bad days of bluetoothd with bleak, unmodified: a program with a sensible loop survives those that bleak itself survives."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import LUBDUB, ROOT

# Begins anew after each error, if no values come for 8 s, and without what bluetoothd knows if the attributes do not work.
APP = '''
import asyncio, json, os
from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError
MEASUREMENT = '00002a37-0000-1000-8000-00805f9b34fb'
strap = None
async def show_values(client, gone):
    loop = asyncio.get_running_loop()
    last = loop.time()
    def show(_, value):
        nonlocal last
        last = loop.time()
        bpm = int.from_bytes(value[1:3], 'little') if value[0] & 1 else value[1]
        print(json.dumps({'heart_rate': {'bpm': bpm}}), flush=True)
    try:
        await client.start_notify(MEASUREMENT, show)
    except BleakError:
        await client.unpair()  # bluetoothd forgets the attributes
        raise
    while not gone.is_set() and loop.time() < last + 8:
        await asyncio.sleep(0.5)
async def main():
    global strap
    while True:
        gone = asyncio.Event()
        try:
            found = await BleakScanner.find_device_by_address(os.environ['LUBDUB_PEER'].split('/')[0], timeout=12)
            strap = found or strap  # one that is connected does not advertise
            if strap is not None:
                async with BleakClient(strap, disconnected_callback=lambda _: gone.set()) as client:
                    await show_values(client, gone)
        except Exception as error:
            print(json.dumps({'error': repr(error)}), flush=True)
        await asyncio.sleep(0.5)
asyncio.run(main())
'''

# ServicesResolved is true before the attributes have objects: bleak looks once (hbldh/bleak issue 1806).
DEFECTS_OF_BLEAK = {'services_early'}


class BlueZDays(unittest.TestCase):
    limit = 120
    computes = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'app.py').write_text(APP)

    def test_a_sensible_loop_with_bleak_survives(self):
        done = subprocess.run(
            [LUBDUB, 'run', 'scenarios/bluez', '--client', f'{sys.executable} {self.folder}/app.py', '--system', 'bluez',
             '--jobs', '2', '--speed', 'max', '--quiet', '--report', f'{self.folder}/report.json'],
            capture_output=True, text=True, timeout=600, cwd=ROOT)
        report = json.loads((self.folder / 'report.json').read_text())
        verdicts = {case['id'].split('/')[-1]: case['verdict'] for case in report['cases']}
        self.assertEqual(set(verdicts), {path.stem for path in (ROOT / 'scenarios/bluez').glob('*.json')})
        failed = {name for name, verdict in verdicts.items() if verdict != 'pass'}
        self.assertEqual(failed, DEFECTS_OF_BLEAK, done.stdout)


if __name__ == '__main__':
    unittest.main()
