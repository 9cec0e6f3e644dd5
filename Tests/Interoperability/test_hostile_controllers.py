"""Controllers that violate the protocol end the program above them, with a message."""

import asyncio
import contextlib
import random
import struct

from harness import Interoperability, lubdub
from raw import RESET, complete, event

SEED = 20
SCAN_ENABLE = 0x200C


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
        async def check(arguments):
            status, errors = await self.ends(lambda opcode, _: b'', *arguments)
            with self.subTest(arguments):
                self.assertEqual(status, 3, errors)
                self.assertRegex(errors[-1], r': the controller did not answer Reset .*\(check that .*; restart it\)$')

        await asyncio.gather(*map(check, [
            ('scan', '--for', '0.5 s'), ('monitor', '--for', '0.5 s'), ('serve', 'scenarios/resting.json', '--for', '0.5 s'),
            ('run', 'scenarios/resting.json', '--for', '0.5 s', '--client', 'sleep 60'),
            ('scan', '--for', '15 s'), ('serve', 'scenarios/resting.json'), ('check',)]))

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
        self.assertEqual((status, len(errors)), (0, 17), errors)
        self.assertEqual(errors[-1], 'lubdub: no advertising device was found')
        for line in errors[:-1]:
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
