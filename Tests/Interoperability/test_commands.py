"""The command-line contract of all commands: lines, logs, pipes, signals and exit statuses."""

import contextlib
import json
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import tempfile
import threading
import unittest

from harness import LUBDUB, ROOT

BPM = re.compile(r'\b\d+ bpm\b')
SIGPIPE = 128 + signal.SIGPIPE
SIGINT = 128 + signal.SIGINT


def lubdub(*arguments, **options):
    """A finished `lubdub ARGUMENTS...`."""
    return subprocess.run(
        [LUBDUB, *map(str, arguments)], **({'cwd': ROOT, 'capture_output': True, 'text': True, 'timeout': 60} | options))


@contextlib.contextmanager
def started(*arguments, **options):
    """Runs `lubdub ARGUMENTS...`, and kills it at the end of the block if it still runs."""
    pipes = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'text': True}
    with subprocess.Popen([LUBDUB, *map(str, arguments)], cwd=ROOT, **(pipes | options)) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def records(path):
    """The objects of an event log, all of whose lines must be complete."""
    text = pathlib.Path(path).read_text()
    assert text.endswith('\n'), f'{path} ends in the middle of a line'
    return [json.loads(line) for line in text.splitlines()]


class CommandTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ends(self, process, status, limit=5):
        self.assertEqual(process.wait(limit), status, process.stderr.read() if process.stderr else '')


class IntroductionTests(CommandTests):
    def commands(self, text):
        """The commands of a text's rows."""
        return [shlex.split(line.split('  ')[1]) for line in text.splitlines() if line.startswith('  lubdub ')]

    def test_lubdub_alone_says_what_to_try_and_where_to_read(self):
        done = lubdub()
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertLess(len(done.stdout.splitlines()), 16)
        commands = self.commands(done.stdout)
        self.assertEqual([command[1] for command in commands], ['demo', 'run', 'serve', '--help', 'list', 'explain'])
        ends = {'demo': ['--speed', 'max'], 'serve': ['--for', '100ms', '--controller', 'tcp:127.0.0.1:0']}
        for _, *words in commands:
            with self.subTest(words):
                self.assertEqual(lubdub(*words, *ends.get(words[0], []), timeout=60).returncode, 0)
        place = done.stdout.splitlines()[-1].split('  ')[1]
        self.assertTrue(pathlib.Path(place, 'scenarios.md').exists(), place)

    def test_the_demo_ends_with_what_to_try_next(self):
        rows = lubdub('demo', '--speed', 'max').stdout.split('Next:\n')[1]
        commands = self.commands(rows)
        self.assertEqual([command[1] for command in commands], ['serve', 'monitor', 'run', 'new'])
        for _, *words in commands:
            self.assertEqual(lubdub(words[0], '--help').returncode, 0)


class DemoTests(CommandTests):
    def test_the_tour_shows_every_step_and_ends_by_itself(self):
        done = lubdub('demo', '--speed', 'max')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        chapters = ['Scan', 'Connect', 'Discover', 'Subscribe', 'The heart', 'Two octets', 'Out of range', 'The link is lost',
                    'Back in range']
        places = [done.stdout.index(f'\n{name}: ') for name in chapters]
        self.assertEqual(places, sorted(places))
        for words in ['-> LE Create Connection', '<- ATT Handle Value Notification', '62 bpm', '300 bpm', '"bpm": 300']:
            self.assertIn(words, done.stdout)
        self.assertNotIn('\x1b', done.stdout)

    def test_the_tour_is_the_same_each_time(self):
        self.assertEqual(lubdub('demo', '--speed', 'max').stdout, lubdub('demo', '--speed', 'max').stdout)

    def test_time_is_real_and_an_interrupt_ends_it(self):
        events = self.folder / 'events.jsonl'
        with started('demo', '--events', events) as process:
            for line in process.stdout:
                if BPM.search(line):
                    break
            process.send_signal(signal.SIGINT)
            self.ends(process, SIGINT)
        *_, last = records(events)
        self.assertEqual(last, {'event': 'end', 'status': SIGINT})

    def test_the_quiet_tour_shows_only_the_client(self):
        done = lubdub('demo', '--quiet', '--speed', 'max', '--for', '6s')
        self.assertEqual(done.returncode, 0)
        self.assertTrue(all(re.match(r'\d+\.\d{6}  client  ', line) for line in done.stdout.splitlines()), done.stdout)

    def test_colours_can_be_forced(self):
        self.assertIn('\x1b[1;31m62 bpm\x1b[0m', lubdub('demo', '--speed', 'max', '--color', 'always').stdout)


