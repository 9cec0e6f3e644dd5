"""Questions about connecting: twice, out of range, cancelled, without a battery, and what ends with power or a program."""

import asyncio

from dbus_fast import Variant

from asking import ADAPTER, PROPERTIES, changed, named, removed
from attributes import CHARACTERISTIC, DEVICE, RESOLVED, find, places
from losses import BATTERY, LINKED, LOST, NO_BATTERY
from scans import A1, LAMP, STRAP, air


async def out_of_range(oracle):
    oracle.title('Out of range')
    await oracle.send({'do': 'link_loss', 'of': 'strap'})
    first = oracle.begin('A', STRAP, f'{DEVICE}.Connect')
    await asyncio.sleep(0.5)
    for letter, member, signature, *body in (
            ('A', 'Connect', ''), ('B', 'Connect', ''), ('A', 'CancelPairing', ''), ('B', 'Disconnect', '')):
        await oracle.ask(letter, STRAP, f'{DEVICE}.{member}', signature, *body)
    await oracle.end(first)
    first = oracle.begin('A', STRAP, f'{DEVICE}.Connect')
    await asyncio.sleep(0.5)
    await oracle.ask('A', STRAP, f'{DEVICE}.Disconnect')
    await oracle.end(first)
    first = oracle.begin('B', STRAP, f'{DEVICE}.Connect')
    await asyncio.sleep(0.5)
    await oracle.happens('B leaves the bus', act=lambda: leave(oracle, 'B'), during=0.3)
    first[3].cancel()
    await oracle.ask('A', STRAP, f'{DEVICE}.Connect')
    await oracle.come('B')
    await oracle.ask('B', STRAP, f'{DEVICE}.Disconnect')
    await oracle.ask('A', STRAP, f'{DEVICE}.Connect', within=60)
    await oracle.ask('A', STRAP, f'{PROPERTIES}.GetAll', 's', DEVICE)


async def leave(oracle, letter):
    oracle.go(letter)


async def in_range(oracle):
    oracle.title('In range again')
    first = oracle.begin('A', STRAP, f'{DEVICE}.Connect')
    await asyncio.sleep(0.5)
    await oracle.send({'do': 'clear', 'of': 'strap'})
    await oracle.end(first, until=[LINKED, RESOLVED, BATTERY])
    await oracle.ask('B', STRAP, f'{DEVICE}.Connect')
    for member, uuid in (('ConnectProfile', '0000180d-0000-1000-8000-00805f9b34fb'), ('ConnectProfile', '180d'),
                         ('ConnectProfile', '00001234-0000-1000-8000-00805f9b34fb'),
                         ('DisconnectProfile', '0000180d-0000-1000-8000-00805f9b34fb')):
        await oracle.ask('A', STRAP, f'{DEVICE}.{member}', 's', uuid)
    oracle.title('Who ends a link')
    await oracle.come('C')
    await oracle.happens('C leaves the bus', act=lambda: leave(oracle, 'C'), during=0.3)
    first, second = oracle.begin('A', STRAP, f'{DEVICE}.Disconnect'), oracle.begin('B', STRAP, f'{DEVICE}.Disconnect')
    await oracle.end(first, until=LOST)
    await oracle.end(second)
    await oracle.ask('A', STRAP, f'{DEVICE}.Disconnect')


async def small(oracle):
    oracle.title('A small MTU, other values, and a scan meanwhile')
    await oracle.send({'do': 'mtu', 'of': 'strap', 'to': 23})
    await oracle.send({'do': 'set', 'of': 'strap/battery', 'to': 33})
    await oracle.ask('A', STRAP, f'{DEVICE}.Connect', until=[LINKED, RESOLVED, BATTERY])
    at = await places(oracle)
    await oracle.ask('A', at['0002'], f'{PROPERTIES}.Get', 'ss', CHARACTERISTIC, 'MTU')
    await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {'offset': Variant('q', 30)})
    await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.WriteValue', 'aya{sv}', b'B' * 60, {})
    await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.WriteValue', 'aya{sv}', b'C' * 60, {'type': Variant('s', 'command')})
    await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.WriteValue', 'aya{sv}', b'C' * 513, {})
    await oracle.ask('A', at['0007'], f'{CHARACTERISTIC}.WriteValue', 'aya{sv}', b'D' * 60, {})


async def without_power(oracle):
    oracle.title('Power ends links')
    await oracle.ask('A', ADAPTER, f'{PROPERTIES}.Set', 'ssv', A1, 'Powered', Variant('b', False),
                     until=[LOST, NO_BATTERY, changed('Powered', False)])
    at = await places(oracle)
    await oracle.ask('A', STRAP, f'{DEVICE}.Connect')
    await oracle.ask('A', STRAP, f'{DEVICE}.Disconnect')
    await oracle.ask('A', STRAP, f'{DEVICE}.Pair')
    if '0002' in at:
        await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    await oracle.ask('A', ADAPTER, f'{PROPERTIES}.Set', 'ssv', A1, 'Powered', Variant('b', True),
                     until=changed('Powered', True))
    await oracle.ask('A', STRAP, f'{PROPERTIES}.GetAll', 's', DEVICE)


async def bare(oracle):
    oracle.title('A device without a battery')
    await oracle.ask('A', ADAPTER, f'{A1}.RemoveDevice', 'o', STRAP)
    await find(oracle, LAMP)
    await oracle.ask('A', LAMP, f'{DEVICE}.Connect', until=[LINKED, RESOLVED])
    await oracle.happens('it is connected', during=1)
    await oracle.ask('A', ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{sv}', {'UUIDs': Variant('as', ['1815'])})
    await oracle.ask('A', ADAPTER, f'{A1}.StartDiscovery', until=named('03'))
    await oracle.ask('A', ADAPTER, f'{A1}.StopDiscovery', until=changed('Discovering', False))
    await oracle.ask('A', LAMP, f'{DEVICE}.Disconnect', until=LOST)
    await oracle.happens('the lock is forgotten, the lamp is not', until=removed('03', 'Device1'), within=45)


async def answer(oracle):
    await oracle.come('A')
    await oracle.come('B')
    await air(oracle)
    await find(oracle)
    for part in (out_of_range, in_range, small, without_power, bare):
        await part(oracle)
