"""What the tests of `lubdub serve --radio bluez` have in common: bluetoothd has the radio, and clients on another
adapter hear the strap."""

import asyncio
import contextlib
import json
import struct

import bleak
from bleak.exc import BleakError

from harness import LUBDUB, ROOT, LinuxTest, until

HEART_RATE, MEASUREMENT, LOCATION, CONTROL_POINT, BATTERY_LEVEL, MANUFACTURER = (
    f'0000{number}-0000-1000-8000-00805f9b34fb' for number in ('180d', '2a37', '2a38', '2a39', '2a19', '2a29'))
NAME = 'Lubdub HRM'


def bpm(measurement):
    """The heart rate of a Heart Rate Measurement: Heart Rate Service 1.0, section 3.1."""
    return struct.unpack_from('<H' if measurement[0] & 1 else '<B', measurement, 1)[0]


class ServingTest(LinuxTest):
    limit = 60

    @contextlib.asynccontextmanager
    async def served(self, adapters, scenario='scenarios/resting.json', devices=1):
        """A scenario's devices, served by bluetoothd: gives the process and the event log's path."""
        events = self.folder / 'events.jsonl'
        async with self.running(
                'lubdub', LUBDUB, 'serve', scenario, '--radio', f'bluez:{adapters}', '--events', events) as process:
            await until(lambda: len(self.happened(events, 'advertising')) == devices, 'all advertise', process)
            yield process, events

    def scenario(self, change):
        """The path of a scenario like the strap at rest, but for what `change` does to its document."""
        document = json.loads((ROOT / 'scenarios/resting.json').read_text())
        document.pop('$schema')
        change(document)
        path = self.folder / 'scenario.json'
        path.write_text(json.dumps(document))
        return path

    def said(self):
        """What lubdub said so far."""
        return (self.folder / 'lubdub.messages').read_text()

    @staticmethod
    def logged(events):
        """The finished lines of an event log that is being written."""
        if not events.exists():
            return []
        return [json.loads(line) for line in events.read_text().splitlines(keepends=True) if line.endswith('\n')]

    def happened(self, events, *names):
        return [record for record in self.logged(events) if record['event'] in names]

    async def find(self, adapter, name=NAME):
        """A strap as bleak finds it from this adapter, by its service and name."""
        for _ in range(10):  # btvirt reports once when a scan begins, perhaps before the kernel listens
            found = await bleak.BleakScanner.find_device_by_filter(
                lambda _, heard: HEART_RATE in heard.service_uuids and heard.local_name == name, timeout=2,
                bluez={'adapter': adapter})
            if found:
                return found
        raise AssertionError(f'no {name} with 180D was heard')

    @contextlib.asynccontextmanager
    async def client(self, adapter, name=NAME):
        """A client that knows the services: one bluetoothd at both ends needs a second try now and then."""
        for attempt in range(3):
            client = bleak.BleakClient(await self.find(adapter, name), bluez={'adapter': adapter})
            try:
                await client.connect()
                if client.services.get_characteristic(MEASUREMENT) and client.services.get_characteristic(BATTERY_LEVEL):
                    break
            except (BleakError, TimeoutError) as failure:
                print(f'attempt {attempt + 1}: {failure!r}')
            with contextlib.suppress(BleakError):
                await client.disconnect()
        else:
            raise AssertionError('no connection with all services')
        try:
            yield client
        finally:
            await client.disconnect()

    async def hear(self, client, count):
        heard, enough = [], asyncio.Event()

        def notified(_, value):
            heard.append(bpm(value))
            if len(heard) == count:
                enough.set()

        await client.start_notify(MEASUREMENT, notified)
        async with asyncio.timeout(15):
            await enough.wait()
        await client.stop_notify(MEASUREMENT)
        return heard

    async def property(self, adapter, name, interface='org.bluez.Adapter1'):
        """A property of an adapter, as dbus-send prints it."""
        printed = await self.output(
            'dbus-send', '--system', '--print-reply=literal', '--dest=org.bluez', f'/org/bluez/{adapter}',
            'org.freedesktop.DBus.Properties.Get', f'string:{interface}', f'string:{name}')
        return printed.split(None, 1)[1].strip()

    async def set_power(self, adapter, power):
        await self.output(
            'dbus-send', '--system', '--print-reply', '--dest=org.bluez', f'/org/bluez/{adapter}',
            'org.freedesktop.DBus.Properties.Set', 'string:org.bluez.Adapter1', 'string:Powered',
            f'variant:boolean:{power}')

    async def state(self, adapter):
        """All of an adapter that serving changes."""
        facts = {name: await self.property(adapter, name) for name in ('Alias', 'Powered', 'Pairable')}
        facts['serves'] = HEART_RATE in await self.property(adapter, 'UUIDs')
        facts['advertises'] = await self.property(adapter, 'ActiveInstances', 'org.bluez.LEAdvertisingManager1')
        return facts
