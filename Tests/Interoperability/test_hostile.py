"""Hosts that violate the protocol affect only themselves."""

import asyncio
import contextlib
import json
import pathlib
import random
import struct
import tempfile
import time

from bumble import core

from harness import Interoperability, controller_port, host, lubdub, peer
from raw import RESET, attribute, command, data, raw, resident

ALONE = ['test_floods_take_little_memory_and_do_not_delay_others']  # it measures times

SEED = 20
STRAPS = 'scenarios/three_straps.json'
READ_COMMANDS, READ_REMOTE_FEATURES = 0x1002, 0x2016
MEMORY = 16 << 20


class HostileHosts(Interoperability):
    @contextlib.asynccontextmanager
    async def heard(self, port):
        """A host that receives the nearest strap's advertising throughout the block."""
        async with host(port, 'Good', 'F0:F1:F2:F3:F4:F5') as central, peer(central) as strap:
            measurement, = strap.get_characteristics_by_uuid(core.UUID.from_16_bits(0x2A37))
            beats = asyncio.Queue()
            await strap.subscribe(measurement, lambda value: beats.put_nowait(time.monotonic()))
            await beats.get()
            yield str(strap.connection.peer_address)
            async with asyncio.timeout(5):
                times = [beats.get_nowait() for _ in range(beats.qsize())] + [await beats.get()]
            gaps = [after - before for before, after in zip(times, times[1:])]
            self.assertLess(max(gaps, default=0), 3, 'one beat a second, all the time')

    async def pump(self, host, octets, seconds, reads):
        """Sends the octets repeatedly; true if the stream was closed before the time was up."""
        async def read():
            while await host.reader.read(1 << 20):
                pass

        reading = asyncio.create_task(read()) if reads else None
        try:
            async with asyncio.timeout(seconds):
                while True:
                    host.writer.write(octets)
                    await host.writer.drain()
                    await asyncio.sleep(0)
        except ConnectionError:
            return True
        except TimeoutError:
            return False
        finally:
            if reading:
                reading.cancel()

    async def test_floods_take_little_memory_and_do_not_delay_others(self):
        async with lubdub('serve', STRAPS, '--controller', 'tcp:127.0.0.1:0', '--quiet') as serve:
            port = await controller_port(serve)
            async with self.heard(port) as taken:
                before = resident(serve)
                async with raw(port) as flood:
                    self.assertTrue(await self.pump(flood, command(READ_COMMANDS) * 1000, 30, reads=False))
                async with raw(port) as flood:
                    await self.pump(flood, command(RESET) * 1000, 1, reads=True)
                async with raw(port) as flood:
                    free = next(f'C0:FF:EE:00:00:0{n}' for n in (1, 2, 3) if f'0{n}' != taken[15:17])
                    handle = await flood.connect(bytes.fromhex(free.replace(':', ''))[::-1])
                    await self.pump(flood, command(READ_REMOTE_FEATURES, struct.pack('<H', handle)) * 1000, 1, True)
                async with raw(port) as flood:
                    await self.pump(flood, data(1, bytes(27)) * 1000, 1, reads=True)
                self.assertLess(resident(serve) - before, MEMORY)
            self.assertIsNone(serve.returncode)

    async def test_invalid_h4_closes_the_stream_with_a_message(self):
        async with lubdub(
                'serve', STRAPS, '--controller', 'tcp:127.0.0.1:0', '--quiet', stderr=asyncio.subprocess.PIPE) as serve:
            port = await controller_port(serve)
            for octets, why in [
                    (b'\x2A', '0x2A where an H4 packet should begin'),
                    (command(RESET) + struct.pack('<BHH', 2, 1, 0xFFFF), 'an H4 packet of kind acl with 65539 octets'),
            ]:
                async with raw(port) as host:
                    host.writer.write(octets)
                    async with asyncio.timeout(5):
                        while await host.reader.read(1 << 16):
                            pass
                        self.assertIn(f'does not speak H4: {why}', (await serve.stderr.readline()).decode())

    async def test_mutated_sessions_leave_the_air_unchanged(self):
        chance = random.Random(SEED)
        async with lubdub('serve', STRAPS, '--controller', 'tcp:127.0.0.1:0', '--quiet') as serve:
            port = await controller_port(serve)
            async with self.heard(port) as taken:
                free = next(f'C0:FF:EE:00:00:0{n}' for n in (1, 2, 3) if f'0{n}' != taken[15:17])
                address = bytes.fromhex(free.replace(':', ''))[::-1]
                for _ in range(6):
                    async with raw(port) as hostile:
                        handle = await hostile.connect(address)
                        for _ in range(300):
                            hostile.writer.write(self.mutated(chance, handle))
                        self.assertEqual(await hostile.answer(RESET), 0, 'it still understands its host')
            self.assertIsNone(serve.returncode)

    def mutated(self, chance, handle):
        """An almost valid command or data packet; the H4 framing is valid."""
        noise = chance.randbytes(chance.randrange(20))
        handle = chance.choice([handle, handle, handle, chance.randrange(0x1000)])
        match chance.randrange(5):
            case 0: return command(chance.choice([0x0406, 0x2006, 0x200A, 0x200B, 0x200C, 0x200D, 0x2013]), noise)
            case 1: return command(chance.randrange(1, 0x10000), noise)
            case 2: return attribute(handle, bytes([chance.randrange(256)]) + noise)
            case 3: return data(handle, struct.pack('<HH', chance.randrange(0x10000), chance.randrange(7)) + noise)
            case _: return data(handle, noise, chance.randrange(16))

    async def test_a_handle_from_before_a_reset_is_invalid(self):
        first, second = (bytes.fromhex(f'C0FFEE00000{n}')[::-1] for n in (1, 2))
        with tempfile.TemporaryDirectory() as folder:
            events = pathlib.Path(folder, 'events.jsonl')
            async with lubdub(
                    'serve', STRAPS, '--controller', 'tcp:127.0.0.1:0', '--quiet', '--events', events) as serve:
                async with raw(await controller_port(serve)) as guest:
                    handle = await guest.connect(first)
                    self.assertEqual(await guest.connect(second), handle)
                    for value in range(1, 40):  # one of these is the configuration
                        guest.writer.write(attribute(handle, struct.pack('<BHH', 0x52, value, 1)))
                        await guest.until(lambda p: p[1] == 0x13)
                    await guest.until(lambda p: p[0] == 2 and p[9:10] == b'\x1b')
            log = [json.loads(line) for line in events.read_text().splitlines()]
        second_device = next(r['of'] for r in log if r['event'] == 'subscribed')
        self.assertEqual({r['of'] for r in log if r['event'] == 'delivered'}, {second_device})
