"""`lubdub serve --radio bluez` with the unusual attributes of custom services, as far as bluetoothd has them."""

import json

from harness import LUBDUB, ROOT
from serving import ServingTest, call

LIGHT, LEVEL, METER, WATTS = (f'7d1c000{number}-5b0e-4c43-9a57-2f6b8e1d9c30' for number in (1, 2, 5, 6))


def lamp():
    """The two services of the scenario's lamp."""
    return json.loads((ROOT / 'scenarios/custom_attributes.json').read_text())['devices'][0]['services']


def add_lamp(document):
    """Gives the strap the lamp's services, of which bluetoothd needs the included one first."""
    light, meter = lamp()
    del meter['handle']
    document['devices'][0]['services'] += [meter, light]


def add_unusable(document):
    document['devices'][0]['services'].append(
        {'service': 'custom', 'uuid': LIGHT, 'characteristics': [{'uuid': LEVEL, 'properties': []}]})


class AttributeTests(ServingTest):
    async def test_secondary_services_and_descriptors_are_served(self):
        async with self.two_adapters() as (own, other):
            async with self.served(own, self.scenario(add_lamp)), self.client(other) as client:
                descriptors = client.services.get_characteristic(LEVEL).descriptors
                kinds = {descriptor.uuid[4:8]: descriptor.handle for descriptor in descriptors}
                self.assertEqual(await client.read_gatt_descriptor(kinds['2900']), b'\3\0')
                self.assertEqual([found.uuid[4:8] for found in descriptors].count('2900'), 1)
                await client.write_gatt_descriptor(kinds['2901'], b'Dimmer')
                self.assertEqual(await client.read_gatt_descriptor(kinds['2901']), b'Dimmer')
                self.assertTrue({'broadcast', 'extended-properties'} <= set(
                    client.services.get_characteristic(LEVEL).properties))
                objects, = await call('/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects')
                services = {
                    interfaces['org.bluez.GattService1']['UUID'].value: interfaces['org.bluez.GattService1']
                    for path, interfaces in objects.items()
                    if path.startswith(f'/org/bluez/{other}/') and 'org.bluez.GattService1' in interfaces}
                self.assertEqual(
                    [services[uuid]['Primary'].value for uuid in (LIGHT, METER)], [True, False])
                self.assertEqual(len(services[LIGHT]['Includes'].value), 1)
        self.assertIn('so they have no effect: ', self.said())
        self.assertIn('devices[0].services[4].characteristics[0].declaration_handle', self.said())

    async def test_a_device_that_bluetoothd_rejects_is_refused_with_the_reason(self):
        async with self.two_adapters() as (own, _):
            async with self.running(
                    'lubdub', LUBDUB, 'serve', self.scenario(add_unusable), '--radio', f'bluez:{own}') as process:
                self.assertEqual(await process.wait(), 3)
        self.assertIn(
            'lubdub: bluetoothd cannot serve devices[0].services[3].characteristics[0]: it requires a property; ',
            self.said())
