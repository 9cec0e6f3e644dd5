"""Hosts and controllers that violate the protocol affect only themselves."""

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
from raw import RESET, attribute, command, complete, data, event, raw, resident

ALONE = True  # it measures times

SEED = 20
STRAPS = 'scenarios/three_straps.json'
READ_COMMANDS, SCAN_ENABLE, READ_REMOTE_FEATURES = 0x1002, 0x200C, 0x2016
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


class HostileControllers(Interoperability):
    @contextlib.asynccontextmanager
    async def controller(self, answer):
        """A port with a controller: `answer` returns the response to each command, or None to close the stream."""
        async def serve(reader, writer):
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while (header := await reader.readexactly(4))[0] == 1:
                    parameters = await reader.readexactly(header[3])
                    octets = answer(struct.unpack_from('<H', header, 1)[0], parameters)
                    if octets is None:
                        break
                    writer.write(octets)
            writer.close()

        server = await asyncio.start_server(serve, '127.0.0.1', 0)
        async with server:
            yield server.sockets[0].getsockname()[1]

    @staticmethod
    def good(opcode, parameters):
        """The responses of a controller with all features."""
        returned = {
            0x1001: b'\x09\0\0\x09\xFF\xFF\0\0', 0x1002: bytes([0xFF] * 64), 0x2003: bytes(8), 0x2002: b'\x1B\0\x0C',
            0x1005: bytes(7), 0x1009: b'\1\2\3\4\5\6',
        }
        return complete(opcode, b'\0' + returned.get(opcode, b''))

    async def ends(self, answer, *arguments):
        """The status and the last error line of a program over such a controller."""
        async with self.controller(answer) as port:
            radio = f'hci:tcp:127.0.0.1:{port}'
            async with lubdub(*arguments, '--radio', radio, stderr=asyncio.subprocess.PIPE) as process:
                async with asyncio.timeout(20):
                    _, errors = await process.communicate()
                return process.returncode, errors.decode().splitlines()

    async def test_a_monitor_ends_with_a_message(self):
        good = self.good
        for answer, why in [
                (lambda opcode, _: None, 'the controller closed the connection'),
                (lambda opcode, _: b'\x48\x49', 'does not speak H4: 0x48 where an H4 packet should begin'),
                (lambda opcode, _: complete(opcode, b'\x0C'), 'the controller refused Reset: command_disallowed (restart the controller, and close'),
                (lambda opcode, _: complete(opcode, b''), 'the controller refused Reset: unspecified'),
                (lambda opcode, p: complete(opcode, b'\0\0\0\0') if opcode == 0x2002 else good(opcode, p),
                 'the controller has no buffers of 27 octets or more for data'),
                (lambda opcode, p: event(0x10, b'\7') if opcode == RESET else good(opcode, p),
                 'the controller reports a hardware error, code 7'),
                (lambda opcode, p: None if opcode == SCAN_ENABLE else good(opcode, p),
                 'the controller closed the connection'),
        ]:
            status, errors = await self.ends(answer, 'monitor')
            self.assertEqual((status, len(errors)), (3, 1), errors)
            self.assertIn(why, errors[0])

    async def test_a_controller_that_never_answers_is_reported_whatever_the_limit_is(self):
        for arguments in [
                ('scan', '--for', '0.5 s'), ('monitor', '--for', '0.5 s'), ('serve', 'scenarios/resting.json', '--for', '0.5 s'),
                ('run', 'scenarios/resting.json', '--for', '0.5 s', '--client', 'sleep 60'),
                ('scan', '--for', '15 s'), ('serve', 'scenarios/resting.json'), ('check',)]:
            with self.subTest(arguments):
                status, errors = await self.ends(lambda opcode, _: b'', *arguments)
                self.assertEqual(status, 3, errors)
                self.assertRegex(errors[-1], r': the controller did not answer Reset .*\(check that .*; restart it\)$')

    async def test_a_monitor_retries_when_a_working_controller_fails(self):
        scans = 0

        def answer(opcode, parameters):
            nonlocal scans
            begins = opcode == SCAN_ENABLE and parameters[0] == 1
            scans += begins
            return event(0x10, b'\7') if begins and scans < 4 else self.good(opcode, parameters)

        status, errors = await self.ends(answer, 'monitor', '--for', '2 s')
        self.assertEqual((status, len(errors)), (3, 1), errors)
        self.assertIn('was not found', errors[0])
        self.assertEqual(scans, 4)

    async def test_a_scan_survives_events_of_any_kind(self):
        chance = random.Random(SEED)

        def answer(opcode, parameters):
            octets = self.good(opcode, parameters)
            if opcode == SCAN_ENABLE:
                for _ in range(2000):
                    code = chance.choice([0x05, 0x0E, 0x0F, 0x13, 0x3E, 0x3E, 0x3E, chance.randrange(0x11, 0x100)])
                    octets += event(code, chance.randbytes(chance.randrange(40)))
            return octets

        status, errors = await self.ends(answer, 'scan', '--for', '1 s')
        self.assertEqual((status, len(errors)), (0, 16), errors)
        for line in errors:
            self.assertIn('the controller sent an invalid event', line)

    async def test_an_event_that_cannot_be_read_is_reported_with_its_octets(self):
        def answer(opcode, parameters):
            octets = self.good(opcode, parameters)
            return octets + event(0x3E, b'\1\0\x40') if opcode == RESET else octets

        why = ('the controller sent an invalid event (LE_Connection_Complete): '
               'octet 4: Connection_Handle needs 2 octet(s), and 1 are left: 3E 03 01 00 40')
        for arguments in [('scan',), ('serve', 'scenarios/resting.json')]:
            status, errors = await self.ends(answer, *arguments, '--for', '1 s')
            self.assertEqual(status, 0, errors)
            self.assertTrue(any(line.endswith(why) for line in errors), errors)

    async def test_serve_reports_what_its_controller_rejects(self):
        def answer(opcode, parameters):
            return complete(opcode, b'\x0C') if opcode == 0x2006 else self.good(opcode, parameters)

        status, errors = await self.ends(answer, 'serve', 'scenarios/resting.json', '--for', '1 s')
        self.assertEqual(status, 0)
        self.assertTrue(any('the controller refused LE_Set_Advertising_Parameters' in line for line in errors), errors)
