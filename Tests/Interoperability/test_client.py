"""Clients with scripted straps: the adapter of the documentation, faulty ones, and programs that are not clients."""

import asyncio
import contextlib
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

from harness import LUBDUB, ROOT, Interoperability

ADAPTER = (ROOT / 'Documentation/testing-your-client.md').read_text().split('```python\n')[1].split('```')[0]
RESET = '''
import os, socket, sys, time
host, port = os.environ['LUBDUB_CONTROLLER'].removeprefix('tcp:').rsplit(':', 1)
controller = socket.create_connection((host, int(port)))
controller.sendall(bytes.fromhex('01030c00'))
assert controller.recv(7) == bytes.fromhex('040e0401030c00')
print('{"state": "scanning", "peer": "%s"}' % os.environ['LUBDUB_PEER'])
time.sleep(float(sys.argv[1]))
'''
DEFAULT = {'id': 'waits', 'expect': 'never', 'event': 'disconnected'}
SHOWN = {'event': 'said', 'line': {'heart_rate': {'bpm': {'$truth': 'last', 'of': 'strap/heart_rate'}}}}


def scenario(path, **changes):
    return json.loads((ROOT / 'scenarios' / path).read_text()) | changes


RESTING = scenario('resting.json', limit='3 s', expect=[DEFAULT])
TWO_OCTETS = scenario('formats/two_byte.json', limit='14 s', expect=[
    {'id': 'subscribes', 'expect': 'seen', 'event': {'event': 'subscribed', 'of': 'heart_rate'}, 'within': '8 s'},
    {'id': 'shows_all', 'expect': 'seen', 'event': SHOWN, 'within': '1 s',
     'since': {'event': 'delivered', 'of': 'heart_rate', 'value': {'bpm': {'$max': 299}}}},
    {'id': 'shows_300', 'expect': 'seen', 'event': {'event': 'said', 'line': {'heart_rate': {'bpm': 300}}},
     'since': {'event': 'delivered', 'of': 'heart_rate', 'value': {'bpm': 300}}, 'within': '1 s'},
    {'id': 'does_not_poll', 'expect': 'never', 'event': {'event': 'refused', 'of': 'heart_rate'}}])
# The beginning of a client without a Bluetooth host.
CONNECTS = f'''exec {shlex.quote(sys.executable)} -c "import os, socket, time
place = os.environ['LUBDUB_CONTROLLER'].split(':')
s = socket.create_connection((place[1], int(place[2]))); '''
AWAY = scenario('recovery/away_long.json', limit='45 s', variables={'away': '10 s'})
AWAY['script'][0]['when']['after'] = '3 s'
for expectation in AWAY['expect'][2:]:
    expectation['within'] = '15 s'
OTHER_ADDRESS = scenario('recovery/another_address.json', limit='55 s')
OTHER_ADDRESS['script'][0]['when']['after'], OTHER_ADDRESS['script'][0]['for'] = '3 s', '12 s'
OTHER_ADDRESS['script'][1]['when']['after'] = '8 s'
for expectation in OTHER_ADDRESS['expect']:
    expectation['within'] = '30 s'


def faulty(*changes):
    """The adapter, with parts of its text replaced."""
    text = ADAPTER
    for before, after in changes:
        assert before in text, before
        text = text.replace(before, after)
    return text


class Played:
    """The result of `lubdub run --client`."""

    def __init__(self, status, output, errors, log, seconds):
        self.status, self.output, self.errors, self.log, self.seconds = status, output, errors, log, seconds
        self.failed = set(re.findall(r'^(?:should  )?fail  (\w+)', output, re.M))
        self.inconclusive = set(re.findall(r'^(?:should  )?inconclusive  (\w+)', output, re.M))

    @property
    def said(self):
        return [record['line'] for record in self.log if record['event'] == 'said']


async def finished(process, meanwhile=None):
    """The output and errors of a process when it ends; it is killed if the test stops waiting."""
    try:
        other = asyncio.create_task(meanwhile(process)) if meanwhile else None
        output, errors = await process.communicate()
        if other:
            await other
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    return output.decode(), errors.decode()


