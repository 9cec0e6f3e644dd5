"""A Bumble central reads and writes a custom service by all procedures, and provokes all their errors."""

import asyncio
import contextlib
import math
import struct
import unittest

from bumble import att, core, gatt
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from harness import Interoperability, exchange
from sensing import characteristic, listen, meeting, refusal, sig, take

KIOSK = 'C0:FF:EE:00:01:05'
SIGN, LIMIT, BELL, OUTSIDE, SLIP = (
    core.UUID(f'5a3b000{number}-9c1e-4f7a-8f52-3d1c6e0b7a90') for number in range(2, 7))
TEXT = ('Open from eight to six, on Saturdays from nine to one, and on the first Sunday of every month while there '
        'is cake.').encode()
WRITE_LIMIT = 0x50
INVALID_OFFSET, QUEUE_FULL, INVALID_LENGTH, NOT_PERMITTED = 0x07, 0x09, 0x0D, 0x03


class CustomTests(Interoperability):
    @contextlib.asynccontextmanager
    async def kiosk(self):
        async with meeting('scenarios/custom_feed.json', KIOSK, '--speed', '5') as (peer, log):
            self.peer, self.log = peer, log
            yield

    def handle(self, uuid):
        return characteristic(self.peer, uuid).handle

    async def read(self, uuid):
        return bytes(await self.peer.read_value(characteristic(self.peer, uuid)))

    async def ask(self, request):
        async with asyncio.timeout(10):
            return await self.peer.gatt_client.send_request(request)

    async def prepare(self, uuid, offset, part):
        return await self.ask(att.ATT_Prepare_Write_Request(
            attribute_handle=self.handle(uuid), value_offset=offset, part_attribute_value=part))

    async def execute(self, flags=1):
        return await self.ask(att.ATT_Execute_Write_Request(flags=flags))

    def refused(self, response, error):
        self.assertEqual((response.op_code, response.error_code), (att.Opcode.ATT_ERROR_RESPONSE, error))

    def done(self, response):
        self.assertEqual(response.op_code, att.Opcode.ATT_EXECUTE_WRITE_RESPONSE)

    async def test_handles_properties_and_descriptors_are_those_of_the_file(self):
        async with self.kiosk():
            kinds = [(found.uuid, found.handle, int(found.properties))
                     for found in self.peer.services[-1].characteristics]
            self.assertEqual(kinds, [(SIGN, 64, 0x0A), (LIMIT, 80, 0x0E), (BELL, 96, 0x22), (OUTSIDE, 99, 0x12),
                                     (SLIP, 102, 0x08)])
            for uuid, kind, value in [(SIGN, 0x2901, b'Sign at the door'), (LIMIT, 0x2901, b'Price limit'),
                                      (LIMIT, 0x2904, bytes.fromhex('06000027010000'))]:
                descriptor = characteristic(self.peer, uuid).get_descriptor(sig(kind))
                self.assertEqual(await self.peer.read_value(descriptor), value)
            self.assertEqual(await refusal(self.peer.read_value(characteristic(self.peer, SLIP))), 0x02)

    async def test_values_follow_their_curves(self):
        async with self.kiosk():
            bells = await take(await listen(self.peer, BELL), 3)
            told = await self.log.until('indicated', 'kiosk/shop/bell', 3)
            self.assertEqual(bells, [bytes([round(record['t'] / 2)]) for record in told[:3]])
            outside = await take(await listen(self.peer, OUTSIDE), 8)
            for value, record in zip(outside, await self.log.until('notified', 'kiosk/shop/outside', 8)):
                degrees = 5 + 8 * math.sin(math.pi * record['t'] / 10)
                self.assertIn(struct.unpack('<h', value)[0], [math.floor(degrees - 1e-3), math.floor(degrees + 1e-3)])

    async def test_a_long_value_is_read_and_written_in_parts(self):
        async with self.kiosk():
            self.assertEqual(await self.read(SIGN), TEXT)
            last = struct.pack('<BHH', 0x0C, self.handle(SIGN), len(TEXT) + 1)
            self.assertEqual((await exchange(self.peer, last)).hex(), '010c400007')
            new = b'Closed, for ever. ' * 20
            for offset in range(0, len(new), 18):
                part = new[offset:offset + 18]
                response = await self.prepare(SIGN, offset, part)
                echo = (response.attribute_handle, response.value_offset, response.part_attribute_value)
                self.assertEqual(echo, (64, offset, part), 'what a reliable write compares')
            self.assertEqual(await self.read(SIGN), TEXT, 'nothing is written before it is executed')
            self.done(await self.execute())
            self.assertEqual(await self.read(SIGN), new)

    async def test_writes_and_their_errors(self):
        async with self.kiosk():
            limit = characteristic(self.peer, LIMIT)
            await self.peer.write_value(limit, struct.pack('<H', 300), with_response=True)
            self.assertEqual(await self.read(LIMIT), struct.pack('<H', 300))
            await self.peer.write_value(limit, struct.pack('<H', 301), with_response=False)
            self.assertEqual(await self.read(LIMIT), struct.pack('<H', 301))
            await self.peer.write_value(limit, b'\1\2\3', with_response=False)  # no response and no effect
            self.assertEqual(await refusal(self.peer.write_value(limit, b'\1\2\3', with_response=True)), INVALID_LENGTH)
            await self.peer.write_value(limit, b'\x2e', with_response=True)  # the other octet stays
            self.assertEqual(await self.read(LIMIT), struct.pack('<H', 302))
            await self.peer.write_value(limit, b'\x2d', with_response=False)
            outside = characteristic(self.peer, OUTSIDE)
            self.assertEqual(await refusal(self.peer.write_value(outside, b'\0\0', with_response=True)), NOT_PERMITTED)
            self.assertEqual(await self.read(LIMIT), struct.pack('<H', 301))

    async def test_the_queue_of_prepared_writes_and_its_errors(self):
        async with self.kiosk():
            self.refused(await self.prepare(OUTSIDE, 0, b'\0\0'), NOT_PERMITTED)

            for parts, error in [
                ([(3, b'\x01')], INVALID_OFFSET),
                ([(0, b'\x01\x02\x03')], INVALID_LENGTH),
            ]:
                for offset, part in parts:
                    await self.prepare(LIMIT, offset, part)
                self.refused(await self.execute(), error)
                self.done(await self.execute())
                self.assertEqual(await self.read(LIMIT), b'\xfa\0', 'a queue is written whole or not at all')

            await self.prepare(LIMIT, 0, b'\x01\x01')
            self.done(await self.execute(0))
            self.done(await self.execute())
            self.assertEqual(await self.read(LIMIT), b'\xfa\0', 'cancelled')

            prepared = 0
            while (response := await self.prepare(SIGN, 0, b'x')).op_code != att.Opcode.ATT_ERROR_RESPONSE:
                prepared += 1
            self.refused(response, QUEUE_FULL)
            self.assertGreaterEqual(prepared, 16)
            self.done(await self.execute(0))

            await self.prepare(SIGN, 0, b'Back at ')
            await self.prepare(LIMIT, 0, b'\x05\0')
            await self.prepare(SIGN, 8, b'noon')
            self.done(await self.execute())
            self.assertEqual((await self.read(SIGN), await self.read(LIMIT)), (b'Back at noon', b'\x05\0'))

    async def test_the_database_hash_is_the_cmac_of_the_database(self):
        """Core 6.0, Vol 3, Part G, section 7.3.1."""
        whole, without_value = {0x2800, 0x2801, 0x2802, 0x2803, 0x2900}, {0x2901, 0x2902, 0x2903, 0x2904, 0x2905}
        async with self.kiosk():
            cmac = CMAC(AES(bytes(16)))
            for attribute in await self.peer.discover_attributes():
                kind = attribute.type.to_bytes()
                number = int.from_bytes(kind, 'little') if len(kind) == 2 else None
                if number in whole | without_value:
                    cmac.update(attribute.handle.to_bytes(2, 'little') + kind)
                if number in whole:
                    cmac.update(bytes(await self.peer.read_value(attribute)))
            told, = await self.peer.gatt_client.read_characteristics_by_uuid(
                gatt.GATT_DATABASE_HASH_CHARACTERISTIC, None)
            self.assertEqual(bytes(told), cmac.finalize()[::-1])


if __name__ == '__main__':
    unittest.main()
