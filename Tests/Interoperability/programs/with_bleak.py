"""bleak, old and new, and libraries above it: the second word names one.  With `forgets`, it leaves a lost link as it is."""

import asyncio
import sys

from bleak import BleakClient, BleakScanner
from session import BATTERY, ENOUGH, HEART_RATE, LINKS, LOCATION, MEASUREMENT, say, show, show_read


async def use_bleak(client, received):
    await client.start_notify(MEASUREMENT, lambda _, octets: received(show(octets)))
    return lambda: client.stop_notify(MEASUREMENT)


async def use_bleakheart(client, received):
    from bleakheart import HeartRate

    def shown(frame):
        say(heart_rate={'bpm': frame[2][0]})
        received(frame)

    heart = HeartRate(client, callback=shown, unpack=False)
    await heart.start_notify()
    return heart.stop_notify


async def use_pycycling(client, received):
    from pycycling.heart_rate_service import HeartRateService

    def shown(measurement):
        say(heart_rate={'bpm': measurement.bpm})
        received(measurement)

    service = HeartRateService(client)
    service.set_hr_measurement_handler(shown)
    await service.enable_hr_measurement_notifications()
    return service.disable_hr_measurement_notifications


LIBRARIES = {'bleak': use_bleak, 'bleakheart': use_bleakheart, 'pycycling': use_pycycling, 'retry': use_bleak}


async def connected(strap, library, lost):
    """A client that is connected, by the way of the library."""
    if library == 'retry':
        from bleak_retry_connector import BleakClientWithServiceCache, establish_connection
        return await establish_connection(BleakClientWithServiceCache, strap, strap.name, lambda _: lost.set())
    client = BleakClient(strap, lambda _: lost.set())
    await client.connect()
    return client


async def main(library):
    strap = await BleakScanner.find_device_by_filter(lambda _, data: HEART_RATE in data.service_uuids, timeout=20)
    for link in range(LINKS):
        lost, enough, values = asyncio.Event(), asyncio.Event(), []

        def received(value):
            values.append(value)
            if len(values) == ENOUGH:
                enough.set()

        client = await connected(strap, library, lost)
        show_read(await client.read_gatt_char(LOCATION), await client.read_gatt_char(BATTERY))
        stop = await LIBRARIES[library](client, received)
        if link < LINKS - 1:
            await lost.wait()
            say(state='disconnected')
        else:
            await enough.wait()
            await stop()
        if link == LINKS - 1 or 'forgets' not in sys.argv:
            await client.disconnect()


asyncio.run(main(sys.argv[2]))