async def play(content, client, *options, through=(), meanwhile=None):
    """Plays a scenario to a client, which is a command line or the text of a Python program.

    `through` is a command that starts lubdub.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'case.json').write_text(json.dumps(content))
        (folder / 'reset.py').write_text(RESET)
        if '\n' in client and not client.startswith('exec '):
            (folder / 'client.py').write_text(client)
            client = f'exec {shlex.quote(sys.executable)} client.py'
        started = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            *through, LUBDUB, 'run', 'case.json', '--client', client.replace('RESET', f'{shlex.quote(sys.executable)} reset.py'),
            '--events', 'events.jsonl', *options, cwd=folder,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        output, errors = await finished(process, meanwhile)
        seconds = time.monotonic() - started
        events = folder / 'events.jsonl'
        log = [json.loads(line) for line in events.read_text().splitlines()] if events.exists() else []
        return Played(process.returncode, output, errors, log, seconds)


def processes(matches):
    """The processes whose arguments match, each with a zero at its end."""
    found = []
    for entry in pathlib.Path('/proc').iterdir():
        with contextlib.suppress(OSError):  # it may end meanwhile
            if entry.name.isdigit() and matches((entry / 'cmdline').read_bytes()):
                found.append(int(entry.name))
    return found


def running(words):
    """The processes with this text in their command lines."""
    return processes(lambda line: words in line.replace(b'\0', b' ').decode())


def sleeping(number):
    """The process `sleep NUMBER`, without shells that start it; empty if there is none."""
    return processes(lambda line: line == f'sleep\0{number}\0'.encode())


async def until(condition):
    while not condition():
        await asyncio.sleep(0.02)


async def stand_still(process, log):
    """Stops lubdub for 3 s once the log, in its folder, has two heart rates; the third is due within the next second."""
    log = pathlib.Path(f'/proc/{process.pid}/cwd', log)
    while not log.exists() or log.read_text().count('"delivered", "of": "strap/heart_rate"') < 2:
        await asyncio.sleep(0.02)
    process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(3)
    process.send_signal(signal.SIGCONT)


class AdapterTests(Interoperability):
    limit = 150

    async def test_it_is_short(self):
        self.assertLess(len(ADAPTER.splitlines()), 60)

    async def test_it_passes(self):
        two_octets, away, other = await asyncio.gather(
            play(TWO_OCTETS, ADAPTER), play(AWAY, ADAPTER, '--strict'), play(OTHER_ADDRESS, ADAPTER))
        self.assertEqual((other.status, other.failed), (0, set()), other.output)
        self.assertEqual((two_octets.status, two_octets.failed), (0, set()), two_octets.output)
        self.assertEqual((away.status, away.failed), (0, set()), away.output)
        self.assertIn('5 pass, 0 fail, 0 inconclusive', two_octets.output)
        self.assertTrue(two_octets.output.startswith('controller tcp:127.0.0.1:'), two_octets.output)
        delivered = [record['value']['bpm'] for record in two_octets.log if record['event'] == 'delivered']
        said = [line['heart_rate']['bpm'] for line in two_octets.said if line.get('heart_rate')]
        self.assertEqual(said, delivered[:len(said)])
        self.assertEqual(two_octets.log[-1], {'event': 'end', 'status': 0})


class ProcessTests(Interoperability):
    async def verdict(self, client, status, pattern, *options, content=RESTING):
        played = await play(content, client, *options)
        with self.subTest(client):
            self.assertEqual(played.status, status, played.output + played.errors)
            self.assertRegex(played.output, pattern)
            self.assertEqual(played.log[-1], {'event': 'end', 'status': status})
        return played

    async def test_a_client_that_does_not_start_or_ends_has_a_verdict(self):
        with tempfile.NamedTemporaryFile() as file:
            await asyncio.gather(
                self.verdict('no-such-program', 4, r'\nerror  client: it could not be started: /bin/sh reports not found; the last line .*: not found"\n'),
                self.verdict(file.name, 4, r'\nerror  client: it could not be started: /bin/sh reports not executable; the last line .*: Permission denied"\n'),
                self.verdict('exit 3', 1, r'\nfail  client: it exited with status 3 before its host sent HCI Reset\n'),
                self.verdict('kill -9 $$', 1, r'\nfail  client: it was killed by signal 9 \(SIGKILL\) before'),
                self.verdict('true', 1, r'\ninconclusive  client: it exited with status 0 before its host sent'),
                self.verdict('RESET 0.3; exit 3', 1, r'\nfail  client: it exited with status 3 at 0\.\d+ s, before the'),
                self.verdict('RESET 0.3; kill -SEGV $$', 1, r'\nfail  client: it was killed by signal 11 \(SIGSEGV\) at'),
                self.verdict(CONNECTS + 'time.sleep(30)"', 1, r'\ninconclusive  client: its host connected to the controller, but did not send HCI Reset within 10 s'),
                self.verdict(CONNECTS + 's.sendall(b\'GET /\'); time.sleep(30)"', 1, r'\ninconclusive  client: its host did not send HCI Reset within 10 s: the host does not speak H4: 0x47'),
                self.verdict('sleep 30', 1, r'\ninconclusive  client: no host connected to the controller within 10 s'),
                self.verdict(
                    'RESET 0.3; kill -KILL $PPID; exec sleep 1', 4,
                    r'\nerror  client: the process that supervises it was killed by signal 9 \(SIGKILL\)\n'))

    async def test_a_client_that_ends_early_counts_as_silent(self):
        long = RESTING | {'limit': '120 s', 'expect': [
            DEFAULT, {'id': 'shows', 'expect': 'seen', 'event': SHOWN, 'within': '100 s'}]}
        played = await self.verdict('RESET 0.2', 1, r'\nfail  shows\n.*\n      observed  none by 100\.', content=long)
        self.assertIn('\npass  waits\n', played.output)
        self.assertRegex(played.output, r'\nfail  shows\n.*\n.*\n      cause     the client exited with status 0 at 0\.\d+ s, but a client runs until it receives SIGTERM\n      at        100\.500000 s\n      trace     0\.\d{6}  -> Reset *\n')
        self.assertLess(played.seconds, 30)
        ended = [record for record in played.log if record['event'] == 'exited']
        self.assertEqual([(record['of'], record['value']) for record in ended], [('client', 0)])

    async def test_an_expectation_may_wait_for_the_end(self):
        case = RESTING | {'limit': '30 s', 'expect': [
            {'id': 'ends', 'expect': 'seen', 'event': {'event': 'exited', 'status': 0}, 'within': '20 s'}]}
        await self.verdict('RESET 0.2', 0, r'\npass  ends\n', content=case)

    async def test_no_process_is_left(self):
        for client in [
                "trap '' TERM; sleep 7654321 & RESET 60 & while :; do sleep 60; done",
                'sleep 7654322 & setsid sleep 7654323 & RESET 60']:
            played = await self.verdict(client, 0, r'\npass  waits\n')
            self.assertLess(played.seconds, 30)
        for number in (7654321, 7654322, 7654323):
            self.assertEqual(running(f'sleep {number}'), [])

    async def test_no_process_is_left_however_it_detaches(self):
        detached = 'env -i setsid sleep 7654325 & (setsid sh -c "env -i setsid sleep 7654326 &" &) ; RESET 60'
        daemon = 'env -i setsid sleep 7654327 & RESET 0.2'  # the client's shell ends before the case
        for client in [detached, daemon]:
            await self.verdict(client, 0, r'\npass  waits\n')
        for number in (7654325, 7654326, 7654327):
            self.assertEqual(running(f'sleep {number}'), [])

    async def test_no_process_is_left_when_lubdub_is_killed(self):
        async def kill(process):
            await until(lambda: sleeping(7654328) and sleeping(7654329))
            process.kill()

        client = 'sleep 7654328 & env -i setsid sleep 7654329 & RESET 60'
        played = await play(RESTING | {'limit': '50 s'}, client, meanwhile=kill)
        self.assertEqual(played.status, -signal.SIGKILL)
        async with asyncio.timeout(20):
            await until(lambda: not running('sleep 7654328') + running('sleep 7654329'))

    async def test_no_process_is_left_when_the_client_kills_its_parents(self):
        guard = '$(ps -o ppid= -p $PPID)'
        for number, attack, status in [
                (7654332, 'kill -KILL $PPID', 4), (7654333, f'kill -KILL {guard}', 4),
                (7654334, 'kill -s KILL -- -$(ps -o pgid= -p $PPID | tr -d " ")', 4), (7654335, 'kill -STOP $PPID', 0)]:
            with self.subTest(attack):
                client = f'sleep {number} & env -i setsid sleep {number} & RESET 0.3; {attack}; exec sleep {number}'
                played = await play(RESTING, client)
                self.assertEqual(played.status, status, played.output)
                self.assertEqual('the process that supervises it ' in played.output, status == 4)
                async with asyncio.timeout(20):
                    # Also guards and supervisors, whose arguments have it.
                    await until(lambda: not running(f'sleep {number}'))

    @unittest.skipUnless(os.geteuid() == 0, 'only root can start processes of other users')
    async def test_a_process_of_another_user_does_not_keep_the_supervisor(self):
        without_rights = ['setpriv', '--bounding-set', '-kill']
        client = 'setpriv --reuid 65534 --clear-groups sleep 7654331 2>/dev/null & RESET 60'  # the pipe of standard error ends with lubdub
        played = await play(RESTING, client, through=without_rights)
        try:
            self.assertEqual(played.status, 0, played.output + played.errors)
            self.assertLess(played.seconds, 30)
            self.assertEqual(running('setpriv --reuid 65534'), [])
            self.assertEqual(len(sleeping(7654331)), 1)
        finally:
            for process in sleeping(7654331):
                os.kill(process, signal.SIGKILL)

    async def test_a_client_that_searches_all_handles_can_be_interrupted_while_it_does(self):
        client = faulty(
            ('import core, device', 'import core, device, gatt_client'),
            ('service, = await device.Peer(connection).discover_service(HEART_RATE)',
             'service = gatt_client.ServiceProxy(device.Peer(connection).gatt_client, 1, 0xFFFF, HEART_RATE)'))
        cases = [scenario(f'recovery/away_while_{state}.json', limit='15 s') for state in ('discovering', 'subscribing')]
        for case in cases:
            case['script'][0]['for'] = '3 s'
            for expectation in case['expect']:
                expectation['within'] = '10 s'
        for played in await asyncio.gather(*(play(case, client) for case in cases)):
            self.assertEqual(played.status, 0, played.output + played.errors)

    async def test_an_interrupt_ends_it_too(self):
        async def interrupt(process):
            await asyncio.sleep(1)
            process.send_signal(signal.SIGINT)

        played = await play(RESTING | {'limit': '50 s'}, 'sleep 7654324 & RESET 60', meanwhile=interrupt)
        self.assertEqual(played.status, 128 + signal.SIGINT)
        self.assertIn('interrupted: what was not decided by then is inconclusive\n', played.errors)
        await until(lambda: not running('sleep 7654324'))
        played = await play(RESTING, 'sleep 60', meanwhile=interrupt)
        self.assertEqual(played.status, 128 + signal.SIGINT)
        self.assertIn('\ninconclusive  client: the run was interrupted before its host sent HCI Reset\n', played.output)

    async def test_arbitrary_output(self):
        played = await self.verdict(
            'echo "no JSON"; echo \'{"steps": 1}\'; printf \'{"half": \'; RESET 60', 0, r'\npass  waits\n')
        self.assertEqual(played.said, [
            'no JSON', {'steps': 1}, '{"half": {"state": "scanning", "peer": "C0:FF:EE:00:00:01/random"}'])

    async def test_lines_of_another_shape_are_the_cause(self):
        case = RESTING | {'expect': [{'id': 'shows', 'expect': 'seen', 'event': SHOWN, 'within': '2 s'}]}

        async def explained(line, cause):
            played = await self.verdict(f"echo '{line}'; RESET 60", 1, r'\nfail  shows\n.*\n.*\n      cause     ' + re.escape(cause) + '\n', content=case)
            self.assertRegex(played.output, r'\nNo measurements in \d\.\d s; ' + re.escape(cause) + '\n')

        advice = 'see "What your client prints" in Documentation/testing-your-client.md'
        await asyncio.gather(
            explained('{"bpm": 71}', 'the client printed {"bpm": 71}; it should print {"heart_rate": {"bpm": 71}}'),
            explained('{"HeartRate": {"bpm":71}}',
                      'the client printed {"HeartRate": {"bpm": 71}}; it should print {"heart_rate": {"bpm": 71}}'),
            explained('72 bpm', f'the client printed text that is not a JSON object: "72 bpm"; {advice}'))

    async def test_a_gigabyte_of_output_does_not_fill_the_memory(self):
        peaks = []

        async def measure(process):
            with contextlib.suppress(OSError):
                while process.returncode is None:
                    status = pathlib.Path(f'/proc/{process.pid}/status').read_text()
                    # A zombie has no memory.
                    peaks.extend(int(peak) for peak in re.findall(r'VmHWM:\s+(\d+)', status))
                    await asyncio.sleep(0.2)

        for flood in ['yes garbage', 'yes | tr -d "\\n"', 'yes \'{"steps": 1}\'']:
            with self.subTest(flood):
                peaks.clear()
                played = await play(RESTING, f'RESET 60 & sleep 1; {flood} | head -c 1000000000', '--quiet', meanwhile=measure)
                self.assertEqual(played.status, 0, played.output + played.errors)
                self.assertLess(max(peaks), 200_000)

    async def test_the_environment_of_a_client(self):
        variables = ['PEER', 'PEER_NAME', 'PEERS', 'CASE', 'SEED']
        words = '; '.join(f'echo "$LUBDUB_{name}"' for name in variables)
        client = f'{words}; echo "$PYTHONUNBUFFERED $HOME"; pwd; cat; RESET 60; echo "$LUBDUB_CONTROLLER"'
        os.environ['LUBDUB_PEER'] = 'somebody else'
        try:
            played = await play(RESTING, client, '--seed', '7')
        finally:
            del os.environ['LUBDUB_PEER']
        *said, folder, _ = played.said
        self.assertEqual(said, [
            'C0:FF:EE:00:00:01/random', 'Lubdub HRM',
            '[{"id": "strap", "address": "C0:FF:EE:00:00:01/random", "name": "Lubdub HRM"}]', 'case', '7',
            f'1 {os.environ.get("HOME", "")}'.rstrip()])
        self.assertTrue(folder.startswith(tempfile.gettempdir()), folder)

    async def test_standard_error_is_passed_on_unless_quiet(self):
        loud, quiet = await asyncio.gather(*(
            play(RESTING, 'echo trouble >&2; exit 1', *options) for options in [(), ('--quiet',)]))
        self.assertEqual((loud.errors, quiet.errors), ('trouble\n', ''))

    async def test_lines_may_come_from_a_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            address = f'{folder}/said'
            speaker = f'''import socket
speaker = socket.socket(socket.AF_UNIX)
speaker.connect("{address}")
speaker.sendall(b'{{"steps": 1}}\\n{{"feed": 87}}')
'''
            case = RESTING | {'limit': '30 s', 'expect': [
                {'id': 'speaks', 'expect': 'seen', 'event': {'event': 'said', 'line': {'feed': 87}}, 'within': '20 s'}]}
            client = f'RESET 0.1; {shlex.quote(sys.executable)} -c {shlex.quote(speaker)}'.replace('\n', ';')
            played = await self.verdict(client, 0, r'\npass  speaks\n', '--said', f'unix:{address}', content=case)
            self.assertEqual(played.output.splitlines()[1], f'said unix:{address}')
            self.assertEqual(played.said[1:], [{'steps': 1}, {'feed': 87}])

    async def test_a_client_need_not_show_a_heart_rate(self):
        """Steps, a feed or a stream of heart rates are measurements, too."""
        async def shown(key, **service):
            case = {'lubdub': 1, 'name': 'one service', 'limit': '6 s', 'devices': [{'id': 'band', 'services': [service]}]}
            played = await play(case, f'{shlex.quote(LUBDUB)} monitor --json --radio hci:$LUBDUB_CONTROLLER', '--quiet')
            self.assertEqual(played.status, 0, played.output)
            keys = {word for line in played.said for word in line} - {'state', 'found', 'peer', 'statistic'}
            self.assertIn(key, keys)
            self.assertNotIn('heart_rate', keys)
            self.assertNotIn('fail', played.output)

        steps = {'curve': 'step', 'start': 4200, 'by': 3, 'period': '1 s'}
        await asyncio.gather(
            shown('steps', service='fitness', steps=steps), shown('feed', service='feed', value=7),
            shown('measurements', service='measurements', rate='100 Hz', value=60))

    async def test_a_client_that_invents_a_value_fails(self):
        played = await self.verdict(
            'RESET 0.1; echo \'{"heart_rate": {"bpm": 60}}\'; sleep 60', 1,
            r'\nfail  nothing_invented\n.*\n.*: bpm 60, but none was delivered')
        self.assertEqual(played.failed, {'nothing_invented'})

    async def test_a_case_ends_with_its_last_expectation(self):
        case = RESTING | {'limit': '60 s', 'expect': [
            {'id': 'speaks', 'expect': 'seen', 'event': {'event': 'said', 'line': {}}, 'within': '50 s'}]}
        played = await self.verdict('RESET 60', 0, r'\npass  speaks\n', content=case)
        self.assertLess(played.seconds, 30)

    async def test_several_controllers_can_be_offered(self):
        free = ['--controller', 'tcp:127.0.0.1:0'] * 2
        played = await play(RESTING, 'echo "$LUBDUB_CONTROLLER" >&2; RESET 60', *free, '--radio', 'virtual')
        self.assertEqual(played.status, 0, played.output + played.errors)
        offered = re.findall(r'^controller (\S+)$', played.output, re.M)
        self.assertEqual((len(offered), played.errors), (2, f'{offered[0]}\n'))

    async def test_recommendations_alone_cannot_fail(self):
        case = RESTING | {'expect': [
            {'id': 'connects', 'expect': 'seen', 'event': 'connected', 'within': '1 s', 'should': True}]}
        for options, status in [((), 0), (('--strict',), 1)]:
            played = await play(case, 'RESET 60', *options)
            self.assertEqual(played.status, status, played.output)
            self.assertRegex(played.output, r'\n(should  )?fail  connects\n')

    async def test_invalid_options_are_reported(self):
        for options, status, pattern in [
                (['--speed', '2', '--said', 'tcp:127.0.0.1:0'], 2, '--said'),
                (['--controller', 'vhci', '--controller', 'unix:hci'], 2, '--controller vhci excludes others'),
                (['--ask'], 2, '--ask'), (['--said', '7000'], 2, '--said')]:
            played = await play(RESTING, 'true', *options)
            self.assertEqual(played.status, status)
            self.assertIn(pattern, played.errors)
        played = await play(scenario('errors/never_confirmed.json'), 'true')
        self.assertEqual(played.status, 3)
        self.assertRegex(played.output, r'skip  script\[0\], unconfirmed: only the built-in client')


class SlowMachineTests(Interoperability):
    limit = 90
    CASE = RESTING | {'limit': '12 s', 'expect': [
        {'id': 'shows', 'expect': 'seen', 'event': SHOWN, 'within': '1 s',
         'since': {'event': 'delivered', 'of': 'strap/heart_rate', 'nth': 3}}]}

    async def test_a_case_on_a_stopped_machine_runs_again(self):
        played = await play(self.CASE, ADAPTER, meanwhile=lambda process: stand_still(process, 'events.jsonl'))
        self.assertEqual(played.status, 0, played.output + played.errors)
        self.assertRegex(played.errors, r'this machine stalled for [23]\.\d+ seconds: the case is repeated')
        self.assertEqual(played.output.count('controller '), 2)

    async def test_a_line_that_was_read_late_fails_no_expectation_without_a_time_limit(self):
        case = self.CASE | {'limit': '8 s', 'script': [
            {'id': 'changes', 'when': {'event': 'delivered', 'of': 'heart_rate', 'nth': 3, 'after': '500 ms'},
             'do': 'set', 'of': 'heart_rate', 'to': 200}], 'expect': [
            {'id': 'old', 'expect': 'never', 'event': {'event': 'said', 'line': {'heart_rate': {'bpm': {'$max': 199}}}},
             'since': {'event': 'began', 'of': 'changes'}}]}
        played = await play(case, ADAPTER, meanwhile=lambda process: stand_still(process, 'events.jsonl'))
        self.assertEqual(played.status, 0, played.output + played.errors)
        self.assertRegex(played.errors, r'this machine stalled for [23]\.\d+ seconds: the case is repeated')

    async def test_a_client_that_gave_up_on_a_stopped_machine_runs_again(self):
        impatient = faulty(('    report(heart_rate=shown)\n', '''    report(heart_rate=shown)
    if hasattr(received, 'limit'):
        received.limit.cancel()
    received.limit = asyncio.get_running_loop().call_later(2, os._exit, 3)
'''))
        played = await play(self.CASE, impatient, meanwhile=lambda process: stand_still(process, 'events.jsonl'))
        self.assertEqual(played.status, 0, played.output + played.errors)
        self.assertRegex(played.errors, r'this machine stalled for [23]\.\d+ seconds: the case is repeated')

    async def test_a_stopped_client_fails(self):
        stopped = faulty(('import asyncio, json, os\n', 'import asyncio, json, os, signal\n'), (
            '    report(heart_rate=shown)\n', '''    report(heart_rate=shown)
    received.count = getattr(received, 'count', 0) + 1
    if received.count == 2:
        os.kill(os.getpid(), signal.SIGSTOP)
'''))
        played = await play(self.CASE, stopped)
        self.assertEqual((played.status, played.failed), (1, {'shows'}), played.output + played.errors)
        self.assertEqual(played.output.count('controller '), 1)


if __name__ == '__main__':
    unittest.main()
