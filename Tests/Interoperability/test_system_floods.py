"""Programs that flood the bus of a played bluetoothd: each is told of a limit, and others are served meanwhile."""

import asyncio
import pathlib
import subprocess
import tempfile
import unittest

from dbus_fast import BusType, Message, MessageFlag, Variant
from dbus_fast.aio import MessageBus
from harness import LUBDUB, ROOT

SCENARIO = ROOT / 'scenarios/resting.json'
ADAPTER = '/org/bluez/hci0'
MEMORY = 96  # MiB, at most


def peak(process):
    status = pathlib.Path(f'/proc/{process.pid}/status').read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith('VmHWM:'))) / 1024


class FloodTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.socket = f'{folder.name}/bus'
        self.serve = subprocess.Popen(
            [LUBDUB, 'serve', str(SCENARIO), '--system', f'bluez:unix:{self.socket}', '--quiet'],
            stdout=subprocess.PIPE, text=True, cwd=ROOT)
        self.addCleanup(self.serve.wait, 10)
        self.addCleanup(self.serve.terminate)
        self.addCleanup(self.serve.stdout.close)
        self.assertIn('export', self.serve.stdout.readline())

    def test_each_flood_has_a_limit(self):
        asyncio.run(self.flood())
        self.assertLess(peak(self.serve), MEMORY)

    async def open(self):
        return await MessageBus(bus_address=f'unix:path={self.socket}', bus_type=BusType.SYSTEM).connect()

    async def call(self, bus, path, interface, member, signature='', body=(), to='org.bluez'):
        reply = await bus.call(Message(
            destination=to, path=path, interface=interface, member=member, signature=signature, body=list(body)))
        return reply.error_name or 'ok', reply.body

    async def flood(self):
        program, other = await self.open(), await self.open()
        self.assertEqual((await self.call(program, ADAPTER, 'org.bluez.Adapter1', 'StartDiscovery'))[0], 'ok')
        device = await self.found(program)
        self.assertEqual((await self.call(program, ADAPTER, 'org.bluez.Adapter1', 'StopDiscovery'))[0], 'ok')
        self.assertEqual((await self.call(program, device, 'org.bluez.Device1', 'Connect'))[0], 'ok')
        location = await self.attribute(program, '2a38')
        self.assertEqual(await self.read(other, location), 'ok')

        # Disconnect is answered after 2 s.
        disconnect = Message(
            destination='org.bluez', path=device, interface='org.bluez.Device1', member='Disconnect',
            flags=MessageFlag.NO_REPLY_EXPECTED)
        for number in range(1500):
            await program.send(disconnect)
            if number % 100 == 0:  # dbus-fast fails when the socket is full
                await self.call(program, '/', 'org.freedesktop.DBus.Peer', 'Ping', to='org.freedesktop.DBus')
        self.assertEqual(
            (await self.call(program, device, 'org.bluez.Device1', 'Disconnect'))[0],
            'org.freedesktop.DBus.Error.LimitsExceeded')
        self.assertIn(device, await self.objects(other))
        program.disconnect()

        # A filter replaces the one before; match rules have a limit.
        greedy = await self.open()
        uuids = {'UUIDs': Variant('as', ['180d'] * 100_000)}
        for _ in range(2):
            answer = await self.call(
                greedy, ADAPTER, 'org.bluez.Adapter1', 'SetDiscoveryFilter', 'a{sv}', [uuids])
            self.assertEqual(answer[0], 'ok')
        answers = [await self.call(
            greedy, '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'AddMatch', 's', [f"member='M{number}'"],
            to='org.freedesktop.DBus') for number in range(600)]
        self.assertEqual(answers[-1][0], 'org.freedesktop.DBus.Error.LimitsExceeded')
        self.assertIn(device, await self.objects(other))
        greedy.disconnect()
        other.disconnect()

    async def read(self, bus, path):
        name, body = await self.call(bus, path, 'org.bluez.GattCharacteristic1', 'ReadValue', 'a{sv}', [{}])
        return name if name == 'ok' else f'{name}: {body}'

    async def objects(self, bus):
        return (await self.call(bus, '/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects'))[1][0]

    async def found(self, bus):
        while True:
            for path in await self.objects(bus):
                if '/dev_' in path:
                    return path
            await asyncio.sleep(0.05)

    async def attribute(self, bus, uuid):
        while True:
            for path, interfaces in (await self.objects(bus)).items():
                characteristic = interfaces.get('org.bluez.GattCharacteristic1', {})
                if characteristic and characteristic['UUID'].value.startswith(f'0000{uuid}'):
                    return path
            await asyncio.sleep(0.05)


if __name__ == '__main__':
    unittest.main()
