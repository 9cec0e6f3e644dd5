"""The cost of 500 notifications per second with Linux's bluetoothd.  Not a test, since the machine is emulated: compare the parts.

    LUBDUB=.build/release/lubdub Tools/linux-machine .venv/bin/python Tests/Linux/measure_load.py

`Tests/Interoperability/test_bluetoothd_load.py` measures lubdub alone, without emulation.
"""

import asyncio
import os
import pathlib
import time
import unittest

from heart import MEASUREMENT
from serving import ServingTest

RATE, SECONDS = 500, 10


def processor_times():
    """The CPU time of each program in seconds: fields 2, 14 and 15 of proc(5)'s stat."""
    times = {}
    for path in pathlib.Path('/proc').glob('[0-9]*/stat'):
        name, _, rest = path.read_text().partition('(')[2].rpartition(')')
        fields = rest.split()
        ticks = int(fields[11]) + int(fields[12])
        times[name] = times.get(name, 0) + ticks / os.sysconf('SC_CLK_TCK')
    return times


class Load(ServingTest):
    limit = 120

    async def test_load(self):
        hasty = self.scenario(lambda document: document['devices'][0]['services'][0].update(period=f'{1000 // RATE} ms'))
        async with self.two_adapters() as (own, other), self.served(own, hasty), self.client(other) as client:
            heard = []
            await client.start_notify(MEASUREMENT, lambda _, value: heard.append(value))
            await asyncio.sleep(1)
            count, began, before = len(heard), time.monotonic(), processor_times()
            await asyncio.sleep(SECONDS)
            wall, after = time.monotonic() - began, processor_times()
            print(f'{(len(heard) - count) / wall:.0f} notifications a second are heard')
            for program in ('lubdub', 'dbus-daemon', 'bluetoothd', 'btvirt'):
                print(f'{program}: {(after[program] - before[program]) / wall:.0%} of an emulated core')


if __name__ == '__main__':
    unittest.main()
