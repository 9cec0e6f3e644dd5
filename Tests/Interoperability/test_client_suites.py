"""Whole suites with external clients: in parallel, with reports, interrupted, and with programs that are not clients."""

import asyncio
import json
import os
import pathlib
import re
import shlex
import signal
import sys
import tempfile
import time
import unittest
from xml.etree import ElementTree

import jsonschema

from harness import LUBDUB, ROOT, Interoperability
from test_client import (
    ADAPTER, RESET, RESTING, SHOWN, SlowMachineTests, finished, running, scenario, sleeping, stand_still, until)

PYTHON = shlex.quote(sys.executable)
STAYS = f'exec {PYTHON} reset.py 60'
SHORT = RESTING | {'limit': '2 s'}
LONG = RESTING | {'limit': '60 s'}
SPEAKS = RESTING | {'limit': '60 s', 'expect': [
    {'id': 'speaks', 'expect': 'seen', 'event': {'event': 'said', 'line': {}}, 'within': '50 s'}]}


class Done:
    """The result of `lubdub run suite --client`."""

    def __init__(self, folder, status, output, errors, seconds):
        self.status, self.output, self.errors, self.seconds = status, output, errors, seconds
        self.json = json.loads((folder / 'report.json').read_text()) if (folder / 'report.json').exists() else None
        self.xml = ElementTree.parse(folder / 'report.xml').getroot() if (folder / 'report.xml').exists() else None

    @property
    def verdicts(self):
        return {case['id']: case['verdict'] for case in self.json['cases']}

    @property
    def reasons(self):
        return {case['id']: case['reason'] for case in self.json['cases']}


class SuiteCase(Interoperability):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'reset.py').write_text(RESET)

    async def play(self, cases, client, *options, meanwhile=None, words=('suite',)):
        """Plays scenarios, given by their ids, to a client."""
        for name, content in cases.items():
            path = self.folder / 'suite' / f'{name}.json'
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(content))
        reports = ['--report', 'report.json', '--report', 'report.xml']
        started = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            LUBDUB, 'run', *words, '--client', client, *reports, *options, cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        output, errors = await finished(process, meanwhile)
        done = Done(self.folder, process.returncode, output, errors, time.monotonic() - started)
        if done.json:
            jsonschema.validate(done.json, json.loads((ROOT / 'schema' / 'report.schema.json').read_text()))
            self.assertEqual(done.xml.get('tests'), str(len(done.json['cases'])))
        return done


