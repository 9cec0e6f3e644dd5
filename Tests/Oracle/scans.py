"""Questions about discovery: each kind of filter, two programs at once, what ends a scan, and what devices have."""

from dbus_fast import Variant

from asking import ADAPTER, PROPERTIES, added, changed, named, removed

A1, DEVICE = 'org.bluez.Adapter1', 'org.bluez.Device1'
STRAP, LAMP, LOCK, TAG = (f'{ADAPTER}/dev_C0_FF_EE_00_00_0{digit}' for digit in '1234')
ALL = [named(f'0{digit}') for digit in '123']


async def air(oracle):
    """The strength of each device's signal at the adapter."""
    for of, strength in (('strap', -50), ('lamp', -70), ('lock', -60), ('tag', -55)):
        await oracle.send({'do': 'rssi', 'of': of, 'to': strength})
    await oracle.send({'do': 'stop_advertising', 'of': 'safe'})


async def scan(oracle, letter, filter, until, is_first=True):
    """A scan with a filter, and with `None` without one: who is found, in this time.

    A report that comes before the kernel is ready is lost until the controller scans anew, after 10.24 s.
    """
    if filter is not None:
        await oracle.ask(letter, ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{sv}', filter)
    await oracle.ask(letter, ADAPTER, f'{A1}.StartDiscovery', until=[changed('Discovering', True)] * is_first + until, within=25)
    await oracle.happens('the scan goes on', during=1.5)


async def stop(oracle, letter='A'):
    await oracle.ask(letter, ADAPTER, f'{A1}.StopDiscovery', until=changed('Discovering', False))


async def forget(oracle):
    for device in (STRAP, LAMP, LOCK, TAG):
        await oracle.programs['A'].call(ADAPTER, A1, 'RemoveDevice', 'o', device)
    program = oracle.programs['A']
    await oracle.settle(program)
    oracle.cursor = program.count


async def known(oracle):
    oracle.title('A device that was found')
    await scan(oracle, 'A', None, ALL)
    await oracle.ask('A', ADAPTER, f'{A1}.StartDiscovery')
    for device in (STRAP, LAMP):
        await oracle.ask('A', device, f'{PROPERTIES}.GetAll', 's', DEVICE)
    await oracle.ask('A', STRAP, 'org.freedesktop.DBus.Introspectable.Introspect')
    for name in ('RSSI', 'TxPower', 'Icon', 'Modalias', 'WakeAllowed', 'AdvertisingFlags', 'Nothing'):
        await oracle.ask('A', STRAP, f'{PROPERTIES}.Get', 'ss', DEVICE, name)
    await stop(oracle)
    await oracle.ask('A', STRAP, f'{PROPERTIES}.Get', 'ss', DEVICE, 'RSSI')
    for name, value in (('Address', Variant('s', 'A')), ('Trusted', Variant('b', True)), ('Trusted', Variant('b', True)),
                        ('Trusted', Variant('b', False)), ('Alias', Variant('s', 'Chest')), ('Alias', Variant('s', 'Chest')),
                        ('Alias', Variant('s', '')), ('Alias', Variant('b', True)), ('Blocked', Variant('u', 1)),
                        ('Connected', Variant('b', True)), ('WakeAllowed', Variant('b', True))):
        await oracle.ask('A', STRAP, f'{PROPERTIES}.Set', 'ssv', DEVICE, name, value)
    for member, signature, *body in (
            ('Disconnect', ''), ('CancelPairing', ''), ('Nothing', ''), ('ConnectProfile', 's', 'heart rate'),
            ('DisconnectProfile', 's', '0000180d-0000-1000-8000-00805f9b34fb')):
        await oracle.ask('A', STRAP, f'{DEVICE}.{member}', signature, *body)
    await oracle.ask('A', ADAPTER, f'{A1}.RemoveDevice', 'o', LAMP)
    await oracle.ask('A', ADAPTER, f'{A1}.RemoveDevice', 'o', LAMP)
    await oracle.ask('A', LAMP, f'{DEVICE}.Connect')
    await oracle.ask('A', LAMP, f'{PROPERTIES}.Get', 'ss', DEVICE, 'Name')
    await forget(oracle)


async def filtered(oracle):
    oracle.title('Filters')
    for filter, found in (
            ({'Transport': Variant('s', 'le')}, '1234'), ({'RSSI': Variant('n', -65)}, '134'),
            ({'UUIDs': Variant('as', ['180d'])}, '1'),
            ({'UUIDs': Variant('as', ['5a3b0010-9c1e-4f7a-8f52-3d1c6e0b7a90', '1815'])}, '23'),
            ({'UUIDs': Variant('as', ['180d']), 'RSSI': Variant('n', -40)}, ''),
            ({'Pattern': Variant('s', 'L')}, '23'), ({'Pattern': Variant('s', 'C0:FF:EE:00:00:01')}, '1'),
            ({'Pattern': Variant('s', 'trap')}, ''), ({'Pathloss': Variant('q', 60)}, '1234'),
            ({'Pathloss': Variant('q', 40)}, '1234'), ({'Discoverable': Variant('b', True)}, '1234')):
        await scan(oracle, 'A', filter, [named(f'0{digit}') for digit in found])
        await stop(oracle)
        await forget(oracle)
    await oracle.ask('A', ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{sv}', {})


async def two(oracle):
    oracle.title('Two programs')
    await oracle.come('B')
    await scan(oracle, 'A', {'UUIDs': Variant('as', ['180d'])}, [named('01')])
    await scan(oracle, 'B', {'UUIDs': Variant('as', ['1815'])}, [named('03')], is_first=False)
    await oracle.ask('B', ADAPTER, f'{A1}.StopDiscovery')
    await oracle.ask('B', ADAPTER, f'{A1}.StopDiscovery')
    await oracle.ask('B', ADAPTER, f'{A1}.StartDiscovery')
    await stop_one(oracle)
    await oracle.ask('B', ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{sv}', {'UUIDs': Variant('as', ['1815'])})
    await oracle.ask('B', ADAPTER, f'{A1}.StartDiscovery', until=[changed('Discovering', True), changed('RSSI', -60)])
    await oracle.happens('B leaves the bus', act=lambda: leave(oracle, 'B'), until=changed('Discovering', False))
    await forget(oracle)


async def stop_one(oracle):
    await oracle.ask('A', ADAPTER, f'{A1}.StopDiscovery')
    await oracle.happens('B leaves the bus', act=lambda: leave(oracle, 'B'), until=changed('Discovering', False))
    await oracle.come('B')


async def leave(oracle, letter):
    oracle.go(letter)


async def changing(oracle):
    oracle.title('What changes while a program scans')
    await oracle.ask('A', ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{sv}', {
        'Transport': Variant('s', 'le'), 'DuplicateData': Variant('b', True)})
    await oracle.ask('A', ADAPTER, f'{A1}.StartDiscovery', until=[changed('Discovering', True), *ALL, named('04')])
    await oracle.ask('A', ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{sv}', {'UUIDs': Variant('as', ['180d'])})
    await oracle.happens('the filter has changed', during=1.5)
    await oracle.air('rssi', 'strap', to=-57, until=changed('RSSI', -57))
    await stop(oracle)
    await oracle.ask('A', ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{sv}', {})
    await oracle.ask('A', ADAPTER, f'{A1}.StartDiscovery', until=[changed('Discovering', True), changed('RSSI', -57)])
    await oracle.air('change_address', 'strap', to='C0:FF:EE:00:00:09/random', until=named('09'))
    await oracle.ask('A', ADAPTER, f'{A1}.RemoveDevice', 'o', LOCK)
    await oracle.air('change_address', 'strap', to='C0:FF:EE:00:00:08/random', until=named('08'))
    await stop(oracle)
    await oracle.happens('they are forgotten', until=[removed(f'0{digit}') for digit in '1289'], within=45)


async def answer(oracle):
    await oracle.come('A')
    await air(oracle)
    for part in (known, filtered, two, changing):
        await part(oracle)
