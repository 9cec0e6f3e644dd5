"""`lubdub run --ask` and `run --radio`: operators whose phone is the adapter of the documentation, over Bumble."""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import signal
import sys
import tempfile

from bumble import core

import test_radio
from harness import LUBDUB, ROOT, Interoperability, controller_port, end, lubdub, peer
from terminal import Terminal
from test_client import ADAPTER, scenario

MEASUREMENT = core.UUID.from_16_bits(0x2A37)

RIGHT = {'starts': '60', 'shows_300': 'yes', 'shows_72': 'yes', 'goes_on': '60'}


class Phone:
    """The adapter over a controller, and its output."""

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
    """A `lubdub run --ask` with answers to its questions."""

    def __init__(self, phone):
        self.phone, self.asked, self.errors = phone, [], []

    async def start(self, *arguments):
        self.process = await asyncio.create_subprocess_exec(
            LUBDUB, 'run', *arguments, '--ask', cwd=ROOT, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)

    async def answer(self, answers):
        """Answers each question with the entry of `answers` for its expectation, or with its result for the phone."""
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
        """Its output and its status."""
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
        """The result of a case with a phone over a virtual controller, and the questions."""
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
            lines = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual(status, 0, output + '\n'.join(asked.errors))
        self.assertIn('4 pass, 0 fail, 0 inconclusive', output)
        self.assertEqual(asked.asked, ['scenarios/clients/two_octets', 'shows_300', 'shows_72', 'goes_on', 'starts'])
        self.assertEqual([record['line'] for record in lines if record['event'] == 'said'], [
            {'answer': 'yes', 'asked': 'shows_300'}, {'answer': 'yes', 'asked': 'shows_72'},
            {'heart_rate': {'bpm': 60}, 'asked': 'goes_on'}, {'heart_rate': {'bpm': 60}, 'asked': 'starts'}])

    async def test_questions_at_the_time_limit_can_be_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            path, report = pathlib.Path(folder, 'resting.json'), pathlib.Path(folder, 'report.json')
            path.write_text(json.dumps(scenario('resting.json', limit='5 s')))
            asked = Asked(None)
            await asked.start(str(path), '--controller', 'tcp:127.0.0.1:0', '--report', str(report))
            try:
                asked.process.stdin.write(b'\n')
                async with self.phone(f'tcp:127.0.0.1:{await controller_port(asked.process)}'):
                    await asyncio.sleep(9)
                    asked.process.send_signal(signal.SIGINT)
                    self.assertEqual(await asyncio.wait_for(asked.process.wait(), 5), 130)
            finally:
                if asked.process.returncode is None:
                    await end(asked.process)
            self.assertIn('cases', json.loads(report.read_text()))

    async def test_the_display_of_the_phone_is_compared_with_the_sent_values(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'resting.json')
            path.write_text(json.dumps(scenario('resting.json', limit='15 s')))
            output, status, asked = await self.play(
                {'shows': lambda phone: phone.shown[-1]['heart_rate']['bpm']}, path=path)
            self.assertEqual((status, asked.asked[1:]), (0, ['shows'] * 3), output)
            # An unexpected answer is confirmed once.
            output, status, asked = await self.play({'shows': '199'}, path=path)
        self.assertEqual((status, asked.asked[1:]), (1, ['shows'] * 2), output)
        self.assertIn('look again', asked.errors[-1])
        self.assertRegex(
            output,
            r'fail  shows .*\n +expected  output .*\n +observed  the operator had not seen it by \S+ s, but \{"heart_rate": \{"bpm": 199')

    async def test_wrong_answers_fail_by_name(self):
        doubtful = iter(['44', 'no'])
        for answers, failed in [
                ({'shows_300': 'no'}, 'shows_300'), ({'shows_72': lambda _: next(doubtful)}, 'shows_72'),
                ({'goes_on': '-', 'starts': 'yes'}, 'goes_on')]:
            output, status, _ = await self.play(RIGHT | answers)
            self.assertEqual((status, re.findall(r'^fail  (\w+)', output, re.M)), (1, [failed]), output)

    async def test_an_operator_who_cannot_answer_or_leaves_is_inconclusive(self):
        # An operator who only types invalid answers gives none.
        output, status, asked = await self.play(dict.fromkeys(RIGHT, '?') | {'goes_on': '\n'.join(['perhaps'] * 100)})
        self.assertEqual(status, 1)
        self.assertRegex(output, r'inconclusive  shows_300 .*: the operator could not tell')
        self.assertIn('0 pass, 0 fail, 4 inconclusive', output)

    async def test_the_end_of_input_leaves_questions_unanswered(self):
        asked = Asked(None)
        await asked.start('scenarios/clients/two_octets.json', '--controller', 'tcp:127.0.0.1:0')
        asked.process.stdin.write(b'\nyes\n')
        asked.process.stdin.close()
        async with self.phone(f'tcp:127.0.0.1:{await controller_port(asked.process)}'):
            output, errors = await asked.process.communicate()
        self.assertEqual(asked.process.returncode, 1, errors)
        self.assertEqual(
            re.findall(r'^(\w+)  (\w+)', output.decode(), re.M),
            [('inconclusive', 'starts'), ('pass', 'shows_300'), ('inconclusive', 'shows_72'),
             ('inconclusive', 'goes_on')])
        self.assertIn('there was no answer: the input has ended', output.decode())

    async def test_without_an_operator(self):
        asked = Asked(None)
        await asked.start('scenarios/clients/named.json')
        asked.process.stdin.close()
        output, _ = await asked.process.communicate()
        self.assertEqual(asked.process.returncode, 1)
        self.assertIn('the input ended before the operator started the case', output.decode())

    async def test_at_a_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, 'report.json')
            terminal = Terminal()
            try:
                await terminal.start(
                    LUBDUB, 'run', 'scenarios/clients/other_services.json', 'scenarios/clients/odd_tail.json', '--ask',
                    '--controller', 'tcp:127.0.0.1:0', '--report', report)
                await terminal.shows('controller tcp:127.0.0.1:')
                await terminal.shows('other_services: press Enter to start')
                port = re.search(r'controller (tcp:127.0.0.1:\d+)', terminal.text)[1]
                async with self.phone(port) as phone:
                    place = terminal.press(b'\r')
                    await terminal.shows('starts: the app should show heart rate 60', place)
                    while {'heart_rate': {'bpm': 60, 'contact': None}} not in phone.shown:
                        await asyncio.sleep(0.05)
                    place = terminal.press(b'61\x7f0\r')
                    await terminal.shows(r'starts> 60\r?\n', place)
                    await terminal.shows('pass +.*other_services', place)
                place = len(terminal.text)
                await terminal.shows('odd_tail: press Enter to start')
                terminal.press(b'\x03')
                self.assertEqual(await terminal.ended(), 128 + signal.SIGINT)
                self.assertTrue(terminal.gives_lines())
            finally:
                await terminal.close()
            cases = json.loads(report.read_text())['cases']
        self.assertEqual(
            [(case['id'], case['verdict']) for case in cases], [('scenarios/clients/other_services', 'pass')])

    # MARK: A real radio

    @contextlib.asynccontextmanager
    async def listener(self, central, received=lambda _: None):
        """Bumble's central, which finds and subscribes to the strap as soon as it advertises."""
        async def listen():
            async with peer(central) as strap:
                measurement, = strap.get_characteristics_by_uuid(MEASUREMENT)
                await strap.subscribe(measurement, received)
                await asyncio.Event().wait()

        listening = asyncio.create_task(listen())
        try:
            yield
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listening

    async def test_an_operator_on_a_real_radio(self):
        async with test_radio.central_of_bumble() as (central, port), self.listener(central):
            asked = Asked(None)
            await asked.start('scenarios/clients/two_octets.json', '--radio', f'hci:tcp:127.0.0.1:{port}')
            output, status = await asked.end(RIGHT)
        self.assertEqual(status, 0, output + '\n'.join(asked.errors))
        self.assertNotIn('controller', output)

    async def test_a_program_on_a_real_radio(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        received = pathlib.Path(folder.name) / 'received'
        program = f'while sleep 0.3; do [ ! -e {received} ] || echo \'{{"heart_rate": {{"bpm": 60}}}}\'; done'
        async with test_radio.central_of_bumble() as (central, port), self.listener(
                central, lambda _: received.touch()):
            async with lubdub(
                    'run', 'scenarios/clients/subscribes.json', '--radio', f'hci:tcp:127.0.0.1:{port}', '--client',
                    program, '--quiet') as run:
                output = (await run.stdout.read()).decode()
                status = await run.wait()
        self.assertEqual(status, 0, output)
        self.assertIn('4 pass, 0 fail', output)

    async def test_actions_that_a_real_radio_does_not_support_are_skipped(self):
        for path, why in [
                ('scenarios/recovery/power_off.json', "power_off: the client's controller is not under Lubdub's control"),
                ('scenarios/three_straps.json', 'has 3 devices, and each needs a --radio: 1 is given')]:
            async with lubdub('run', path, '--radio', 'hci:tcp:127.0.0.1:9', '--client', 'true') as run:
                output = (await run.stdout.read()).decode()
                self.assertEqual(await run.wait(), 3)
            self.assertRegex(output, f'skip  .*{why}')

    async def test_a_missing_radio_is_named(self):
        for arguments in [['--ask'], ['--client', 'true']]:
            process = await asyncio.create_subprocess_exec(
                LUBDUB, 'run', 'scenarios/clients/subscribes.json', '--radio', 'hci:tcp:127.0.0.1:9', *arguments,
                cwd=ROOT, stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
            _, message = await process.communicate(b'\n')
            self.assertEqual(process.returncode, 3, arguments)
            self.assertRegex(message.decode(), r'(?m)^lubdub: tcp:127.0.0.1:9: |^lubdub: .*127.0.0.1:9')

    async def test_invalid_combinations_of_options_are_rejected(self):
        for arguments, words in [
                (['--radio', 'bluez'], '--radio requires --client or --ask'), (['--ask', '--client', 'true'], 'mutually exclusive'),
                (['--lines', '(?<bpm>.)'], '--lines requires --client or --ask'),
                (['--lines', '(?<bpm>.)', '--client', 'x', '--bpm-only'], 'mutually exclusive'),
                (['--lines', '[', '--client', 'x'], '--lines "[": not a regular expression'),
                (['--ask', '--said', 'unix:x'], '--said requires --client'),
                (['--system', 'bluez'], '--system requires --client'), (['--system', 'foo', '--client', 'x'], 'not bluez'),
                (['--ask', '--speed', '2'], '--speed 2 cannot be combined with --ask'),
                (['--ask', '--jobs', '2'], '--jobs cannot be combined with --ask'),
                (['--ask', '--radio', 'bluez', '--controller', 'vhci'], '--controller needs the virtual radio')]:
            process = await asyncio.create_subprocess_exec(
                LUBDUB, 'run', 'scenarios/resting.json', *arguments, cwd=ROOT, stdin=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE)
            _, message = await process.communicate()
            self.assertEqual(process.returncode, 2, arguments)
            self.assertIn(words, message.decode())
