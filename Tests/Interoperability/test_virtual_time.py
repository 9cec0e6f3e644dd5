"""Clients in virtual time: `run --client CMD --speed max`, with programs that know nothing of it."""

import filecmp
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from harness import LUBDUB, ROOT

# The verdicts of the client of `lubdub new client` that are not a pass; in real time they are the same.
NOT_PASSED = {
    'away_while_indicating': 'inconclusive', 'handles_moved': 'fail', 'nearest_leaves': 'fail', 'power_off': 'fail'}
# Short; a client shows one value at once.
QUICK = {
    'lubdub': 1, 'name': 'Quick', 'limit': '8 s',
    'devices': [{
        'id': 'strap', 'name': 'Strap', 'address': 'C0:FF:EE:00:00:01/random',
        'advertise': {'interval': '100 ms', 'services': ['180D']},
        'services': [{'service': 'heart_rate', 'period': '1 s', 'value': 60}]}],
    # Lubdub allows a client 500 ms more.
    'script': [{
        'when': {'event': 'subscribed', 'of': 'heart_rate', 'after': '500 ms'}, 'id': 'high', 'do': 'raw',
        'of': 'heart_rate', 'octets': '00c8'}],
    'expect': [{
        'id': 'shows', 'expect': 'seen', 'event': {'event': 'said', 'line': {'heart_rate': {'bpm': 200}}},
        'since': {'event': 'began', 'of': 'high'}, 'within': '90 ms'}]}
CONFINED = ROOT / 'Tests/LinuxTests/ClientTime/confined.c'
STATIC = '#include <unistd.h>\nint main(void) { for (;;) sleep(1); }\n'


def differences(left, right):
    """The files that differ between two folders."""
    compared = filecmp.dircmp(left, right)
    found = compared.left_only + compared.right_only
    found += filecmp.cmpfiles(left, right, compared.common_files, shallow=False)[1]
    for name in compared.common_dirs:
        found += [f'{name}/{file}' for file in differences(f'{left}/{name}', f'{right}/{name}')]
    return found


def confined(folder):
    """The path of a program that runs another one without privileges and without some system calls."""
    program = folder / 'confined'
    subprocess.run([shutil.which('clang') or shutil.which('cc'), '-static', '-o', program, CONFINED], check=True, timeout=100)
    return program


def wait_until(holds):
    end = time.monotonic() + 30
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)


