"""Plays scenarios in virtual time, and looks at what is left behind."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from harness import LUBDUB, ROOT


RELEASE = str((ROOT / os.environ.get('LUBDUB_RELEASE', '.build/release/lubdub')).resolve())


def play(scenario, *options, program=LUBDUB):
    """The status, the lines, the event log and the trace of one run."""
    with tempfile.TemporaryDirectory() as folder:
        events, trace = pathlib.Path(folder, 'events.jsonl'), pathlib.Path(folder, 'trace.btsnoop')
        done = subprocess.run(
            [program, 'run', scenario, '--events', events, '--trace', trace, *options],
            cwd=ROOT, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, events.read_bytes(), trace.read_bytes()


class RunTests(unittest.TestCase):
    def test_a_resting_heart_is_shown(self):
        status, lines, events, _ = play('scenarios/resting.json')
        self.assertEqual(status, 0)
        self.assertIn(' bpm, contact', lines)
        first, *_, last = [json.loads(line) for line in events.splitlines()]
        self.assertEqual((first['event'], first['scenario']), ('start', 'scenarios/resting.json'))
        self.assertEqual(last, {'event': 'end', 'status': 0})

    def test_one_seed_gives_the_same_octets(self):
        for scenario in ['scenarios/workout.json', 'scenarios/three_straps.json', 'scenarios/formats/two_byte.json']:
            with self.subTest(scenario):
                self.assertEqual(play(scenario, '--seed', '7'), play(scenario, '--seed', '7'))

    def test_debug_and_release_give_the_same_octets(self):
        for scenario in ['scenarios/workout.json', 'scenarios/three_straps.json']:
            with self.subTest(scenario):
                self.assertEqual(play(scenario), play(scenario, program=RELEASE))

    def test_another_seed_gives_others(self):
        one, other = play('scenarios/workout.json', '--seed', '7'), play('scenarios/workout.json', '--seed', '8')
        self.assertNotEqual(one[2], other[2])
        self.assertNotEqual(one[3], other[3])

    def test_what_was_delivered_is_what_was_said(self):
        _, _, events, _ = play('scenarios/formats/two_byte.json')
        records = [json.loads(line) for line in events.splitlines()]
        delivered = [
            record['value']['bpm'] for record in records
            if record['event'] == 'delivered' and record['of'] == 'strap/heart_rate']
        said = [
            record['line']['heart_rate']['bpm'] for record in records
            if record['event'] == 'said' and (record['line'].get('heart_rate') or {})]
        self.assertGreater(max(said), 255)
        self.assertEqual(said, delivered)

    def test_what_is_wrong_with_a_file_is_said(self):
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            file.write('{"lubdub": 1, "devises": []}')
            file.flush()
            done = subprocess.run([LUBDUB, 'run', file.name], cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn('LD0107', done.stderr)
        self.assertIn('did you mean "devices"', done.stderr)


if __name__ == '__main__':
    unittest.main()
