"""`lubdub check` over bluetoothd, with straps on another adapter: of bluez-peripheral and of lubdub."""

import asyncio
import contextlib
import json
import logging
import signal
import struct

from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags as Flags
from bluez_peripheral.gatt.characteristic import characteristic
from bluez_peripheral.gatt.service import Service, ServiceCollection
from bluez_peripheral.util import Adapter, get_message_bus
from dbus_next import DBusError

from harness import LUBDUB, until
from serving import NAME, ServingTest, call, read

STRAP = 'Another strap'
VERDICTS = {'pass', 'fail', 'skip', 'inconclusive'}


class HeartRate(Service):
    """A heart-rate sensor that follows its specification, unless changed."""

    place, reserved = 1, DBusError('org.bluez.Error.Failed', '0x80')
    energy = 400

    def __init__(self):
        super().__init__('180D', True)

    @characteristic('2A37', Flags.NOTIFY)
    def measurement(self, options):
        raise DBusError('org.bluez.Error.NotPermitted', 'not for reading')

    @characteristic('2A38', Flags.READ)
    def location(self, options):
        return bytes([self.place])

    @characteristic('2A39', Flags.WRITE)
    def control(self, options):
        raise DBusError('org.bluez.Error.NotPermitted', 'not for reading')

    @control.setter
    def control(self, value, options):
        if len(value) != 1:
            raise DBusError('org.bluez.Error.InvalidValueLength', 'one octet')
        if value != b'\1':
            raise self.reserved
        self.energy = 0

    def beat(self, number):
        """A measurement: a heart rate, contact, sometimes the energy, and an interval."""
        self.energy += number % 100 == 0
        energy = struct.pack('<H', self.energy) if number % 10 == 0 else b''
        flags = 0x1E if energy else 0x16
        return bytes([flags, 60 + number % 40]) + energy + struct.pack('<H', 900 + number % 50)


class Battery(Service):
    """A battery with notifications, whose level does not change."""

    def __init__(self):
        super().__init__('180F', True)

    @characteristic('2A19', Flags.READ | Flags.NOTIFY)
    def level(self, options):
        return bytes([87])


class CheckTests(ServingTest):
    limit = 90

    def setUp(self):
        super().setUp()
        # dbus_next logs each intended error.
        logging.disable(logging.ERROR)
        self.addCleanup(logging.disable, logging.NOTSET)

    @contextlib.asynccontextmanager
    async def beating(self, adapter, strap):
        """A strap of bluez-peripheral that notifies several times per second."""
        bus = await get_message_bus()
        path = f'/org/bluez/{adapter}'
        served = Adapter(bus.get_proxy_object('org.bluez', path, await bus.introspect('org.bluez', path)))
        await ServiceCollection([strap, Battery()]).register(bus, adapter=served)
        await Advertisement(STRAP, ['180D', '180F'], 0x0341, 0).register(bus, served)

        async def beat():
            number = 0
            while True:
                strap.measurement.changed(strap.beat(number))
                number += 1
                await asyncio.sleep(0.2)

        beats = asyncio.create_task(beat())
        try:
            yield
        finally:
            beats.cancel()
            bus.disconnect()

    async def check(self, adapter, only, *options):
        """The result of a run: each check with its verdict and the rest of its line, and the whole output."""
        printed = await self.output(
            LUBDUB, 'check', '--radio', f'bluez:{adapter}', '--peer', STRAP, '--only', only, '--verbose',
            *options, limit=60)
        lines = [line.split(maxsplit=2) for line in printed.splitlines()]
        return {line[1]: (line[0], line[2]) for line in lines if line and line[0] in VERDICTS}, printed

    async def around(self, adapter):
        """The settings of an adapter that a central may change, and the devices that bluetoothd knows."""
        path = f'/org/bluez/{adapter}'
        facts = {key: await read(path, 'org.bluez.Adapter1', key) for key in ('Powered', 'Discovering', 'Alias')}
        objects, = await call('/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
        facts['known'] = [other for other, interfaces in objects.items()
                          if other.startswith(f'{path}/') and 'org.bluez.Device1' in interfaces]
        return facts

    async def test_a_strap_of_bluez_peripheral_fails_only_for_its_faults(self):
        strap, report = HeartRate(), self.folder / 'report.json'
        async with self.own_adapters(2) as (own, other), self.beating(own, strap):
            await self.set_power(other, False)
            before = await self.around(other)
            seen, printed = await self.check(other, 'HRS/SEN/C?/BV-01-C', '--report', report)
            self.assertEqual(
                {check: verdict for check, (verdict, _) in seen.items()},
                {'HRS/SEN/CN/BV-01-C': 'skip', 'HRS/SEN/CR/BV-01-C': 'pass', 'HRS/SEN/CW/BV-01-C': 'pass'}, printed)
            self.assertIn('bluetoothd reports no value without a subscription', seen['HRS/SEN/CN/BV-01-C'][1])
            counts = json.loads(report.read_text())['summary']
            self.assertEqual((counts['pass'], counts['fail'], counts['skip']), (2, 0, 1))
            self.assertEqual(await self.around(other), before)

            strap.reserved = DBusError('org.bluez.Error.InvalidValueLength', 'which it is not')
            seen, printed = await self.check(other, 'HRS/SEN/CW/BI-01-C')
            self.assertEqual(seen['HRS/SEN/CW/BI-01-C'][0], 'fail', printed)
            self.assertRegex(printed, r'(?m)^ +observed +invalid_attribute_value_length \(0x0D\)$')
            self.assertIn(f"replay: lubdub check --radio bluez:{other} --peer '{STRAP}' --only", printed)

    async def test_a_lubdub_strap_passes_and_ctrl_c_changes_nothing(self):
        async with self.own_adapters(2) as (own, other), self.served(own) as (_, events):
            before = await self.around(other)
            async with self.running(
                    'check', LUBDUB, 'check', '--radio', f'bluez:{other}', '--peer', NAME, '--only',
                    'HRS/SEN/*') as process:
                messages = self.folder / 'check.messages'
                await until(lambda: 'HRS/SEN/SGGIT/SER/BV-01-C ' in messages.read_text(), 'a pass', process, limit=40)
                process.send_signal(signal.SIGINT)
                self.assertEqual(await process.wait(), 128 + signal.SIGINT)
            said = messages.read_text()
            self.assertRegex(said, r'(?m)^pass +HRS/SEN/SGGIT/SER/BV-01-C ')
            self.assertRegex(said, r'[1-9]\d* pass, 0 fail, 0 inconclusive, \d+ skip, 0 error')
            self.assertEqual(await self.around(other), before)
