"""Connects with Bumble, as examples/heart_rate_client.py of its repository does."""

import asyncio

from adapter import ADDRESS, CONTROLLER, KIND, keep_listening, report
from bumble import device, hci, transport


def run(subscribe):
    """Awaits `subscribe(peer)` in each connection, all attributes discovered."""
    asyncio.run(main(subscribe))


async def main(subscribe):
    strap = hci.Address(ADDRESS + ('/P' if KIND == 'public' else ''))
    async with await transport.open_transport('tcp-client:' + CONTROLLER.removeprefix('tcp:')) as controller:
        host = device.Device.with_hci('client', hci.Address('F0:F0:F0:F0:F0:F0'), controller.source, controller.sink)
        await host.power_on()

        async def listen():
            report(state='connecting')
            connection = await host.connect(strap, timeout=5)
            report(state='connected')
            async with device.Peer(connection) as peer:
                await subscribe(peer)
                report(state='subscribed')
                await peer.sustain()

        await keep_listening(listen)
