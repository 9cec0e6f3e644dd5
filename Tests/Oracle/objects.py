"""Questions without a device: objects, properties, errors of gdbus, filters, agents, and an adapter without power."""

from dbus_fast import Variant

from asking import ADAPTER, OBJECTS, PROPERTIES, changed

MANAGER, ROOT = '/org/bluez', '/'
INTROSPECT = 'org.freedesktop.DBus.Introspectable.Introspect'
GET, SET, ALL = f'{PROPERTIES}.Get', f'{PROPERTIES}.Set', f'{PROPERTIES}.GetAll'
A1, AGENTS = 'org.bluez.Adapter1', 'org.bluez.AgentManager1'

# The arguments of SetDiscoveryFilter.
FILTERS = [
    {}, {'RSSI': Variant('n', -70)}, {'Pathloss': Variant('q', 50)}, {'RSSI': Variant('n', -70), 'Pathloss': Variant('q', 50)},
    {'RSSI': Variant('i', -70)}, {'RSSI': Variant('n', -128)}, {'RSSI': Variant('n', 21)}, {'RSSI': Variant('n', 20)},
    {'Pathloss': Variant('q', 138)}, {'Pathloss': Variant('q', 137)}, {'Pathloss': Variant('n', 1)},
    {'Transport': Variant('s', 'le')}, {'Transport': Variant('s', 'auto')}, {'Transport': Variant('s', 'bredr')},
    {'Transport': Variant('s', 'LE')}, {'Transport': Variant('s', 'air')}, {'Transport': Variant('b', True)},
    {'UUIDs': Variant('as', ['180d'])}, {'UUIDs': Variant('as', ['0000180d-0000-1000-8000-00805f9b34fb'])},
    {'UUIDs': Variant('as', ['0000180D-0000-1000-8000-00805F9B34FB'])}, {'UUIDs': Variant('as', ['0x180d'])},
    {'UUIDs': Variant('as', ['0000180d'])}, {'UUIDs': Variant('as', [])}, {'UUIDs': Variant('as', ['heart rate'])},
    {'UUIDs': Variant('as', [''])}, {'UUIDs': Variant('s', '180d')}, {'UUIDs': Variant('ao', ['/a'])},
    {'DuplicateData': Variant('b', True)}, {'DuplicateData': Variant('y', 1)}, {'Discoverable': Variant('b', True)},
    {'Discoverable': Variant('b', False)}, {'Discoverable': Variant('u', 1)}, {'Pattern': Variant('s', 'Str')},
    {'Pattern': Variant('s', '')}, {'Pattern': Variant('ay', b'Str')}, {'Nothing': Variant('b', True)},
    {'RSSI': Variant('n', -70), 'Nothing': Variant('b', True)},
]


async def described(oracle):
    oracle.title('Objects and their descriptions')
    for path in (ROOT, '/org', MANAGER, ADAPTER, '/org/bluez/hci7', '/com'):
        await oracle.ask('A', path, INTROSPECT)
    await oracle.ask('A', ROOT, f'{OBJECTS}.GetManagedObjects')
    for path in (MANAGER, ADAPTER):
        await oracle.ask('A', path, f'{OBJECTS}.GetManagedObjects')
    for path, interface in ((ADAPTER, A1), (ADAPTER, 'org.bluez.Nothing1'), (ADAPTER, ''), (ADAPTER, PROPERTIES),
                            (ADAPTER, 'org.freedesktop.DBus.Introspectable'), (MANAGER, AGENTS), (ROOT, OBJECTS),
                            ('/org/bluez/hci7', A1)):
        await oracle.ask('A', path, ALL, 's', interface)


