"""A host that sends arbitrary octets, which Bumble's host cannot."""

import asyncio
import contextlib
import pathlib
import struct

RESET, SET_EVENT_MASK, SET_RANDOM_ADDRESS, CREATE_CONNECTION = 0x0C03, 0x0C01, 0x2005, 0x200D


def command(opcode, parameters=b''):
    return struct.pack('<BHB', 1, opcode, len(parameters)) + parameters


def data(handle, payload, boundary=0):
    return struct.pack('<BHH', 2, handle | boundary << 12, len(payload)) + payload


def attribute(handle, pdu):
    return data(handle, struct.pack('<HH', len(pdu), 4) + pdu)


def event(code, parameters):
    return bytes([4, code, len(parameters)]) + parameters


def complete(opcode, returned):
    return event(0x0E, b'\x01' + struct.pack('<H', opcode) + returned)


class Raw:
    """A host that sends arbitrary octets."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def packet(self):
        header = await self.reader.readexactly(3)
        if header[0] == 4:
            return header + await self.reader.readexactly(header[2])
        header += await self.reader.readexactly(2)
        return header + await self.reader.readexactly(struct.unpack_from('<H', header, 3)[0])

    async def until(self, wanted):
        async with asyncio.timeout(10):
            while not wanted(packet := await self.packet()):
                pass
            return packet

    async def answer(self, opcode, parameters=b''):
        """The status of a command, from Command Complete or Command Status."""
        self.writer.write(command(opcode, parameters))
        octets = struct.pack('<H', opcode)
        packet = await self.until(lambda p: p[1] == 0x0E and p[4:6] == octets or p[1] == 0x0F and p[5:7] == octets)
        return packet[6] if packet[1] == 0x0E else packet[3]

    async def connect(self, address):
        """Resets, scans and connects; returns the connection handle."""
        assert await self.answer(RESET) == 0
        assert await self.answer(SET_EVENT_MASK, bytes([0xFF] * 7 + [0x3F])) == 0
        assert await self.answer(SET_RANDOM_ADDRESS, bytes.fromhex('0102030405C6')) == 0
        parameters = struct.pack('<HHBB', 0x60, 0x60, 0, 1) + address + struct.pack('<BHHHHHH', 1, 6, 6, 0, 200, 0, 0)
        assert await self.answer(CREATE_CONNECTION, parameters) == 0
        packet = await self.until(lambda p: p[1] == 0x3E and p[3] == 1)
        assert packet[4] == 0, packet
        return struct.unpack_from('<H', packet, 5)[0]


@contextlib.asynccontextmanager
async def raw(port):
    reader, writer = await asyncio.open_connection('127.0.0.1', port)
    try:
        yield Raw(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def resident(process):
    """The peak memory of a process, in octets."""
    lines = pathlib.Path(f'/proc/{process.pid}/status').read_text().splitlines()
    return int(next(line for line in lines if line.startswith('VmHWM')).split()[1]) * 1024
