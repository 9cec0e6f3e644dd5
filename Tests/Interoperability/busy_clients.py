"""Runs correct clients many times on a busy machine; none may fail.  Slow, so it is `make test-busy`.

The scenarios for clients run twenty times with the adapter of the documentation, while four loops keep the machine
busy.  A case may be inconclusive, but must not fail.  A thorough client must pass all heart-rate scenarios.
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
SCENARIOS = [f'scenarios/{folder}' for folder in ('recovery', 'errors', 'formats')]


@contextlib.asynccontextmanager
async def busy():
    """Processes that use all available CPU time."""
    loops = [await asyncio.create_subprocess_exec(sys.executable, '-c', 'while True: pass') for _ in range(LOOPS)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            await loop.wait()


class ThoroughTests(Interoperability):
    limit = 1800

    async def test_a_thorough_client_never_fails(self):
        client = pathlib.Path(__file__).with_name('thorough_client.py')
        with tempfile.TemporaryDirectory() as name:
            report = pathlib.Path(name, 'report.json')
            process = await asyncio.create_subprocess_exec(
                LUBDUB, 'run', *SCENARIOS, '--client', f'exec {shlex.quote(sys.executable)} {shlex.quote(str(client))}',
                '--jobs', '8', '--quiet', '--report', report, cwd=ROOT, stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL)
            await process.wait()
            cases = json.loads(report.read_text())['cases']
        wrong = {case['id']: case['reason'] for case in cases if case['verdict'] in ('fail', 'error')}
        self.assertEqual(wrong, {})
        self.assertGreater([case['verdict'] for case in cases].count('pass'), len(cases) * 3 / 4)


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
