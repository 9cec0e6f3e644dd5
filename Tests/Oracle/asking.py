"""Puts questions to `org.bluez` at DBUS_SYSTEM_BUS_ADDRESS, and writes the answers as lines that can be compared.

A block of lines is a question (`A> ~ Adapter1.StartDiscovery()`: by program A, to the adapter), or an event in the air
(`* link_loss strap`). It has the reply (`= ...`), with the signals that preceded it above and those that followed below.
Signals are ordered for each object, not between objects: the real daemon's order of objects varies. `~` is the
adapter's path, and `~/01` the device whose address ends so. There are no times, unique names or counts of equal signals in
a row, unless a question asks for these.
"""

import asyncio
import json
import re

from dbus_fast import BusType, Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

PROPERTIES = 'org.freedesktop.DBus.Properties'
OBJECTS = 'org.freedesktop.DBus.ObjectManager'
ADAPTER = '/org/bluez/hci0'
# How long a question waits for what must follow it.
LIMIT = 30
# The properties of a device, in the order of device_properties in src/device.c.
DEVICE = (
    'Address', 'AddressType', 'Name', 'Alias', 'Class', 'Appearance', 'Icon', 'Paired', 'Bonded', 'Trusted', 'Blocked',
    'LegacyPairing', 'RSSI', 'Connected', 'UUIDs', 'Modalias', 'Adapter', 'ManufacturerData', 'ServiceData', 'TxPower',
    'ServicesResolved')
ADVERTISED = (
    'Name', 'Alias', 'Appearance', 'Icon', 'RSSI', 'UUIDs', 'ManufacturerData', 'ServiceData', 'TxPower')


def short(text):
    """A path or a name of an interface, shortened."""
    text = re.sub(r'dev_(?:[0-9A-F]{2}_){5}([0-9A-F]{2})', r'\1', text.replace(ADAPTER, '~'))
    return text.replace('org.freedesktop.DBus.', 'DBus.').replace('org.bluez.', '')


def written(value):
    """A value of D-Bus as text, without its type."""
    match value:
        case Variant(): return written(value.value)
        case bytes(): return f'<{value.hex()}>'
        case bool(): return 'true' if value else 'false'
        case str(): return f"'{short(value)}'"
        case dict(): return '{' + ', '.join(f'{short(str(key))}: {written(it)}' for key, it in value.items()) + '}'
        case list() | tuple(): return '[' + ', '.join(map(written, value)) + ']'
        case None: return 'none'
    return str(value)


def typed(value):
    """A value of D-Bus as text, with the types of variants."""
    if isinstance(value, Variant):
        return f'{value.signature}:{written(value)}'
    if isinstance(value, dict):
        return '{' + ', '.join(f'{short(str(key))}: {typed(it)}' for key, it in value.items()) + '}'
    return written(value)


class Signal:
    """A signal of org.bluez: the object that it concerns, and a line."""

    def __init__(self, message):
        self.member, self.body = message.member, message.body
        self.path = message.path if message.interface == PROPERTIES else (message.body or [message.path])[0]
        match self.member:
            case 'PropertiesChanged':
                interface, changed, gone = self.body
                self.line = f'{short(interface)} {written(changed)}' + (f' without {written(gone)}' if gone else '')
            case 'InterfacesAdded': self.line = f'+ {typed(self.body[1])}'
            case 'InterfacesRemoved': self.line = f'- {written(self.body[1])}'
            case _: self.line = f'{message.interface}.{self.member} {written(self.body)}'

    @property
    def is_advertised(self):
        """Whether it says what a device advertises."""
        return self.member == 'PropertiesChanged' and not self.body[2] and set(self.body[1]) <= set(ADVERTISED)

    def complete(self, properties):
        """Adds properties to those of a new device, in the order of the real daemon's table."""
        device = self.body[1]['org.bluez.Device1']
        device |= properties
        ordered = {name: device.pop(name) for name in DEVICE if name in device}
        device |= ordered
        self.line = f'+ {typed(self.body[1])}'

    @property
    def is_heard_again(self):
        """Whether it only says what a known device advertises: that can come at any time in a scan."""
        return (self.member == 'PropertiesChanged' and not self.body[2]
                and set(self.body[1]) <= {'RSSI', 'TxPower', 'ManufacturerData', 'ServiceData'})


