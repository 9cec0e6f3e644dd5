"""tshark reads the trace of a run: no packet is malformed, and it has the heart rates of the event log."""

import asyncio
import json
import os
import pathlib
import tempfile
import unittest

from harness import Interoperability, lubdub

SCENARIOS = ['scenarios/resting.json', 'scenarios/three_straps.json', 'scenarios/formats/two_byte.json']


async def tshark(trace, *arguments):
    """tshark's output for the trace, a list of lines."""
    process = await asyncio.create_subprocess_exec(
        'tshark', '-n', '-r', trace, *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env=os.environ | {'LC_ALL': 'C.UTF-8'})
    output, complaints = await process.communicate()
    assert process.returncode == 0, complaints.decode()
    return output.decode().splitlines()


def rate(octets):
    """The heart rate in the octets of 2A37; bit 0 of the flags gives its format."""
    return int.from_bytes(octets[1:3] if octets[0] & 1 else octets[1:2], 'little')


def rates_of_event_log(path):
    """The rates of all notifications of 2A37 that were sent, in order."""
    events = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    return [
        rate(bytes.fromhex(event['octets'])) for event in events
        if event['event'] == 'notified' and event['of'].endswith('heart_rate')
    ]


async def rates_of_trace(path):
    """The rates of all notifications of 2A37 that a host sent to its controller, in order."""
    field = 'btatt.heart_rate_measurement.value.'
    lines = await tshark(
        path, '-Y', 'btatt.opcode == 0x1b and hci_mon.opcode == 4',
        '-T', 'fields', '-e', field + '8', '-e', field + '16')
    return [int(line.strip(), 0) for line in lines if line.strip()]


class TraceTests(Interoperability):
    async def test_trace_and_event_log_agree(self):
        for scenario in SCENARIOS:
            with self.subTest(scenario), tempfile.TemporaryDirectory() as folder:
                trace, events = f'{folder}/trace.btsnoop', f'{folder}/events.jsonl'
                async with lubdub(
                    'run', scenario, '--for', '20 s', '--trace', trace, '--events', events
                ) as process:
                    await process.communicate()
                    self.assertEqual(process.returncode, 0)
                self.assertEqual(await tshark(trace, '-Y', '_ws.malformed'), [])
                rates = rates_of_event_log(events)
                self.assertGreater(len(rates), 10)
                self.assertEqual(await rates_of_trace(trace), rates)


if __name__ == '__main__':
    unittest.main()
