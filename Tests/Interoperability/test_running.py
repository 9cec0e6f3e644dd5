"""Running Speed and Cadence: a Bumble central, and tshark, decode the octets of scenarios/running.json."""

import json
import pathlib
import struct
import tempfile
import unittest

from harness import Interoperability, lubdub
from sensing import characteristic, listen, meeting, refusal, sig, take
from test_trace import tshark

SCENARIO, POD = 'scenarios/running.json', 'C0:FF:EE:00:01:06'
SPEEDS = [2.8, 3.5, 4.25, 1.1]


class CentralTests(Interoperability):
    async def test_measurements_features_and_the_control_point(self):
        async with meeting(SCENARIO, POD, '--speed', '10') as (pod, log):
            self.assertEqual(await pod.read_value(characteristic(pod, sig(0x2A54))), b'\x07\x00')
            self.assertEqual(await pod.read_value(characteristic(pod, sig(0x2A5D))), b'\x02')
            control = characteristic(pod, sig(0x2A55))
            request = struct.pack('<BI', 1, 10_000_000)
            self.assertEqual(await refusal(pod.write_value(control, request, True)), 0x81)
            values = await listen(pod, sig(0x2A53))
            measured = [struct.unpack('<BHBHI', octets) for octets in await take(values, 6)]
            notified = await log.until('notified', 'pod/running_speed_and_cadence', 6)
            for (flags, speed, cadence, stride, distance), record in zip(measured, notified):
                self.assertEqual((flags, stride), (7, 125))
                self.assertIn(cadence, [168] if record['t'] > 1 else range(256))
                self.assertEqual(speed, round(SPEEDS[int(record['t'] / 5 + 1e-6) % 4] * 256))
                self.assertAlmostEqual(distance, record['t'] * 10080 / 3600 * 12.5, delta=0.51)
            responses = await listen(pod, sig(0x2A55))
            await pod.write_value(control, request, with_response=True)
            self.assertEqual(await take(responses, 1), [b'\x10\x01\x01'])
            while not values.empty():
                values.get_nowait()
            for octets in await take(values, 2):
                self.assertIn(struct.unpack('<BHBHI', octets)[4], range(10_000_000, 10_010_000))
            await pod.write_value(control, b'\x03\x01', with_response=True)
            self.assertEqual(await take(responses, 1), [b'\x10\x03\x02'])

    async def test_tshark_decodes_what_the_event_log_has(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, events = f'{folder}/trace.btsnoop', f'{folder}/events.jsonl'
            async with lubdub('run', SCENARIO, '--for', '20 s', '--trace', trace, '--events', events) as process:
                await process.communicate()
            records = [json.loads(line) for line in pathlib.Path(events).read_text().splitlines()]
            sent = [record['value'] for record in records
                    if record['event'] == 'notified' and record['of'] == 'pod/running_speed_and_cadence']
            self.assertGreater(len(sent), 10)
            self.assertEqual(await tshark(trace, '-Y', '_ws.malformed'), [])
            prefix = 'btatt.rsc_measurement.'
            names = [prefix + name for name in (
                'instantaneous_speed', 'instantaneous_cadence', 'instantaneous_stride_length', 'total_distance',
                'flags.type_of_movement', 'flags.reserved')]
            fields = [part for name in names for part in ('-e', name)]
            lines = await tshark(
                trace, '-Y', 'btatt.opcode == 0x1b and hci_mon.opcode == 4 and btatt.rsc_measurement.flags',
                '-T', 'fields', *fields)
            read = [[int(text, 0) for text in line.split('\t')] for line in lines]
            self.assertEqual(len(read), len(sent))
            for (speed, cadence, stride, distance, running, reserved), value in zip(read, sent):
                self.assertAlmostEqual(speed / 256, value['speed_mps'], delta=0.0006)
                self.assertEqual(cadence, value['cadence'])
                self.assertEqual([stride / 100, distance / 10], [value['stride_length_m'], value['total_distance_m']])
                self.assertEqual((running != 0, reserved), (value['running'], 0))


if __name__ == '__main__':
    unittest.main()
