"""Shared by the tests of commands that take an adapter from bluetoothd, over the kernel's user channel."""

import asyncio
import contextlib

from harness import LUBDUB, ROOT, until
from serving import ServingTest


class AdapterTest(ServingTest):
    """A test that takes adapters from bluetoothd."""

    @contextlib.asynccontextmanager
    async def played(self, adapter, scenario='scenarios/resting.json', options=()):
        """A scenario's device above an adapter's user channel: yields the process and the event log's path."""
        events = self.folder / 'events.jsonl'
        events.unlink(missing_ok=True)
        async with self.running(
                'lubdub', LUBDUB, 'serve', scenario, '--radio', f'hci:{adapter.removeprefix("hci")}', '--events', events,
                *options) as process:
            await until(lambda: self.happened(events, 'advertising'), 'it advertises', process)
            yield process, events

    async def given_back(self, adapter, before):
        """Waits until bluetoothd has the adapter again, in its former state."""
        await self.powered(adapter)
        await self.is_as_before(adapter, before)

    async def said_by(self, *arguments, before=None):
        """The message of a command that fails for its environment."""
        process = await asyncio.create_subprocess_exec(
            LUBDUB, *arguments, cwd=ROOT, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, preexec_fn=before)
        _, messages = await process.communicate()
        self.assertEqual(process.returncode, 3, messages)
        return messages.decode()
