"""A Bumble central finds the attributes of custom services where the scenario has them; the built-in client prints them."""

import contextlib
import subprocess
import unittest

from bumble import att, core, gatt

from harness import LUBDUB, ROOT, Interoperability
from sensing import characteristic, meeting, refusal, sig

SCENARIO = 'scenarios/custom_attributes.json'
LAMP, BARGAIN = 'C0:FF:EE:00:01:06', 'C0:FF:EE:00:01:07'


def text(number):
    """A UUID of the scenario."""
    return f'7d1c{number:04x}-5b0e-4c43-9a57-2f6b8e1d9c30'


def own(number):
    return core.UUID(text(number))


LIGHT, LEVEL, SECRET, LOCK, METER, WATTS = (own(number) for number in range(1, 7))
READ_NOT_PERMITTED, WRITE_NOT_PERMITTED, INSUFFICIENT_AUTHENTICATION = 2, 3, 5


class AttributeTests(Interoperability):
    @contextlib.asynccontextmanager
    async def peer(self, address):
        async with meeting(SCENARIO, address) as (peer, _):
            yield peer

    async def test_services_includes_and_handles_are_those_of_the_file(self):
        async with self.peer(LAMP) as lamp:
            self.assertEqual(
                [(found.uuid, found.handle, found.end_group_handle) for found in lamp.services[2:]],
                [(LIGHT, 256, 299)], 'a secondary service is not discovered')
            response = await lamp.gatt_client.send_request(att.ATT_Read_By_Type_Request(
                starting_handle=256, ending_handle=299, attribute_type=gatt.GATT_INCLUDE_ATTRIBUTE_TYPE))
            (handle, value), = response.attributes
            self.assertEqual((handle, value.hex()), (257, '00020302'), 'of a service with a UUID of 128 bits')
            kinds = {(found.handle, found.type) for found in await lamp.discover_attributes() if found.handle >= 256}
            self.assertEqual(kinds, {
                (256, sig(0x2800)), (257, sig(0x2802)), (272, sig(0x2803)), (280, LEVEL), (281, sig(0x2901)),
                (282, sig(0x2900)), (288, sig(0x2902)), (296, sig(0x2903)), (297, SECRET), (298, sig(0x2803)),
                (299, LOCK), (512, sig(0x2801)), (513, sig(0x2803)), (514, WATTS), (515, sig(0x2902))})

    async def test_properties_descriptors_and_permissions_are_those_of_the_file(self):
        async with self.peer(LAMP) as lamp:
            level, lock = characteristic(lamp, LEVEL), characteristic(lamp, LOCK)
            self.assertEqual((int(level.properties), int(lock.properties)), (0x9B, 0x4A))
            description, extended, configuration, broadcast, secret = level.descriptors
            self.assertEqual(await lamp.read_value(extended), b'\3\0')
            self.assertEqual(await lamp.read_value(description), b'Brightness')
            await lamp.gatt_client.write_value(description, b'Dimmer', with_response=True)
            await lamp.gatt_client.write_value(broadcast, b'\1\0', with_response=True)
            self.assertEqual(await lamp.read_value(description), b'Dimmer')
            self.assertEqual(await lamp.read_value(broadcast), b'\1\0')
            self.assertEqual(await refusal(lamp.read_value(secret)), READ_NOT_PERMITTED)
            for closed in secret, lock:
                refused = await refusal(lamp.gatt_client.write_value(closed, b'\1', with_response=True))
                self.assertEqual(refused, INSUFFICIENT_AUTHENTICATION)
            self.assertEqual(await lamp.read_value(lock), b'\0')
            refused = await refusal(lamp.gatt_client.write_value(extended, b'\0\0', with_response=True))
            self.assertEqual(refused, WRITE_NOT_PERMITTED)
            await lamp.gatt_client.write_value(configuration, b'\1\0', with_response=True)
            self.assertEqual(await lamp.read_value(configuration), b'\1\0')

    async def test_a_device_breaks_the_specification_as_the_file_does(self):
        async with self.peer(BARGAIN) as bargain:
            found = {value.uuid: value for value in bargain.services[-1].characteristics}
            self.assertEqual(
                [(int(value.properties), [kind.type for kind in value.descriptors]) for value in found.values()],
                [(0x02, [sig(0x2900)]), (0x83, []), (0, []), (0x0A, []), (0x08, [])])
            self.assertEqual(await refusal(bargain.read_value(found[own(0x15)])), READ_NOT_PERMITTED)
            self.assertEqual(await bargain.read_value(found[own(0x16)]), b'\5')
            self.assertEqual(await refusal(bargain.read_value(found[own(0x14)])), READ_NOT_PERMITTED)


class CommandTests(unittest.TestCase):
    def run_lubdub(self, *words):
        done = subprocess.run([LUBDUB, *words], cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout.splitlines()

    def test_validate_warns_of_each_fault(self):
        *warnings, last = self.run_lubdub('validate', SCENARIO)
        self.assertEqual(last, f'{SCENARIO}: 6 warnings')
        codes = [line.split(': ')[1] for line in warnings if line.startswith(SCENARIO)]
        self.assertEqual(codes, ['warning LD0191'] * 6)

    def test_the_built_in_client_reads_and_subscribes_to_everything(self):
        lines = [line.split('  ', 1)[1] for line in self.run_lubdub('run', SCENARIO, '--for', '9s') if '  ' in line]
        lamp = f'Lubdub Lamp {LAMP}/random'
        refused = f'error: reading {text(3)} of {text(2)} failed: read_not_permitted (0x02) for handle 297'
        for line in [
                f'connected to {lamp}', f'{text(2)}: 28', f'2900 of {text(2)}: 03 00', refused, f'subscribed to {lamp}',
                f'2901 of {text(2)}: 42 72 69 67 68 74 6E 65 73 73 "Brightness"']:
            self.assertIn(line, lines)
        watts = [line for line in lines if line.startswith(f'{text(6)}: ')]
        self.assertGreaterEqual(len(watts), 3, 'read, and indicated')


if __name__ == '__main__':
    unittest.main()
