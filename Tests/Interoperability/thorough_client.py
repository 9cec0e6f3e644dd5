"""A client over Bumble that does everything that heart-rate scenarios require, for `busy_clients.py`.

It finds straps by their service, prefers the strongest, rediscovers after Service Changed, clears its display when
measurements stop, and restarts when its controller was reset.
"""

import asyncio
import json
import os

from bumble import core, device, hci, transport

HEART_RATE, MEASUREMENT = core.UUID.from_16_bits(0x180D), core.UUID.from_16_bits(0x2A37)
ATTRIBUTES, CHANGED = core.UUID.from_16_bits(0x1801), core.UUID.from_16_bits(0x2A05)
STALE, DEAD = 8, 14  # seconds without a measurement
LOST = (Exception, asyncio.CancelledError)  # Bumble cancels what a lost link ends


def say(**line):
    print(json.dumps(line))


def decode(octets):
    """A Heart Rate Measurement: Heart Rate Service 1.0, section 3.1; None if it is too short for its flags."""
    rest = list(octets)

    def take(size):
        return sum(rest.pop(0) << 8 * place for place in range(size))

    try:
        flags = take(1)
        shown = {'bpm': take(2 if flags & 1 else 1), 'contact': bool(flags & 2) if flags & 4 else None}
        if flags & 8:
            shown['energy_kj'] = take(2)
        if flags & 16:
            shown['rr_ms'] = [take(2) * 1000 / 1024 for _ in range(len(rest) // 2)]
    except IndexError:
        return None
    return shown


class Client:
    def __init__(self, host):
        self.host, self.heard_at, self.is_shown = host, 0, False

    def heard(self, octets):
        self.heard_at = asyncio.get_running_loop().time()
        if shown := decode(octets):
            self.is_shown = True
            say(heart_rate=shown)

    def clear(self):
        if self.is_shown:
            say(heart_rate=None)
        self.is_shown = False

    async def find(self):
        """The address of the strongest strap within a second of the first."""
        say(state='scanning')
        straps, first = {}, asyncio.Event()

        def seen(advertisement):
            services = advertisement.data.get_all(core.AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS)
            services += advertisement.data.get_all(core.AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS)
            if advertisement.is_connectable and any(HEART_RATE in uuids for uuids in services):
                # 127: the controller does not know the strength.
                straps[advertisement.address] = -128 if advertisement.rssi == 127 else advertisement.rssi
                first.set()

        self.host.on('advertisement', seen)
        try:
            await self.host.start_scanning(filter_duplicates=False)
            async with asyncio.timeout(10):
                await first.wait()
            await asyncio.sleep(1)
        finally:
            self.host.remove_listener('advertisement', seen)
            if self.host.is_scanning:
                await self.host.stop_scanning()
        return max(straps, key=straps.get)

    async def subscribe(self, peer, changed):
        async with asyncio.timeout(10):
            for service in await peer.discover_service(ATTRIBUTES):
                for characteristic in await service.discover_characteristics([CHANGED]):
                    await characteristic.subscribe(changed)
            service, = await peer.discover_service(HEART_RATE)
            measurement, = await service.discover_characteristics([MEASUREMENT])
            await measurement.subscribe(self.heard)
        self.heard_at = asyncio.get_running_loop().time()
        say(state='subscribed')

    async def listen(self):
        """Runs until the link ends or measurements stop."""
        strap = await self.find()
        say(state='connecting')
        connection = await self.host.connect(strap, timeout=5)
        gone, moved = asyncio.Event(), asyncio.Event()
        connection.on('disconnection', lambda _: gone.set())
        say(state='connected')
        try:
            moved.set()
            asked_at = 0
            while not gone.is_set():
                if moved.is_set():
                    moved.clear()
                    await self.subscribe(device.Peer(connection), lambda _: moved.set())
                await asyncio.sleep(0.2)
                now = asyncio.get_running_loop().time()
                if now - self.heard_at > STALE:
                    self.clear()
                if now - max(self.heard_at, asked_at) > DEAD:
                    asked_at = now
                    if not await self.has_link(connection):
                        return await self.begin()
        finally:
            say(state='disconnected')
            self.clear()
            if not gone.is_set() and connection.handle in self.host.connections:
                async with asyncio.timeout(2):
                    await connection.disconnect()

    async def has_link(self, connection):
        """Whether its controller still knows the connection: not after it was switched off."""
        try:
            async with asyncio.timeout(2):
                await connection.get_rssi()
        except LOST:
            return False
        return True

    async def begin(self):
        async with asyncio.timeout(5):
            await self.host.power_on()


async def main():
    address, port = os.environ['LUBDUB_CONTROLLER'].removeprefix('tcp:').rsplit(':', 1)
    async with await transport.open_transport(f'tcp-client:{address}:{port}') as controller:
        client = Client(device.Device.with_hci('client', hci.Address('F0:F0:F0:F0:F0:F0'), controller.source, controller.sink))
        await client.begin()
        while True:
            try:
                await client.listen()
            except LOST as problem:
                say(error=f'{type(problem).__name__}: {problem}')
                await asyncio.sleep(0.5)


asyncio.run(main())
