"""Values that devices only advertise, as bleak and Bumble hear them: unmodified, on a played bluetoothd and on a controller."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import LUBDUB, ROOT

# Shows the heart rate in Polar's manufacturer data, and battery and temperature in BTHome's service data.
SHOWS = '''
import asyncio, json, os, sys
shown = {}
def show(address, manufacturer, service):
    line = {}
    data = manufacturer.get(107)
    if data and not data[0] & 0x40:
        line = {'heart_rate': data[-1] or None, 'contact': bool(data[0] & 2)}
    if service and service[0] == 0x40:
        line = {'battery': service[3 - 1], 'temperature': int.from_bytes(service[4:6], 'little', signed=True) / 100}
    if line and shown.get(address) != line:
        shown[address] = line
        print(json.dumps({'advertised': line}), flush=True)
'''

BLEAK = SHOWS + '''
from bleak import BleakScanner
BTHOME = '0000fcd2-0000-1000-8000-00805f9b34fb'
async def main():
    def detected(device, data):
        show(device.address, data.manufacturer_data, data.service_data.get(BTHOME))
    async with BleakScanner(detected):
        await asyncio.Event().wait()
asyncio.run(main())
'''

BUMBLE = SHOWS + '''
from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.hci import Address
from bumble.transport import open_transport
async def main():
    transport = await open_transport('tcp-client:' + os.environ['LUBDUB_CONTROLLER'].removeprefix('tcp:'))
    device = Device.with_hci('Phone', Address('F0:F1:F2:F3:F4:F5'), transport.source, transport.sink)
    def detected(advertisement):
        manufacturer = advertisement.data.get(AdvertisingData.MANUFACTURER_SPECIFIC_DATA)
        service = advertisement.data.get(AdvertisingData.SERVICE_DATA_16_BIT_UUID)
        is_bthome = service is not None and service[0] == UUID.from_16_bits(0xFCD2)
        show(str(advertisement.address), dict([manufacturer]) if manufacturer else {}, service[1] if is_bthome else None)
    device.on('advertisement', detected)
    await device.power_on()
    await device.start_scanning(filter_duplicates='once' in sys.argv)
    await asyncio.Event().wait()
asyncio.run(main())
'''


class AdvertisedValueTests(unittest.TestCase):
    def play(self, app, scenario, *options, words=''):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'app.py')
            path.write_text(app)
            events = pathlib.Path(folder, 'events.jsonl')
            done = subprocess.run(
                [LUBDUB, 'run', f'scenarios/advertising/{scenario}.json', '--client', f'exec {sys.executable} {path} {words}',
                 '--speed', 'max', '--events', str(events), *options], capture_output=True, text=True, timeout=200, cwd=ROOT)
            lines = [json.loads(line) for line in events.read_text().splitlines()]
            said = [line['line']['advertised'] for line in lines if line['event'] == 'said' and 'advertised' in line['line']]
            return done, said

    RATES = [61, 96, 143, 187, None]

    def test_bleak_hears_each_heart_rate_and_temperature(self):
        done, said = self.play(BLEAK, 'heart_rate', '--system', 'bluez')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([line['heart_rate'] for line in said], self.RATES)
        done, said = self.play(BLEAK, 'thermometer', '--system', 'bluez')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([line['temperature'] for line in said], [21.07, 0.5, -4.25])
        self.assertEqual({line['battery'] for line in said}, {87})

    def test_bumble_hears_each_heart_rate_and_temperature(self):
        done, said = self.play(BUMBLE, 'heart_rate')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([line['heart_rate'] for line in said], self.RATES)
        done, said = self.play(BUMBLE, 'thermometer')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([line['temperature'] for line in said], [21.07, 0.5, -4.25])

    def test_a_controller_that_filters_duplicates_reports_the_first_value_only(self):
        done, said = self.play(BUMBLE, 'heart_rate', words='once')
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual([line['heart_rate'] for line in said], [61])

    def check(self, fields):
        """Serves a strap whose heart rate rises soon through a bluetoothd, which is played, and checks it."""
        strap = {
            'lubdub': 1, 'name': 'Broadcast', 'limit': '600 s', 'devices': [{
                'id': 'strap', 'name': 'Strap',
                'advertise': {'services': ['180D'], 'manufacturer_data': [{'company': 107, 'fields': [
                    {'format': 'octets', 'value': '22 08'}, fields, fields]}]},
                'services': [{'service': 'heart_rate', 'value': {'curve': 'list', 'values': [60, 150], 'period': '1 s'}}]}]}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'strap.json')
            path.write_text(json.dumps(strap))
            return subprocess.run(
                [LUBDUB, 'check', '--peripheral', f'exec {LUBDUB} serve {path} --radio bluez --quiet', '--system', 'bluez',
                 '--peer', 'Strap', '--strict', '--only', 'advertising/heart_rate_agrees'],
                capture_output=True, text=True, timeout=200, cwd=ROOT)

    def test_bluetoothd_takes_changed_data_of_an_advertisement(self):
        done = self.check({'of': 'heart_rate'})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('pass  advertising/heart_rate_agrees', done.stdout)
        done = self.check({'value': 60})
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn('60 bpm, contact', done.stdout)


if __name__ == '__main__':
    unittest.main()
