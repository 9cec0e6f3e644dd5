"""A Bumble central reads and subscribes to the sensors of devices, and receives the values of the scenarios."""

import asyncio
import datetime
import itertools
import math
import struct
import unittest

from bumble import hci

from harness import Interoperability, host
from sensing import CENTRAL, characteristic, connected, listen, meeting, refusal, served, sig, take, vendor

BAND, THERMOMETER, PATCH, TICKER = (f'C0:FF:EE:00:01:0{number}' for number in (1, 2, 3, 4))


class FitnessTests(Interoperability):
    async def test_steps_and_temperature_are_computed_at_each_read(self):
        async with meeting('scenarios/fitness.json', BAND, '--speed', '20') as (band, log):
            for times in range(1, 11):
                await self.compare(band, log, times, skipped=0)
            await log.until('ended', 'midnight')
            await self.compare(band, log, 11, skipped=400 * 60)

    async def compare(self, band, log, times, skipped):
        """Reads all three, and computes them from the scenario's curves at the times in the event log."""
        values, told, time = [], [], []
        for part, uuid in [('steps', vendor(0x0101)), ('steps_today', vendor(0x0102)), ('temperature', sig(0x2A6E))]:
            values.append(bytes(await band.read_value(characteristic(band, uuid))))
            record = (await log.until('read', f'band/fitness/{part}', times))[-1]
            told.append(record['value'])
            time.append(record['t'] + skipped)
        steps, today = (struct.unpack('<I', value)[0] for value in values[:2])
        self.assertEqual([steps, today], told[:2])
        self.assertIn(steps, self.walked(time[0]))
        self.assertIn(today, [0] if skipped else self.walked(time[1]))
        expected = 36.6 + 0.4 * math.sin(2 * math.pi * time[2] / 86400)
        self.assertAlmostEqual(struct.unpack('<h', values[2])[0] / 100, expected, delta=0.0051)

    def walked(self, time):
        """The steps at that time; the log has rounded microseconds."""
        return [math.floor(min(1, (time + error) / 3600) * 6600) for error in (-1e-6, 1e-6)]

    async def test_changes_are_notified(self):
        async with meeting('scenarios/fitness.json', BAND, '--speed', '20') as (band, log):
            steps = [struct.unpack('<I', value)[0] for value in await take(await listen(band, vendor(0x0101)), 8)]
            notified = await log.until('notified', 'band/fitness/steps', 8)
            self.assertEqual(steps, [record['value'] for record in notified[:8]])
            self.assertEqual(steps, sorted(set(steps)))


class Temperature:
    """A Temperature Measurement in °C with a time stamp: Health Thermometer Service 1.0, section 3.1."""

    def __init__(self, octets):
        flags, number, year, *rest = struct.unpack('<BiH5B', octets)
        assert flags == 0x02, flags
        exponent, mantissa = number >> 24, (number & 0xFFFFFF ^ 0x800000) - 0x800000
        self.celsius = mantissa * 10 ** exponent
        self.seconds = (datetime.datetime(year, *rest) - datetime.datetime(2026, 3, 14, 22, 15)).total_seconds()


