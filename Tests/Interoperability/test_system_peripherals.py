"""Programs that publish services with a played bluetoothd, or over a controller, checked by `lubdub check --peripheral`."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import LUBDUB, ROOT

CACHE = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache') / 'lubdub'
# A Python with Debian's packages.
DEBIAN = CACHE / 'programs/bin/python'

# A strap of bless, which answers reads and writes by functions, and is stopped by SIGTERM.
BLESS = '''
import asyncio
from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties
SERVICE, MEASUREMENT, LOCATION = (f'0000{n}-0000-1000-8000-00805f9b34fb' for n in ('180d', '2a37', '2a38'))
async def main():
    server = BlessServer(name='Bless strap')
    server.read_request_func = lambda characteristic, **_: characteristic.value
    readable = GATTAttributePermissions.readable
    await server.add_new_service(SERVICE)
    await server.add_new_characteristic(SERVICE, MEASUREMENT, GATTCharacteristicProperties.notify, None, readable)
    await server.add_new_characteristic(SERVICE, LOCATION, GATTCharacteristicProperties.read, bytearray([1]), readable)
    await server.start()
    while True:
        await asyncio.sleep(0.5)
        server.get_characteristic(MEASUREMENT).value = bytearray([0, 71])
        server.update_value(SERVICE, MEASUREMENT)
asyncio.run(main())
'''

# A strap of bluez-peripheral, whose location is not one.
BLUEZ_PERIPHERAL = '''
import asyncio
from bluez_peripheral.advert import Advertisement
from bluez_peripheral.agent import NoIoAgent
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.service import Service
from bluez_peripheral.util import Adapter, get_message_bus
class HeartRate(Service):
    def __init__(self):
        super().__init__('180D', True)
    @characteristic('2A37', CharacteristicFlags.NOTIFY)
    def measurement(self, options):
        pass
    @characteristic('2A38', CharacteristicFlags.READ)
    def location(self, options):
        return bytes([200])
async def main():
    bus = await get_message_bus()
    service = HeartRate()
    await service.register(bus)
    await NoIoAgent().register(bus)
    await Advertisement('Strap', ['180D'], 0x0340, 0).register(bus, await Adapter.get_first(bus))
    while True:
        await asyncio.sleep(0.5)
        service.measurement.changed(bytes([0, 71]))
asyncio.run(main())
'''

# A strap of bluezero, above GLib and dbus-python.
BLUEZERO = '''
from bluezero import adapter, async_tools, peripheral
def change(characteristic):
    characteristic.set_value([0, 71])
    return characteristic.is_notifying
def notify(notifying, characteristic):
    if notifying:
        async_tools.add_timer_ms(500, change, characteristic)
UUID = '0000{}-0000-1000-8000-00805f9b34fb'.format
strap = peripheral.Peripheral(next(iter(adapter.Adapter.available())).address, local_name='Strap')
strap.add_service(srv_id=1, uuid=UUID('180d'), primary=True)
strap.add_characteristic(
    srv_id=1, chr_id=1, uuid=UUID('2a37'), value=[], notifying=False, flags=['notify'], notify_callback=notify)
strap.add_characteristic(
    srv_id=1, chr_id=2, uuid=UUID('2a38'), value=[1], notifying=False, flags=['read'], read_callback=lambda: [LOCATION])
strap.publish()
'''

# A strap of Bumble, a host of its own, at $LUBDUB_CONTROLLER.
BUMBLE = '''
import asyncio, os, sys
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, Service
from bumble.transport import open_transport
async def main():
    address = os.environ['LUBDUB_CONTROLLER'].removeprefix('tcp:')
    async with await open_transport(f'tcp-client:{address}') as (source, sink):
        device = Device.with_hci('Bumble strap', 'F0:F1:F2:F3:F4:F5', source, sink)
        properties = Characteristic.Properties
        measurement = Characteristic('2A37', properties.NOTIFY, Characteristic.READABLE, bytes([0, 60]))
        location = Characteristic('2A38', properties.READ, Characteristic.READABLE, bytes([1]))
        device.add_service(Service('180D', [measurement, location]))
        device.advertising_data = bytes(AdvertisingData([
            (AdvertisingData.FLAGS, bytes([6])), (AdvertisingData.COMPLETE_LOCAL_NAME, b'Bumble strap')]))
        await device.power_on()
        await device.start_advertising(auto_restart=True)
        print('it advertises', file=sys.stderr, flush=True)
        while True:
            await asyncio.sleep(0.5)
            await device.notify_subscribers(measurement, bytes([0, 61]))
asyncio.run(main())
'''


class PeripheralProgramTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, command, *arguments):
        return subprocess.run(
            [LUBDUB, 'check', *arguments, '--peripheral', command, '--report', f'{self.folder}/report.json'],
            capture_output=True, text=True, timeout=120, cwd=ROOT)

    def check_program(self, text, *arguments, python=sys.executable):
        (self.folder / 'strap.py').write_text(text)
        return self.check(f'{python} {self.folder}/strap.py', *arguments)

    def report(self):
        return json.loads((self.folder / 'report.json').read_text())

    def only(self, *checks):
        return [word for check in checks for word in ('--only', check)]

    def test_bless(self):
        ended = self.check_program(
            BLESS, '--system', 'bluez', *self.only('HRS/SEN/CR/BV-01-C', 'HRS/SEN/CON/BV-01-C', 'advertising/name_fits'))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        for check in 'HRS/SEN/CR/BV-01-C', 'HRS/SEN/CON/BV-01-C':
            self.assertIn(f'pass  {check}', ended.stdout)
        # bless names the adapter, and so the device, after its server.
        self.assertIn('pass  advertising/name_fits', ended.stdout)

    def test_a_fault_of_a_program_of_bluez_peripheral_is_found(self):
        ended = self.check_program(
            BLUEZ_PERIPHERAL, '--system', 'bluez', *self.only('HRS/SEN/CR/BV-01-C', 'HRS/SEN/CON/BV-01-C'))
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertIn('pass  HRS/SEN/CON/BV-01-C', ended.stdout)
        self.assertIn('fail  HRS/SEN/CR/BV-01-C', ended.stdout)
        self.assertIn('lubdub check --system bluez --peripheral', ended.stdout)

    @unittest.skipUnless(DEBIAN.exists(), 'a Python with bluezero is not installed; Tools/setup programs installs it')
    def test_bluezero(self):
        checks = self.only('HRS/SEN/CR/BV-01-C', 'HRS/SEN/CON/BV-01-C')
        for location, status, verdict in (1, 0, 'pass'), (200, 1, 'fail'):
            text = BLUEZERO.replace('LOCATION', str(location))
            ended = self.check_program(text, '--system', 'bluez', *checks, python=DEBIAN)
            self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
            self.assertIn('pass  HRS/SEN/CON/BV-01-C', ended.stdout)
            self.assertIn(f'{verdict}  HRS/SEN/CR/BV-01-C', ended.stdout)

    def test_a_program_with_a_host_of_its_own(self):
        ended = self.check_program(BUMBLE, *self.only('HRS/SEN/CR/BV-01-C', 'advertising/name_fits', 'GATT/SR/UNS/BI-01-C'))
        # Bumble does not answer an unknown opcode.
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertIn('pass  advertising/name_fits', ended.stdout)
        self.assertIn('lubdub check --peripheral', ended.stdout)
        case = next(case for case in self.report()['cases'] if case['id'] == 'GATT/SR/UNS/BI-01-C')
        self.assertIn('it advertises', json.dumps(case))

    def test_a_program_that_ends_before_it_advertises(self):
        for arguments in [], ['--system', 'bluez']:
            ended = self.check('echo no such strap >&2; exit 7', *arguments)
            self.assertEqual(ended.returncode, 3, ended.stdout + ended.stderr)
            self.assertIn('exited with status 7: no such strap', ended.stderr)

    def test_all_that_the_program_has_started_ends_with_the_check(self):
        mark = self.folder / 'alive'
        self.check_program(f'''
import subprocess
subprocess.Popen(['sh', '-c', 'trap "" TERM; while sleep 0.1; do date > {mark}; done'], start_new_session=True)
''' + BUMBLE, *self.only('advertising/name_fits'))
        self.assertTrue(mark.exists())
        mark.unlink()
        self.assertRaises(subprocess.TimeoutExpired, subprocess.run, ['sh', '-c', f'until [ -e {mark} ]; do sleep 0.1; done'], timeout=1)


if __name__ == '__main__':
    unittest.main()
