"""`lubdub prove` and `run --faulty`: which expectations can fail."""

import json
import pathlib
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
HASTY = {'id': 'hasty', 'expect': 'never', 'event': 'connected'}


class ProveTests(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def write(self, name, *expectations):
        pathlib.Path(self.folder, name).write_text(json.dumps(STRAP | {'expect': expectations}))

    def lubdub(self, *words, status=0):
        done = subprocess.run(
            [LUBDUB, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, f'{words}: {done.stdout}{done.stderr}')
        return done.stdout if status < 2 else done.stderr

    def test_an_expectation_that_no_client_fails_is_not_proven(self):
        self.write('strap.json', SHOWS, HARMLESS)
        rows = self.lubdub('prove', 'strap.json', '--set', 'away=12 s', '--seed', '3', status=1).splitlines()
        self.assertRegex(rows[0], r'^shows     \d+ faulty clients fail it: \w+, \w+, \w+, \w+, …$')
        self.assertEqual(rows[1], 'harmless  no faulty client fails it: it may pass any client')
        self.assertRegex(rows[2], r'^\d+ faulty clients pass: one_octet, \w+, \w+, \w+, … \(--verbose lists all\)$')
        self.assertEqual(
            rows[3:], ['1 of 2 expectations are proven: the built-in client passes, and a faulty client fails'])
        self.assertEqual(self.lubdub('prove', 'strap.json', '--quiet', status=1).splitlines(), [rows[1], rows[3]])
        self.assertIn(', once, ', self.lubdub('prove', 'strap.json', '--verbose', status=1))

    def test_an_expectation_that_the_built_in_client_fails_is_not_proven(self):
        self.write('strap.json', HASTY)
        self.assertRegex(
            self.lubdub('prove', 'strap.json', status=1),
            r'(?m)^hasty  the built-in client, which has no fault, does not pass: fail: expected no connection')

    def test_several_cases_have_headings_and_can_be_selected(self):
        self.write('one.json', SHOWS)
        self.write('other.json', SHOWS | {'should': True})
        rows = self.lubdub('prove', '.').splitlines()
        self.assertEqual([rows[0], rows[3]], ['one', 'other'])
        self.assertRegex(rows[4], r'^shows  \(should\) \d+ faulty clients fail it: ')
        self.assertRegex(rows[6], '^1 of 1 expectation is proven, and 1 of 1 recommendation: ')
        self.assertEqual(self.lubdub('prove', '.', '--only', 'one').splitlines()[:2], rows[1:3])

    def test_a_faulty_client_is_played_like_the_built_in_one(self):
        self.write('strap.json', SHOWS)
        self.lubdub('run', 'strap.json', '--quiet')
        shown = self.lubdub('run', 'strap.json', '--faulty', 'once', '--quiet', status=1)
        self.assertIn('\nfail  shows: ', shown)
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
