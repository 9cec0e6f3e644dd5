"""btleplug, a library in Rust, in the package bleak-py."""

import asyncio
import os

from bleak_py import find_device_by_name
from session import BATTERY, ENOUGH, LINKS, LOCATION, MEASUREMENT, say, show, show_read


async def main():
    strap, lost = await find_device_by_name('Strap', timeout=20), asyncio.Event()
    loop = asyncio.get_running_loop()
    strap.on_disconnected(lambda _: loop.call_soon_threadsafe(lost.set))
    for link in range(LINKS):
        enough, values = asyncio.Event(), []

        async def received(_, octets):
            values.append(show(octets))
            if len(values) == ENOUGH:
                enough.set()

        lost.clear()
        await strap.connect()
        show_read(await strap.read_gatt_char(LOCATION), await strap.read_gatt_char(BATTERY))
        await strap.start_notify(MEASUREMENT, received)
        if link < LINKS - 1:
            await lost.wait()
            say(state='disconnected')
        else:
            await enough.wait()
            await strap.stop_notify(MEASUREMENT)
            await strap.disconnect()


asyncio.run(main())
os._exit(0)  # since its threads call Python after the end
