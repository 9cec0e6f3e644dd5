"""Shared by the tests of `lubdub serve --radio bluez`: bluetoothd has the radio, and clients use another
adapter."""

import asyncio
import contextlib
import dataclasses
import json
import os
import pty
import sys
from typing import Callable

import bleak
from bleak.backends.bluezdbus.manager import get_global_bluez_manager
from bleak.exc import BleakError
from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from heart import BATTERY_LEVEL, ECG, HEART_RATE, MEASUREMENT, logged
from harness import LUBDUB, ROOT, LinuxTest, end, until

NAME = 'Lubdub HRM'
PROPERTIES = 'org.freedesktop.DBus.Properties'


@dataclasses.dataclass
class Terminal:
    """A program on a pseudo-terminal: its output so far, and a way to type."""

    process: asyncio.subprocess.Process
    said: Callable[[], str]
    type: Callable[[bytes], int]


class ServingTest(LinuxTest):
    limit = 60

    @contextlib.asynccontextmanager
    async def own_adapters(self, count):
        """Lubdub controllers in one air, powered by bluetoothd: btvirt confuses two links of one adapter, and
        reports an advertiser only once per scan."""
        async with self.lubdub('controller') as path, self.bluetoothd(), contextlib.AsyncExitStack() as bridges:
            names = [(await bridges.enter_async_context(self.bridge(path))).name for _ in range(count)]
            await self.powered(*names)
            yield names

    @contextlib.asynccontextmanager
    async def served(self, adapters, scenario='scenarios/resting.json', devices=1, options=()):
        """A scenario's devices, served by bluetoothd: yields the process and the event log's path."""
        events = self.folder / 'events.jsonl'
        async with self.running(
                'lubdub', LUBDUB, 'serve', scenario, '--radio', f'bluez:{adapters}', '--events', events,
                *options) as process:
            await until(lambda: len(self.happened(events, 'advertising')) == devices, 'all advertise', process)
            yield process, events

    @contextlib.asynccontextmanager
    async def served_at_terminal(self, adapter, scenario):
        """A scenario's device, served by bluetoothd on a terminal."""
        events = self.folder / 'events.jsonl'
        master, slave = pty.openpty()
        text, loop = bytearray(), asyncio.get_running_loop()
        loop.add_reader(master, lambda: text.extend(os.read(master, 1024)))
        process = await asyncio.create_subprocess_exec(
            LUBDUB, 'serve', scenario, '--radio', f'bluez:{adapter}', '--events', events,
            cwd=ROOT, preexec_fn=lambda: os.login_tty(slave))
        try:
            await until(lambda: self.happened(events, 'advertising'), 'the strap advertises', process)
            yield Terminal(process, text.decode, lambda keys: os.write(master, keys))
        finally:
            await end(process)
            loop.remove_reader(master)
            os.close(master)
            os.close(slave)
            with open(self.folder / 'terminal.messages', 'ab') as messages:
                messages.write(text)

    def scenario(self, change):
        """The path of a copy of the strap at rest, after `change` was applied to its document."""
        document = json.loads((ROOT / 'scenarios/resting.json').read_text())
        for key in ['$schema', 'expect']:  # these are for the original only
            document.pop(key)
        change(document)
        path = self.folder / 'scenario.json'
        path.write_text(json.dumps(document))
        return path

    def said(self):
        """lubdub's output so far."""
        return (self.folder / 'lubdub.messages').read_text()

    def happened(self, events, *names):
        return [record for record in logged(events) if record['event'] in names]

    async def find(self, adapter, name=NAME):
        """The strap as bleak finds it from this adapter, by service and name."""
        for _ in range(60):  # btvirt reports once per scan, often before the kernel listens
            found = await bleak.BleakScanner.find_device_by_filter(
                lambda _, heard: HEART_RATE in heard.service_uuids and heard.local_name == name, timeout=0.5,
                bluez={'adapter': adapter})
            if found:
                return found
            await self.forget(adapter)
        raise AssertionError(f'no {name} advertised 180D')

    async def forget(self, adapter):
        """Removes the devices that this adapter has found: bleak sees a known device only when it changes."""
        objects, = await call('/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
        for path, interfaces in objects.items():
            device = interfaces.get('org.bluez.Device1')
            # bluetoothd 5.66 crashes when a connected device is removed.
            if path.startswith(f'/org/bluez/{adapter}/') and device and not device['Connected'].value:
                with contextlib.suppress(DBusFailure):
                    await call(f'/org/bluez/{adapter}', 'org.bluez.Adapter1', 'RemoveDevice', 'o', path)

    @contextlib.asynccontextmanager
    async def client(self, adapter, name=NAME):
        """A client that knows the services: one bluetoothd at both ends sometimes needs a second try."""
        for attempt in range(4):
            strap = await self.find(adapter, name)
            client = bleak.BleakClient(strap, bluez={'adapter': adapter})
            try:
                await self.connect(strap.details['path'])
                await client.connect()
                if all(client.services.get_characteristic(value) for value in (MEASUREMENT, BATTERY_LEVEL)):
                    break
                failure = 'services are missing'
            except (BleakError, TimeoutError, DBusFailure) as error:
                failure = repr(error)
            print(f'attempt {attempt + 1}: {failure}', file=sys.stderr)
            with contextlib.suppress(BleakError):
                await client.disconnect()
            await self.disconnect(strap.details['path'])
        else:
            raise AssertionError('no connection with all services')
        try:
            yield client
        finally:
            await client.disconnect()

    async def hear_ecg(self, client, events, seconds):
        """The frames that the patch sends to bleak in this time, and those that bleak receives."""
        heard = []
        await client.start_notify(ECG, lambda _, frame: heard.append(bytes(frame)))
        await asyncio.sleep(seconds)
        await client.stop_notify(ECG)
        await asyncio.sleep(1)  # for those in flight
        sent = [bytes.fromhex(record['octets']) for record in self.happened(events, 'notified')
                if record['of'].startswith('patch/ecg')]
        return sent, heard

    async def connect(self, path):
        """Connects like bleak, but waits until bluetoothd reports the services: with one bluetoothd at both ends,
        its answer may come before it has recorded the connection, and bleak disconnects."""
        await call(path, 'org.bluez.Device1', 'Connect')
        manager = await get_global_bluez_manager()
        async with asyncio.timeout(8):
            while not await read(path, 'org.bluez.Device1', 'ServicesResolved') or not manager.is_connected(path):
                await asyncio.sleep(0.05)

    async def disconnect(self, path):
        """Ends an incomplete connection: bluetoothd takes 2 s for it."""
        with contextlib.suppress(DBusFailure):
            await call(path, 'org.bluez.Device1', 'Disconnect')
            async with asyncio.timeout(8):
                while await read(path, 'org.bluez.Device1', 'Connected'):
                    await asyncio.sleep(0.1)

    async def state(self, adapter):
        """Everything that serving changes in an adapter."""
        path = f'/org/bluez/{adapter}'
        facts = {name: await read(path, 'org.bluez.Adapter1', name) for name in ('Alias', 'Powered', 'Pairable')}
        facts['serves'] = HEART_RATE in await read(path, 'org.bluez.Adapter1', 'UUIDs')
        facts['advertises'] = await read(path, 'org.bluez.LEAdvertisingManager1', 'ActiveInstances')
        return facts

    async def is_as_before(self, adapter, before):
        """Waits until an adapter is in its former state; the kernel removes advertisements late."""
        for _ in range(20):
            after = await self.state(adapter)
            if after == before:
                return
            await asyncio.sleep(0.1)
        self.assertEqual(after, before)

    async def set_power(self, adapter, power):
        await call(
            f'/org/bluez/{adapter}', PROPERTIES, 'Set', 'ssv', 'org.bluez.Adapter1', 'Powered', Variant('b', power))


class DBusFailure(Exception):
    """An error response to a call."""


async def call(*request):
    """Responses of bluetoothd over a new connection, which is not shared between tests.

    It also has a new event loop: an old loop may still know the number of a socket that dbus_fast has closed, and
    then the next socket with that number cannot be read.
    """
    return await asyncio.to_thread(asyncio.run, ask(*request))


async def ask(path, interface, member, signature='', *body):
    """Responses of bluetoothd."""
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    try:
        async with asyncio.timeout(20):
            answer = await bus.call(Message(
                destination='org.bluez', path=path, interface=interface, member=member, signature=signature,
                body=list(body)))
    finally:
        bus.disconnect()
    if answer.message_type == MessageType.ERROR:
        raise DBusFailure(answer.error_name, *answer.body)
    return answer.body


async def read(path, interface, name):
    """A property of a bluetoothd object."""
    return (await call(path, PROPERTIES, 'Get', 'ss', interface, name))[0].value