class Agent(ServiceInterface):
    """An agent whose user enters a passkey, or refuses."""

    def __init__(self, passkey, asked):
        super().__init__('org.bluez.Agent1')
        self.passkey, self.asked = passkey, asked

    @method()
    def RequestPasskey(self, device: 'o') -> 'u':  # noqa: F821
        self.asked(f'RequestPasskey({written(device)})')
        if self.passkey is None:
            from dbus_fast import DBusError
            raise DBusError('org.bluez.Error.Rejected', 'not now')
        return self.passkey

    @method()
    def DisplayPasskey(self, device: 'o', passkey: 'u', entered: 'q'):  # noqa: F821
        self.asked(f'DisplayPasskey({written(device)})')

    @method()
    def RequestConfirmation(self, device: 'o', passkey: 'u'):  # noqa: F821
        self.asked(f'RequestConfirmation({written(device)})')

    @method()
    def RequestAuthorization(self, device: 'o'):  # noqa: F821
        self.asked(f'RequestAuthorization({written(device)})')

    @method()
    def AuthorizeService(self, device: 'o', uuid: 's'):  # noqa: F821
        self.asked(f'AuthorizeService({written(device)}, {uuid})')

    @method()
    def Cancel(self):
        self.asked('Cancel()')

    @method()
    def Release(self):
        self.asked('Release()')


class Program:
    """A connection to the bus, with a letter as its name."""

    def __init__(self, letter, bus, offset):
        self.letter, self.bus, self.offset = letter, bus, offset
        self.signals, self.arrived = [], asyncio.Event()
        # How many signals preceded each reply, by the number of its call.
        self.replied = {}
        bus.add_message_handler(self.receive)

    def receive(self, message):
        if message.reply_serial:
            self.replied[message.reply_serial] = self.count
        elif message.message_type is MessageType.SIGNAL and message.member != 'NameAcquired' and (
                message.interface in (PROPERTIES, OBJECTS) or (message.interface or '').startswith('org.bluez')):
            self.signals.append(Signal(message))
            self.arrived.set()

    @property
    def count(self):
        """The number of signals since the first program came."""
        return self.offset + len(self.signals)

    async def call(self, path, interface, member, signature='', *body):
        """Calls a method; returns the reply, and how many signals preceded it."""
        message = Message(
            destination='org.bluez', path=path, interface=interface, member=member, signature=signature, body=list(body),
            serial=self.bus.next_serial())
        reply = await self.bus.call(message)
        return reply, self.replied.pop(message.serial)


