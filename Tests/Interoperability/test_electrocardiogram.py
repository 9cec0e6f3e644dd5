"""A Bumble central receives ECGs: no sample is lost, and the R waves match the beats."""

import asyncio
import itertools
import json
import os
import pathlib
import struct
import subprocess
import unittest

import electrocardiogram
from electrocardiogram import GAP, HERTZ, LEAD_OFF, SYNTHETIC, Frame
from harness import Interoperability
from sensing import characteristic, listen, meeting, pmd, sig, take, vendor
from test_run import play

PATCH, H10 = 'C0:FF:EE:00:01:03', 'C0:FF:EE:00:00:01'
NEUROKIT = pathlib.Path(
    os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache', 'lubdub/neurokit')


def intervals(measurements):
    """The RR-Intervals of Heart Rate Measurements, in 1/1024 s."""
    found = []
    for octets in measurements:
        behind = 2 + (octets[0] & 1) + 2 * (octets[0] >> 3 & 1)
        found += struct.unpack(f'<{(len(octets) - behind) // 2}H', octets[behind:])
    return found


def slope(points):
    """The slope of the regression line."""
    count, x, y = len(points), sum(x for x, _ in points), sum(y for _, y in points)
    return (sum(a * b for a, b in points) - x * y / count) / (sum(a * a for a, _ in points) - x * x / count)


class ECGTests(Interoperability):
    async def hear(self, patch, log, count):
        """This many frames of an ECG without a gap, at the rate of the controllers' clock."""
        heard = await listen(patch, vendor(0x0201))
        frames = [Frame(octets) for octets in await take(heard, count)]
        for number, (before, after) in enumerate(itertools.pairwise(frames)):
            self.assertEqual((before.sequence, before.index + len(before.samples)), (number, after.index))
        delivered = (await log.until('delivered', 'patch/ecg/samples', count))[:count]
        rate = slope([(record['t'], frame.index) for record, frame in zip(delivered, frames)])
        self.assertAlmostEqual(rate, HERTZ, delta=HERTZ / 1000)
        return frames

    async def test_small_frames_arrive_without_a_gap(self):
        async with meeting('scenarios/ecg_500hz.json', PATCH, '--speed', '3') as (patch, log):
            frames = await self.hear(patch, log, 600)
            self.assertEqual({len(frame.samples) for frame in frames}, {5})
            self.assertEqual({(frame.flags, frame.lead) for frame in frames}, {(SYNTHETIC, 2)})

    async def test_beats_match_the_waves_until_an_electrode_is_lost(self):
        async with meeting('scenarios/ecg_500hz.json', PATCH, '--speed', '8', mtu=247) as (patch, log):
            description = await patch.read_value(characteristic(patch, vendor(0x0202)))
            self.assertEqual(struct.unpack('<HHB', description), (HERTZ, 1000, 1))
            beats = await listen(patch, sig(0x2A37))
            frames = await self.hear(patch, log, 110)
            self.assertEqual({len(frame.samples) for frame in frames}, {117})

            off = next(number for number, frame in enumerate(frames) if frame.flags != SYNTHETIC)
            on = len(frames) - next(n for n, frame in enumerate(reversed(frames)) if frame.flags != SYNTHETIC)
            self.assertEqual({frame.flags for frame in frames[off:on]}, {SYNTHETIC | LEAD_OFF})
            self.assertAlmostEqual(frames[on].index - frames[off].index, 3 * HERTZ, delta=2 * 117)
            self.assertEqual(set(sum((frame.samples for frame in frames[off + 1:on - 1]), ())), {0})

            heard = intervals(bytes(beats.get_nowait()) for _ in range(beats.qsize()))
            self.compare([sample for frame in frames[:off] for sample in frame.samples], heard)

    def compare(self, samples, heard):
        with self.subTest('what stands out'):
            self.agree(electrocardiogram.peaks(samples), heard)
        with self.subTest('neurokit2'):
            if not (NEUROKIT / 'stamp').exists():
                self.skipTest('Tools/setup ecg installs neurokit2, with half a gigabyte, to try this')
            done = subprocess.run(
                [NEUROKIT / 'bin/python', electrocardiogram.__file__], input=' '.join(map(str, samples)),
                text=True, capture_output=True, check=True, timeout=60)
            # It cannot tell a wave from noise without what follows.
            places = [place for place in map(int, done.stdout.split()) if place < len(samples) - HERTZ // 2]
            self.agree(places, heard)

    def agree(self, places, heard):
        deviation, count = electrocardiogram.deviation(places, heard)
        self.assertLessEqual(deviation, 4, (places, heard))
        self.assertGreaterEqual(count, 15)


class LongTests(unittest.TestCase):
    def test_two_minutes_of_virtual_time_miss_no_sample(self):
        _, _, events, _ = play('scenarios/ecg_500hz.json', '--for', '120s')
        records = [json.loads(line) for line in events.splitlines()]
        delivered = [record for record in records
                     if record['event'] == 'delivered' and record['of'] == 'patch/ecg/samples']
        frames = [Frame(bytes.fromhex(record['octets'])) for record in delivered]
        for before, after in itertools.pairwise(frames):
            self.assertEqual(before.index + len(before.samples), after.index)
        self.assertGreater(frames[-1].index - frames[0].index, 115 * HERTZ)
        rate = slope([(record['t'], frame.index) for record, frame in zip(delivered, frames)])
        self.assertAlmostEqual(rate, HERTZ, delta=HERTZ / 1000)
        lost = [record['line']['ecg']['lost'] for record in records
                if record['event'] == 'said' and 'ecg' in record['line']]
        self.assertEqual(set(lost), {0})


class PolarTests(Interoperability):
    """Commands as bleakheart 0.2.0 sends them to a Polar H10, from Polar's "Polar Measurement Data Specification"."""

    async def ask(self, request):
        """Writes the control point and waits for its indication."""
        await self.strap.write_value(self.point, bytes.fromhex(request), with_response=True)
        return (await take(self.responses, 1))[0].hex()

    async def test_the_ecg_of_a_polar_h10(self):
        async with meeting('scenarios/devices/polar_h10.json', H10, '--speed', '8', mtu=232) as (self.strap, _):
            self.point = characteristic(self.strap, pmd(0x5C81))
            self.assertEqual((await self.strap.read_value(self.point)).hex(), '0f01' + '00' * 15)
            self.responses = await listen(self.strap, pmd(0x5C81))
            data = await listen(self.strap, pmd(0x5C82))
            self.assertEqual(await self.ask('0100'), 'f00100000000018200' + '01010e00')
            for request, response in [
                ('0900', 'f009000100'), ('0201', 'f002010300'), ('02', 'f002000400'), ('0200000101', 'f002000400'),
                ('02000001f401', 'f002000800'), ('020001011000', 'f002000700'), ('0300', 'f003000600'),
                ('02000001820001010e00', 'f002000000'), ('02000001820001010e00', 'f002000600'),
            ]:
                self.assertEqual(await self.ask(request), response, request)
            frames = await take(data, 8)
            self.assertEqual(await self.ask('0300'), 'f003000000')
            self.compare(frames)
            await asyncio.sleep(0.5)
            late = data.qsize()
            await asyncio.sleep(0.5)
            self.assertEqual(data.qsize(), late, 'nothing comes behind the end')

    def compare(self, frames):
        """Complete, consecutive frames, according to the time stamps of their last samples."""
        self.assertEqual({(len(frame), frame[0], frame[9]) for frame in frames}, {(10 + 3 * 73, 0, 0)})
        stamps = [int.from_bytes(frame[1:9], 'little') for frame in frames]
        for before, after in itertools.pairwise(stamps):
            self.assertAlmostEqual(after - before, 73 * 10 ** 9 / 130, delta=1)
        samples = [int.from_bytes(frame[place:place + 3], 'little', signed=True)
                   for frame in frames for place in range(10, len(frame), 3)]
        self.assertGreater(max(samples), 700)
        self.assertGreaterEqual(min(samples), -1000)


if __name__ == '__main__':
    unittest.main()
