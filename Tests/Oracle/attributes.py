"""Questions about a connected device: its objects, reads, writes, each ATT error, offsets, descriptors and subscriptions."""

import asyncio

from dbus_fast import Variant

from asking import ADAPTER, OBJECTS, PROPERTIES, added, changed, named
from scans import STRAP, air

A1, DEVICE = 'org.bluez.Adapter1', 'org.bluez.Device1'
CHARACTERISTIC, DESCRIPTOR, SERVICE = (f'org.bluez.Gatt{name}1' for name in ('Characteristic', 'Descriptor', 'Service'))
RESOLVED = changed('ServicesResolved', True)


async def find(oracle, device=STRAP, letter='A'):
    """The device gets an object, by a short scan that is not written."""
    program = oracle.programs[letter]
    lines = len(oracle.lines)
    await oracle.ask(letter, ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{sv}', {'Transport': Variant('s', 'le')})
    await oracle.ask(letter, ADAPTER, f'{A1}.StartDiscovery', until=named(device[-2:]))
    await oracle.ask(letter, ADAPTER, f'{A1}.StopDiscovery', until=changed('Discovering', False))
    for other in (f'{ADAPTER}/dev_C0_FF_EE_00_00_0{digit}' for digit in '12345'):
        if other != device:
            await program.call(ADAPTER, A1, 'RemoveDevice', 'o', other)
    await oracle.settle(program)
    del oracle.lines[lines:]
    oracle.cursor = program.count


async def places(oracle, device=STRAP):
    """The paths of the characteristics and descriptors of a device, by the digits of their UUIDs that differ."""
    reply, _ = await oracle.programs['A'].call('/', OBJECTS, 'GetManagedObjects')
    found = {}
    for path, interfaces in sorted(reply.body[0].items()):
        for interface in (CHARACTERISTIC, DESCRIPTOR):
            if interface in interfaces and path.startswith(device):
                found.setdefault(interfaces[interface]['UUID'].value[4:8], path)
    return found


async def objects(oracle, at):
    oracle.title('A connection, and what the device has')
    await oracle.ask('A', STRAP, f'{DEVICE}.Connect', until=[RESOLVED, added('01', 'Battery1')])
    await oracle.ask('A', STRAP, f'{DEVICE}.Connect')
    await oracle.ask('A', STRAP, f'{PROPERTIES}.GetAll', 's', DEVICE)
    await oracle.ask('A', STRAP, f'{PROPERTIES}.GetAll', 's', 'org.bluez.Battery1')
    at |= await places(oracle)
    introspect = 'org.freedesktop.DBus.Introspectable.Introspect'
    for path, interface in (
            (at['0002'].rpartition('/')[0], SERVICE), (at['0002'], CHARACTERISTIC), (at['2901'], DESCRIPTOR)):
        await oracle.ask('A', path, introspect)
        await oracle.ask('A', path, f'{PROPERTIES}.GetAll', 's', interface)
        await oracle.ask('A', path, f'{PROPERTIES}.Set', 'ssv', interface, 'UUID', Variant('s', '180d'))
    for name in ('000a', '000b', '2a37', '0007'):
        await oracle.ask('A', at[name], f'{PROPERTIES}.GetAll', 's', CHARACTERISTIC)
    await oracle.ask('A', STRAP, introspect)
    await oracle.ask('A', '/', f'{OBJECTS}.GetManagedObjects')


async def reads(oracle, at):
    oracle.title('Reads')
    for name in ('2a38', '2a19', '0002', '0003', '2a37', '0006', '0008', '0009', '000b'):
        await oracle.ask('A', at[name], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    for options in ({'offset': Variant('q', 5)}, {'offset': Variant('q', 52)}, {'offset': Variant('q', 53)},
                    {'offset': Variant('q', 600)}, {'offset': Variant('u', 5)}, {'offset': Variant('s', '5')},
                    {'nothing': Variant('b', True)}, {'device': Variant('o', STRAP)}):
        await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', options)
    await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.ReadValue')
    await oracle.ask('A', at['0002'], f'{PROPERTIES}.Get', 'ss', CHARACTERISTIC, 'Value')
    for name in ('2901', '2904', '2902', '2900', '2903'):
        await oracle.ask('A', at[name], f'{DESCRIPTOR}.ReadValue', 'a{sv}', {})
    await oracle.ask('A', at['2901'], f'{DESCRIPTOR}.ReadValue', 'a{sv}', {'offset': Variant('q', 2)})
    first, second = (oracle.begin('A', at['0002'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {}) for _ in range(2))
    await oracle.end(first)
    await oracle.end(second)


async def refused(oracle, at):
    oracle.title('Reads and writes that the device refuses')
    sign = at['0002']
    for code in (0x01, 0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x10, 0x11, 0x12, 0x13, 0x80, 0x9f,
                 0xfc, 0xfd, 0xfe, 0xff):
        await oracle.send({'do': 'att_error', 'of': 'strap/shop/sign', 'on': 'read', 'error': code})
        oracle.lines.append(f'* reads get the error 0x{code:02x}')
        await oracle.ask('A', sign, f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    await oracle.send({'do': 'clear', 'of': 'strap'})
    for code in (0x02, 0x03, 0x06, 0x07, 0x08, 0x0d, 0x0e, 0x80):
        await oracle.send({'do': 'att_error', 'of': 'strap/shop/sign', 'on': 'write', 'error': code})
        oracle.lines.append(f'* writes get the error 0x{code:02x}')
        await oracle.ask('A', sign, f'{CHARACTERISTIC}.WriteValue', 'aya{sv}', b'A', {})
    await oracle.send({'do': 'clear', 'of': 'strap'})
    for code in (0x03, 0x08, 0x0e, 0x80, 0xfd):
        await oracle.send({'do': 'att_error', 'of': 'strap/shop/level', 'on': 'subscribe', 'error': code})
        oracle.lines.append(f'* subscriptions get the error 0x{code:02x}')
        await oracle.ask('A', at['0005'], f'{CHARACTERISTIC}.StartNotify')
    await oracle.send({'do': 'clear', 'of': 'strap'})


async def writes(oracle, at):
    oracle.title('Writes')
    for name, value, options in (
            ('0002', b'Closed', {}), ('0002', b'', {}), ('0002', b'A' * 300, {}), ('0002', b'Shut', {'type': Variant('s', 'request')}),
            ('0002', b'Never', {'type': Variant('s', 'command')}), ('0002', b'Shut', {'type': Variant('s', 'reliable')}),
            ('0002', b'Shut', {'type': Variant('s', 'other')}), ('0002', b'Shut', {'type': Variant('b', True)}),
            ('0002', b'Shut', {'type': Variant('s', 'REQUEST')}), ('0002', b'op', {'offset': Variant('q', 1)}),
            ('0002', b'op', {'offset': Variant('q', 600)}), ('0002', b'op', {'offset': Variant('u', 1)}),
            ('0003', b'\1\0', {}), ('0003', b'\1\0', {'type': Variant('s', 'command')}), ('0003', b'\1', {}),
            ('0003', b'\1\2\3', {}), ('0006', b'\1', {}), ('0006', b'\1', {'type': Variant('s', 'command')}),
            ('0007', b'\1', {}), ('0007', b'\1', {'type': Variant('s', 'request')}), ('2a38', b'\1', {}),
            ('2a38', b'\1', {'type': Variant('s', 'request')}), ('2a38', b'\1', {'type': Variant('s', 'command')}),
            ('2a37', b'\1', {}), ('0008', b'\1', {}), ('000a', b'\1', {}), ('000b', b'\1', {})):
        await oracle.ask('A', at[name], f'{CHARACTERISTIC}.WriteValue', 'aya{sv}', value, options)
    await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    for name, value in (('2901', b'Door'), ('2904', b'\1'), ('2902', b'\1\0'), ('2900', b'\0\0')):
        await oracle.ask('A', at[name], f'{DESCRIPTOR}.WriteValue', 'aya{sv}', value, {})
    await oracle.ask('A', at['2901'], f'{DESCRIPTOR}.ReadValue', 'a{sv}', {})
    first, second = (oracle.begin('A', at['0002'], f'{CHARACTERISTIC}.WriteValue', 'aya{sv}', value, {}) for value in (b'A', b'B'))
    await oracle.end(first)
    await oracle.end(second)


async def subscriptions(oracle, at):
    oracle.title('Subscriptions')
    for name in ('0002', '2a38', '000b', '0003'):
        await oracle.ask('A', at[name], f'{CHARACTERISTIC}.StartNotify')
        await oracle.ask('A', at[name], f'{CHARACTERISTIC}.StopNotify')
    level, bell = at['0005'], at['0004']
    for path, of in ((level, 'strap/shop/level'), (bell, 'strap/shop/bell')):
        await oracle.ask('A', path, f'{CHARACTERISTIC}.StopNotify')
        await oracle.ask('A', path, f'{CHARACTERISTIC}.StartNotify')
        await oracle.ask('A', path, f'{CHARACTERISTIC}.StartNotify')
        await oracle.air('notify', of, value=11, until=changed('Value', b'\x0b'))
        await oracle.air('notify', of, value=12, until=changed('Value', b'\x0c'))
        await oracle.ask('A', path, f'{PROPERTIES}.GetAll', 's', CHARACTERISTIC)
        await oracle.ask('A', path, f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
        await oracle.ask('A', path, f'{CHARACTERISTIC}.StopNotify')
        await oracle.ask('A', path, f'{CHARACTERISTIC}.StopNotify')
    await oracle.ask('A', at['2a19'], f'{CHARACTERISTIC}.StartNotify')
    await oracle.air('set', 'strap/battery', to=55, until=changed('Percentage', 55))
    await oracle.ask('A', at['2a19'], f'{CHARACTERISTIC}.StopNotify')
    await oracle.air('set', 'strap/battery', to=54, until=changed('Percentage', 54))


async def two(oracle, at):
    oracle.title('Two programs')
    level = at['0005']
    await oracle.come('B')
    await oracle.ask('B', level, f'{CHARACTERISTIC}.StopNotify')
    await oracle.ask('B', level, f'{CHARACTERISTIC}.StartNotify')
    await oracle.ask('A', level, f'{CHARACTERISTIC}.StopNotify')
    await oracle.ask('A', level, f'{CHARACTERISTIC}.StartNotify')
    await counted(oracle, level)
    await oracle.ask('B', level, f'{CHARACTERISTIC}.StopNotify')
    await counted(oracle, level)
    await oracle.ask('B', level, f'{CHARACTERISTIC}.StartNotify')
    await oracle.ask('A', level, f'{CHARACTERISTIC}.StopNotify')
    await oracle.happens('B leaves the bus', act=lambda: leave(oracle, 'B'), until=changed('Notifying', False))
    await oracle.ask('A', level, f'{CHARACTERISTIC}.StopNotify')


async def counted(oracle, path):
    """How many signals one notification causes."""
    program = oracle.programs['A']
    await oracle.settle(program)
    start = program.count
    await oracle.send({'do': 'notify', 'of': 'strap/shop/level', 'value': 21})
    await asyncio.sleep(1)
    await oracle.settle(program)
    count = sum(signal.path == path and 'Value' in signal.body[1] for signal in program.signals[start - program.offset:])
    oracle.lines.append(f'* one notification\n  signals: {count}')
    oracle.cursor = program.count


async def leave(oracle, letter):
    oracle.go(letter)


async def answer(oracle):
    at = {}
    await oracle.come('A')
    await air(oracle)
    await find(oracle)
    for part in (objects, reads, refused, writes, subscriptions, two):
        await part(oracle, at)
