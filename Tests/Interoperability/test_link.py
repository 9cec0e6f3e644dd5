"""Bumble's host and the parameters of a link: long data PDUs, and the connection interval that a strap requests."""

import asyncio
import json
import tempfile
import time
import unittest
from pathlib import Path

from bumble import gatt
from bumble.device import Connection

from harness import Interoperability, controller_port, find, host, lubdub

STRAP = {'id': 'strap', 'advertise': {'services': ['180D']}, 'services': [{'service': 'heart_rate', 'value': 62}]}
SCENARIO = {
    'lubdub': 1, 'name': 'a rhythm of its own', 'limit': '60 s',
    'devices': [STRAP | {'link': {'interval': '15 ms', 'latency': 2, 'timeout': '4 s'}}]}


async def until(is_true, limit):
    """Waits for an event that may have happened before."""
    async with asyncio.timeout(limit):
        while not is_true():
            await asyncio.sleep(0.02)


class LinkTests(Interoperability):
    async def test_data_length_and_connection_interval(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario = Path(folder) / 'link.json'
            scenario.write_text(json.dumps(SCENARIO))
            async with (
                lubdub('serve', str(scenario), '--controller', 'tcp:127.0.0.1:0') as process,
                host(await controller_port(process), 'Central', 'F0:F1:F2:F3:F4:F5') as central,
            ):
                advertisement = await find(central)
                connection = await central.connect(advertisement.address)
                began = time.monotonic()

                await until(lambda: connection.data_length == Connection.LeDataLength(251, 2120, 251, 2120), 5)

                client = connection.gatt_client
                values = await client.read_characteristics_by_uuid(
                    gatt.GATT_PERIPHERAL_PREFERRED_CONNECTION_PARAMETERS_CHARACTERISTIC, None)
                self.assertEqual(values, [bytes.fromhex('0C00 0C00 0200 9001')])

                self.assertNotEqual(connection.parameters.connection_interval, 15)
                await until(lambda: connection.parameters.connection_interval == 15, 15)
                self.assertGreater(time.monotonic() - began, 4.5)
                self.assertEqual(connection.parameters.peripheral_latency, 2)
                self.assertEqual(connection.parameters.supervision_timeout, 4000)
                await connection.disconnect()


if __name__ == '__main__':
    unittest.main()
