"""tshark reads the trace of a run: no packet is malformed, and it has the heart rates and pairings of the event log."""

import asyncio
import contextlib
import json
import os
import pathlib
import tempfile
import unittest

from harness import ROOT, Interoperability, lubdub

SCENARIOS = ['scenarios/resting.json', 'scenarios/three_straps.json', 'scenarios/formats/two_byte.json']

# Scenarios of clients that keep their bonds of an earlier day, and do not pair.
BONDED_BEFORE = {'bonded', 'bond_lost_before'}

# Opcodes of the Security Manager: Core 6.0, Vol 3, Part H, table 3.3.
PAIRING_FAILED, IDENTITY_ADDRESS_INFORMATION = '0x05', '0x09'


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


async def security_opcodes(path):
    """The opcodes of all packets of the Security Manager that a host sent to its controller, in order."""
    return await tshark(path, '-Y', 'btsmp and hci_mon.opcode == 4', '-T', 'fields', '-e', 'btsmp.opcode')


def peripherals(scenario):
    """The ids of the devices that are not centrals."""
    devices = json.loads(scenario.read_text())['devices']
    return [device['id'] for device in devices if device.get('role') != 'central']


class TraceTests(Interoperability):
    limit = 120

    @contextlib.asynccontextmanager
    async def traced(self, scenario, *options):
        """The paths of the trace, which tshark finds well-formed, and of the event log."""
        with tempfile.TemporaryDirectory() as folder:
            trace, events = f'{folder}/trace.btsnoop', f'{folder}/events.jsonl'
            async with lubdub(
                'run', scenario, *options, '--quiet', '--trace', trace, '--events', events
            ) as process:
                await process.communicate()
                self.assertEqual(process.returncode, 0)
            self.assertEqual(await tshark(trace, '-Y', '_ws.malformed'), [])
            yield trace, events

    async def test_trace_and_event_log_agree(self):
        for scenario in SCENARIOS:
            with self.subTest(scenario):
                async with self.traced(scenario, '--for', '20 s') as (trace, events):
                    rates = rates_of_event_log(events)
                    self.assertGreater(len(rates), 10)
                    self.assertEqual(await rates_of_trace(trace), rates)

    async def test_tshark_follows_each_pairing(self):
        for scenario in sorted((ROOT / 'scenarios/security').glob('*.json')):
            with self.subTest(scenario.stem):
                async with self.traced(scenario) as (trace, events):
                    records = [json.loads(line) for line in pathlib.Path(events).read_text().splitlines()]
                    records = [record for record in records if record.get('of') in peripherals(scenario)]
                    paired = sum(record['event'] == 'paired' for record in records)
                    failed = sum(
                        record['event'] == 'pairing_failed' and record['reason'] != 'timed_out' for record in records)
                    opcodes = await security_opcodes(trace)
                    # Each side distributes its identity address; the side that fails reports it.
                    self.assertEqual(opcodes.count(IDENTITY_ADDRESS_INFORMATION), 2 * paired)
                    self.assertEqual(opcodes.count(PAIRING_FAILED), failed)
                    self.assertEqual(paired > 0, scenario.stem not in BONDED_BEFORE)


if __name__ == '__main__':
    unittest.main()
