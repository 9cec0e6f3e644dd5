"""`lubdub prove` and `run --faulty`: which expectations can fail."""

import json
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from harness import LUBDUB, ROOT

STRAP = {
    'lubdub': 1, 'name': 'One', 'limit': '60 s', 'variables': {'away': '10 s'},
    'devices': [{'id': 'strap', 'name': 'Strap', 'services': [
        {'service': 'heart_rate', 'value': {'curve': 'ramp', 'start': 62, 'end': 90, 'over': '50 s'}}]}],
    'script': [{'when': '20 s', 'id': 'away', 'do': 'link_loss', 'for': '${away}'}],
}
SHOWS = {
    'id': 'shows', 'expect': 'seen', 'since': {'event': 'ended', 'of': 'away'}, 'within': '20 s',
    'event': {'event': 'said', 'line': {'heart_rate': {'bpm': {'$truth': 'last', 'of': 'heart_rate', 'fresh': True}}}}}
HARMLESS = {'id': 'harmless', 'expect': 'never', 'event': {'event': 'advertising', 'of': 'strap', 'nth': 1000}}
LATE = {
    'id': 'late', 'expect': 'seen', 'since': {'event': 'began', 'of': 'away'}, 'within': '45 s',
    'event': {'event': 'subscribed', 'of': 'strap/heart_rate'}}
SURE = {'id': 'sure', 'expect': 'seen', 'within': '2 s', 'event': {'event': 'advertising', 'of': 'strap'}}
HASTY = {'id': 'hasty', 'expect': 'never', 'event': 'connected'}


