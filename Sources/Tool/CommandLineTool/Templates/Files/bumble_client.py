"""Shows the heart rate of the strap that LUBDUB_PEER names, and reconnects after a lost link."""
import asyncio, json, os
from bumble import core, device, hci, transport

HEART_RATE, MEASUREMENT = core.UUID.from_16_bits(0x180D), core.UUID.from_16_bits(0x2A37)

def report(**line):
    print(json.dumps(line))

def received(octets):
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
    except IndexError:  # shorter than its flags require
        return
    report(heart_rate=shown)

async def listen(host, strap):
    report(state='connecting')
    connection, gone = await host.connect(strap, timeout=5), asyncio.Event()
    connection.on('disconnection', lambda _: gone.set())
    report(state='connected')
    try:
        async with asyncio.timeout(10):
            service, = await device.Peer(connection).discover_service(HEART_RATE)
            measurement, = await service.discover_characteristics([MEASUREMENT])
            await measurement.subscribe(received)
        report(state='subscribed')
        await gone.wait()
    finally:
        report(state='disconnected')
        report(heart_rate=None)
        if not gone.is_set():
            await connection.disconnect()

async def main():
    host, port = os.environ['LUBDUB_CONTROLLER'].removeprefix('tcp:').rsplit(':', 1)
    address, kind = os.environ['LUBDUB_PEER'].split('/')
    strap = hci.Address(address + ('/P' if kind == 'public' else ''))
    async with await transport.open_transport(f'tcp-client:{host}:{port}') as controller:
        central = device.Device.with_hci('client', hci.Address('F0:F0:F0:F0:F0:F0'), controller.source, controller.sink)
        await central.power_on()
        while True:
            try:
                await listen(central, strap)
            except (Exception, asyncio.CancelledError) as problem:  # Bumble cancels what a lost link ends
                report(error=f'{type(problem).__name__}: {problem}')
                await asyncio.sleep(0.5)
                strap = os.environ['LUBDUB_PEER_NAME']  # it may come back with another address

asyncio.run(main())
