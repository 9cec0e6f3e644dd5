"""Questions about lost links: what stays, what is refused meanwhile, what comes back, and moved attributes.

They differ most with `[GATT] Cache` in main.conf, so they are put to both kinds.
"""

import asyncio

from dbus_fast import Variant

from asking import ADAPTER, PROPERTIES, added, changed, removed
from attributes import CHARACTERISTIC, DESCRIPTOR, DEVICE, RESOLVED, counted, find, places
from scans import A1, STRAP, air

LOST, LINKED = changed('Connected', False), changed('Connected', True)
BATTERY, NO_BATTERY = added('01', 'Battery1'), removed('01', 'Battery1')


async def connect(oracle, *until):
    await oracle.ask('A', STRAP, f'{DEVICE}.Connect', until=[LINKED, RESOLVED, BATTERY, *until])


async def lose(oracle):
    await oracle.air('link_loss', 'strap', until=[LOST, NO_BATTERY])


def left(oracle, at):
    """Signals that a link has ended; attributes that are not kept go some time after `Connected`."""
    return [LOST] if oracle.keeps else [LOST, removed(at['0002'])]


async def meanwhile(oracle, at):
    """Questions to objects that are kept, or not."""
    for member, name, signature, *body in (
            ('ReadValue', '0002', 'a{sv}', {}), ('WriteValue', '0002', 'aya{sv}', b'A', {}), ('StartNotify', '0005', ''),
            ('StartNotify', '0004', ''), ('StopNotify', '0004', ''), ('StopNotify', '2a37', ''), ('StartNotify', '0002', '')):
        await oracle.ask('A', at[name], f'{CHARACTERISTIC}.{member}', signature, *body)
    await oracle.ask('A', at['2901'], f'{DESCRIPTOR}.ReadValue', 'a{sv}', {})
    await oracle.ask('A', at['0005'], f'{PROPERTIES}.GetAll', 's', CHARACTERISTIC)
    await oracle.ask('A', STRAP, f'{PROPERTIES}.GetAll', 's', DEVICE)
    await oracle.ask('A', STRAP, f'{DEVICE}.Disconnect')


async def lost(oracle, at):
    oracle.title('A link is lost, and made again')
    await connect(oracle)
    at |= await places(oracle)
    await oracle.come('B')
    for letter in 'AB':
        await oracle.ask(letter, at['0005'], f'{CHARACTERISTIC}.StartNotify')
    await counted(oracle, at['0005'])
    await lose(oracle)
    await meanwhile(oracle, at)
    await oracle.send({'do': 'clear', 'of': 'strap'})
    await connect(oracle)
    await counted(oracle, at['0005'])
    for letter in 'AB':
        await oracle.ask(letter, at['0005'], f'{CHARACTERISTIC}.StartNotify')
    await counted(oracle, at['0005'])
    await lose(oracle)
    await oracle.happens('B leaves the bus', act=lambda: leave(oracle, 'B'), during=0.3)
    await oracle.send({'do': 'clear', 'of': 'strap'})
    await connect(oracle)
    await counted(oracle, at['0005'])
    await oracle.ask('A', at['0005'], f'{CHARACTERISTIC}.StopNotify')


async def leave(oracle, letter):
    oracle.go(letter)


async def ended(oracle, at):
    oracle.title('The device ends the link')
    await oracle.air('disconnect', 'strap', until=[LOST, NO_BATTERY])
    await connect(oracle)
    oracle.title('A link is lost during a request')
    await oracle.send({'do': 'stall', 'of': 'strap'})
    reading = oracle.begin('A', at['0002'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    await asyncio.sleep(0.5)
    await oracle.send({'do': 'link_loss', 'of': 'strap'})
    await oracle.end(reading, until=[NO_BATTERY, *left(oracle, at)])
    await oracle.send({'do': 'clear', 'of': 'strap'})
    await connect(oracle)


async def disconnected(oracle, at):
    oracle.title('A program disconnects')
    await oracle.ask('A', at['0005'], f'{CHARACTERISTIC}.StartNotify')
    leaving = oracle.begin('A', STRAP, f'{DEVICE}.Disconnect')
    await asyncio.sleep(0.6)
    program = oracle.programs['A']
    for member, signature, *body in (('StartNotify', ''), ('ReadValue', 'a{sv}', {})):
        reply, _ = await program.call(at['0004'], CHARACTERISTIC, member, signature, *body)
        oracle.lines.append(f'A> {member} meanwhile\n  = {oracle.answer(reply)}')
    await oracle.end(leaving, until=left(oracle, at))
    await oracle.ask('A', at['0005'], f'{CHARACTERISTIC}.StopNotify')
    await oracle.ask('A', STRAP, f'{PROPERTIES}.Get', 'ss', DEVICE, 'UUIDs')
    await connect(oracle)
    await counted(oracle, at['0005'])


async def moved(oracle, at):
    oracle.title('Attributes move')
    old = dict(at)
    await oracle.ask('A', at['0005'], f'{CHARACTERISTIC}.StartNotify')
    await oracle.air('move_handles', 'strap', by=64, until=[removed('service0018'), added('service0058')])
    at |= await places(oracle)
    await oracle.ask('A', old['0005'], f'{CHARACTERISTIC}.StopNotify')
    await oracle.ask('A', at['0005'], f'{CHARACTERISTIC}.StopNotify')
    await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    oracle.title('Attributes move while the link is lost')
    # bluetoothd's own requests end first: one that is interrupted changes the order.
    await asyncio.sleep(2)
    await lose(oracle)
    await oracle.send({'do': 'move_handles', 'of': 'strap', 'by': 64})
    await oracle.send({'do': 'clear', 'of': 'strap'})
    await connect(oracle, added('service0098'))
    at |= await places(oracle)
    await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    oracle.title('Services change')
    await oracle.air('change_services', 'strap', remove=['strap/heart_rate'], until=removed('service008e'))
    await oracle.ask('A', STRAP, f'{PROPERTIES}.Get', 'ss', DEVICE, 'UUIDs')


async def unanswered(oracle, at):
    oracle.title('The device stops answering')
    await oracle.send({'do': 'stall', 'of': 'strap'})
    await oracle.ask(
        'A', at['0002'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {}, until=[NO_BATTERY, *left(oracle, at)], within=60)
    await oracle.send({'do': 'clear', 'of': 'strap'})
    await connect(oracle)


async def forgotten(oracle, at):
    oracle.title('A connected device is removed')
    await oracle.ask('A', ADAPTER, f'{A1}.RemoveDevice', 'o', STRAP, until=removed('01', 'Device1'))
    await oracle.ask('A', at['0002'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    await oracle.ask('A', ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{sv}', {'UUIDs': Variant('as', ['180d'])})


async def answer(oracle):
    at = {}
    await oracle.come('A')
    await air(oracle)
    await find(oracle)
    for part in (lost, ended, disconnected, moved, unanswered, forgotten):
        await part(oracle, at)
