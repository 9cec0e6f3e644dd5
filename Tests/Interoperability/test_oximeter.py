"""A pulse oximeter as other stacks read it: a Bumble central that decodes the octets here, and tshark's dissector."""

import datetime
import json
import math
import pathlib
import struct
import tempfile
import unittest

from harness import Interoperability, lubdub
from sensing import characteristic, listen, meeting, sig, take
from test_trace import tshark

CLIP = 'C0:FF:EE:00:01:05'
SCENARIO = 'scenarios/pulse_oximeter.json'
BEGIN = datetime.datetime(2026, 3, 14, 22, 15)


def sfloat(bits):
    """IEEE 11073-20601, SFLOAT; NaN for a special value."""
    if 0x07FE <= bits <= 0x0802:
        return math.nan
    exponent, mantissa = (bits >> 12 ^ 8) - 8, (bits & 0xFFF ^ 0x800) - 0x800
    return mantissa * 10 ** exponent


class OximeterTests(Interoperability):
    async def test_a_central_reads_features_and_receives_measurements(self):
        async with meeting(SCENARIO, CLIP, '--speed', '10') as (clip, log):
            features = await clip.read_value(characteristic(clip, sig(0x2A60)))
            # Time stamp and amplitude; Measurement Status bits 5, 8 and 13; Sensor Unconnected to User.
            self.assertEqual(struct.unpack('<HH3s', features), (0x004B, 0x2120, bytes([0, 8, 0])))
            spot_checks = await listen(clip, sig(0x2A5E))
            continuous = await take(await listen(clip, sig(0x2A5F)), 30)
            sent = await log.until('notified', 'clip/pulse_oximeter', 30)
            self.assertEqual([bytes.fromhex(record['octets']) for record in sent[:30]], continuous)
            rates, contacts = set(), set()
            for value, record in zip(continuous, sent):
                flags, spo2, rate, status, *sensor, amplitude = struct.unpack('<BHHH3BH', value)
                self.assertEqual(flags, 0x1C)
                isOnFinger = sensor == [0, 0, 0]
                self.assertIn((status, sensor), [(0x0120, [0, 0, 0]), (0x2020, [0, 8, 0])])
                self.assertEqual(record['value']['contact'], isOnFinger)
                contacts.add(isOnFinger)
                if isOnFinger:
                    self.assertTrue(92 <= sfloat(spo2) <= 100)
                    self.assertAlmostEqual(sfloat(spo2), record['value']['spo2'])
                    self.assertTrue(1.5 <= sfloat(amplitude) <= 2.5)
                    rates.add(sfloat(rate))
                else:
                    self.assertTrue(all(map(math.isnan, map(sfloat, (spo2, rate, amplitude)))))
            self.assertEqual((rates, contacts), ({62, 121}, {True, False}))
            await self.compare(await take(spot_checks, 5), log)

    async def compare(self, spot_checks, log):
        """One per 5 s, each with the time at which it was measured."""
        sent = await log.until('indicated', 'clip/pulse_oximeter/spot_check', len(spot_checks))
        for value, record in zip(spot_checks, sent):
            flags, spo2, rate, year, *rest = struct.unpack('<BHHH5BH3BH', value)
            time, (status, *sensor, _) = datetime.datetime(year, *rest[:5]), rest[5:]
            self.assertEqual((flags, value), (0x0F, bytes.fromhex(record['octets'])))
            self.assertAlmostEqual((time - BEGIN).total_seconds(), record['t'], delta=1)
            self.assertIn((status, sensor), [(0x0100, [0, 0, 0]), (0x2000, [0, 8, 0])])
            self.assertEqual(math.isnan(sfloat(spo2)), status == 0x2000)
            self.assertIn(rate, [62, 121, 0x07FF])

    async def test_tshark_dissects_the_same_values(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, events = f'{folder}/trace.btsnoop', f'{folder}/events.jsonl'
            async with lubdub('run', SCENARIO, '--trace', trace, '--events', events) as process:
                await process.communicate()
                self.assertEqual(process.returncode, 0)
            self.assertEqual(await tshark(trace, '-Y', '_ws.malformed'), [])
            records = [json.loads(line) for line in pathlib.Path(events).read_text().splitlines()]
            for event, opcode, name in [('notified', '0x1b', ''), ('indicated', '0x1d', '/spot_check')]:
                sent = [
                    record['value'] for record in records
                    if record['event'] == event and record['of'] == f'clip/pulse_oximeter{name}'
                ]
                self.assertGreater(len(sent), 8)
                # Wireshark uses the fields of the spot-check in both measurements.
                field = 'btatt.plxs.spot_check_measurement.'
                lines = await tshark(
                    trace, '-Y', f'btatt.opcode == {opcode} and hci_mon.opcode == 4 and {field}spo2', '-T', 'fields',
                    *(argument for part in ('spo2', 'pulse_rate', 'device_and_sensor_status.unconnected_to_user',
                                            'pulse_amplitude_index') for argument in ('-e', field + part)))
                self.assertEqual(len(lines), len(sent))
                for line, value in zip(lines, sent):
                    *numbers, isOff, amplitude = line.split('\t')
                    self.assertEqual(isOff in ('1', 'True'), not value['contact'])
                    for text, key in zip([*numbers, amplitude], ('spo2', 'pulse_rate', 'amplitude')):
                        if value[key] is None:
                            self.assertFalse(text.replace('.', '').isdigit(), text)
                        else:
                            self.assertAlmostEqual(float(text), value[key], places=3)


if __name__ == '__main__':
    unittest.main()
