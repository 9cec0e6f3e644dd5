"""The rows of `lubdub bench` that Bumble supports: prints the count and the CPU time per item in microseconds.

Both hosts and both controllers run in this process, as they do in lubdub.  `strap ADDRESS` serves a heart-rate strap made of
Bumble's profiles over the controller at an address, until it is ended.
"""

import asyncio
import contextlib
import logging
import sys
import time

from bumble.controller import Controller
from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink

HEART_RATE, MEASUREMENT = UUID.from_16_bits(0x180D), UUID.from_16_bits(0x2A37)
STRAP = Address("C0:FF:EE:00:00:01", Address.RANDOM_DEVICE_ADDRESS)
VALUE = bytes([0x10, 200]) + bytes([0x33, 0x01]) * 9


async def pair_of_devices():
    link = LocalLink()
    devices = []
    for name, address in (("strap", STRAP), ("client", Address("C0:FF:EE:00:00:02"))):
        host = Host(controller_source=None)
        controller = Controller(name, host_source=host, host_sink=host, link=link)
        host.set_packet_sink(controller)
        devices.append(Device(name=name, address=address, host=host))
    strap, client = devices
    measurement = Characteristic(
        MEASUREMENT, Characteristic.Properties.NOTIFY, Characteristic.Permissions(0), VALUE
    )
    strap.add_service(Service(HEART_RATE, [measurement]))
    await strap.power_on()
    await client.power_on()
    return strap, client, measurement


async def connect(strap, client):
    await strap.start_advertising(advertising_interval_min=20, advertising_interval_max=20)
    return await client.connect(STRAP)


async def subscribe(connection, heard):
    peer = Peer(connection)
    await peer.request_mtu(247)
    await peer.discover_services()
    for service in peer.services:
        await service.discover_characteristics()
        for characteristic in service.characteristics:
            await characteristic.discover_descriptors()
    (characteristic,) = peer.get_characteristics_by_uuid(MEASUREMENT)
    await peer.subscribe(characteristic, heard)


async def notifications(count=3000):
    strap, client, measurement = await pair_of_devices()
    connection = await connect(strap, client)
    arrived = asyncio.Event()
    values = []

    def heard(value):
        values.append(value)
        if len(values) == count:
            arrived.set()

    await subscribe(connection, heard)
    for _ in range(100):
        await strap.notify_subscribers(measurement, VALUE)
    while len(values) < 100:
        await asyncio.sleep(0)
    values.clear()
    began = time.process_time()
    for _ in range(count):
        await strap.notify_subscribers(measurement, VALUE)
    await arrived.wait()
    spent = time.process_time() - began
    assert values == [VALUE] * count, "not what was notified"
    return count, spent


async def reads(count=2000):
    strap, client, _ = await pair_of_devices()
    uuid = UUID.from_16_bits(0xFF01)
    value = Characteristic(uuid, Characteristic.Properties.READ, Characteristic.Permissions.READABLE, bytes([0x5A] * 20))
    strap.add_service(Service(UUID('6c750400-6264-4562-a000-4c7562647562'), [value]))
    peer = Peer(await connect(strap, client))
    await peer.request_mtu(247)
    await peer.discover_services()
    for service in peer.services:
        await service.discover_characteristics()
    (characteristic,) = peer.get_characteristics_by_uuid(uuid)
    began = time.process_time()
    for _ in range(count):
        assert await characteristic.read_value() == bytes([0x5A] * 20), 'not what was to be read'
    return count, time.process_time() - began


async def greeting(count=30):
    strap, client, measurement = await pair_of_devices()
    spent = 0.0
    for _ in range(count):
        connection = await connect(strap, client)
        arrived = asyncio.Event()
        began = time.process_time()
        await subscribe(connection, lambda value: arrived.set())
        await strap.notify_subscribers(measurement, VALUE)
        await arrived.wait()
        spent += time.process_time() - began
        await connection.disconnect()
    return count, spent


async def strap(address):
    from bumble.core import AdvertisingData
    from bumble.profiles.battery_service import BatteryService
    from bumble.profiles.heart_rate_service import HeartRateService
    from bumble.transport import open_transport

    energy = 0

    def reset(_):
        nonlocal energy
        energy = 0

    heart_rate = HeartRateService(
        lambda _: HeartRateService.HeartRateMeasurement(72, True, energy, [0.75]),
        HeartRateService.BodySensorLocation.CHEST,
        reset,
    )
    async with await open_transport(address.replace("tcp:", "tcp-client:", 1)) as hci:
        device = Device.with_hci("Bumble HRM", STRAP, hci.source, hci.sink)
        device.add_services([heart_rate, BatteryService(lambda _: 87)])
        await device.power_on()
        await device.start_advertising(
            auto_restart=True,
            advertising_interval_min=30,
            advertising_interval_max=30,
            advertising_data=bytes(
                AdvertisingData(
                    [
                        (AdvertisingData.Type.FLAGS, bytes([6])),
                        (AdvertisingData.Type.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, HEART_RATE.to_bytes()),
                    ]
                )
            ),
            scan_response_data=bytes(AdvertisingData([(AdvertisingData.Type.COMPLETE_LOCAL_NAME, b"Bumble HRM")])),
        )
        while True:
            await asyncio.sleep(0.5)
            energy += 2
            await device.notify_subscribers(heart_rate.heart_rate_measurement_characteristic)


async def main():
    logging.disable()  # wrong requests on purpose
    if sys.argv[1] == "strap":
        return await strap(sys.argv[2])
    count, spent = await {"notifications": notifications, "reads": reads, "greeting": greeting}[sys.argv[1]]()
    print(count, spent / count * 1e6)


with contextlib.suppress(KeyboardInterrupt):
    asyncio.run(asyncio.wait_for(main(), 600 if sys.argv[1] == "strap" else 60))
