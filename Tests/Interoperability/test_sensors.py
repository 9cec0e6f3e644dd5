"""`lubdub monitor` with the other sensors of Bumble devices."""

import asyncio
import contextlib
import json
import struct
import unittest

from bumble import core, gatt

from harness import Interoperability, controller_port, host, lubdub
from sensing import pmd, sig, vendor

ADDRESS = 'F1:F2:F3:F4:F5:F6'
READ = gatt.Characteristic.Properties.READ
WRITE = gatt.Characteristic.Properties.WRITE
NOTIFY = gatt.Characteristic.Properties.NOTIFY
INDICATE = gatt.Characteristic.Properties.INDICATE
READABLE = gatt.Characteristic.Permissions.READABLE
WRITEABLE = gatt.Characteristic.Permissions.WRITEABLE


def characteristic(uuid, properties, value=b''):
    return gatt.Characteristic(uuid, properties, READABLE | WRITEABLE, value)


async def advertise(bumble, uuid):
    kind = {2: core.AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS,
            16: core.AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS}
    octets = bytes(uuid)
    bumble.advertising_data = bytes(core.AdvertisingData([
        (core.AdvertisingData.FLAGS, bytes([0x06])), (kind[len(octets)], octets)]))
    await bumble.start_advertising()


async def subscribed(*characteristics):
    """Waits until a client has written each configuration."""
    events = [asyncio.Event() for _ in characteristics]
    for each, event in zip(characteristics, events):
        each.on(gatt.Characteristic.EVENT_SUBSCRIPTION, lambda *_, event=event: event.set())
    async with asyncio.timeout(30):
        for event in events:
            await event.wait()


@contextlib.asynccontextmanager
async def beside(task):
    task = asyncio.create_task(task)
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


