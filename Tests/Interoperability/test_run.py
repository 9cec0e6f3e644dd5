"""Scenarios in virtual time, with their output and files."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from harness import LUBDUB, ROOT


# Scenarios of encrypted values whose encryption must fail.
WITHOUT_ENCRYPTION = {'key_too_short', 'bond_lost_before'}


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

    def test_each_scenario_runs(self):
        for path in sorted((ROOT / 'scenarios').rglob('*.json')):
            if path.parent.name == 'bluez':
                continue  # they need a program of BlueZ
            with self.subTest(path.name):
                # The expectations need the whole duration.
                limit = [] if 'expect' in json.loads(path.read_text()) else ['--for', '12s']
                status, _, events, _ = play(path.relative_to(ROOT), *limit)
                self.assertEqual(status, 0)
                happened = [json.loads(line)['event'] for line in events.splitlines()]
                arrived = happened.count('delivered') + happened.count('confirmed') + happened.count('advertised')
                self.assertEqual(arrived > 0, path.stem not in WITHOUT_ENCRYPTION)

    def test_real_straps_have_their_contact_flags_and_intervals(self):
        for name, flags in [
                ('polar_h10', 0x10), ('polar_h7', 0x16), ('polar_verity_sense', 0), ('garmin_hrm_dual', 0x10)]:
            _, _, events, _ = play(f'scenarios/devices/{name}.json', '--for', '12s')
            records = [json.loads(line) for line in events.splitlines()]
            told = [bytes.fromhex(record['octets']) for record in records
                    if record['event'] == 'delivered' and record['of'] == f'{name}/heart_rate']
            self.assertGreater(len(told), 3, name)
            # The first ones may lack an interval that began before the subscription.
            self.assertEqual({octets[0] for octets in told[2:]}, {flags}, name)

    def test_rules_that_trigger_each_other_endlessly_are_cut_off_and_reported(self):
        scenario = json.loads((ROOT / 'scenarios/resting.json').read_text())
        strap = scenario['devices'][0]['id']
        scenario['script'] = [
            {'when': '2 s', 'id': 'one', 'do': 'silence', 'of': strap, 'for': '0 s'},
            {'when': {'event': 'ended'}, 'id': 'other', 'do': 'silence', 'of': strap, 'for': '0 s'}]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, 'loop.json')
            file.write_text(json.dumps(scenario))
            live = ['serve', '--controller', 'tcp:127.0.0.1:0', '--for', '3s']
            for words in ['run', '--for', '9s'], ['serve', '--speed', 'max', '--for', '9s'], live:
                done = subprocess.run([LUBDUB, *words, file], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 2, words)
                said = [line for line in done.stderr.splitlines() if line.startswith('lubdub:')]
                self.assertEqual(said, ['lubdub: other of the script triggers itself endlessly at one instant, and was cut off: add a delay'])

    def test_one_seed_gives_the_same_octets(self):
        for scenario in ['scenarios/workout.json', 'scenarios/three_straps.json', 'scenarios/formats/two_byte.json']:
            with self.subTest(scenario):
                self.assertEqual(play(scenario, '--seed', '7'), play(scenario, '--seed', '7'))

    def test_another_seed_gives_others(self):
        one, other = play('scenarios/workout.json', '--seed', '7'), play('scenarios/workout.json', '--seed', '8')
        self.assertNotEqual(one[2], other[2])
        self.assertNotEqual(one[3], other[3])

    def test_the_client_prints_what_was_delivered(self):
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

    def test_expectations_have_verdicts(self):
        scenario = json.loads((ROOT / 'scenarios/resting.json').read_text())
        scenario['limit'] = '20 s'
        scenario['expect'] += [
            {'id': 'stays', 'expect': 'never', 'event': 'disconnected'},
            {'id': 'far', 'expect': 'seen', 'event': 'connected', 'since': {'event': 'disconnected'}, 'within': '1 s'},
            {'id': 'soft', 'expect': 'count', 'event': 'connected', 'max': 0, 'should': True}]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, 'with space.json')

            def run(expect, *options):
                file.write_text(json.dumps(scenario | {'expect': expect}))
                status, output, events, trace = play(str(file), '--quiet', *options)
                return status, output.splitlines(), events, trace

            expect = scenario['expect']
            status, lines, events, trace = run(expect[:3])
            self.assertEqual(status, 0)
            self.assertEqual(lines[1:], [
                'pass  subscribes', 'pass  shows (HRP/COL/HRF/BV-04-C)', 'pass  stays',
                '3 pass, 0 fail, 0 inconclusive'])
            self.assertEqual((events, trace), run([])[2:])
            status, lines, _, _ = run(expect)
            self.assertEqual(status, 1)
            self.assertTrue(lines[4].startswith('inconclusive  far: never reached: disconnection'), lines[4])
            self.assertEqual(lines[5], 'should  fail  soft')
            self.assertTrue(lines[6].startswith('      expected  at most 0'), lines[6])
            self.assertEqual(lines[-3], '3 pass, 0 fail, 1 inconclusive')
            name = str(file.with_suffix(''))
            self.assertTrue(lines[-2].startswith('note: One strap'), lines[-2])
            self.assertEqual(lines[-1], f"replay: lubdub run '{file}' --seed 1 --only '{name}'")
            self.assertEqual(run(expect[:3] + expect[4:])[0], 0)
            status, lines, _, _ = run(expect[:3] + expect[4:], '--strict', '--only', '*space')
            self.assertEqual(status, 1)
            self.assertEqual(lines[-1], f"replay: lubdub run '{file}' --seed 1 --strict --only '{name}'")

    def test_a_run_ends_when_everything_is_decided(self):
        _, _, events, _ = play('scenarios/three_straps.json')
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            scenario = json.loads((ROOT / 'scenarios/three_straps.json').read_text())
            scenario['expect'] = [{'id': 'found', 'expect': 'seen', 'event': 'connected', 'within': '10 s'}]
            file.write(json.dumps(scenario))
            file.flush()
            status, _, decided, _ = play(file.name)
        self.assertEqual(status, 0)
        lines = decided.splitlines()
        times = [json.loads(line)['t'] for line in lines if b'"connected"' in line]
        self.assertEqual(json.loads(lines[-2])['t'], times[0])
        self.assertEqual(lines[1:-1], events.splitlines()[1:len(lines) - 1])

    def test_problems_of_a_file_are_reported(self):
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            file.write('{"lubdub": 1, "devises": []}')
            file.flush()
            done = subprocess.run([LUBDUB, 'run', file.name], cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn('LD0107', done.stderr)
        self.assertIn('did you mean "devices"', done.stderr)


if __name__ == '__main__':
    unittest.main()
