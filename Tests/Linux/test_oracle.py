"""The questions of Tests/Oracle, put to bluetoothd: it answers as Tests/Oracle/answers say.

The artifacts of a test have its answers: copy them to Tests/Oracle/answers if the questions have changed.
"""

import asyncio
import contextlib
import difflib
import sys

from harness import CONFIGURATION, ROOT, LinuxTest, until

ORACLE = ROOT / 'Tests/Oracle'
sys.path.insert(0, str(ORACLE))

import comparing  # noqa: E402


class OracleTests(LinuxTest):
    limit = 600

    @contextlib.asynccontextmanager
    async def machine(self, cache):
        """bluetoothd with an interface over a controller of lubdub: yields the control socket."""
        control = self.folder / 'control'
        self.forget_devices()
        async with (
                self.message_bus(),
                self.lubdub('serve', 'Tests/Oracle/scenario.json', '--control', f'unix:{control}') as path,
                self.bridge(path), self.daemon(CONFIGURATION.replace('Cache=no', f'Cache={cache}'))):
            await self.powered('hci0')
            await until(control.exists, 'there is a control socket')
            yield control

    async def put(self, chapter, cache):
        """bluetoothd's answers to a chapter."""
        async with self.machine(cache) as control:
            process = await asyncio.create_subprocess_exec(
                sys.executable, '-B', ORACLE / 'oracle.py', chapter, control, cache, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE)
            said, messages = await process.communicate()
        self.assertEqual(process.returncode, 0, messages.decode())
        (self.folder / comparing.stored(chapter, cache).name).write_bytes(said)
        return said.decode().splitlines()

    async def compare(self, chapter, cache='always'):
        """Asks up to three times if an answer differs: a busy machine can change the order of what happens in the air."""
        stored = comparing.stored(chapter, cache)
        known = stored.read_text().splitlines() if stored.exists() else []
        for _ in range(3):
            answers = await self.put(chapter, cache)
            differences = '\n'.join(difflib.unified_diff(known, answers, 'stored', 'answered', lineterm=''))
            if not differences:
                return
            print(differences, file=sys.stderr)
        self.fail(f'{stored}: bluetoothd answers otherwise\n{differences}')

    async def test_objects(self):
        await self.compare('objects')

    async def test_scans(self):
        await self.compare('scans')

    async def test_attributes(self):
        await self.compare('attributes')

    async def test_losses(self):
        await self.compare('losses')

    async def test_losses_without_a_cache(self):
        await self.compare('losses', 'no')

    async def test_links(self):
        await self.compare('links')

    async def test_pairing(self):
        await self.compare('pairing')
