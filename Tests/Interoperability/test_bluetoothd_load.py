"""The cost of 500 notifications per second in lubdub, on a private bus where a program plays bluetoothd.

    LUBDUB_RELEASE=.build/release/lubdub .venv/bin/python Tests/Interoperability/test_bluetoothd_load.py [SECONDS]

prints it; the test is short, and limits lubdub to a multiple of what dbus-daemon needs to
carry the same notifications on the same machine.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import sys
import tempfile
import time
import unittest

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from harness import RELEASE, ROOT, Interoperability, end, needs_release

ALONE = ['test_500_notifications_per_second_cost_little_more_than_carrying_them']  # it measures times

RATE = 500
# Twice the measured ratio, which does not depend on the speed or load of the machine.
MULTIPLE = 6
ADAPTER = {
    'org.bluez.Adapter1': {
        'Address': Variant('s', '00:AA:01:00:00:00'), 'Alias': Variant('s', 'desk'), 'Powered': Variant('b', True),
        'Pairable': Variant('b', True)},
    'org.bluez.GattManager1': {},
    'org.bluez.LEAdvertisingManager1': {'SupportedInstances': Variant('y', 4)},
}


class FalseBluetoothd:
    """Accepts all calls, and counts the values that it receives."""

    def __init__(self, bus):
        self.bus, self.heard = bus, 0
        self.advertised = asyncio.get_running_loop().create_future()

    async def start(self):
        self.bus.add_message_handler(self.receive)
        await self.bus.request_name('org.bluez')
        await self.call('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'AddMatch', 's',
                        "type='signal',path_namespace='/lubdub',member='PropertiesChanged'")

    def receive(self, message):
        if message.message_type == MessageType.METHOD_CALL:
            if message.member == 'RegisterAdvertisement':
                self.advertised.set_result(message.sender)
            if message.member == 'GetManagedObjects':
                return Message.new_method_return(message, 'a{oa{sa{sv}}}', [{'/org/bluez/hci0': ADAPTER}])
            return Message.new_method_return(message)
        if message.member == 'PropertiesChanged' and message.path.startswith('/lubdub/'):
            self.heard += 1
        return None

    async def call(self, name, path, interface, member, signature='', *body):
        answer = await self.bus.call(Message(
            destination=name, path=path, interface=interface, member=member, signature=signature, body=list(body)))
        if answer.message_type == MessageType.ERROR:
            raise AssertionError(f'{member}: {answer.error_name} {answer.body}')
        return answer.body

    async def subscribe(self, number):
        """Makes the served device notify the value with this assigned number."""
        served = await self.advertised
        objects, = await self.call(served, '/lubdub/device0', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
        path, = (path for path, interfaces in objects.items()
                 if interfaces.get('org.bluez.GattCharacteristic1', {}).get('UUID') == Variant('s', number))
        await self.call(served, path, 'org.bluez.GattCharacteristic1', 'StartNotify')


@contextlib.asynccontextmanager
async def private_bus():
    """The address of a private bus."""
    process = await asyncio.create_subprocess_exec(
        'dbus-daemon', '--session', '--nofork', '--print-address', stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL)
    try:
        yield (await process.stdout.readline()).decode().strip(), process
    finally:
        await end(process)


def processor_time(process):
    """The CPU time of a process in seconds, all threads: the ticks in proc(5)'s stat miss work at 500 Hz."""
    threads = pathlib.Path(f'/proc/{process.pid}/task').glob('*/schedstat')
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


async def measure(seconds):
    """Notifications per second, and the shares of a core that lubdub and dbus-daemon use."""
    scenario = json.loads((ROOT / 'scenarios/resting.json').read_text())
    scenario.pop('$schema')
    scenario['devices'][0]['services'][0].update(period=f'{1000 // RATE} ms')
    async with private_bus() as (address, daemon):
        bluetoothd = FalseBluetoothd(await MessageBus(bus_address=address).connect())
        await bluetoothd.start()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'scenario.json')
            path.write_text(json.dumps(scenario))
            process = await asyncio.create_subprocess_exec(
                (ROOT / RELEASE).resolve(), 'serve', path, '--radio', 'bluez', '--quiet',
                '--events', pathlib.Path(folder, 'events.jsonl'), stdin=asyncio.subprocess.DEVNULL,
                env=os.environ | {'DBUS_SYSTEM_BUS_ADDRESS': address})
            try:
                async with asyncio.timeout(10):
                    await bluetoothd.subscribe('2A37')
                await asyncio.sleep(0.5)
                before = time.monotonic(), bluetoothd.heard, processor_time(process), processor_time(daemon)
                await asyncio.sleep(seconds)
                after = time.monotonic(), bluetoothd.heard, processor_time(process), processor_time(daemon)
            finally:
                await end(process)
        bluetoothd.bus.disconnect()
    wall, heard, own, bus = (later - earlier for earlier, later in zip(before, after))
    return heard / wall, own / wall, bus / wall


@needs_release
class LoadTests(Interoperability):
    async def test_500_notifications_per_second_cost_little_more_than_carrying_them(self):
        rate, own, bus = await measure(3)
        self.assertGreater(rate, RATE / 4)
        self.assertLess(own, MULTIPLE * bus)


if __name__ == '__main__':
    rate, own, bus = asyncio.run(measure(float(sys.argv[1]) if len(sys.argv) > 1 else 10))
    print(f'{rate:.0f} notifications a second: lubdub takes {own:.1%} of a core, dbus-daemon {bus:.1%}')
