"""Shared by clients of the strap and readers of its event log, whoever serves the strap."""

import asyncio
import json
import struct

HEART_RATE, MEASUREMENT, LOCATION, CONTROL_POINT, BATTERY_LEVEL, MANUFACTURER = (
    f'0000{number}-0000-1000-8000-00805f9b34fb' for number in ('180d', '2a37', '2a38', '2a39', '2a19', '2a29'))
# ECG Samples: Documentation/vendor-services.md.
ECG = '6c750201-6264-4562-a000-4c7562647562'


def bpm(measurement):
    """The heart rate of a Heart Rate Measurement: Heart Rate Service 1.0, section 3.1."""
    return struct.unpack_from('<H' if measurement[0] & 1 else '<B', measurement, 1)[0]


async def hear(client, count, limit=15):
    """The first heart rates that the strap notifies, at least this many, and those in flight."""
    heard, enough = [], asyncio.Event()

    def notified(_, value):
        heard.append(bpm(value))
        if len(heard) == count:
            enough.set()

    await client.start_notify(MEASUREMENT, notified)
    async with asyncio.timeout(limit):
        await enough.wait()
    await client.stop_notify(MEASUREMENT)
    return heard


def logged(events):
    """The complete lines of an event log that is being written."""
    if not events.exists():
        return []
    return [json.loads(line) for line in events.read_text().splitlines(keepends=True) if line.endswith('\n')]
