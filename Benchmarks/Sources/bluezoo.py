"""Two programs of BlueZ for `make bench`, on the bus at DBUS_SYSTEM_BUS_ADDRESS.

`strap`: a heart-rate strap made of bluez-peripheral on hci0, which notifies a hundred times a second until it is ended.
`client ADAPTER WARM COUNT`: a client made of bleak, which prints a line after WARM values, and one after COUNT more.
"""

import asyncio
import sys
import time

MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"


async def strap():
    from bluez_peripheral.advert import Advertisement
    from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
    from bluez_peripheral.gatt.service import Service
    from bluez_peripheral.util import Adapter, get_message_bus
    from dbus_next import DBusError
    from dbus_next.service import method

    @method()
    def Confirm(self):
        """BlueZoo calls this for each value; it would log an error each time without it."""

    characteristic.Confirm = Confirm

    class HeartRate(Service):
        def __init__(self):
            super().__init__("180D", True)

        @characteristic("2A37", CharacteristicFlags.NOTIFY)
        def measurement(self, options):
            return bytes([0, 60])

    bus = await get_message_bus()
    adapters = {}
    while len(adapters) < 2:  # BlueZoo is starting
        try:
            adapters = {adapter._proxy.path: adapter for adapter in await Adapter.get_all(bus)}
        except (DBusError, ValueError):
            await asyncio.sleep(0.05)
    heart_rate = HeartRate()
    await heart_rate.register(bus, adapter=adapters["/org/bluez/hci0"])
    await Advertisement("Bench", ["180D"], 0x0341, 0).register(bus, adapters["/org/bluez/hci0"])
    print("ready", flush=True)
    due = time.monotonic()
    while True:
        due += 0.01
        await asyncio.sleep(max(0, due - time.monotonic()))
        heart_rate.measurement.changed(bytes([0, 60]))


async def client(adapter, warm, count):
    from bleak import BleakClient, BleakScanner

    where = {"adapter": adapter}
    found = await BleakScanner.find_device_by_filter(
        lambda _, data: any("180d" in uuid for uuid in data.service_uuids), timeout=20, bluez=where
    )
    received, done = 0, asyncio.Event()

    def receive(*_):
        nonlocal received
        received += 1
        if received in (warm, warm + count):
            print(received, flush=True)
        if received == warm + count:
            done.set()

    async with BleakClient(found, bluez=where) as connection:
        await connection.start_notify(MEASUREMENT, receive)
        await done.wait()


asyncio.run(strap() if sys.argv[1] == "strap" else client(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
