"""`lubdub monitor` with a Bumble peripheral, over lubdub's and Bumble's controllers."""

import asyncio
import contextlib
import itertools
import socket
import struct
import unittest

from bumble import controller, core, device, hci, host, link
from bumble.profiles.heart_rate_service import HeartRateService
from bumble.transport.common import AsyncPipeSink
from bumble.transport.tcp_server import open_tcp_server_transport_with_socket

from harness import Interoperability, controller_port, host as host_at, lubdub

ADDRESS = 'F1:F2:F3:F4:F5:F6'
RATES = [61, 255, 256, 300]


@contextlib.asynccontextmanager
async def beating(bumble):
    """Makes the device a strap that notifies RATES repeatedly, five times per second."""
    rates = itertools.cycle(RATES)
    service = HeartRateService(
        read_heart_rate_measurement=lambda _: HeartRateService.HeartRateMeasurement(next(rates), True),
        body_sensor_location=HeartRateService.BodySensorLocation.CHEST,
    )
    bumble.add_service(service)
    bumble.advertising_data = bytes(core.AdvertisingData([
        (core.AdvertisingData.FLAGS, bytes([0x06])),
        (core.AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, struct.pack('<H', 0x180D)),
        (core.AdvertisingData.COMPLETE_LOCAL_NAME, b'Bumble'),
    ]))
    await bumble.start_advertising(auto_restart=True)

    async def beat():
        while True:
            await asyncio.sleep(0.2)
            await bumble.notify_subscribers(service.heart_rate_measurement_characteristic)

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


class PeripheralTests(Interoperability):
    async def monitor_hears_all_rates(self, port):
        missing = {f'{rate} bpm' for rate in RATES}
        async with lubdub('monitor', '--radio', f'hci:tcp:127.0.0.1:{port}') as process, asyncio.timeout(30):
            async for line in process.stdout:
                missing -= {rate for rate in missing if rate in line.decode()}
                if not missing:
                    return
        self.fail(f'monitor ended without {missing}')

    async def test_over_lubdub_controllers(self):
        async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0') as process:
            port = await controller_port(process)
            async with host_at(port, 'Bumble', ADDRESS) as bumble, beating(bumble):
                await self.monitor_hears_all_rates(port)

    async def test_over_bumble_controllers(self):
        await self.over_bumble_controllers(None)

    async def test_over_bumble_controllers_with_public_addresses(self):
        await self.over_bumble_controllers(hci.Address('AA:BB:CC:DD:EE:FF', hci.Address.PUBLIC_DEVICE_ADDRESS))

    async def over_bumble_controllers(self, own):
        air = link.LocalLink()
        under = controller.Controller('peripheral', link=air)
        bumble = device.Device('Bumble', hci.Address(ADDRESS), host=host.Host(under, AsyncPipeSink(under)))
        with socket.create_server(('127.0.0.1', 0)) as listener:
            async with await open_tcp_server_transport_with_socket(listener) as hci_transport:
                controller.Controller(
                    'central', hci_transport.source, hci_transport.sink, air, public_address=own)
                await bumble.power_on()
                async with beating(bumble):
                    await self.monitor_hears_all_rates(listener.getsockname()[1])


if __name__ == '__main__':
    unittest.main()