class VirtualTimeTests(unittest.TestCase):
    limit = 120
    computes = True

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def client(self, *options):
        path = self.folder / 'client.py'
        subprocess.run([LUBDUB, 'new', 'client', *options, path], check=True, capture_output=True, timeout=60)
        return f"'{sys.executable}' {path}"

    def run_client(self, suite, command, *options, kept=None):
        keep = ['--keep', self.folder / kept] if kept else []
        return subprocess.run(
            [LUBDUB, 'run', suite, '--client', command, '--speed', 'max', '--quiet', *options, *keep], cwd=ROOT,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)

    def suite(self, *names):
        """A folder with the quick scenario under these names."""
        folder = self.folder / 'suite'
        folder.mkdir()
        for name in names:
            (folder / f'{name}.json').write_text(json.dumps(QUICK))
        return folder

    def report(self, kept):
        return json.loads((self.folder / kept / 'report.json').read_text())

    def keep_busy(self):
        for _ in range(2):
            loop = subprocess.Popen([sys.executable, '-c', 'while True: pass'])
            self.addCleanup(loop.wait)
            self.addCleanup(loop.kill)

    def verdicts(self, kept):
        report = self.report(kept)
        self.assertEqual(report['time'], 'virtual')
        return {case['id']: case['verdict'] for case in report['cases']}

    def test_recovery_has_the_verdicts_of_real_time_and_the_same_octets_on_a_busy_machine(self):
        command = self.client()
        first = self.run_client('scenarios/recovery', command, kept='first')
        self.assertEqual(first.returncode, 1, first.stderr)
        verdicts = self.verdicts('first')
        self.assertGreater(len(verdicts), 20)
        self.assertEqual({case: verdict for case, verdict in verdicts.items() if verdict != 'pass'}, NOT_PASSED)
        self.keep_busy()
        some = ['away_*', 'flapping', 'handles_moved', 'services_change', 'stalls']
        only = [word for name in some for word in ('--only', name)]
        second = self.run_client('scenarios/recovery', command, *only, '--jobs', '3', kept='second')
        cases = self.verdicts('second')
        self.assertGreater(len(cases), 9)
        for case in cases:
            folders = [self.folder / name / case for name in ('first', 'second')]
            self.assertEqual(differences(*folders), [], second.stderr)

    def test_it_needs_no_privileges_and_not_every_system_call(self):
        command, kept = self.client('--with', 'bleak'), self.folder / 'kept'
        through = [confined(self.folder)]
        if subprocess.run([*through, 'true'], capture_output=True).returncode != 0:
            self.skipTest('this machine has no filters of system calls')
        if os.geteuid() == 0:
            self.folder.chmod(0o777)
            through = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', *through]
        options = ['--system', 'bluez', '--only', 'away_long', '--only', 'flapping', '--keep', kept]
        done = subprocess.run(
            [*through, LUBDUB, 'run', 'scenarios/recovery', '--client', command, '--speed', 'max', *options], cwd=ROOT,
            env=os.environ | {'TMPDIR': str(self.folder)}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.verdicts('kept'), {'away_long': 'pass', 'flapping': 'pass'})
        self.assertEqual(kept.stat().st_uid, os.geteuid() or 65534)

    def test_an_app_above_the_played_bluetoothd_follows(self):
        command = self.client('--with', 'bleak')
        options = ['--system', 'bluez', '--only', 'away_*', '--only', 'disconnects']
        done = self.run_client('scenarios/recovery', command, *options, kept='first')
        verdicts = self.verdicts('first')
        self.assertEqual(
            {case: verdict for case, verdict in verdicts.items() if verdict != 'pass'},
            {'away_while_indicating': 'inconclusive'}, done.stdout)
        self.keep_busy()
        self.run_client('scenarios/recovery', command, *options, '--jobs', '3', kept='second')
        self.assertEqual(differences(self.folder / 'first', self.folder / 'second'), [])

    def test_the_terminal_and_a_failure_name_the_time(self):
        done = subprocess.run(
            [LUBDUB, 'run', 'scenarios/resting.json', '--client', 'sleep 1000', '--speed', 'max'], cwd=ROOT,
            capture_output=True, text=True, timeout=100)
        self.assertIn(' s of virtual time', done.stdout)
        self.assertIn('no host connected to the controller within 10 s', done.stdout)
        self.assertIn("replay: lubdub run scenarios/resting.json --seed 1 --client 'sleep 1000' --speed max", done.stdout)

    def test_a_program_that_cannot_follow_is_named(self):
        source, program = self.folder / 'static.c', self.folder / 'static'
        source.write_text(STATIC)
        compiler = shutil.which('clang') or shutil.which('cc')
        subprocess.run([compiler, '-static', '-o', program, source], check=True, timeout=100)
        why = 'it cannot follow virtual time; without --speed max it runs in real time'
        for command, reason in [
                (program, 'is statically linked'), ('env -u LD_PRELOAD sleep 1000', 'LD_PRELOAD was removed')]:
            with self.subTest(command):
                done = self.run_client('scenarios/resting.json', str(command))
                self.assertEqual(done.returncode, 3, done.stdout)
                self.assertRegex(done.stderr, rf'lubdub: process \d+, \S+, .*{reason}.*: {why}')
        suite = self.run_client('scenarios/recovery', str(program), '--only', 'away_*')
        self.assertEqual(suite.returncode, 3, suite.stdout)

    def test_whoever_is_in_real_time_is_refused(self):
        for options, words in [
                (['--client', 'true', '--said', 'tcp:127.0.0.1:0'], '--said'), (['--ask'], '--ask'),
                (['--client', 'true', '--controller', 'vhci'], '--controller vhci'),
                (['--client', 'true', '--radio', 'bluez'], '--radio')]:
            with self.subTest(options):
                done = subprocess.run(
                    [LUBDUB, 'run', 'scenarios/resting.json', '--speed', 'max', *options], cwd=ROOT, capture_output=True,
                    text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (2, ''))
                self.assertIn(words, done.stderr)

    def stopped_client(self):
        """A run whose client has started, and never goes on."""
        started = self.folder / 'started'
        run = subprocess.Popen(
            [LUBDUB, 'run', 'scenarios/resting.json', '--client', f'touch {started}; kill -STOP $$', '--speed', 'max'],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        wait_until(started.exists)
        return run

    def shared_files(self, run):
        return list(pathlib.Path('/dev/shm').glob(f'lubdub-time-{run.pid}-*'))

    def test_a_stopped_client_does_not_keep_the_run_from_ending(self):
        run = self.stopped_client()
        self.assertEqual(len(self.shared_files(run)), 1)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=100), 130)
        self.assertEqual(self.shared_files(run), [])

    def test_no_file_stays_in_shared_memory_after_a_crash(self):
        run = self.stopped_client()
        run.kill()
        run.wait()
        wait_until(lambda: not self.shared_files(run))

    def test_auto_takes_virtual_time_if_the_client_follows(self):
        suite, command = self.suite('one'), self.client()
        done = self.run_client(suite, command, '--speed', 'auto', kept='auto')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertIn(' of virtual time', done.stdout)
        self.run_client(suite, command, kept='max')
        self.assertEqual(differences(self.folder / 'auto', self.folder / 'max'), [])

    def test_auto_takes_real_time_if_a_process_cannot_follow(self):
        done = self.run_client(
            self.suite('one', 'two'), f'exec env -u LD_PRELOAD {self.client()}', '--speed', 'auto', '--for', '2s',
            kept='kept')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(
            done.stderr, r'\Alubdub: one: process \d+, \S+, has not loaded liblubdubtime.so .*: it cannot follow virtual '
            r'time; the case is played again in real time, and so are the next ones\n\Z')
        self.assertIn('2 pass, 0 fail', done.stdout)
        self.assertIn(' of real time', done.stdout)
        report = self.report('kept')
        self.assertEqual(report['time'], 'real')
        self.assertEqual([case['replay'].count('--speed') for case in report['cases']], [0, 0])

    def test_auto_takes_real_time_for_somebody_in_real_time(self):
        options = ['--client', 'true', '--said', 'tcp:127.0.0.1:0', '--speed', 'auto', '--json']
        done = subprocess.run(
            [LUBDUB, 'run', 'scenarios/resting.json', *options], cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertIn('--speed auto takes real time because of --said: who connects there is in real time', done.stderr)
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])['time'], 'real')

    def test_at_a_speed_virtual_time_follows_the_clock_with_the_same_octets(self):
        suite, command = self.suite('one'), self.client()
        self.run_client(suite, command, kept='max')
        begin = time.monotonic()
        done = self.run_client(suite, command, '--speed', '10', kept='paced')
        self.assertGreater(time.monotonic() - begin, 0.8)  # of 8 s
        self.assertIn(' of virtual time', done.stdout)
        different = differences(self.folder / 'max', self.folder / 'paced')
        self.assertEqual([path for path in different if 'report' not in path], [])  # reports name the speed
        self.assertIn(' --speed 10 ', self.report('paced')['cases'][0]['replay'])

    def test_a_slow_client_is_found_slow_only_if_turns_take_time(self):
        suite, command = self.suite('one'), self.client()
        quick = self.run_client(suite, command, kept='quick')
        self.assertEqual(quick.returncode, 0, quick.stdout)
        for number in [1, 2]:
            slow = self.run_client(suite, command, '--compute', '600ms..650ms', '--for', '40s', kept=f'slow{number}')
            self.assertEqual(slow.returncode, 1, slow.stdout)
        self.assertEqual(differences(self.folder / 'slow1', self.folder / 'slow2'), [])
        report = self.report('slow1')
        self.assertEqual((report['time'], report['compute']), ('virtual', '600ms..650ms'))
        finding, = report['cases'][0]['findings']
        self.assertEqual((finding['id'], finding['verdict']), ('shows', 'fail'))
        self.assertIn(' --speed max --compute 600ms..650ms ', report['cases'][0]['replay'])
        self.assertIn('name="compute" value="600ms..650ms"', (self.folder / 'slow1' / 'report.xml').read_text())
        for name in ['report.html', 'report.md']:
            self.assertIn(
                'virtual; each turn of the client took 600ms..650ms', (self.folder / 'slow1' / name).read_text())

    def test_turns_of_an_app_above_the_played_bluetoothd_take_the_same_times_on_a_busy_machine(self):
        command = self.client('--with', 'bleak')
        options = ['--system', 'bluez', '--only', 'away_long', '--compute', '1ms..20ms']
        first = self.run_client('scenarios/recovery', command, *options, kept='first')
        self.assertEqual(first.returncode, 0, first.stdout)
        self.keep_busy()
        self.run_client('scenarios/recovery', command, *options, kept='second')
        self.assertEqual(differences(self.folder / 'first', self.folder / 'second'), [])

    def test_campaigns_have_the_same_octets_with_any_number_of_jobs(self):
        suite, command = self.suite('one'), self.client()
        for jobs in ['1', '3']:
            done = self.run_client(suite, command, '--seeds', '1..3', '--jobs', jobs, kept=jobs)
            self.assertEqual((done.returncode, done.stderr), (0, ''), done.stdout)
        self.assertEqual(len(self.report('1')['cases']), 3)
        self.assertEqual(differences(self.folder / '1', self.folder / '3'), [])

    def test_until_fail_ends_at_the_same_case_with_any_number_of_jobs(self):
        suite, command = self.suite('one'), self.client()
        options = ['--repeat', '2', '--until-fail', '--compute', '620ms', '--for', '40s']
        reports = []
        for jobs in ['1', '3']:
            done = self.run_client(suite, command, *options, '--jobs', jobs, kept=jobs)
            self.assertIn('ended by --until-fail: 1 of 2 cases were run', done.stderr)
            reports.append(self.report(jobs))
        self.assertEqual([case['id'] for case in reports[0]['cases']], ['one#1'])
        self.assertEqual(*reports)
