"""Shared by the tests of sensors: a scenario's device, connected by its address, and its event log."""

import asyncio
import contextlib
import json
import pathlib
import tempfile

from bumble import core, device, gatt, hci

from harness import controller_port, host, lubdub

CENTRAL = 'F0:F1:F2:F3:F4:F5'


def sig(number):
    """A UUID of the Bluetooth SIG."""
    return core.UUID.from_16_bits(number)


def vendor(number):
    """A UUID of Lubdub."""
    return core.UUID(f'6c75{number:04x}-6264-4562-a000-4c7562647562')


def pmd(number):
    """A UUID of Polar Measurement Data."""
    return core.UUID(f'fb00{number:04x}-02e7-f387-1cad-8acd2d8df0c8')


class Log:
    """The event log of a running lubdub."""

    def __init__(self, path):
        self.path = path

    def records(self, event, of=None):
        """The complete lines with this event, of one entity if given."""
        lines = self.path.read_text().splitlines(keepends=True)
        records = [json.loads(line) for line in lines if line.endswith('\n')]
        return [record for record in records if record['event'] == event and of in (None, record.get('of'))]

    async def until(self, event, of=None, count=1, limit=10):
        """Waits until there are `count` such lines, and returns them."""
        async with asyncio.timeout(limit):
            while len(records := self.records(event, of)) < count:
                await asyncio.sleep(0.02)
        return records


@contextlib.asynccontextmanager
async def served(scenario, *options):
    """Runs `lubdub serve` with a scenario; yields the port of its controllers, its event log and the process."""
    with tempfile.TemporaryDirectory() as folder:
        events = pathlib.Path(folder, 'events.jsonl')
        command = ('serve', scenario, '--controller', 'tcp:127.0.0.1:0', '--quiet', '--events', str(events), *options)
        async with lubdub(*command) as process:
            yield await controller_port(process), Log(events), process


@contextlib.asynccontextmanager
async def connected(central, address, mtu=None):
    """The device at a random address as a Bumble central sees it, with all attributes discovered."""
    async with asyncio.timeout(20):
        connection = await central.connect(hci.Address(address), own_address_type=hci.OwnAddressType.RANDOM)
        peer = device.Peer(connection)
        if mtu:
            await peer.request_mtu(mtu)
        await peer.discover_all()
    yield peer
    if central.lookup_connection(connection.handle):
        with contextlib.suppress(core.ProtocolError):
            await connection.disconnect()


@contextlib.asynccontextmanager
async def meeting(scenario, address, *options, mtu=None):
    """Combines these: yields the device and the event log."""
    async with served(scenario, *options) as (port, log, _), host(port, 'Central', CENTRAL) as central:
        async with connected(central, address, mtu) as peer:
            yield peer, log


def characteristic(peer, uuid):
    """The only characteristic of this UUID."""
    found, = peer.get_characteristics_by_uuid(uuid)
    return found


async def listen(peer, uuid):
    """Subscribes to a value; notified and indicated values go to the queue."""
    heard = asyncio.Queue()
    await peer.subscribe(characteristic(peer, uuid), heard.put_nowait)
    return heard


async def take(heard, count, limit=20):
    """Takes `count` values from the queue."""
    async with asyncio.timeout(limit):
        return [bytes(await heard.get()) for _ in range(count)]


async def refusal(attempt):
    """The ATT error of a procedure, 0 if it succeeds."""
    try:
        await attempt
    except core.ProtocolError as error:
        return error.error_code
    return 0
