"""A long run: 50 devices with random faults, and 10 clients that come and go.  Slow, so it is `make long`.

MINUTES is how long (default 60).  Memory and descriptors must stay flat, and every log must be complete.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import random
import signal
import statistics
import struct
import tempfile
import unittest

from harness import LUBDUB, Interoperability

MINUTES = float(os.environ.get('MINUTES', '60'))
DEVICES, CLIENTS, SEED = 50, 10, 1
SAMPLING = 5  # seconds
GROWTH = 4  # MiB; the memory differs by less between one third of the run and another
DESCRIPTORS = 40

KINDS = [
    ('180D', [{'service': 'heart_rate', 'value': {'curve': 'walk', 'start': 70, 'by': 3, 'period': '1 s', 'range': [50, 190]},
               'rr_intervals': True, 'contact': True}, {'service': 'battery', 'value': 80}]),
    ('180D', [{'service': 'heart_rate', 'value': {'curve': 'sine', 'mean': 300, 'amplitude': 80, 'period': '1 min'}}]),
    ('1809', [{'service': 'health_thermometer', 'period': '3 s', 'value': 36.6}]),
    ('1822', [{'service': 'pulse_oximeter', 'period': '1 s', 'value': 97, 'pulse_rate': 60}]),
    ('180D', [{'service': 'heart_rate', 'value': 72}, {'service': 'ecg'}]),
]


def devices():
    for number in range(DEVICES):
        service, services = KINDS[number % len(KINDS)]
        yield {'id': f'd{number}', 'name': f'Lubdub {number}', 'address': f'C0:FF:EE:00:01:{number:02X}/random',
               'distance': f'{1 + number % 12} m', 'advertise': {'interval': '500 ms', 'services': [service]},
               'services': services}


def fault(chance, device):
    """A random action on a device."""
    of = device['id']
    value = f'{of}/{device["services"][0]["service"]}'
    action = chance.choice([
        {'do': 'link_loss', 'of': of}, {'do': 'distance', 'to': f'{chance.randint(5, 120)} m', 'of': of},
        {'do': 'rssi', 'to': chance.randint(-100, -60), 'of': of}, {'do': 'loss', 'rate': chance.random(), 'of': of},
        {'do': 'stop_advertising', 'of': of}, {'do': 'silence', 'of': value}, {'do': 'drop', 'of': value},
        {'do': 'duplicate', 'of': value}, {'do': 'delay', 'by': '1 s', 'of': value}, {'do': 'reorder', 'of': value},
        {'do': 'truncate', 'to': 1, 'of': value}, {'do': 'lengthen', 'with': 'ffff', 'of': value},
        {'do': 'burst', 'rate': '50 Hz', 'of': value}, {'do': 'stall', 'of': of},
        {'do': 'att_error', 'on': 'read', 'error': 'unlikely_error', 'of': of}, {'do': 'mtu', 'to': 23, 'of': of},
        {'do': 'raw', 'octets': '00', 'of': value}, {'do': 'notify', 'times': 3, 'of': value},
        {'do': 'move_handles', 'by': 3, 'of': of}, {'do': 'change_address', 'of': of}, {'do': 'disconnect', 'of': of},
    ])
    momentary = ('raw', 'notify', 'move_handles', 'change_address', 'disconnect')
    return action if action['do'] in momentary else action | {'for': f'{chance.randint(1, 15)} s'}


def scenario():
    chance, all_devices = random.Random(SEED), list(devices())
    script = [{'when': f'{second} s'} | fault(chance, chance.choice(all_devices))
              for second in range(5, int(MINUTES * 60), 2)]
    return {'lubdub': 1, 'name': 'A long run', 'seed': SEED, 'devices': all_devices, 'script': script}


class Samples:
    """The memory and the descriptors of a process."""

    def __init__(self, process):
        self.folder = pathlib.Path('/proc', str(process.pid))
        self.memory, self.descriptors = [], []  # MiB; number

    async def take(self):
        while True:
            await asyncio.sleep(SAMPLING)
            status = (self.folder / 'status').read_text()
            self.memory.append(int(status.split('VmRSS:')[1].split()[0]) / 1024)
            self.descriptors.append(len(list((self.folder / 'fd').iterdir())))

    @property
    def thirds(self):
        """The median memory of each third of the run."""
        size = len(self.memory) // 3
        return [statistics.median(self.memory[i * size:(i + 1) * size]) for i in range(3)]


class LongRun(Interoperability):
    limit = MINUTES * 60 + 120

    async def client(self, number, address, counts):
        """Clients one after another: each watches a device for a time, then ends, is told to end, or is killed."""
        chance = random.Random(SEED * 1000 + number)
        while True:
            process = await asyncio.create_subprocess_exec(
                LUBDUB, 'monitor', '--radio', f'hci:{address}', '--peer', f'Lubdub {chance.randrange(DEVICES)}', '--json',
                '--every', '5 s', '--for', f'{chance.randint(5, 60)} s', stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
            counts['clients'] += 1
            end = asyncio.get_running_loop().call_later(
                chance.uniform(1, 120), lambda: process.returncode is None and process.send_signal(
                    chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])))
            try:
                async for line in process.stdout:
                    counts['lines'] += 1
                    json.loads(line) if line.endswith(b'}\n') else None
                await process.wait()
            finally:
                end.cancel()
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    async def controls(self, address):
        """Queries and actions on the control socket."""
        while True:
            for request in (['status'], ['notify', 'd0/heart_rate']):
                process = await asyncio.create_subprocess_exec(
                    LUBDUB, 'control', address, *request, stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
                await process.wait()
            await asyncio.sleep(3)

    async def test_memory_and_descriptors_stay_flat_and_logs_are_complete(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / 'long.json').write_text(json.dumps(scenario()))
            with (folder / 'messages').open('w') as messages:
                serve = await asyncio.create_subprocess_exec(
                    LUBDUB, 'serve', 'long.json', '--controller', 'unix:hci', '--control', 'unix:control', '--events',
                    'events.jsonl', '--trace', 'trace.btsnoop', '--verbose', '--for', f'{round(MINUTES * 60)} s',
                    cwd=folder, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=messages)
            samples, counts = Samples(serve), {'clients': 0, 'lines': 0}
            while not (folder / 'hci').is_socket():
                self.assertIsNone(serve.returncode, (folder / 'messages').read_text())
                await asyncio.sleep(0.02)
            tasks = [asyncio.create_task(self.client(number, f'unix:{folder}/hci', counts)) for number in range(CLIENTS)]
            tasks += [asyncio.create_task(samples.take()), asyncio.create_task(self.controls(f'unix:{folder}/control'))]
            try:
                status = await serve.wait()
            finally:
                with contextlib.suppress(ProcessLookupError):
                    serve.kill()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            self.assertEqual(status, 0, (folder / 'messages').read_text()[-4000:])
            events = self.check_events(folder / 'events.jsonl')
            packets = self.check_trace(folder / 'trace.btsnoop')
            size = sum(file.stat().st_size for file in folder.iterdir()) / (1 << 20)
        thirds = samples.thirds
        print(f'{MINUTES:g} minutes, {counts["clients"]} clients, {counts["lines"]} lines, {sum(events.values())} events, '
              f'{packets} packets, {size:.0f} MiB of logs; memory {", ".join(f"{third:.1f}" for third in thirds)} MiB, '
              f'at most {max(samples.memory):.1f} MiB; at most {max(samples.descriptors)} descriptors')
        self.assertLess(max(thirds) - thirds[0], GROWTH)
        self.assertLess(max(samples.descriptors), DESCRIPTORS)
        self.assertLessEqual(events['connected'] - events['disconnected'], CLIENTS)
        for event in ('began', 'ended', 'connected', 'disconnected', 'subscribed', 'delivered'):
            self.assertGreater(events[event], MINUTES, event)

    def check_events(self, file):
        """The number of events by their kind; all are there, in order, and the end."""
        counts, last, event = {}, 0, None
        with file.open() as lines:
            for line in lines:
                event = json.loads(line)
                counts[event['event']] = counts.get(event['event'], 0) + 1
                if 't' in event:
                    self.assertGreaterEqual(event['t'], last)
                    last = event['t']
        self.assertEqual(event, {'event': 'end', 'status': 0})
        self.assertGreaterEqual(last, MINUTES * 60 - 10)
        return counts

    def check_trace(self, file):
        """The number of packets; the last one ends where the file ends."""
        octets, place, count = file.read_bytes(), 16, 0
        self.assertEqual(octets[:8], b'btsnoop\0')
        while place < len(octets):
            place, count = place + 24 + struct.unpack_from('>I', octets, place + 4)[0], count + 1
        self.assertEqual(place, len(octets))
        return count


if __name__ == '__main__':
    unittest.main()