class SensorTests(Interoperability):
    async def asyncSetUp(self):
        self.stack = contextlib.AsyncExitStack()
        process = await self.stack.enter_async_context(lubdub('controller', '--listen', 'tcp:127.0.0.1:0'))
        self.port = await controller_port(process)
        self.bumble = await self.stack.enter_async_context(host(self.port, 'Bumble', ADDRESS))

    async def asyncTearDown(self):
        await self.stack.aclose()

    async def monitor(self, *missing, arguments=()):
        """Reads monitor's lines until all of these have come, each a JSON object without its peer; returns all lines."""
        missing, lines = list(missing), []
        radio = f'hci:tcp:127.0.0.1:{self.port}'
        async with lubdub('monitor', '--json', '--radio', radio, *arguments) as process:
            async with asyncio.timeout(40):
                async for line in process.stdout:
                    said = json.loads(line)
                    said.pop('peer', None)
                    self.assertNotIn('error', said)
                    lines.append(said)
                    missing = [each for each in missing if each != said]
                    if not missing:
                        return lines
        self.fail(f'monitor ended without {missing}')

    async def test_a_thermometer_is_shown_and_its_indications_are_confirmed(self):
        measurement = characteristic(sig(0x2A1C), INDICATE)
        intermediate = characteristic(sig(0x2A1E), NOTIFY)
        self.bumble.add_service(gatt.Service(sig(0x1809), [
            measurement, intermediate,
            characteristic(sig(0x2A1D), READ, bytes([6])), characteristic(sig(0x2A21), READ, struct.pack('<H', 60))]))
        await advertise(self.bumble, sig(0x1809))
        confirmed = []

        async def measure():
            await subscribed(measurement, intermediate)
            for tenths in (366, 367):
                value = struct.pack('<BIHBBBBBB', 0x06, 0xFF000000 | tenths, 2000, 1, 2, 3, 4, 5, 6)
                await self.bumble.notify_subscribers(intermediate, struct.pack('<BI', 1, 0xFF000000 | 986))
                await self.bumble.indicate_subscribers(measurement, value)  # ends with the confirmation
                confirmed.append(tenths)
            await self.bumble.notify_subscribers(intermediate, struct.pack('<BI', 0, 0x007FFFFF))

        async with beside(measure()):
            lines = await self.monitor(
                {'temperature': {'celsius': 36.6, 'timestamp': '2000-01-02T03:04:05'}},
                {'temperature': {'celsius': 36.7, 'timestamp': '2000-01-02T03:04:05'}},
                {'temperature': {'celsius': 37, 'intermediate': True}},
                {'temperature': {'celsius': None, 'intermediate': True}},
                {'temperature_type': 'mouth'}, {'measurement_interval': 60}, {'state': 'subscribed'})
        self.assertEqual(confirmed, [366, 367])
        self.assertEqual(lines.count({'state': 'subscribed'}), 1)

    async def test_steps_are_read_on_demand_and_notified(self):
        reads = 0

        def temperature(_):
            nonlocal reads
            reads += 1
            return struct.pack('<h', 3600 + reads)

        steps = characteristic(vendor(0x0101), READ | NOTIFY, struct.pack('<I', 4211))
        self.bumble.add_service(gatt.Service(vendor(0x0100), [
            steps, characteristic(vendor(0x0102), READ | NOTIFY, struct.pack('<I', 812)),
            characteristic(sig(0x2A6E), READ, gatt.CharacteristicValue(read=temperature))]))
        await advertise(self.bumble, vendor(0x0100))

        async def walk():
            await subscribed(steps)
            await self.bumble.notify_subscribers(steps, struct.pack('<I', 4212))

        async with beside(walk()):
            await self.monitor(
                {'steps': 4211}, {'steps': 4212}, {'steps_today': 812},
                *[{'temperature': {'celsius': 36 + n / 100}} for n in (1, 2, 3)], arguments=('--every', '200ms'))

    async def test_a_foot_pod_is_shown(self):
        measurement = characteristic(sig(0x2A53), NOTIFY)
        self.bumble.add_service(gatt.Service(sig(0x1814), [
            measurement, characteristic(sig(0x2A54), READ, b'\x03\x00'), characteristic(sig(0x2A5D), READ, b'\x03')]))
        await advertise(self.bumble, sig(0x1814))

        async def run():
            await subscribed(measurement)
            for octets in (struct.pack('<BHB', 4, 896, 168), struct.pack('<BHBHI', 3, 256, 90, 70, 1234)):
                await self.bumble.notify_subscribers(measurement, octets)

        async with beside(run()):
            await self.monitor(
                {'running_speed': {'speed_mps': 3.5, 'cadence': 168, 'running': True}},
                {'running_speed': {'speed_mps': 1, 'cadence': 90, 'stride_length_m': 0.7, 'total_distance_m': 123.4,
                                   'running': False}},
                {'rsc_features': ['stride_length', 'total_distance']}, {'sensor_location': 'hip'})

    async def test_an_ecg_is_counted_with_lost_samples(self):
        samples = characteristic(vendor(0x0201), NOTIFY)
        self.bumble.add_service(gatt.Service(vendor(0x0200), [
            samples, characteristic(vendor(0x0202), READ, struct.pack('<HHB', 500, 1000, 1))]))
        await advertise(self.bumble, vendor(0x0200))

        async def stream():
            await subscribed(samples)
            for number in range(30):
                if number != 5:
                    head = struct.pack('<BBHIBB', 1, 4, number, 50 * number, 50, 0)
                    await self.bumble.notify_subscribers(samples, head + bytes(100))
                await asyncio.sleep(0.05)
            await next(iter(self.bumble.connections.values())).disconnect()

        async with beside(stream()):
            lines = await self.monitor(
                {'ecg_description': {'rate': 500, 'resolution': 1000, 'leads': 1}}, {'state': 'disconnected'})
        tallies = [line['ecg'] for line in lines if 'ecg' in line]
        self.assertEqual(sum(tally['samples'] for tally in tallies), 29 * 50)
        self.assertEqual(sum(tally['lost'] for tally in tallies), 50)
        self.assertLessEqual(len(tallies), 4)

    async def test_measurements_are_counted(self):
        values = characteristic(vendor(0x0301), NOTIFY)
        self.bumble.add_service(gatt.Service(vendor(0x0300), [values]))
        await advertise(self.bumble, vendor(0x0300))

        async def stream():
            await subscribed(values)
            await self.bumble.notify_subscribers(values, struct.pack('<HIB3H', 0, 0, 3, 61, 62, 300))

        async with beside(stream()):
            await self.monitor({'measurements': {'samples': 3, 'lost': 0, 'index': 0, 'bpm': 300}})

    async def test_the_polar_ecg_is_started(self):
        written, wanted = [], asyncio.Queue()

        def write(_, value):
            written.append(bytes(value))
            wanted.put_nowait(bytes(value))

        control = characteristic(
            pmd(0x5C81), READ | WRITE | INDICATE,
            gatt.CharacteristicValue(read=lambda _: bytes([0x0F, 0x05]) + bytes(15), write=write))
        data = characteristic(pmd(0x5C82), NOTIFY)
        self.bumble.add_service(gatt.Service(pmd(0x5C80), [control, data]))
        self.bumble.add_service(gatt.Service(sig(0x180D), [characteristic(sig(0x2A37), NOTIFY)]))
        await advertise(self.bumble, sig(0x180D))

        async def answer():
            settings = bytes.fromhex('000182000101 0E00')
            self.assertEqual(await wanted.get(), bytes([1, 0]))
            await self.bumble.indicate_subscribers(control, bytes([0xF0, 1, 0, 0, 0]) + settings)
            self.assertEqual(await wanted.get(), bytes([2, 0]) + settings)
            await self.bumble.indicate_subscribers(control, bytes([0xF0, 2, 0, 0, 0]))
            frame = struct.pack('<BQB', 0, 10 ** 18, 0) + 73 * (-400).to_bytes(3, 'little', signed=True)
            await self.bumble.notify_subscribers(data, frame)

        async with beside(answer()):
            await self.monitor({'ecg': {'samples': 73, 'lost': 0, 'timestamp': 10 ** 18}})
        self.assertEqual(len(written), 2)

    async def test_a_service_that_appears_later_is_found(self):
        steps = characteristic(vendor(0x0101), READ | NOTIFY, struct.pack('<I', 7))
        self.bumble.add_service(gatt.Service(vendor(0x0100), [steps]))
        await advertise(self.bumble, vendor(0x0100))
        changed = next(each for each in self.bumble.gatt_server.attributes
                       if isinstance(each, gatt.Characteristic) and each.uuid == sig(0x2A05))

        async def change():
            await subscribed(steps, changed)
            self.bumble.add_service(gatt.Service(
                vendor(0x0400), [characteristic(vendor(0x0401), READ | NOTIFY, struct.pack('<I', 1999))]))
            await self.bumble.indicate_subscribers(changed, struct.pack('<HH', 1, 0xFFFF))

        async with beside(change()):
            lines = await self.monitor({'steps': 7}, {'feed': 1999})
        self.assertEqual(lines.count({'state': 'connected'}), 1)


if __name__ == '__main__':
    unittest.main()
