"""`lubdub scan` and `lubdub monitor` over bluetoothd, with peripherals on another adapter."""

import asyncio
import contextlib
import json
import signal

from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.service import Service
from bluez_peripheral.util import Adapter, get_message_bus
from dbus_next import DBusError

from harness import LUBDUB, end
from serving import NAME, ServingTest, call, read


class HeartRate(Service):
    """A strap of bluez-peripheral over bluetoothd."""

    def __init__(self):
        super().__init__('180D', True)

    @characteristic('2A37', CharacteristicFlags.NOTIFY)
    def measurement(self, options):
        raise DBusError('org.bluez.Error.NotPermitted', 'not for reading')

    @characteristic('2A38', CharacteristicFlags.READ)
    def location(self, options):
        raise DBusError('org.bluez.Error.NotAuthorized', 'not for everybody')


class CentralTests(ServingTest):
    limit = 90

    @contextlib.asynccontextmanager
    async def monitoring(self, adapter, *options):
        """The built-in client on an adapter: yields the process and a reader of its JSON lines."""
        lines = []
        with open(self.folder / 'monitor.messages', 'ab', buffering=0) as messages:
            process = await asyncio.create_subprocess_exec(
                LUBDUB, 'monitor', '--radio', f'bluez:{adapter}', '--json', *options, stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE, stderr=messages)

            async def until_said(key, count):
                """All lines, once `count` of them have this key."""
                async with asyncio.timeout(30):
                    while sum(key in line for line in lines) < count:
                        line = await process.stdout.readline()
                        self.assertNotEqual(line, b'', f'the client ended after {lines}')
                        messages.write(line)
                        lines.append(json.loads(line))
                return lines

            try:
                yield process, until_said
            finally:
                await end(process)

    async def adapter(self, name):
        """The settings that a central changes of an adapter, and its connections."""
        path = f'/org/bluez/{name}'
        facts = {key: await read(path, 'org.bluez.Adapter1', key) for key in ('Powered', 'Discovering', 'Alias')}
        objects, = await call('/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
        facts['connected'] = [
            other for other, interfaces in objects.items()
            if other.startswith(f'{path}/') and 'org.bluez.Device1' in interfaces
            and interfaces['org.bluez.Device1']['Connected'].value]
        return facts

    async def test_scan_and_monitor_find_the_strap_that_serve_has_on_another_adapter(self):
        async with self.own_adapters(2) as (own, other):
            await self.set_power(other, False)
            before = await self.adapter(other)
            async with self.served(own) as (_, events):
                # A scanner that changes its channel during an advertising event misses it, and there is
                # one per 1.28 s.
                found = await self.output(LUBDUB, 'scan', '--radio', f'bluez:{other}', '--for', '8s')
                self.assertRegex(found, rf'(?m)^{NAME} +[0-9A-F:]+/public +180D +-\d+ dBm$')
                self.assertEqual(await self.adapter(other), before)
                async with self.monitoring(other) as (client, until_said):
                    lines = await until_said('heart_rate', 4)
                    rates = [line['heart_rate']['bpm'] for line in lines if 'heart_rate' in line]
                    notified = [record['value']['bpm'] for record in self.happened(events, 'notified')
                                if 'bpm' in record['value']]
                    self.assertIn(rates, [notified[start:start + 4] for start in range(len(notified))])
                    self.assertIn('chest', [line.get('location') for line in lines])
                    # Once each: a read is not a notification of the battery.
                    self.assertEqual([line['battery'] for line in lines if 'battery' in line], [87])
                    # The strap disconnects; the client reconnects.
                    peer, = (await self.adapter(own))['connected']
                    await call(peer, 'org.bluez.Device1', 'Disconnect')
                    lines = await until_said('state', 9)
                    lines = await until_said('heart_rate', sum('heart_rate' in line for line in lines) + 1)
                    states = [line['state'] for line in lines if 'state' in line]
                    self.assertEqual(
                        states[3:], ['subscribed', 'disconnected', 'scanning', 'connecting', 'connected', 'subscribed'])
                    client.send_signal(signal.SIGINT)
                    self.assertEqual(await client.wait(), 130)
            self.assertEqual(await self.adapter(other), before)

    @contextlib.asynccontextmanager
    async def beating(self, adapter):
        """A strap of bluez-peripheral that notifies ten times per second: yields its notified values."""
        bus = await get_message_bus()
        path = f'/org/bluez/{adapter}'
        served = Adapter(bus.get_proxy_object('org.bluez', path, await bus.introspect('org.bluez', path)))
        strap, notified = HeartRate(), []
        await strap.register(bus, adapter=served)
        await Advertisement('Another strap', ['180D'], 0x0341, 0).register(bus, served)

        async def beat():
            while True:
                notified.append(40 + len(notified) % 200)
                strap.measurement.changed(bytes([0, notified[-1]]))
                await asyncio.sleep(0.1)

        beats = asyncio.create_task(beat())
        try:
            yield notified
        finally:
            beats.cancel()
            bus.disconnect()

    async def test_monitor_with_a_strap_of_bluez_peripheral_and_its_errors(self):
        async with self.own_adapters(2) as (own, other), self.beating(own) as notified:
            async with self.monitoring(other, '--peer', 'Another strap') as (_, until_said):
                lines = await until_said('heart_rate', 20)
                rates = [line['heart_rate']['bpm'] for line in lines if 'heart_rate' in line]
                self.assertIn(rates, [notified[start:start + 20] for start in range(len(notified))])
                refused = [line['error'] for line in lines if line.get('error', '').startswith('reading')]
                self.assertEqual(len(refused), 1)
                self.assertRegex(
                    refused[0], r'^reading Body Sensor Location failed: insufficient_authorization \(0x08\) for handle \d+$')
