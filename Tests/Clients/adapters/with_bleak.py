"""Connects with bleak, as examples/disconnect_callback.py of its repository does: scan, connect, wait for the callback.

It does not call `client.pair()`: bluetoothd pairs when the device refuses a request.
"""

import asyncio

import bluez_agent
from adapter import ADDRESS, CONTROLLER, keep_listening, report
from bleak import BleakClient, BleakScanner

ADAPTER = {'adapter': CONTROLLER}


def run(subscribe):
    """Awaits `subscribe(client)` in each connection."""
    asyncio.run(main(subscribe))


async def main(subscribe):
    async with bluez_agent.answering():
        await keep_listening(lambda: listen(subscribe))


async def listen(subscribe):
    report(state='scanning')
    strap = await BleakScanner.find_device_by_address(ADDRESS, timeout=10, bluez=ADAPTER)
    if strap is None:
        raise TimeoutError(f'{ADDRESS} was not found')
    gone = asyncio.Event()
    report(state='connecting')
    async with BleakClient(strap, lambda _: gone.set(), timeout=10, bluez=ADAPTER) as client:
        report(state='connected')
        await subscribe(client)
        report(state='subscribed')
        await gone.wait()