class ThermometerTests(Interoperability):
    async def test_measurements_interval_and_stored_measurements(self):
        async with served('scenarios/thermometer.json', '--speed', '20') as (port, log, _):
            async with host(port, 'Central', CENTRAL) as central:
                async with connected(central, THERMOMETER) as peer:
                    heard = await self.measurements_and_interval(peer)
                    await log.until('disconnected', 'thermometer')
                await asyncio.sleep(0.25)  # five seconds of the thermometer without a client
                async with connected(central, THERMOMETER) as peer:
                    heard += await take(await listen(peer, sig(0x2A1C)), 12)
            # Values that were unconfirmed when the connection ended are sent again.
            heard = list(dict.fromkeys(heard))
            self.compare([Temperature(octets) for octets in heard])
            indicated = await log.until('indicated', 'thermometer/health_thermometer', len(heard))
            told = dict.fromkeys(bytes.fromhex(record['octets']) for record in indicated)
            self.assertEqual(list(told)[:len(heard)], heard)
            confirmed = await log.until('confirmed', 'thermometer/health_thermometer', len(heard))
            self.assertLessEqual(len(indicated) - len(confirmed), 2)

    async def measurements_and_interval(self, peer):
        """Two measurements at the first interval, then those at another until the connection ends."""
        interval = characteristic(peer, sig(0x2A21))
        self.assertEqual(await peer.read_value(characteristic(peer, sig(0x2A1D))), b'\x03')
        self.assertEqual(await peer.read_value(interval), b'\x05\x00')
        self.assertEqual(await peer.read_value(interval.get_descriptor(sig(0x2906))), struct.pack('<HH', 1, 3600))
        changes = await listen(peer, sig(0x2A21))
        heard = await listen(peer, sig(0x2A1C))
        for written, error in [('0000', 0x80), ('110e', 0x80), ('00', 0x80), ('010000', 0x0D)]:
            self.assertEqual(await refusal(peer.write_value(interval, bytes.fromhex(written), True)), error, written)
        measurements = await take(heard, 2)
        await peer.write_value(interval, b'\x01\x00', with_response=True)
        self.assertEqual(await take(changes, 1), [b'\x01\x00'])
        self.assertEqual(await peer.read_value(interval), b'\x01\x00')
        async with asyncio.timeout(20):
            await asyncio.wait_for(self.end(peer), 20)
        return measurements + [bytes(heard.get_nowait()) for _ in range(heard.qsize())]

    async def end(self, peer):
        ended = asyncio.Event()
        peer.connection.on('disconnection', lambda _: ended.set())
        await ended.wait()

    def compare(self, measured):
        """One per five seconds, then one per second without a gap, across the disconnection."""
        for measurement in measured:
            self.assertAlmostEqual(measurement.celsius, 37.2 + measurement.seconds / 100, delta=0.0501)  # tenths
        steps = [after.seconds - before.seconds for before, after in itertools.pairwise(measured)]
        self.assertEqual(steps[0], 5)
        self.assertEqual(set(steps[2:]), {1}, steps)
        self.assertTrue(measured[0].seconds < 34 and measured[-1].seconds > 38, 'some were stored')

    async def test_intermediate_temperatures_are_sent_once_per_second(self):
        async with meeting('scenarios/thermometer.json', THERMOMETER, '--speed', '20') as (peer, _):
            between = [Temperature(octets) for octets in await take(await listen(peer, sig(0x2A1E)), 5)]
            seconds = [measurement.seconds for measurement in between]
            self.assertEqual(seconds, list(range(int(seconds[0]), int(seconds[0]) + 5)))


class StreamTests(Interoperability):
    async def test_a_feed_is_notified_and_read_on_demand(self):
        async with meeting('scenarios/custom_feed.json', TICKER, '--speed', '4') as (ticker, log):
            prices = [struct.unpack('<I', value)[0] for value in await take(await listen(ticker, vendor(0x0401)), 100)]
            told = (await log.until('notified', 'ticker/feed', 100))[:100]
            self.assertEqual(prices, [record['value'] for record in told])
            steps = [after - before for before, after in itertools.pairwise(prices)]
            self.assertTrue(all(abs(step) <= 900 for step in steps) and any(steps), steps)
            self.assertTrue(all(0 <= price <= 25000 for price in prices))
            self.assertAlmostEqual(told[-1]['t'] - told[0]['t'], 99 * 0.02, places=5)
            price, = struct.unpack('<I', await ticker.read_value(characteristic(ticker, vendor(0x0401))))
            self.assertEqual(price, (await log.until('read', 'ticker/feed'))[-1]['value'])

    async def test_no_measurement_is_lost_or_duplicated(self):
        async with meeting('scenarios/measurements_500hz.json', PATCH, '--speed', '4', mtu=247) as (patch, log):
            frames = await take(await listen(patch, vendor(0x0301)), 30)
            told = (await log.until('notified', 'patch/measurements', 30))[:30]
            following = None
            for number, (frame, record) in enumerate(zip(frames, told)):
                sequence, index, count = struct.unpack_from('<HIB', frame)
                values = struct.unpack_from(f'<{count}H', frame, 7)
                self.assertEqual(len(frame), 7 + 2 * count)
                self.assertEqual((sequence, count), (number, 118))
                self.assertIn(following, (None, index))
                self.assertTrue(all(58 <= value <= 84 for value in values), values)
                self.assertEqual(bytes.fromhex(record['octets']), frame)
                following = index + count
            # As many as a clock of 500 Hz counts in that time; each frame is sent when complete.
            self.assertAlmostEqual((told[-1]['t'] - told[0]['t']) * 500, 29 * 118, delta=1)


if __name__ == '__main__':
    unittest.main()