class Oracle:
    """The questions of one chapter, and their answers."""

    def __init__(self, control, keeps):
        # Whether attributes are kept when a link ends.
        self.keeps = keeps
        self.control, self.lines, self.programs, self.cursor = control, [], {}, 0
        self.count = 0

    # Programs

    async def come(self, letter):
        """A program connects to the bus; while it comes, nothing else may happen."""
        bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        await bus.call(Message(
            destination='org.freedesktop.DBus', path='/org/freedesktop/DBus', interface='org.freedesktop.DBus',
            member='AddMatch', signature='s', body=["type='signal',sender='org.bluez'"]))
        other = next(iter(self.programs.values()), None)
        if other:
            await self.settle(other)
        self.programs[letter] = program = Program(letter, bus, other.count if other else 0)
        await self.settle(program)
        return program

    def go(self, letter):
        """A program leaves the bus."""
        self.programs.pop(letter).bus.disconnect()

    async def agent(self, letter, passkey=123456):
        """A program exports an agent at /agent; its questions are written where they come."""
        def asked(text):
            self.lines.append(f'    agent {letter}: {text}')

        self.programs[letter].bus.export('/agent', Agent(passkey, asked))

    # Questions

    async def ask(self, letter, path, member, signature='', *body, until=(), unless=None, within=LIMIT):
        """Calls `member`, whose interface precedes a point, and waits until each of `until` has come."""
        task = self.begin(letter, path, member, signature, *body)
        return await self.end(task, until, within)

    def begin(self, letter, path, member, signature='', *body):
        """Calls a method, without waiting for its reply."""
        interface, _, name = member.rpartition('.')
        program = self.programs[letter]
        self.count += 1
        title = f'{letter}> {short(path)} {short(interface)}.{name}({", ".join(map(typed, body))})'
        start = self.cursor

        async def perform():
            await self.settle(program)
            return await program.call(path, interface or None, name, signature, *body)

        return title, start, program, asyncio.create_task(perform())

    async def end(self, begun, until=(), within=LIMIT):
        """Waits for a reply, and what must follow; writes the block."""
        title, start, program, task = begun
        try:
            reply, at = await asyncio.wait_for(task, within)
            answer = self.answer(reply)
        except TimeoutError:
            reply, at, answer = None, program.count, 'no reply'
        missing = await self.wait(program, start, until, within)
        await self.settle(program)
        signals = program.signals[start - program.offset:]
        before = at - max(start, program.offset)
        self.write(title, self.ordered(signals[:before]) + [f'  = {answer}'] + self.ordered(signals[before:]) + missing)
        self.cursor = program.count
        return reply

    async def happens(self, title, *, until=(), within=LIMIT, act=None, during=0):
        """Something happens that is not a question: `act` does it."""
        program = next(iter(self.programs.values()))
        start = self.cursor
        if act:
            await act()
        missing = await self.wait(program, start, until, within)
        if during:
            await asyncio.sleep(during)
        await self.settle(program)
        self.write(f'* {title}', self.ordered(program.signals[start - program.offset:]) + missing)
        self.cursor = program.count

    async def air(self, do, of='', *, until=(), within=LIMIT, during=0, **keys):
        """An action of the scenario's language."""
        line = {'do': do} | ({'of': of} if of else {}) | {key.rstrip('_'): it for key, it in keys.items()}
        words = ' '.join(f'{key}={it}' for key, it in keys.items())
        await self.happens(' '.join(filter(None, (do, of, words))), until=until, within=within, during=during,
                           act=lambda: self.send(line))

    async def send(self, line):
        """Sends a line to lubdub's control socket."""
        reader, writer = await asyncio.open_unix_connection(self.control)
        writer.write(json.dumps(line).encode() + b'\n')
        reply = json.loads(await reader.readline())
        writer.close()
        if 'error' in reply:
            raise RuntimeError(f'{line}: {reply}')

    def title(self, text):
        self.lines += ['', f'## {text}']

    # Signals

    async def wait(self, program, start, until, within):
        """Waits for signals since `start`; returns lines about those that did not come."""
        first = max(start - program.offset, 0)
        missing = [it for it in ([until] if callable(until) else until)]
        end = asyncio.get_running_loop().time() + within
        while True:
            program.arrived.clear()
            missing = [it for it in missing if not any(it(signal) for signal in program.signals[first:])]
            left = end - asyncio.get_running_loop().time()
            if not missing or left <= 0:
                return [f'  not seen: {it.__doc__}' for it in missing]
            try:
                await asyncio.wait_for(program.arrived.wait(), left)
            except TimeoutError:
                pass

    async def settle(self, program):
        """Waits until what waits in the daemon was announced: it announces before it replies."""
        for _ in range(2):
            await program.call(ADAPTER, PROPERTIES, 'Get', 'ss', 'org.bluez.Adapter1', 'Address')

    @staticmethod
    def ordered(signals):
        """Lines, by object; equal ones in a row are one, and what a device advertises again is left out."""
        signals = [signal for signal in Oracle.merged(signals) if not signal.is_heard_again]
        paths = sorted({signal.path for signal in signals})
        lines = []
        for path in paths:
            for line in (signal.line for signal in signals if signal.path == path):
                text = f'    {short(path)}: {line}'
                if not lines or lines[-1] != text:
                    lines.append(text)
        return lines

    @staticmethod
    def merged(signals):
        """The signals; what a new device's scan response adds, if it came later, is in the first signal of the device."""
        result, new = [], {}
        for signal in signals:
            if signal.member == 'InterfacesAdded' and 'org.bluez.Device1' in signal.body[1]:
                new[signal.path] = signal
            elif signal.path in new and signal.is_advertised:
                new[signal.path].complete(signal.body[1])
                continue
            result.append(signal)
        return result

    def answer(self, reply):
        if reply.message_type is MessageType.ERROR:
            text = reply.body[0] if reply.body else ''
            return f'{short(reply.error_name)} {written(str(text))}'.replace('\n', '\\n')
        if reply.body and isinstance(reply.body[0], str) and reply.body[0].startswith('<!DOCTYPE'):
            return introspected(reply.body[0])
        if reply.body and isinstance(reply.body[0], dict):
            return '\n    '.join(['', *(f'{short(str(key))}: {typed(it)}' for key, it in reply.body[0].items())]).rstrip() or '{}'
        return ', '.join(typed(it) for it in reply.body) or 'done'

    def write(self, title, lines):
        self.lines += [title, *lines]