class ClientSuiteTests(SuiteCase):
    async def test_a_suite_with_all_outputs(self):
        cases = {'b/one': SHORT, 'a': SHORT, 'c': scenario('errors/never_confirmed.json')}
        done = await self.play(cases, f'echo "{{\\"steps\\": 1}}"; {STAYS}', '--keep', 'kept', '--seed', '5')
        self.assertEqual(done.verdicts, {'a': 'pass', 'b/one': 'pass', 'c': 'skip'})
        self.assertEqual((done.status, done.json['seed']), (0, 5), done.errors)
        self.assertRegex(done.reasons['c'], r'script\[0\], unconfirmed: only the built-in client')
        lines = [line for line in done.output.splitlines() if not line.startswith('controller tcp:127.0.0.1:')]
        self.assertEqual([line.split()[:2] for line in lines[:3]], [['pass', 'a'], ['pass', 'b/one'], ['skip', 'c']])
        self.assertRegex(lines[-1], r'^2 pass, 0 fail, 0 inconclusive, 1 skip, 0 error in [0-9.]+ s$')
        self.assertEqual(len(done.output.splitlines()) - len(lines), 2)
        log = [json.loads(line) for line in (self.folder / 'kept/b/one/events.jsonl').read_text().splitlines()]
        self.assertEqual((log[0]['seed'], log[-1]), (5, {'event': 'end', 'status': 0}))
        self.assertIn({'steps': 1}, [record['line'] for record in log if record['event'] == 'said'])
        self.assertEqual(json.loads((self.folder / 'kept/report.json').read_text()), done.json)

    async def test_cases_can_be_selected(self):
        cases = {'a': SHORT, 'b': SHORT, 'c': SHORT}
        done = await self.play(cases, STAYS, '--only', '?', '--shard', '2/2', '--quiet')
        self.assertEqual(done.verdicts, {'b': 'pass'})
        self.assertRegex(done.output, r'^1 pass, [^\n]*\n$')
        replay = done.json['cases'][0]['replay']
        self.assertTrue(replay.startswith('lubdub run suite --seed 1 --client '), replay)
        self.assertTrue(replay.endswith(' --only b'), replay)
        done = await self.play({}, 'exit 3', words=['suite/a.json'])
        self.assertEqual((done.status, done.verdicts), (1, {'suite/a': 'fail'}))
        self.assertEqual(done.reasons['suite/a'], 'client: it exited with status 3 before its host sent HCI Reset')
        self.assertEqual(done.xml.get('failures'), '1')

    async def test_four_in_parallel_take_the_time_of_one(self):
        cases = {name: SHORT | {'limit': '8 s'} for name in 'dcba'}
        cases['d'] = SHORT
        done = await self.play(cases, STAYS, '--jobs', '4')
        self.assertEqual(list(done.verdicts.items()), [(name, 'pass') for name in 'abcd'])
        self.assertLess(done.seconds, 3 * 8)
        ended = re.findall(r'^pass +(\w)', done.output, re.M)
        self.assertEqual((ended[0], sorted(ended)), ('d', ['a', 'b', 'c', 'd']))
        addresses = {case: address for address, case in re.findall(r'^controller (\S+) ([a-d])$', done.output, re.M)}
        self.assertEqual((sorted(addresses), len(set(addresses.values()))), (['a', 'b', 'c', 'd'], 4))

    async def test_standard_error_of_each_client_is_kept(self):
        client = f'echo "$LUBDUB_CASE is here" >&2; printf "no line feed" >&2; {STAYS}'
        done = await self.play({'a': SHORT, 'b': SHORT}, client, '--jobs', '2', '--keep', 'kept')
        self.assertEqual(done.status, 0, done.errors)
        lines = done.errors.splitlines()
        self.assertEqual(
            sorted(lines), ['a: a is here', 'a: no line feed', 'b: b is here', 'b: no line feed'])
        for case in done.xml.iter('testcase'):
            name = case.get('name')
            self.assertEqual(case.find('system-err').text, f'{name} is here\nno line feed')
            self.assertEqual((self.folder / f'kept/{name}/client.stderr').read_text(), f'{name} is here\nno line feed')
        self.assertEqual([case['stderr'] for case in done.json['cases']], [
            f'{name} is here\nno line feed' for name in 'ab'])

    async def test_a_failure_has_the_last_line_of_standard_error(self):
        client = 'echo Traceback >&2; echo "ModuleNotFoundError: bumble" >&2; echo >&2; exit 1'
        done = await self.play({'a': SHORT | {'note': 'Why it matters.'}}, client, '--quiet')
        self.assertEqual((done.status, done.errors), (1, ''))
        case, = done.json['cases']
        self.assertEqual(
            case['findings'][0]['cause'], 'the last line of its standard error is "ModuleNotFoundError: bumble"')
        self.assertEqual(case['note'], 'Why it matters.')
        self.assertIn('note: Why it matters.\n', done.output)

    async def test_cases_end_with_their_last_expectation(self):
        done = await self.play({f'{index:02}': SPEAKS for index in range(10)}, STAYS)
        self.assertEqual(set(done.verdicts.values()), {'pass'})
        self.assertLess(done.seconds, 60)

    async def test_an_interrupt_loses_no_finished_case(self):
        async def interrupt(process):
            logs = [self.folder / 'kept' / name / 'events.jsonl' for name in 'bc']
            while not all(log.exists() and '"end"' in log.read_text() for log in logs):
                await asyncio.sleep(0.05)
            process.send_signal(signal.SIGINT)

        cases = {'a': LONG, 'b': SHORT, 'c': SHORT, 'd': LONG, 'e': LONG}
        done = await self.play(cases, f'sleep 7654331 & {STAYS}', '--jobs', '3', '--keep', 'kept', meanwhile=interrupt)
        self.assertEqual(done.status, 128 + signal.SIGINT)
        self.assertEqual(done.verdicts, {'b': 'pass', 'c': 'pass'})
        self.assertIn('interrupted: 2 of 5 cases were run', done.errors)
        await until(lambda: not running('sleep 7654331'))
        self.assertLess(done.seconds, 50)

    async def test_killing_one_client_leaves_the_others_alone(self):
        async def kill(process):
            while (number := self.folder / 'b.pid') and not (number.exists() and number.read_text().endswith('\n')):
                await asyncio.sleep(0.02)
            await asyncio.sleep(1)
            os.kill(int(number.read_text()), signal.SIGKILL)

        client = f'echo $$ >$LUBDUB_CASE.pid; {STAYS}'
        done = await self.play({'a': SHORT, 'b': LONG, 'c': SHORT}, client, '--jobs', '3', meanwhile=kill)
        self.assertEqual(done.verdicts, {'a': 'pass', 'b': 'fail', 'c': 'pass'})
        self.assertRegex(done.reasons['b'], r'^client: it was killed by signal 9 \(SIGKILL\) at ')

    async def test_the_end_of_a_case_ends_the_processes_of_its_client_only(self):
        left = []

        async def watch(process):
            await until(lambda: sleeping(7654351) and sleeping(7654352))
            await until(lambda: not sleeping(7654351))
            left.extend(sleeping(7654352))

        client = f'case $LUBDUB_CASE in a) N=1;; *) N=2;; esac; env -i setsid sleep 765435$N & {STAYS}'
        cases = {'a': SHORT, 'b': RESTING | {'limit': '6 s'}}
        done = await self.play(cases, client, '--jobs', '2', meanwhile=watch)
        self.assertEqual(done.verdicts, {'a': 'pass', 'b': 'pass'}, done.reasons)
        self.assertEqual(len(left), 1)
        self.assertEqual(sleeping(7654352), [])

    async def test_programs_that_are_not_clients_have_specific_verdicts(self):
        (self.folder / 'no_program').write_text('')
        clients = {
            'ends': ('true', 'inconclusive', 'it exited with status 0 before its host sent HCI Reset'),
            'exits': ('RESET 0.3; exit 3', 'fail', r'it exited with status 3 at 0\.\d+ s, before the end of the case'),
            'garbage': ('head -c 100000 /dev/urandom; RESET 60', 'pass', None),
            'gigabyte': ('(yes | head -c 1000000000) & RESET 60', 'pass', None),
            'grandchildren': ('setsid sleep 7654341 & (sleep 7654342 &) ; RESET 60', 'pass', None),
            'ignores_sigterm': ("trap '' TERM; RESET 60; while :; do sleep 7654343; done", 'pass', None),
            'is_killed': ('RESET 0.3; kill -SEGV $$', 'fail', r'it was killed by signal 11 \(SIGSEGV\) at'),
            'never_ends': ('sleep 7654344', 'inconclusive', 'no host connected to the controller within 10 s'),
            'not_executable': ('./no_program', 'error', 'it could not be started: /bin/sh reports not executable'),
            'not_found': ('no-such-program', 'error', 'it could not be started: /bin/sh reports not found'),
        }
        words = ' '.join(
            f'{name}) {command.replace("RESET", f"{PYTHON} reset.py")} ;;' for name, (command, _, _) in clients.items())
        done = await self.play(
            {name: SHORT for name in clients}, f'case $LUBDUB_CASE in {words} esac', '--jobs', '6', '--quiet')
        self.assertEqual(done.verdicts, {name: verdict for name, (_, verdict, _) in clients.items()}, done.errors)
        for name, (_, _, reason) in clients.items():
            with self.subTest(name):
                self.assertRegex(done.reasons[name] or '', f'^client: {reason}' if reason else '^$')
        self.assertEqual(done.status, 4)
        for number in range(7654341, 7654345):
            self.assertEqual(running(f'sleep {number}'), [])

    @unittest.skipIf(pathlib.Path('/dev/vhci').exists(), 'this machine has what the test wants to miss')
    async def test_a_machine_without_vhci_says_so(self):
        done = await self.play({}, 'touch started', '--controller', 'vhci', words=[ROOT / 'scenarios/resting.json'])
        self.assertEqual((done.status, done.output), (3, ''))
        self.assertIn('cannot open "/dev/vhci": No such file or directory (load its module with', done.errors)
        self.assertFalse((self.folder / 'started').exists())

    async def test_the_controller_has_the_address_of_the_command_line(self):
        client = f'exec {PYTHON} -c \'import os; print(os.environ["LUBDUB_CONTROLLER"])\''
        done = await self.play({'a': SHORT}, client, '--controller', f'unix:{self.folder}/hci', '--keep', 'kept')
        self.assertEqual(done.verdicts, {'a': 'inconclusive'})
        self.assertEqual(done.output.splitlines()[0], f'controller unix:{self.folder}/hci')
        self.assertIn(f'unix:{self.folder}/hci', (self.folder / 'kept/a/events.jsonl').read_text())

    async def test_a_controller_that_cannot_be_offered_has_the_status_of_a_single_case(self):
        options = ['--controller', f'unix:{self.folder}/none/hci']
        done = await self.play({'a': SHORT, 'b': SHORT}, 'touch started', *options)
        self.assertEqual((done.status, done.verdicts), (3, {'a': 'error', 'b': 'error'}), done.errors)
        alone = await self.play({}, 'touch started', *options, words=['suite/a.json'])
        self.assertEqual((alone.status, alone.output), (3, ''), alone.errors)
        self.assertFalse((self.folder / 'started').exists())

    async def test_invalid_options_are_reported_before_a_client_starts(self):
        for options, status, message in [
                (['--report', 'none/r.xml'], 3, 'No such file or directory'), (['--events', 'e'], 2, '--keep DIR'),
                (['--jobs', '0'], 2, 'from 1 to 64'), (['--jobs', '2', '--said', 'tcp:127.0.0.1:0'], 2, '--jobs'),
                (['--jobs', '2', '--verbose'], 2, '--jobs'), (['--compute', '5ms'], 2, '--compute')]:
            with self.subTest(options):
                done = await self.play({'a': SHORT, 'b': SHORT}, 'touch started', *options)
                self.assertEqual((done.status, done.output), (status, ''), done.errors)
                self.assertIn(message, done.errors)
        self.assertFalse((self.folder / 'started').exists())

    async def test_a_report_that_cannot_be_written_costs_no_other(self):
        (self.folder / 'gone').mkdir()
        done = await self.play({'a': SHORT, 'b': SHORT}, f'rm -rf gone; {STAYS}', '--report', 'gone/r.xml', '--jobs', '2')
        self.assertEqual((done.status, done.verdicts), (3, {'a': 'pass', 'b': 'pass'}), done.errors)
        self.assertIn('cannot write "gone/r.xml": No such file or directory', done.errors)


