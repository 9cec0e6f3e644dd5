"""Starts lubdub and Bumble together, on the loopback interface only.

The environment variable LUBDUB names the program; the default is `.build/debug/lubdub`.
"""

import asyncio
import contextlib
import os
import pathlib
import signal
import unittest

from bumble import core, device, hci, transport

ROOT = pathlib.Path(__file__).resolve().parents[2]
LUBDUB = str((ROOT / os.environ.get('LUBDUB', '.build/debug/lubdub')).resolve())
# Only `make test-release` names it.
RELEASE = os.environ.get('LUBDUB_RELEASE')
needs_release = unittest.skipUnless(RELEASE, 'LUBDUB_RELEASE names no release binary; `make test-release` does')
PATIENCE = 3
HEART_RATE = core.UUID.from_16_bits(0x180D)

# A background shell may ignore these signals, and child processes inherit that.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


class Interoperability(unittest.IsolatedAsyncioTestCase):
    """A test that should take at most `limit` seconds; it ends after `PATIENCE` times as long, on a busy machine."""

    limit = 60

    def _callTestMethod(self, method):
        async def bounded():
            async with asyncio.timeout(PATIENCE * self.limit):
                await method()

        super()._callTestMethod(bounded)


@contextlib.asynccontextmanager
async def lubdub(*arguments, stderr=None):
    """Runs `lubdub ARGUMENTS...` in the project's folder, and ends it with the block."""
    process = await asyncio.create_subprocess_exec(
        LUBDUB, *arguments, cwd=ROOT, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=stderr)
    try:
        yield process
    finally:
        await end(process)


async def end(process):
    """Terminates the process, kills it after 5 s, and returns its status."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(5):
            return await process.wait()
    except TimeoutError:
        process.kill()
        return await process.wait()


async def controller_port(process, output=None):
    """The port of lubdub's first controller, from its line `controller tcp:127.0.0.1:PORT`, on standard output by default."""
    async with asyncio.timeout(10):
        async for line in output or process.stdout:
            words = line.decode().split()
            if words[:1] == ['controller']:
                return int(words[1].rsplit(':', 1)[1])
    raise AssertionError(f'lubdub offered no controller, and ended with {await process.wait()}')


@contextlib.asynccontextmanager
async def host(port, name, address):
    """A powered Bumble host over the controller at this port."""
    async with await transport.open_transport(f'tcp-client:127.0.0.1:{port}') as hci_transport:
        bumble = device.Device.with_hci(name, hci.Address(address), hci_transport.source, hci_transport.sink)
        async with asyncio.timeout(10):
            await bumble.power_on()
        yield bumble


async def find(central, service=HEART_RATE, limit=10):
    """The first advertisement that lists the service, within `limit` seconds of scanning."""
    found = asyncio.get_running_loop().create_future()

    def heard(advertisement):
        lists = advertisement.data.get_all(core.AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS)
        lists += advertisement.data.get_all(core.AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS)
        if any(service in uuids for uuids in lists) and not found.done():
            found.set_result(advertisement)

    central.on('advertisement', heard)
    await central.start_scanning()
    try:
        async with asyncio.timeout(limit):
            return await found
    finally:
        central.remove_listener('advertisement', heard)
        await central.stop_scanning()


@contextlib.asynccontextmanager
async def peer(central):
    """The strap that advertises Heart Rate, connected, with all attributes discovered."""
    advertisement = await find(central)
    async with asyncio.timeout(20):
        connection = await central.connect(advertisement.address)
        strap = device.Peer(connection)
        await strap.discover_all()
    yield strap
    if central.lookup_connection(connection.handle):
        with contextlib.suppress(core.ProtocolError):
            await connection.disconnect()


class Request:
    """A request as octets, which Bumble's classes cannot build."""

    name = 'ATT_RAW_REQUEST'

    def __init__(self, octets):
        self.octets = octets

    def __bytes__(self):
        return self.octets


async def exchange(strap, octets):
    """The octets of the Error Response to a request; fails if none arrives within 5 s."""
    async with asyncio.timeout(5):  # Bumble drops any other response to an unknown request
        return bytes(await strap.gatt_client.send_request(Request(octets)))
