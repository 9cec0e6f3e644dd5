"""Questions about pairing: Just Works, a passkey, a wrong one, refused, cancelled, twice; and values that need it."""

from asking import ADAPTER, PROPERTIES, changed, removed
from attributes import CHARACTERISTIC, DEVICE, RESOLVED, find, places
from losses import LINKED, LOST
from scans import A1, LAMP, LOCK, STRAP, air

SAFE = f'{ADAPTER}/dev_C0_FF_EE_00_00_05'
AGENTS = 'org.bluez.AgentManager1'
PAIRED = changed('Paired', True)


async def register(oracle, letter, capability, passkey=123456):
    await oracle.agent(letter, passkey)
    await oracle.ask(letter, '/org/bluez', f'{AGENTS}.RegisterAgent', 'os', '/agent', capability,
                     until=changed('Pairable', True), within=1)


async def unregister(oracle, letter):
    await oracle.ask(letter, '/org/bluez', f'{AGENTS}.UnregisterAgent', 'o', '/agent')
    oracle.programs[letter].bus.unexport('/agent')


async def remove(oracle, device):
    await oracle.ask('A', ADAPTER, f'{A1}.RemoveDevice', 'o', device, until=removed(device[-2:], 'Device1'))


async def just_works(oracle):
    oracle.title('Just Works')
    await find(oracle, LAMP)
    await register(oracle, 'A', 'NoInputNoOutput')
    await oracle.ask('A', LAMP, f'{DEVICE}.CancelPairing')
    await oracle.ask('A', LAMP, f'{DEVICE}.Pair', until=[PAIRED, RESOLVED])
    await oracle.ask('A', LAMP, f'{PROPERTIES}.GetAll', 's', DEVICE)
    at = await places(oracle, LAMP)
    await oracle.ask('A', at['0011'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    await oracle.ask('A', LAMP, f'{DEVICE}.Pair', within=6)
    await oracle.ask('A', LAMP, f'{DEVICE}.CancelPairing')
    await oracle.ask('A', LAMP, f'{DEVICE}.Disconnect', until=LOST)
    await oracle.ask('A', LAMP, f'{DEVICE}.Connect', until=[LINKED, RESOLVED])
    await oracle.ask('A', at['0011'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    await remove(oracle, LAMP)


async def values(oracle):
    oracle.title('Values that need pairing')
    await find(oracle, LAMP)
    await oracle.ask('A', LAMP, f'{DEVICE}.Connect', until=[LINKED, RESOLVED])
    at = await places(oracle, LAMP)
    await oracle.ask('A', at['0012'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    await oracle.ask('A', at['0011'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {}, until=changed('Paired', True), within=5)
    await oracle.ask('A', at['0011'], f'{CHARACTERISTIC}.WriteValue', 'aya{sv}', b'\1', {})
    await oracle.ask('A', LAMP, f'{PROPERTIES}.GetAll', 's', DEVICE)
    await remove(oracle, LAMP)
    await find(oracle, LOCK)
    await oracle.ask('A', LOCK, f'{DEVICE}.Connect', until=[LINKED, RESOLVED])
    at = await places(oracle, LOCK)
    await oracle.ask('A', at['2a56'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {}, until=LOST, within=5)
    await remove(oracle, LOCK)
    await unregister(oracle, 'A')


async def passkey(oracle):
    oracle.title('A passkey')
    await register(oracle, 'A', 'KeyboardOnly')
    await find(oracle, LOCK)
    await oracle.ask('A', LOCK, f'{DEVICE}.Pair', until=[PAIRED, RESOLVED])
    at = await places(oracle, LOCK)
    await oracle.ask('A', at['2a56'], f'{CHARACTERISTIC}.ReadValue', 'a{sv}', {})
    await remove(oracle, LOCK)
    await unregister(oracle, 'A')
    oracle.title('A wrong passkey')
    await register(oracle, 'A', 'KeyboardDisplay', 111111)
    await find(oracle, LOCK)
    await oracle.ask('A', LOCK, f'{DEVICE}.Pair', until=LOST)
    await oracle.ask('A', LOCK, f'{PROPERTIES}.Get', 'ss', DEVICE, 'Paired')
    await remove(oracle, LOCK)
    await unregister(oracle, 'A')
    oracle.title('A user who refuses')
    await register(oracle, 'A', 'KeyboardDisplay', None)
    await oracle.send({'do': 'clear', 'of': 'safe'})
    await find(oracle, SAFE)
    await oracle.ask('A', SAFE, f'{DEVICE}.Pair', until=RESOLVED)
    await remove(oracle, SAFE)
    await unregister(oracle, 'A')


async def refused(oracle):
    oracle.title('Devices that do not pair')
    await register(oracle, 'A', 'NoInputNoOutput')
    await find(oracle, STRAP)
    await oracle.ask('A', STRAP, f'{DEVICE}.Pair', until=LOST)
    await oracle.happens('it was not bonded', until=removed('01', 'Device1'), within=45)
    await find(oracle, LAMP)
    await oracle.send({'do': 'refuse_pairing', 'of': 'lamp'})
    await oracle.ask('A', LAMP, f'{DEVICE}.Pair', until=LOST)
    await oracle.send({'do': 'clear', 'of': 'lamp'})
    await remove(oracle, LAMP)


async def twice(oracle):
    oracle.title('Pairing meanwhile')
    await oracle.come('B')
    await find(oracle, LAMP)
    await oracle.send({'do': 'stall_pairing', 'of': 'lamp', 'at': 'features'})
    first = oracle.begin('A', LAMP, f'{DEVICE}.Pair')
    await oracle.happens('the link is there', until=RESOLVED)
    await oracle.ask('B', LAMP, f'{DEVICE}.Pair')
    await oracle.ask('A', LAMP, f'{DEVICE}.Pair')
    await oracle.ask('A', LAMP, f'{DEVICE}.Connect')
    await oracle.ask('B', LAMP, f'{DEVICE}.CancelPairing', until=LOST)
    await oracle.end(first, until=LOST)
    await oracle.send({'do': 'clear', 'of': 'lamp'})
    await remove(oracle, LAMP)
    await unregister(oracle, 'A')
    oracle.title('Without an agent')
    await find(oracle, LAMP)
    await oracle.ask('A', LAMP, f'{DEVICE}.Pair', until=RESOLVED)
    await remove(oracle, LAMP)


async def answer(oracle):
    await oracle.come('A')
    await air(oracle)
    for part in (just_works, values, passkey, refused, twice):
        await part(oracle)