class ProveTests(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def write(self, name, *expectations):
        pathlib.Path(self.folder, name).write_text(json.dumps(STRAP | {'expect': expectations}))

    def call(self, *words, status=0):
        done = subprocess.run(
            [LUBDUB, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, f'{words}: {done.stdout}{done.stderr}')
        return done

    def lubdub(self, *words, status=0):
        done = self.call(*words, status=status)
        return done.stdout if status < 2 else done.stderr

    def test_an_expectation_that_no_client_fails_is_not_proven(self):
        self.write('strap.json', SHOWS, HARMLESS)
        rows = self.lubdub('prove', 'strap.json', '--set', 'away=12 s', '--seed', '3', status=1).splitlines()
        self.assertRegex(rows[0], r'^shows     \d+ faulty clients fail it: \w+, \w+, \w+, \w+, …$')
        self.assertEqual(rows[1], 'harmless  no faulty client fails it: it may pass any client')
        self.assertEqual(
            rows[-1:], ['1 of 2 expectations are proven: the built-in client passes, and a faulty client fails'])
        self.assertEqual(self.lubdub('prove', 'strap.json', '--quiet', status=1).splitlines(), [rows[1], rows[-1]])
        self.assertIn(', once, ', self.lubdub('prove', 'strap.json', '--verbose', status=1))

    def test_run_agrees_about_the_clients_that_pass(self):
        self.write('strap.json', SHOWS)
        brief = self.lubdub('prove', 'strap.json')
        self.assertRegex(brief, r'(?m)^\d+ faults do not show in this scenario \(--verbose prints all names\)$')
        names = {}
        for line in self.lubdub('prove', 'strap.json', '--verbose').splitlines()[:-1]:
            about, _, clients = line.rpartition(': ')
            names[re.sub(r'.*\d+ (faulty clients|faulty client|faults) ', '', about)] = clients.split(', ')
        passing = names['pass, although their faults show']
        inventing = names['fail only nothing_invented, which "run" expects of every client']
        unseen = names['do not show in this scenario']
        self.assertIn('frozen', passing)
        self.assertIn('invents_heart_rate', inventing)
        self.assertTrue({'big_endian', 'fahrenheit', 'short_keys'} <= set(unseen))
        count = len(self.lubdub('prove', '--list').splitlines())
        self.assertEqual(sum(map(len, names.values())), count, names.keys())
        for client in passing + unseen[:3]:
            self.lubdub('run', 'strap.json', '--faulty', client, '--quiet')
        for client in inventing:
            shown = self.lubdub('run', 'strap.json', '--faulty', client, '--quiet', status=1)
            self.assertRegex(shown, '(?m)^fail  nothing_invented\n(.*\n)*1 pass, 1 fail, 0 inconclusive$')

    def test_a_faulty_client_has_the_tolerance_of_a_client_under_test(self):
        # The first value comes 0.7 s after the subscription.
        self.write('strap.json', {
            'id': 'e', 'expect': 'seen', 'within': '0.4 s', 'event': {'event': 'said', 'line': {'heart_rate': {}}},
            'since': {'event': 'subscribed', 'of': 'strap/heart_rate'}})
        row = json.loads(self.lubdub('prove', 'strap.json', '--json'))
        self.assertIsNone(row['problem'])
        self.lubdub('run', 'strap.json', status=1)
        self.assertNotIn('big_endian', row['failed_by'])
        self.lubdub('run', 'strap.json', '--faulty', 'big_endian')

    def test_a_case_without_expectations_is_not_proven(self):
        self.write('strap.json')
        why = 'nothing is proven of strap: it has no expectations (write some as "expect")'
        self.assertEqual(self.lubdub('prove', 'strap.json', status=1), f'{why}\n')
        done = self.call('prove', 'strap.json', '--json', status=1)
        self.assertEqual((done.stdout, done.stderr), ('', f'lubdub: {why}\n'))
        self.write('one.json', SHOWS)
        self.write('two.json')
        rows = self.lubdub('prove', '.', status=1).splitlines()
        self.assertEqual(rows[0], 'one')
        self.assertRegex(rows[-2], '^1 of 1 expectation is proven: ')
        self.assertEqual(
            rows[-1], 'nothing is proven of strap, two: they have no expectations (write some as "expect")')

    def test_the_reason_why_no_faulty_client_fails(self):
        self.write('strap.json', LATE, SURE)
        rows = self.lubdub('prove', 'strap.json', status=1).splitlines()
        self.assertRegex(
            rows[0], r'^late  no faulty client fails it: \d+ are undecided at the limit of 60 s: (\w+, )+… '
            r'\(use a larger "limit" or a shorter "within"\)')
        self.assertEqual(
            rows[1], 'sure  no faulty client fails it: no fault shows before it is decided at 0.000000 s '
            '(expect something later)')
        late, sure = map(json.loads, self.lubdub('prove', 'strap.json', '--json', status=1).splitlines())
        self.assertIn('never_returns', late['undecided'])
        self.assertIn('undecided at the limit of 60 s: ', late['reason'])
        self.assertEqual((sure['undecided'], sure['unopened']), ([], []))

    def test_likely_mistakes_are_not_proven(self):
        self.write('late.json', {
            'id': 'e', 'expect': 'seen', 'within': '9 s', 'event': {'event': 'said', 'line': {'heart_rate': {}}}})
        done = self.call('prove', 'late.json', status=1)
        self.assertIn(' LD0195: ', done.stderr)
        self.assertRegex(done.stdout, r'(?m)^1 of 1 expectation is proven')
        self.assertEqual(done.stdout.splitlines()[-1], 'not proven because of the warnings above: late')
        # Within 30 s a faulty client can meet the rule, but none that shows the heart rate in time.
        self.write('strap.json', {
            'id': 'e', 'expect': 'seen', 'within': '30 s', 'event': {'event': 'said', 'line': {'heart_rate': {}}}})
        done = self.call('prove', 'strap.json', status=1)
        self.assertRegex(
            done.stderr, r'strap: with the built-in client the case ends at \d\.\d+ s, before rule "away" acts at 20 s: ')
        self.assertEqual(done.stdout.splitlines()[-1], 'not proven because of the warnings above: strap')

    def test_warnings_of_likely_mistakes_are_printed(self):
        self.write(
            'strap.json', LATE | {'within': '61 s'},
            SHOWS | {'event': {'event': 'said', 'line': {'heart_rate': {'bmp': 70}}}})
        done = self.call('prove', 'strap.json', '--quiet', status=1)
        self.assertIn(' LD0193: ', done.stderr)
        self.assertIn(' LD0192: ', done.stderr)

    def test_an_expectation_that_the_built_in_client_fails_is_not_proven(self):
        self.write('strap.json', HASTY)
        self.assertRegex(
            self.lubdub('prove', 'strap.json', status=1),
            r'(?m)^hasty  the built-in client, which has no fault, does not pass: fail: expected no connection')

    def test_several_cases_have_headings_and_can_be_selected(self):
        self.write('one.json', SHOWS)
        self.write('other.json', SHOWS | {'should': True})
        rows = self.lubdub('prove', '.').splitlines()
        other = rows.index('other')
        self.assertEqual(rows[0], 'one')
        self.assertRegex(rows[other + 1], r'^shows  \(should\) \d+ faulty clients fail it: ')
        self.assertRegex(rows[-1], '^1 of 1 expectation is proven, and 1 of 1 recommendation: ')
        self.assertEqual(self.lubdub('prove', '.', '--only', 'one').splitlines()[:-1], rows[1:other])

    def test_a_faulty_client_is_played_like_the_built_in_one(self):
        self.write('strap.json', SHOWS)
        self.lubdub('run', 'strap.json', '--quiet')
        shown = self.lubdub('run', 'strap.json', '--faulty', 'once', '--quiet', status=1)
        self.assertIn('\nfail  shows\n', shown)
        self.assertIn('it looks like an earlier value', shown)
        replay, = [line for line in shown.splitlines() if line.startswith('replay: lubdub ')]
        again = self.lubdub(*replay.removeprefix('replay: lubdub ').split(), '--quiet', status=1)
        self.assertEqual(again, shown)

    def test_explain_knows_faulty_clients(self):
        self.assertRegex(self.lubdub('explain', 'once'), r'^once \(faulty client\): shows .*"run --faulty once" plays it\n$')
        self.assertIn('"prove" is a command: see "lubdub prove --help"', self.lubdub('explain', 'prove', status=2))
        self.assertEqual(self.lubdub('explain', 'rule'), self.lubdub('explain', 'actions'))

    def test_wrong_words(self):
        self.write('strap.json', SHOWS)
        self.assertIn('prove requires a SUITE', self.lubdub('prove', status=2))
        self.assertIn('did you mean "once"?', self.lubdub('run', 'strap.json', '--faulty', 'onc', status=2))
        self.assertIn(
            '--faulty and --client are mutually exclusive',
            self.lubdub('run', 'strap.json', '--faulty', 'once', '--client', 'true', status=2))

    def test_a_signal_ends_it(self):
        with subprocess.Popen(
                [LUBDUB, 'prove', ROOT / 'scenarios/recovery'], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)


if __name__ == '__main__':
    unittest.main()
