"""What Lubdub prints when a command line does not say what its user means, or would destroy a file."""

import json
import pathlib
import shlex
import shutil

from harness import ROOT
from test_commands import CommandTests, lubdub

RESTING = ROOT / 'scenarios/resting.json'


class MistakenCommandTests(CommandTests):
    def refuses(self, words, message, status=2, cwd=None):
        done = lubdub(*words, cwd=cwd or self.folder)
        self.assertEqual((done.returncode, done.stdout), (status, ''), (words, done.stderr))
        self.assertIn(message, done.stderr)

    def test_the_message_says_what_to_write(self):
        (self.folder / 'client.py').write_text('print()\n')
        (self.folder / 'taken').mkdir()
        (self.folder / 'recovery').mkdir()
        (self.folder / 'taken' / 'strap.json').write_text(RESTING.read_text())
        for words, message in [
                (['resting'], 'unknown command "resting": for a scenario, write lubdub run resting'),
                (['strap.json'], 'unknown command "strap.json": for a scenario, write lubdub run strap.json'),
                (['--run', 'resting'], 'unknown option "--run" (run is a command: write it without hyphens)'),
                (['run', 'resting', '--client', 'python3', 'client.py'],
                 '"client.py" is a program, not a scenario: quote the client\'s command, as in --client \'python3 client.py\''),
                (['run', 'resting', '--client', ' '], '--client is empty: give the command line that starts your client'),
                (['serve', 'taken'], '"taken" is a folder, but this command plays a single scenario: choose a file in it'),
                (['serve', 'resting', '--control', 'here'], '--control must be unix:PATH, not "here" (do you mean unix:here?)'),
                (['serve', 'resting', '--controller', 'tcp:6402'],
                 'invalid address "tcp:6402": write the host and the port, as in tcp:127.0.0.1:6402\n'),
                (['serve', 'resting', '--controller', 'here'], 'use tcp:HOST:PORT or unix:PATH, or vhci\n'),
                (['run', 'recovery'], 'recovery:1:1: LD0113: this folder contains no scenario\n'),
                (['run', 'recovery'], 'for the installed scenarios of this name, write scenarios/recovery'),
                (['run', '/dev/null'], '/dev/null:1:1: LD0113: neither a file nor a folder')]:
            with self.subTest(words):
                self.refuses(words, message)

    def test_a_report_and_an_event_log_are_not_scenarios(self):
        lubdub('run', RESTING, '--for', '1s', '--report', self.folder / 'r.json', '--events', self.folder / 'e.jsonl')
        for name, message in [
                ('r.json', 'this is a report, not a scenario\n'), ('e.jsonl', 'this is an event log, not a scenario\n')]:
            self.refuses(['run', name], f'{name}:1:1: LD0108: {message}')

    def test_output_that_cannot_be_written_is_an_error_at_the_start(self):
        for words, message in [
                (['record', '--radio', 'hci:tcp:127.0.0.1:1', '-o', 'none/strap.json'], 'cannot write "none/strap.json"'),
                (['serve', RESTING, '--bonds', 'none/bonds'], '--bonds: cannot write "none/bonds"')]:
            with self.subTest(words):
                self.refuses(words, message, status=3)

    def test_keep_replaces_only_what_a_run_has_written(self):
        own = self.folder / 'scenario.json'
        shutil.copy(RESTING, self.folder / 'strap.json')
        own.write_text('{}')
        self.refuses(
            ['run', 'strap.json', '--keep', '.'],
            '--keep would overwrite "./scenario.json", which is not from an earlier run: choose a new folder')
        self.assertEqual(own.read_text(), '{}')
        for _ in range(2):
            self.assertEqual(lubdub('run', 'strap.json', '--keep', 'kept', cwd=self.folder).returncode, 0)
            self.assertEqual(lubdub('run', '.', '--only', 'strap', '--keep', 'all', cwd=self.folder).returncode, 0)

    def test_without_expectations_the_verdict_says_what_it_is_about(self):
        scenario = json.loads(RESTING.read_text())
        scenario['expect'] = []
        (self.folder / 'strap.json').write_text(json.dumps(scenario))
        for more, status, line in [
                ([], 0, 'pass  client: it reported measurements (a scenario without expectations requires one measurement)'),
                (['--for', '0.1s'], 1,
                 'fail  client: it reported no measurement (a scenario without expectations requires one measurement)')]:
            done = lubdub('run', 'strap.json', *more, cwd=self.folder)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(line, done.stdout.splitlines())

    def test_the_steps_after_a_new_suite_work(self):
        folder = pathlib.Path('Straße mit Blank')
        (self.folder / folder).mkdir()
        done = lubdub('new', 'suite', folder / 'all.json', cwd=self.folder)
        steps = [line.removeprefix('next: lubdub ') for line in done.stdout.splitlines() if line.startswith('next: ')]
        self.assertEqual(len(steps), 3, done.stdout)
        for step in steps:
            done = lubdub(*shlex.split(step), cwd=self.folder)
            self.assertEqual(done.returncode, 0, (step, done.stdout, done.stderr))
        again = lubdub('new', 'suite', folder / 'more.json', cwd=self.folder)
        self.assertNotIn('new strap', again.stdout)