class SlowMachineSuiteTests(SuiteCase):
    limit = 90

    def setUp(self):
        super().setUp()
        (self.folder / 'client.py').write_text(ADAPTER)

    async def test_a_case_on_a_stopped_machine_runs_again_at_the_end(self):
        done = await self.play(
            {'a': SlowMachineTests.CASE, 'b': SHORT}, f'exec {PYTHON} client.py', '--keep', 'kept',
            meanwhile=lambda process: stand_still(process, 'kept/a/events.jsonl'))
        self.assertEqual((done.status, done.verdicts), (0, {'a': 'pass', 'b': 'pass'}), done.errors)
        self.assertRegex(done.errors, r'a: this machine stalled for [23]\.\d+ seconds: the case is repeated')
        self.assertEqual(re.findall(r'^(controller|pass)', done.output, re.M), ['controller'] * 2 + ['pass'] + [
            'controller', 'pass'])
        self.assertEqual(re.findall(r'^pass +(\w)', done.output, re.M), ['b', 'a'])

    async def test_a_client_without_processor_time_runs_again_at_the_end(self):
        # Of two processes on one processor, the nice one waits nearly all the time.
        place, spin = min(os.sched_getaffinity(0)), "sh -c 'while :; do :; done'"
        client = (f'[ $LUBDUB_CASE = b -o -e again ] && {STAYS}; touch again; '
                  f'taskset -c {place} {spin} & taskset -c {place} nice -n 19 {spin}')
        done = await self.play({'a': SHORT, 'b': SHORT}, client, '--jobs', '2')
        self.assertEqual((done.status, done.verdicts), (0, {'a': 'pass', 'b': 'pass'}), done.errors)
        self.assertRegex(
            done.errors, r'a: the client waited \d+\.\d seconds for a CPU: the case is repeated at the end of the suite')

    async def test_the_log_of_a_case_that_ran_again_has_one_run(self):
        done = await self.play(
            {'a': SlowMachineTests.CASE}, f'exec {PYTHON} client.py', '--events', '-', '--keep', 'kept',
            words=['suite/a.json'], meanwhile=lambda process: stand_still(process, 'kept/events.jsonl'))
        log = [json.loads(line) for line in done.output.splitlines()]
        self.assertEqual([record['event'] for record in log].count('start'), 1)
        self.assertEqual((done.status, done.verdicts, log[-1]['status']), (1, {'suite/a': 'inconclusive'}, 1))
        self.assertIn('the case is not repeated', done.errors)


if __name__ == '__main__':
    unittest.main()