def introspected(xml):
    """The description of an object: a line for each interface, and the children."""
    import xml.etree.ElementTree as tree
    root = tree.fromstring(re.sub('<!DOCTYPE[^>]*>', '', xml))
    lines = []
    for interface in root.findall('interface'):
        members = []
        for member in interface:
            arguments = ', '.join(f"{it.get('name')} {it.get('type')}" + (' out' if it.get('direction') == 'out' else '')
                                  for it in member.findall('arg'))
            details = f"{member.get('type')} {member.get('access')}" if member.tag == 'property' else f'({arguments})'
            notes = ''.join(f" {short(it.get('name'))}" for it in member.findall('annotation'))
            members.append(f"{member.tag} {member.get('name')} {details}{notes}")
        lines += [short(interface.get('name')), *(f'  {it}' for it in members)]
    lines += [f"node {short(it.get('name'))}" for it in root.findall('node')]
    return '\n    '.join(['', *lines])


def changed(name, value, end=''):
    """A signal that a property has a value."""
    def holds(signal):
        return (signal.member == 'PropertiesChanged' and signal.path.endswith(end) and name in signal.body[1]
                and signal.body[1][name].value == value)
    holds.__doc__ = f'{name} {written(value)} {end}'
    return holds


def gone(name, end=''):
    """A signal that an object has no property of this name any more."""
    def holds(signal):
        return signal.member == 'PropertiesChanged' and signal.path.endswith(end) and name in signal.body[2]
    holds.__doc__ = f'no {name} {end}'
    return holds


def added(end, interface=''):
    def holds(signal):
        return (signal.member == 'InterfacesAdded' and signal.path.endswith(end)
                and any(it.endswith(interface) for it in signal.body[1]))
    holds.__doc__ = f'+ {interface} {end}'
    return holds


def named(end):
    """A signal that shows that a device's scan response was received."""
    last = {'01': 'ManufacturerData', '02': 'ServiceData', '08': 'ManufacturerData', '09': 'ManufacturerData'}.get(end[-2:], 'Name')

    def holds(signal):
        if signal.member == 'InterfacesAdded':
            return signal.path.endswith(end) and last in signal.body[1].get('org.bluez.Device1', {})
        return signal.member == 'PropertiesChanged' and signal.path.endswith(end) and last in signal.body[1]
    holds.__doc__ = f'{last} {end}'
    return holds


def removed(end, interface=''):
    def holds(signal):
        return (signal.member == 'InterfacesRemoved' and signal.path.endswith(end)
                and any(it.endswith(interface) for it in signal.body[1]))
    holds.__doc__ = f'- {interface} {end}'
    return holds