class OverwritingTests(CommandTests):
    """No command writes over what it reads, or writes a file twice."""

    def setUp(self):
        super().setUp()
        self.table = self.folder / 'rates.csv'
        self.table.write_text('time,bpm\n0,60\n')
        self.part = self.folder / 'part.json'
        self.part.write_text(json.dumps({'lubdub': 1, 'devices': [{'id': 'strap', 'name': 'S', 'services': [
            {'service': 'heart_rate', 'value': {'curve': 'csv', 'file': 'rates.csv'}}]}]}))
        self.scenario = self.folder / 'mine.json'
        self.scenario.write_text(json.dumps({'lubdub': 1, 'name': 'Mine', 'limit': '5 s', 'include': ['part.json']}))
        self.suite = self.folder / 'suite.json'
        self.suite.write_text(json.dumps({'lubdub': 1, 'kind': 'suite', 'name': 'All', 'cases': [
            {'id': 'one', 'scenario': 'mine.json'}, {'id': 'two', 'scenario': 'mine.json'}]}))
        self.link = self.folder / 'link.json'
        self.link.symlink_to(self.part)
        self.hard = self.folder / 'hard.json'
        self.hard.hardlink_to(self.scenario)
        self.dotted = f'{self.folder}/./new.json'

    def refuses(self, *arguments):
        before = {path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        with self.subTest(arguments):
            done = lubdub(*arguments, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, 'would overwrite|name the same file|twice')
            self.assertEqual({path: path.read_bytes() for path in self.folder.iterdir()}, before)

    def test_a_file_that_is_read_is_not_overwritten(self):
        for read in [self.scenario, self.part, self.link, self.hard, self.table]:
            for command in [['run'], ['serve', '--for', '1s'], ['serve', '--speed', 'max'],
                            ['check', '--only', 'advertising/flags'], ['run', '--client', 'true']]:
                self.refuses(command[0], self.scenario, *command[1:], '--events', read)
                self.refuses(command[0], self.scenario, *command[1:], '--trace', read)
        for read in [self.scenario, self.part, self.link, self.hard, self.suite]:
            for command in [['run', self.suite], ['run', self.scenario, self.suite]]:
                self.refuses(*command, '--report', read)
        self.refuses('run', self.scenario, '--report', self.part)
        self.refuses('check', self.scenario, '--report', self.hard)

    def test_the_folder_of_keep_is_not_that_of_its_scenario(self):
        kept = self.folder / 'scenario.json'
        self.scenario.rename(kept)
        self.refuses('run', kept, '--keep', self.folder)
        self.refuses('serve', kept, '--for', '1s', '--keep', f'{self.folder}/none/..')
        self.refuses('run', kept, '--keep', self.folder / 'new', '--events', self.folder / 'new' / 'events.jsonl')
        self.refuses('demo', '--keep', self.folder / 'new', '--trace', self.folder / 'new' / 'run.json')

    def test_no_file_is_written_twice(self):
        new = self.folder / 'new.json'
        for command in [['run', self.scenario], ['check', self.scenario, '--only', 'advertising/flags']]:
            self.refuses(*command, '--events', new, '--report', self.dotted)
            self.refuses(*command, '--trace', new, '--report', self.dotted)
            self.refuses(*command, '--events', new, '--trace', self.dotted)
            self.refuses(*command, '--report', new, '--report', self.dotted)
        self.refuses('run', self.suite, '--report', new, '--report', self.dotted)
        self.refuses('check', '--radio', 'hci:tcp:127.0.0.1:1', '--peer', 'S', '--trace', new, '--report', self.dotted)
        self.refuses('demo', '--events', new, '--trace', self.dotted)

    def test_replay_and_matrix_do_not_overwrite_what_they_read(self):
        log, report = self.folder / 'log.jsonl', self.folder / 'report.json'
        self.assertEqual(lubdub('run', self.scenario, '--events', log, '--report', report).returncode, 0)
        for read in [log, self.scenario, self.part, self.link, self.hard, self.table]:
            self.refuses('replay', log, '-o', read)
        page = self.folder / 'report.html'
        page.symlink_to(report)
        self.refuses('matrix', report, '-o', page)

    def test_pipes_and_devices_can_be_named_twice(self):
        done = lubdub('run', self.scenario, '--events', '/dev/null', '--trace', '/dev/null')
        self.assertEqual(done.returncode, 0, done.stderr)
        done = lubdub('run', self.scenario, '--events', '/dev/stderr', '--trace', '/dev/null')
        self.assertEqual(json.loads(done.stderr.splitlines()[-1]), {'event': 'end', 'status': 0})
        with open(self.folder / 'output', 'a+') as output:
            done = lubdub('run', self.scenario, '--trace', '/dev/stderr', '--events', '/dev/stderr',
                          capture_output=False, stdout=subprocess.DEVNULL, stderr=output)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(os.fstat(output.fileno()).st_nlink, 1, 'it was not replaced')

    def test_a_log_in_virtual_time_replaces_the_old_one_when_it_is_complete(self):
        events = self.folder / 'events.jsonl'
        events.write_text('old')
        with started('run', 'scenarios/resting.json', '--for', '10000h', '--events', events) as process:
            process.stdout.readline()
            self.assertEqual(events.read_text(), 'old')
            threading.Thread(target=process.stdout.read).start()
            process.send_signal(signal.SIGTERM)
            self.ends(process, 128 + signal.SIGTERM)
        first, *_, last = records(events)
        self.assertEqual((first['event'], last), ('start', {'event': 'end', 'status': 128 + signal.SIGTERM}))
        self.assertEqual([path for path in self.folder.iterdir() if path.name.startswith('events')], [events])


class TerminalSafetyTests(CommandTests):
    """Text from outside neither controls the terminal nor forges a line, whoever prints it."""
    HOSTILE = 'x\n\r\x1b[2J\x1b]0;t\x07\x9b1m\u2028\u202e\x7f\x85\npass  forged'
    CONTROLS = re.compile('[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]')

    def prints_safely(self, *arguments, **options):
        with self.subTest(arguments):
            done = lubdub(*arguments, stdin=subprocess.DEVNULL, **options)
            for output in [done.stdout, done.stderr]:
                self.assertIsNone(self.CONTROLS.search(output), ascii(output))
                self.assertNotRegex(output, r'(?m)^\s*pass  forged')
            return done

    def test_names_of_files_options_and_operands(self):
        bad, good = self.HOSTILE, 'scenarios/resting.json'
        (self.folder / 'none').touch()  # not a folder, so that nothing is created below it
        commands = ['run', 'serve', 'check', 'validate', 'explain', 'new', 'replay', 'matrix', 'merge', 'control', 'monitor', 'scan',
                    'doctor', 'demo', 'controller']
        for command in commands:
            self.prints_safely(command, bad)
            self.prints_safely(command, '--' + bad)
            self.prints_safely(command, '--help=' + bad)
        self.prints_safely(bad)
        for option in ['--set', '--seed', '--for', '--events', '--trace', '--keep', '--report', '--only', '--shard', '--jobs',
                       '--seeds', '--repeat', '--last-failed', '--speed', '--radio', '--controller', '--color']:
            self.prints_safely('run', good, option, f'{self.folder}/none/{bad}')
            self.prints_safely('run', good, option, f'{self.folder}/none/{bad}=1')
            self.prints_safely('run', good, '--client', 'true', option, f'{self.folder}/none/{bad}')
            self.prints_safely('check', good, option, f'{self.folder}/none/{bad}')
            self.prints_safely('serve', good, '--speed', 'max', option, f'{self.folder}/none/{bad}')
        self.prints_safely('run', good, '--report', f'{self.folder}/none/{bad}.json')
        for command in ['matrix', 'merge']:
            self.prints_safely(command, good, '-o', f'{self.folder}/none/{bad}.html')
            self.prints_safely(command, f'{self.folder}/none/{bad}', '-o', 'x.html')
        for command in ['monitor', 'scan', 'check']:
            for radio in [f'hci:tcp:{bad}', f'hci:unix:{self.folder}/none/{bad}', f'bluez:{bad}']:
                self.prints_safely(command, '--radio', radio, '--peer' if command != 'scan' else '--for', bad)
        self.prints_safely('control', f'unix:{self.folder}/none/{bad}', 'status')

    def test_names_of_cases(self):
        folder = self.folder / self.HOSTILE.replace('/', '_')
        folder.mkdir()
        text = pathlib.Path(ROOT, 'scenarios/resting.json').read_text()
        for name in ['good', self.HOSTILE]:
            (folder / f'{name}.json').write_text(text)
        (folder / 'bad.json').write_text('{"lubdub": 1, "devices": [{}]}')
        (folder / 'wrong.csv').touch()
        paths = [folder, folder / f'{self.HOSTILE}.json', folder / 'bad.json']
        for path in paths:
            for more in [[], ['--list'], ['--client', 'exit 3'], ['--jobs', '2'], ['--keep', self.folder / 'kept'],
                         ['--verbose'], ['--color', 'never', '--report', folder / f'{self.HOSTILE}.html']]:
                self.prints_safely('run', path, '--for', '2s', *more)
            self.prints_safely('validate', path)
            self.prints_safely('check', path, '--only', 'advertising/*')
        done = self.prints_safely('run', folder, '--for', '2s')
        self.assertRegex(done.stdout, r'x\\n\\u000d\\u001b\[2J')

    def test_texts_of_scenarios_and_clients(self):
        scenario = self.folder / 'a.json'
        bad = self.HOSTILE
        scenario.write_text(json.dumps({
            'lubdub': 1, 'name': bad, 'note': bad, 'limit': '3 s', 'devices': [{'id': 'strap', 'name': bad[:20], 'services': [
                {'service': 'heart_rate'}, {'service': 'device_information', 'manufacturer': bad, 'model': bad}]}],
            'script': [{'when': '1 s', 'do': 'set', 'of': 'heart_rate', 'to': 70, 'note': bad}],
            'expect': [{'id': 'seen', 'note': bad, 'requirement': bad, 'seen': {'error': bad}}]}))
        self.prints_safely('validate', scenario)
        self.prints_safely('run', scenario, '--verbose')
        lines = self.folder / 'lines'
        lines.write_text(f'{bad}\n{json.dumps({"error": bad}, ensure_ascii=False)}\n{json.dumps({bad: bad})}\n')
        self.prints_safely('run', scenario, '--client', f'cat {lines}; sleep 5', '--verbose')
        self.prints_safely('check', scenario, '--only', '*information*')
        self.prints_safely('run', scenario, '--ask', '--color', 'never')
        for problem in [{'devices': bad}, {bad: 1}, {'include': [bad]}, {'seed': bad}, {'name': 1, 'tags': [bad]}]:
            scenario.write_text(json.dumps({'lubdub': 1} | problem))
            self.prints_safely('run', scenario)
            self.prints_safely('validate', scenario)


class LogTests(CommandTests):
    def test_the_event_log_can_go_to_standard_output(self):
        done = lubdub('run', 'scenarios/resting.json', '--events', '-')
        events = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((events[0]['event'], events[-1]), ('start', {'event': 'end', 'status': 0}))
        self.assertRegex(done.stderr, BPM)

    def test_serve_in_virtual_time_opens_no_port_and_runs_to_its_end(self):
        events = self.folder / 'events.jsonl'
        done = lubdub('serve', 'scenarios/workout.json', '--speed', 'max', '--events', events)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('controller', done.stdout)
        log = records(events)
        self.assertEqual([record['of'] for record in log if record['event'] == 'began'][0], 'slips')
        self.assertEqual(log[-1], {'event': 'end', 'status': 0})

    def test_serve_in_virtual_time_rejects_controller(self):
        done = lubdub('serve', 'scenarios/resting.json', '--speed', 'max', '--controller', 'tcp:127.0.0.1:0')
        self.assertEqual(done.returncode, 2)
        self.assertIn('--speed max cannot be combined with --controller', done.stderr)

    def test_keep_stores_a_run(self):
        folder = self.folder / 'a' / 'b'
        done = lubdub('run', 'scenarios/workout.json', '--set', 'rest=70', '--seed', '9', '--keep', folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = json.loads((folder / 'run.json').read_text())
        self.assertEqual(
            kept, kept | {'scenario': 'scenarios/workout.json', 'seed': 9, 'set': ['rest=70'], 'limit': 180})
        self.assertEqual((folder / 'scenario.json').read_text(), (ROOT / kept['scenario']).read_text())
        self.assertEqual((folder / 'trace.btsnoop').read_bytes()[:8], b'btsnoop\0')

        again = self.folder / 'again.jsonl'
        lubdub('run', folder / 'scenario.json', '--seed', kept['seed'], '--set', kept['set'][0], '--events', again)
        self.assertEqual(records(again)[1:], records(folder / 'events.jsonl')[1:])

    def test_a_folder_that_cannot_be_created_is_named(self):
        (self.folder / 'file').touch()
        done = lubdub('run', 'scenarios/resting.json', '--keep', self.folder / 'file' / 'sub')
        self.assertEqual(done.returncode, 3)
        self.assertIn('choose a writable path', done.stderr)

    def test_a_running_serve_logs_immediately(self):
        events = self.folder / 'events.jsonl'
        with started('serve', 'scenarios/resting.json', '--controller', 'tcp:127.0.0.1:0', '--events', '-') as process:
            self.assertEqual(json.loads(process.stdout.readline())['event'], 'start')
            self.assertEqual(json.loads(process.stdout.readline())['event'], 'advertising')
            process.send_signal(signal.SIGTERM)
            self.ends(process, 128 + signal.SIGTERM)
        self.assertFalse(events.exists())

    def test_a_full_disk_is_reported(self):
        done = lubdub('run', 'scenarios/resting.json', '--events', '/dev/full')
        self.assertEqual(done.returncode, 3)
        self.assertIn('No space left', done.stderr)
        with open('/dev/full', 'w') as full:
            done = lubdub(
                'run', 'scenarios/resting.json', capture_output=False, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 3)
        self.assertIn('No space left', done.stderr)

    def test_a_file_that_may_not_grow_is_reported_like_a_full_disk(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        for words in [['--events', self.folder / 'e'], ['--trace', self.folder / 't'], ['--report', self.folder / 'r.json'],
                      ['--keep', self.folder / 'kept']]:
            with self.subTest(words):
                done = lubdub('run', 'scenarios/resting.json', *words, preexec_fn=limit)
                self.assertEqual(done.returncode, 3, done)
                self.assertIn('File too large', done.stderr)
        with open(self.folder / 'output', 'w') as output:
            done = lubdub('run', 'scenarios/resting.json', capture_output=False, stdout=output, stderr=subprocess.PIPE,
                          preexec_fn=limit)
        self.assertEqual(done.returncode, 3)
        self.assertIn('File too large', done.stderr)

    def test_a_client_may_be_ended_by_the_limit_of_files(self):
        report = self.folder / 'report.json'
        lubdub('run', 'scenarios/resting.json', '--for', '2s', '--report', report,
               '--client', f'ulimit -f 1; head -c 100000 /dev/zero > {self.folder}/big; kill -l $? >&2')
        self.assertIn('XFSZ', report.read_text(), 'the client does not ignore the signal')


class PipeTests(CommandTests):
    def whole_logs(self, events, trace, status):
        first, *_, last = records(events)
        self.assertEqual((first['event'], last), ('start', {'event': 'end', 'status': status}))
        subprocess.run(['tshark', '-r', trace], check=True, capture_output=True, timeout=60)

    def test_a_run_ends_when_its_output_is_closed(self):
        events, trace = self.folder / 'events.jsonl', self.folder / 'trace.btsnoop'
        arguments = ['run', 'scenarios/resting.json', '--for', '9 days', '--events', events, '--trace', trace]
        with started(*arguments) as process:
            self.assertIn('scanning', process.stdout.readline())
            process.stdout.close()
            self.ends(process, SIGPIPE)
            self.assertEqual(process.stderr.read(), '')
        self.whole_logs(events, trace, SIGPIPE)

    def test_a_run_ends_when_its_log_is_closed(self):
        with started('run', 'scenarios/resting.json', '--for', '9 days', '--events', '-', stderr=subprocess.DEVNULL) as process:
            self.assertEqual(json.loads(process.stdout.readline())['event'], 'start')
            process.stdout.close()
            self.ends(process, SIGPIPE)

    def test_a_run_can_be_interrupted(self):
        events, trace = self.folder / 'events.jsonl', self.folder / 'trace.btsnoop'
        arguments = ['run', 'scenarios/resting.json', '--quiet', '--for', '900 days', '--events', events, '--trace', trace]
        with started(*arguments) as process:
            while not events.exists() or events.stat().st_size == 0:
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            self.ends(process, SIGINT)
        self.whole_logs(events, trace, SIGINT)

    def test_live_commands_end_when_their_output_is_closed(self):
        events, trace = self.folder / 'events.jsonl', self.folder / 'trace.btsnoop'
        logs = ['--events', events, '--trace', trace]
        with started('serve', 'scenarios/resting.json', '--controller', 'tcp:127.0.0.1:0', *logs) as process:
            self.assertIn('controller', process.stdout.readline())
            process.stdout.close()
            self.ends(process, SIGPIPE)
        self.whole_logs(events, trace, SIGPIPE)
        with started('controller', '--listen', 'tcp:127.0.0.1:0') as process:
            self.assertIn('controller', process.stdout.readline())
            process.stdout.close()
            self.ends(process, SIGPIPE)
        with started('demo') as process:
            process.stdout.readline()
            process.stdout.close()
            self.ends(process, SIGPIPE)

    def test_a_monitor_ends_its_link(self):
        for end, status in [
                (lambda monitor: monitor.send_signal(signal.SIGINT), SIGINT),
                (lambda monitor: monitor.stdout.close(), SIGPIPE)]:
            with self.subTest(status):
                self.link_ends(end, status)

    def link_ends(self, end, status):
        events = self.folder / 'events.jsonl'
        with started('serve', 'scenarios/resting.json', '--controller', 'tcp:127.0.0.1:0', '--events', events) as serve:
            address = serve.stdout.readline().split()[1]
            with started('monitor', '--radio', f'hci:{address}') as monitor:
                while not BPM.search(monitor.stdout.readline()):
                    self.assertIsNone(monitor.poll())
                end(monitor)
                self.ends(monitor, status)
            serve.send_signal(signal.SIGINT)
            self.ends(serve, SIGINT)
        reasons = [record['reason'] for record in records(events) if record['event'] == 'disconnected']
        self.assertEqual(reasons, ['remote_user_terminated_connection'])

    def test_standard_input_does_not_matter(self):
        for standard_input in [subprocess.DEVNULL, subprocess.PIPE]:
            with started(
                    'serve', 'scenarios/resting.json', '--controller', 'tcp:127.0.0.1:0', '--for', '300ms',
                    stdin=standard_input) as process:
                if process.stdin:
                    process.stdin.close()
                self.ends(process, 0)

    def test_closed_descriptors_do_not_corrupt_logs(self):
        events = self.folder / 'events.jsonl'
        shell = f'exec "$0" serve scenarios/resting.json --controller tcp:127.0.0.1:0 --for 300ms --events {events} <&- >&- 2>&-'
        done = subprocess.run(['/bin/sh', '-c', shell, LUBDUB], cwd=ROOT, timeout=20)
        self.assertEqual(done.returncode, 3)  # the line of the controller is lost
        self.assertEqual(records(events)[-1], {'event': 'end', 'status': 0})

    def test_without_free_descriptors_a_command_ends_with_the_fix(self):
        # Of four descriptors, one is left for signals.
        words = ['sh', '-c', 'ulimit -n 4; exec "$@"', 'sh', LUBDUB, 'control', 'unix:lubdub.control', 'status']
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(
            done.stderr,
            'lubdub: cannot wait for events: Too many open files (raise the limit of open files: ulimit -n)\n')

    def test_a_hangup_ends_it_unless_nohup(self):
        arguments = ['serve', 'scenarios/resting.json', '--controller', 'tcp:127.0.0.1:0']
        with started(*arguments) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGHUP)
            self.ends(process, 128 + signal.SIGHUP)
        ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup(1) does
        with started(*arguments, '--for', '500ms', preexec_fn=ignore) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGHUP)
            self.ends(process, 0)


class UsageTests(CommandTests):
    def test_an_option_of_another_command_names_that_command(self):
        for option in '--jobs', '--shard':
            done = lubdub('check', 'x', option, '1/2')
            self.assertEqual((done.returncode, done.stdout), (2, ''))
            self.assertIn(f'check has no option {option}; run has it', done.stderr)

    def test_a_speed_has_bounds(self):
        for speed in ['0', '-1', 'nan', 'inf', '1e300', 'soon']:
            self.assertEqual(lubdub('serve', 'scenarios/resting.json', '--speed', speed).returncode, 2)


if __name__ == '__main__':
    unittest.main()
