"""Clients that use resources without end do not affect other clients of the same device."""

import asyncio
import itertools
import json
import struct
import tempfile
import unittest

from bumble import att, core

from electrocardiogram import SYNTHETIC, Frame
from harness import Interoperability, host
from raw import attribute, raw, resident
from sensing import CENTRAL, characteristic, connected, listen, served, sig, take, vendor

ALONE = ['test_greedy_clients']  # it measures times

ADDRESS = 'C0:FF:EE:00:00:01'
SIGN = core.UUID('5a3b0002-9c1e-4f7a-8f52-3d1c6e0b7a90')
BELL = '5a3b0004-9c1e-4f7a-8f52-3d1c6e0b7a90'
MEMORY = 16 << 20
EVERYTHING = {
    'lubdub': 1, 'name': 'Everything', 'limit': '1 h',
    'devices': [{
        'id': 'strap', 'connections': 3, 'services': [
            {'service': 'heart_rate', 'contact': True, 'energy': True, 'rr_intervals': True},
            {'service': 'health_thermometer', 'period': '1 s', 'store': True},
            {'service': 'fitness', 'steps': {'curve': 'ramp', 'start': 0, 'end': 7200, 'over': '1 h'}},
            {'service': 'ecg'},
            {'service': 'measurements', 'rate': '500 Hz', 'value': 66},
            {'service': 'feed', 'period': '10 ms', 'value': {'curve': 'step', 'start': 0, 'by': 1, 'period': '10 ms'}},
            {'service': 'battery'},
            {'service': 'custom', 'uuid': '5a3b0001-9c1e-4f7a-8f52-3d1c6e0b7a90', 'characteristics': [
                {'uuid': str(SIGN), 'properties': ['read', 'write', 'write_command'], 'value': 'Open'},
                {'uuid': BELL, 'format': 'uint8', 'properties': ['indicate'], 'period': '100 ms', 'value': 1}]}]}],
}


class BadClientTests(Interoperability):
    async def test_greedy_clients(self):
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump(EVERYTHING, file)
            file.flush()
            async with served(file.name) as (port, log, process), host(port, 'Good', CENTRAL) as central:
                async with connected(central, ADDRESS) as strap:
                    frames = await listen(strap, vendor(0x0201))
                    beats = await listen(strap, sig(0x2A37))
                    await take(beats, 1)
                    before = resident(process)
                    configurations = [attribute.handle for attribute in await strap.discover_attributes()
                                      if attribute.type == sig(0x2902)]
                    self.sign = characteristic(strap, SIGN)
                    for behave in (self.never_confirms, self.never_reads):
                        async with raw(port) as bad:
                            await self.subscribe(bad, configurations)
                            await behave(bad)
                            await self.is_undisturbed(strap, log)
                    self.assertLess(resident(process) - before, MEMORY)
                    self.assertGreaterEqual(len(await log.until('indicated', count=2)), 2)
                    self.assertEqual(log.records('confirmed'), [])
                    self.compare([Frame(frames.get_nowait()) for _ in range(frames.qsize())])
                    self.assertGreaterEqual(beats.qsize(), 3)
                self.assertIsNone(process.returncode)

    async def subscribe(self, bad, configurations):
        """Subscribes to everything; each value rejects either notifications or indications."""
        self.handle = await bad.connect(bytes.fromhex(ADDRESS.replace(':', ''))[::-1])
        for kind, configuration in itertools.product((1, 2), configurations):
            bad.writer.write(attribute(self.handle, struct.pack('<BHH', 0x12, configuration, kind)))
            await bad.until(lambda packet: packet[0] == 2 and packet[9] in (0x01, 0x13))

    async def never_confirms(self, bad):
        """Confirms no indication, sends writes endlessly, and leaves prepared writes."""
        reading = asyncio.create_task(self.read(bad))
        for _ in range(20):
            part = struct.pack('<BHH', 0x16, self.sign.handle, 0) + b'half'
            flood = struct.pack('<BH', 0x52, self.sign.handle) + b'flood'
            bad.writer.write(attribute(self.handle, part) + attribute(self.handle, flood) * 200)
            await bad.writer.drain()
            await asyncio.sleep(0.05)
        reading.cancel()

    async def read(self, bad):
        while await bad.reader.read(1 << 16):
            pass

    async def never_reads(self, bad):
        """Reads nothing of what it has subscribed to."""
        bad.writer.transport.pause_reading()
        await asyncio.sleep(1.5)

    async def is_undisturbed(self, strap, log):
        """The good client has its own queue, and its reads are answered immediately."""
        async with asyncio.timeout(2):
            await strap.gatt_client.send_request(att.ATT_Prepare_Write_Request(
                attribute_handle=self.sign.handle, value_offset=0, part_attribute_value=b'Mine'))
            await strap.gatt_client.send_request(att.ATT_Execute_Write_Request(flags=1))
            self.assertIn(await strap.read_value(self.sign), (b'Mine', b'flood'))
            self.assertTrue(await strap.read_value(characteristic(strap, vendor(0x0101))))

    def compare(self, frames):
        """Asserts that no sample is missing."""
        self.assertGreater(len(frames), 200)
        self.assertEqual({frame.flags for frame in frames}, {SYNTHETIC})
        for before, after in itertools.pairwise(frames):
            self.assertEqual(before.index + len(before.samples), after.index)


if __name__ == '__main__':
    unittest.main()