async def unknown(oracle):
    oracle.title('Calls that nothing answers')
    for path, member, signature, *body in (
            (ADAPTER, f'{A1}.Nothing', ''), (ADAPTER, 'org.bluez.Nothing1.StartDiscovery', ''),
            (ADAPTER, 'StartDiscovery', ''), (ADAPTER, f'{A1}.StartDiscovery', 's', 'le'),
            (ADAPTER, f'{A1}.RemoveDevice', 's', '/a'), (ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{ss}', {}),
            (ADAPTER, f'{A1}.ConnectDevice', 'a{sv}', {}), (MANAGER, f'{A1}.StartDiscovery', ''),
            ('/org/bluez/hci7', f'{A1}.StartDiscovery', ''), (f'{ADAPTER}/dev_C0_FF_EE_00_00_01', 'org.bluez.Device1.Connect', ''),
            (ADAPTER, f'{PROPERTIES}.Get', 's', A1), (ADAPTER, f'{PROPERTIES}.Set', 'sss', A1, 'Alias', 'A'),
            (ADAPTER, 'org.freedesktop.DBus.Peer.Ping', ''), (ROOT, f'{A1}.StartDiscovery', '')):
        await oracle.ask('A', path, member, signature, *body)


async def properties(oracle):
    oracle.title('Properties of the adapter')
    for interface, name in ((A1, 'Address'), (A1, 'Nothing'), (A1, ''), ('org.bluez.Device1', 'Address'), ('', 'Address'),
                            (A1, 'Powered'), (A1, 'PowerState'), (A1, 'ExperimentalFeatures'), (AGENTS, 'Nothing'),
                            (PROPERTIES, 'Nothing')):
        await oracle.ask('A', ADAPTER, GET, 'ss', interface, name)
    for interface, name, value in (
            (A1, 'Address', Variant('s', 'A')), (A1, 'Discovering', Variant('b', True)), (A1, 'Nothing', Variant('b', True)),
            (A1, 'Powered', Variant('s', 'on')), (A1, 'Alias', Variant('b', True)), (A1, 'Alias', Variant('o', '/a')),
            ('org.bluez.Nothing1', 'Alias', Variant('s', 'A')), (A1, 'Discoverable', Variant('u', 1)),
            (A1, 'Powered', Variant('b', True)), (A1, 'Alias', Variant('s', 'Desk')), (A1, 'Alias', Variant('s', 'Desk')),
            (A1, 'Alias', Variant('s', '')), (A1, 'DiscoverableTimeout', Variant('u', 60)),
            (A1, 'DiscoverableTimeout', Variant('u', 60)), (A1, 'DiscoverableTimeout', Variant('u', 180)),
            (A1, 'PairableTimeout', Variant('u', 5)), (A1, 'PairableTimeout', Variant('u', 0)),
            (A1, 'Pairable', Variant('b', True)), (A1, 'Pairable', Variant('b', True)), (A1, 'Pairable', Variant('b', False)),
            (A1, 'Discoverable', Variant('b', True)), (A1, 'Discoverable', Variant('b', False)),
            (A1, 'Discoverable', Variant('b', False))):
        until = changed(name, value.value) if name in ('Pairable', 'Discoverable') and value.signature == 'b' else ()
        await oracle.ask('A', ADAPTER, SET, 'ssv', interface, name, value, until=until, within=2)


async def filters(oracle):
    oracle.title('Filters and scans')
    for filter in FILTERS:
        await oracle.ask('A', ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{sv}', filter)
    await oracle.ask('A', ADAPTER, f'{A1}.SetDiscoveryFilter', 'a{sv}', {})
    await oracle.ask('A', ADAPTER, f'{A1}.GetDiscoveryFilters')
    await oracle.ask('A', ADAPTER, f'{A1}.StopDiscovery')
    for path in ('/org/bluez/hci0/dev_11_22_33_44_55_66', ADAPTER, '/'):
        await oracle.ask('A', ADAPTER, f'{A1}.RemoveDevice', 'o', path)


async def agents(oracle):
    oracle.title('Agents')
    await oracle.come('B')
    for letter, member, signature, *body in (
            ('A', 'UnregisterAgent', 'o', '/agent'), ('A', 'RequestDefaultAgent', 'o', '/agent'),
            ('A', 'RegisterAgent', 'os', '/agent', 'Telepathy'), ('A', 'RegisterAgent', 'os', '/agent', 'keyboardonly'),
            ('A', 'RegisterAgent', 'o', '/agent'), ('A', 'RegisterAgent', 'os', '/agent', ''),
            ('A', 'RegisterAgent', 'os', '/agent', 'DisplayOnly'), ('A', 'RegisterAgent', 'os', '/other', 'DisplayOnly'),
            ('B', 'RequestDefaultAgent', 'o', '/agent'), ('B', 'UnregisterAgent', 'o', '/agent'),
            ('B', 'RegisterAgent', 'os', '/agent', 'NoInputNoOutput'), ('B', 'RequestDefaultAgent', 'o', '/agent'),
            ('B', 'RequestDefaultAgent', 'o', '/agent'), ('A', 'UnregisterAgent', 'o', '/other'),
            ('A', 'UnregisterAgent', 'o', '/agent'), ('A', 'UnregisterAgent', 'o', '/agent'),
            ('B', 'UnregisterAgent', 'o', '/agent'), ('A', 'RegisterAgent', 'os', '/agent', 'KeyboardDisplay'),
            ('A', 'UnregisterAgent', 'o', '/agent')):
        until = changed('Pairable', True) if member == 'RegisterAgent' else ()
        await oracle.ask(letter, MANAGER, f'{AGENTS}.{member}', signature, *body, until=until, within=1)
    for letter, member in (('A', 'RegisterAgent'), ('B', 'RegisterAgent'), ('A', 'UnregisterAgent'), ('B', 'UnregisterAgent'),
                           ('B', 'RegisterAgent')):
        body = ('/agent',) if member == 'UnregisterAgent' else ('/agent', 'DisplayOnly')
        await oracle.ask(letter, MANAGER, f'{AGENTS}.{member}', 'o' if len(body) == 1 else 'os', *body)
        await oracle.happens('then', during=0.3)
    await oracle.happens('B leaves the bus', act=lambda: leave(oracle, 'B'), until=changed('Pairable', False), within=3)
    await oracle.ask('A', ADAPTER, SET, 'ssv', A1, 'PairableTimeout', Variant('u', 0))


async def leave(oracle, letter):
    oracle.go(letter)


async def without_power(oracle):
    oracle.title('Without power')
    await oracle.ask('A', ADAPTER, SET, 'ssv', A1, 'Powered', Variant('b', False), until=changed('Powered', False))
    for member, signature, *body in (
            ('StartDiscovery', ''), ('StopDiscovery', ''), ('SetDiscoveryFilter', 'a{sv}', {}), ('GetDiscoveryFilters', ''),
            ('RemoveDevice', 'o', '/org/bluez/hci0/dev_11_22_33_44_55_66')):
        await oracle.ask('A', ADAPTER, f'{A1}.{member}', signature, *body)
    for name, value in (('Discoverable', Variant('b', True)), ('Alias', Variant('s', 'Dark')), ('Alias', Variant('s', '')),
                        ('Pairable', Variant('b', True)), ('Pairable', Variant('b', False)), ('Powered', Variant('b', False))):
        await oracle.ask('A', ADAPTER, SET, 'ssv', A1, name, value, until=changed(name, value.value), within=2)
    await oracle.ask('A', ADAPTER, ALL, 's', A1)
    await oracle.ask('A', ADAPTER, SET, 'ssv', A1, 'Powered', Variant('b', True), until=changed('Powered', True))
    await oracle.ask('A', ADAPTER, f'{A1}.StartDiscovery', until=changed('Discovering', True))
    await oracle.ask('A', ADAPTER, SET, 'ssv', A1, 'Powered', Variant('b', False), until=changed('Powered', False))
    await oracle.ask('A', ADAPTER, f'{A1}.StopDiscovery')
    await oracle.ask('A', ADAPTER, SET, 'ssv', A1, 'Powered', Variant('b', True), until=changed('Powered', True))
    await oracle.ask('A', ADAPTER, f'{A1}.StopDiscovery')


async def answer(oracle):
    await oracle.come('A')
    for of in ('strap', 'lamp', 'lock', 'safe', 'tag'):
        await oracle.send({'do': 'stop_advertising', 'of': of})
    for part in (described, unknown, properties, filters, agents, without_power):
        await part(oracle)
