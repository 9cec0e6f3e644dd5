"""Plays the scenarios for clients twenty times to the adapter of the documentation, while four loops keep the machine busy.

It takes some minutes, so `make test-busy` runs it, and `make test` does not.  A slow machine may leave a case
inconclusive; that it never fails a client that is right is what is proved.
"""

import asyncio
import contextlib
import json
import pathlib
import shlex
import sys
import tempfile
import unittest

from harness import LUBDUB, ROOT, Interoperability
from test_client import ADAPTER

ROUNDS, LOOPS = 20, 4


@contextlib.asynccontextmanager
async def busy():
    """Some processes that want all the time that there is."""
    loops = [await asyncio.create_subprocess_exec(sys.executable, '-c', 'while True: pass') for _ in range(LOOPS)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            await loop.wait()


class BusyTests(Interoperability):
    limit = 3600

    async def test_the_correct_client_never_fails(self):
        counts = []
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / 'client.py').write_text(ADAPTER)
            async with busy():
                for _ in range(ROUNDS):
                    process = await asyncio.create_subprocess_exec(
                        LUBDUB, 'run', ROOT / 'scenarios/clients', '--client', f'exec {shlex.quote(sys.executable)} client.py',
                        '--jobs', '4', '--quiet', '--report', 'report.json', cwd=folder, stdin=asyncio.subprocess.DEVNULL,
                        stdout=asyncio.subprocess.DEVNULL)
                    await process.wait()
                    report = json.loads((folder / 'report.json').read_text())
                    counts.append(report['summary'])
                    wrong = [case for case in report['cases'] if case['verdict'] in ('fail', 'error')]
                    self.assertEqual(wrong, [])
        self.assertEqual(len(counts), ROUNDS)
        undecided = sum(count['inconclusive'] for count in counts)
        print(f'{ROUNDS} rounds, {sum(count["pass"] for count in counts)} passed, {undecided} could not be decided')
        self.assertLess(undecided, sum(count['pass'] for count in counts) / 10)


if __name__ == '__main__':
    unittest.main()
