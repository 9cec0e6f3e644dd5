"""`lubdub run --ask`, and `run --radio`: people with a phone, whose phone is the adapter of the documentation above Bumble."""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import signal
import sys
import tempfile

from harness import LUBDUB, ROOT, Interoperability, controller_port, end, lubdub
from terminal import Terminal
from test_client import ADAPTER, scenario
from test_radio import RadioTests

RIGHT = {'starts': '60', 'shows_300': 'yes', 'shows_72': 'yes', 'goes_on': '60'}


class Phone:
    """The adapter above a controller, and what it shows."""

    def __init__(self):
        self.shown = []

    async def use(self, controller, peer='C0:FF:EE:00:00:01/random'):
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, '-c', ADAPTER, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            env=os.environ | {'LUBDUB_CONTROLLER': controller, 'LUBDUB_PEER': peer, 'PYTHONUNBUFFERED': '1'})
        self.reading = asyncio.create_task(self.read())

    async def read(self):
        async for line in self.process.stdout:
            self.shown.append(json.loads(line))

    async def leave(self):
        await end(self.process)
        await self.reading


class Asked:
    """A `lubdub run --ask` whose questions are answered."""

    def __init__(self, phone):
        self.phone, self.asked, self.errors = phone, [], []

    async def start(self, *arguments):
        self.process = await asyncio.create_subprocess_exec(
            LUBDUB, 'run', *arguments, '--ask', cwd=ROOT, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)

    async def answer(self, answers):
        """Answers each question by what `answers` has for its expectation, or by what that makes of the phone."""
        async for line in self.process.stderr:
            text = line.decode().rstrip()
            self.errors.append(text)
            question = re.match(r'(\S+): .*(\? \(|press Enter)', text)
            if not question:
                continue
            self.asked.append(question[1])
            answer = '' if 'press Enter' in text else answers[question[1]]
            self.process.stdin.write(f'{answer(self.phone) if callable(answer) else answer}\n'.encode())
            await self.process.stdin.drain()

    async def end(self, answers):
        """What it has printed, and its status."""
        answering = asyncio.create_task(self.answer(answers))
        output = (await self.process.stdout.read()).decode()
        await answering
        return output, await self.process.wait()


class AskTests(Interoperability):
    limit = 100

    @contextlib.asynccontextmanager
    async def phone(self, controller):
        phone = Phone()
        await phone.use(controller)
        try:
            yield phone
        finally:
            await phone.leave()

    async def play(self, answers, *arguments, path='scenarios/clients/two_octets.json'):
        """What comes of a case with a phone above a virtual controller, and what was asked."""
        asked = Asked(None)
        await asked.start(path, '--controller', 'tcp:127.0.0.1:0', *arguments)
        try:
            async with self.phone(f'tcp:127.0.0.1:{await controller_port(asked.process)}') as phone:
                asked.phone = phone
                output, status = await asked.end(answers)
        finally:
            if asked.process.returncode is None:
                await end(asked.process)
        return output, status, asked

    async def test_right_answers_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, 'events.jsonl')
            output, status, asked = await self.play(RIGHT, '--events', log)
            self.assertEqual(status, 0, output + '\n'.join(asked.errors))
            self.assertIn('4 pass, 0 fail, 0 inconclusive', output)
            self.assertEqual(asked.asked, ['scenarios/clients/two_octets', *RIGHT])
            lines = [json.loads(line) for line in log.read_text().splitlines()]
        said = [record['line'] for record in lines if record['event'] == 'said']
        self.assertEqual(said, [
            {'heart_rate': {'bpm': 60}, 'asked': 'starts'}, {'answer': 'yes', 'asked': 'shows_300'},
            {'answer': 'yes', 'asked': 'shows_72'}, {'heart_rate': {'bpm': 60}, 'asked': 'goes_on'}])
