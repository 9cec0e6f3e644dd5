"""Shows the heart rate of the strap that LUBDUB_PEER names, through bluetoothd, and reconnects after a lost link."""
import asyncio, json, os
from bleak import BleakClient, BleakScanner

MEASUREMENT = '00002a37-0000-1000-8000-00805f9b34fb'

def report(**line):
    print(json.dumps(line))

def received(_, octets):
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

async def listen(address, bluez):
    report(state='scanning')
    strap = await BleakScanner.find_device_by_address(address, timeout=10, bluez=bluez)
    if strap is None:
        raise TimeoutError(f'{address} was not found')
    gone = asyncio.Event()
    report(state='connecting')
    try:
        async with BleakClient(strap, lambda _: gone.set(), timeout=10, bluez=bluez) as client:
            report(state='connected')
            await client.start_notify(MEASUREMENT, received)
            report(state='subscribed')
            await gone.wait()
    finally:
        report(state='disconnected')
        report(heart_rate=None)

async def main():
    address, bluez = os.environ['LUBDUB_PEER'].split('/')[0], {'adapter': os.environ['LUBDUB_CONTROLLER']}
    while True:
        try:
            await listen(address, bluez)
        except Exception as problem:  # the adapter may not be powered yet
            report(error=f'{type(problem).__name__}: {problem}')
            await asyncio.sleep(0.5)

asyncio.run(main())
