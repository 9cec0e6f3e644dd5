"""Shared by the adapters of clients: the lines that `lubdub run --client` reads, and the loop that every app has to write.

No library here reconnects by itself, so `keep_listening` does it, as their documentation leaves it to the app.  An adapter
adds no other recovery.
"""

import asyncio
import json
import os

MEASUREMENT = '00002a37-0000-1000-8000-00805f9b34fb'
CONTROLLER = os.environ['LUBDUB_CONTROLLER']
PASSKEY = int(os.environ.get('LUBDUB_PASSKEY', 0))
OOB = bytes.fromhex(os.environ.get('LUBDUB_OOB', ''))
ADDRESS, KIND = os.environ['LUBDUB_PEER'].split('/')


def report(**line):
    print(json.dumps(line), flush=True)


def show(bpm, **others):
    """Reports a measurement; intervals are in milliseconds, and None is a value that the library does not have."""
    report(heart_rate={'bpm': bpm} | {key: value for key, value in others.items() if value is not None})


def show_octets(octets):
    """Decodes a Heart Rate Measurement for libraries that pass octets on: Heart Rate Service 1.0, section 3.1."""
    rest = list(octets)

    def take(size):
        return sum(rest.pop(0) << 8 * place for place in range(size))

    try:
        flags = take(1)
        bpm = take(2 if flags & 1 else 1)
        energy = take(2) if flags & 8 else None
        intervals = [take(2) * 1000 / 1024 for _ in range(len(rest) // 2)] if flags & 16 else None
    except IndexError:  # shorter than its flags require
        return
    show(bpm, contact=bool(flags & 2) if flags & 4 else None, energy_kj=energy, rr_ms=intervals)


async def keep_listening(listen):
    """Awaits `listen`, which connects and returns when the link has ended, again and again."""
    while True:
        try:
            await listen()
        except (Exception, asyncio.CancelledError) as problem:  # Bumble cancels what a lost link ends
            report(error=f'{type(problem).__name__}: {problem}')
            await asyncio.sleep(0.5)
        finally:
            report(state='disconnected')
            report(heart_rate=None)
