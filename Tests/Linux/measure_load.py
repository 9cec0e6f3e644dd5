"""The cost of 500 notifications per second with Linux's bluetoothd, and of an ECG at 500 Hz with and without bluetoothd.  Not a
test, since the machine is emulated: compare the parts.

    LUBDUB=.build/release/lubdub Tools/linux-machine .venv/bin/python Tests/Linux/measure_load.py

LUBDUB_ECG_SECONDS is how long each ECG lasts, and LUBDUB_RADIOS may be only `bluez` or `hci`; Tools/linux-machine needs a
`--limit` above that time.

`Tests/Interoperability/test_bluetoothd_load.py` measures lubdub alone, without emulation.
"""

import asyncio
import contextlib
import os
import pathlib
import time
import unittest

import btmon
from heart import MEASUREMENT
from test_user_channel import ECG_SECONDS, UserChannelTests

RATE, SECONDS = 500, 10
RADIOS = os.environ.get('LUBDUB_RADIOS', 'hci bluez').split()
PROGRAMS = ('lubdub', 'dbus-daemon', 'bluetoothd', 'btvirt')


def processor_times():
    """The CPU time of each program in seconds: fields 2, 14 and 15 of proc(5)'s stat."""
    times = {}
    for path in pathlib.Path('/proc').glob('[0-9]*/stat'):
        name, _, rest = path.read_text().partition('(')[2].rpartition(')')
        fields = rest.split()
        ticks = int(fields[11]) + int(fields[12])
        times[name] = times.get(name, 0) + ticks / os.sysconf('SC_CLK_TCK')
    return times


def load_tests(*_):
    """Only the measurements, not the tests of the class that they extend."""
    return unittest.TestSuite([Load('test_load'), Load('test_ecg')])


class Load(UserChannelTests):
    limit = 150 + 2 * ECG_SECONDS

    async def test_ecg(self):
        """bluetoothd is the client's host in both cases; with `bluez` it is the patch's as well."""
        for radio in RADIOS:
            has_trace = radio == 'hci'  # btmon 5.66 crashes when it reads what bluetoothd has stored of its own attributes
            trace = self.folder / 'btmon.btsnoop'
            serving = self.played if radio == 'hci' else self.served
            async with (
                    self.two_adapters() as (own, other),
                    self.running('btmon', 'btmon', '-w', trace) if has_trace else contextlib.nullcontext(),
                    serving(own, 'scenarios/ecg_500hz.json') as (_, events),
                    self.client(other, 'Lubdub Patch') as client):
                began, before = time.monotonic(), processor_times()
                sent, heard = await self.hear_ecg(client, events, ECG_SECONDS)
                wall, after = time.monotonic() - began, processor_times()
                await asyncio.sleep(2)  # btmon writes
            places = {'sent by lubdub': sent, 'heard by bleak': heard}
            if has_trace:
                places[f'sent by {own}'] = self.recorded(sent, trace, own, btmon.ACL_SENT)
                places[f'received by {other}'] = self.recorded(sent, trace, other, btmon.ACL_RECEIVED)
            for place, frames in places.items():
                print(f'{radio}: {len(frames)} frames {place}, {"all" if frames == sent else "NOT ALL"} in order')
            self.print_shares(before, after, wall)

    @staticmethod
    def recorded(frames, trace, adapter, kind):
        """Those frames that an adapter has sent or received."""
        wanted, values = set(frames), btmon.notified(trace, int(adapter.removeprefix('hci')), kind)
        return [value for _, value in values if value in wanted]

    def print_shares(self, before, after, wall):
        for program in PROGRAMS:
            print(f'{program}: {(after[program] - before[program]) / wall:.1%} of an emulated core')

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
            self.print_shares(before, after, wall)


if __name__ == '__main__':
    unittest.main()
