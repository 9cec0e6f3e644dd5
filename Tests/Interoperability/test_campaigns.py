"""Campaigns: many seeds, repetitions, the last failures, shards and their merged reports."""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from harness import LUBDUB, ROOT

SCHEMA = json.loads((ROOT / 'schema' / 'report.schema.json').read_text())
# A heart that walks: whether the client shows 60 or less within 20 s depends on the seed.
WALK = '''{"lubdub": 1, "name": "Walk", "limit": "30 s", "devices": [{"id": "strap", "name": "Strap",
    "advertise": {"services": ["180D"]}, "services": [{"service": "heart_rate", "value":
    {"curve": "walk", "start": 62, "by": 1, "period": "1 s", "range": [40, 90]}}]}],
    "expect": [{"id": "low", "expect": "never",
    "event": {"event": "said", "line": {"heart_rate": {"bpm": {"$max": 57}}}}}]}'''
CALM = '''{"lubdub": 1, "name": "Calm", "seed": 9, "limit": "5 s", "devices": [{"id": "strap", "name": "Strap",
    "advertise": {"services": ["180D"]}, "services": [{"service": "heart_rate", "value": 62}]}],
    "expect": [{"id": "stays", "expect": "never", "event": "disconnected"}]}'''
# It exits with status 3 every second time.
FLAKY = 'if [ -e flag ]; then rm flag; exit 3; fi; touch flag; exec {} reset.py 60'
VARIABLES = ['LUBDUB_SHARD_INDEX', 'LUBDUB_SHARD_COUNT', 'JOB_COMPLETION_INDEX', 'SLURM_ARRAY_TASK_ID', 'PARALLEL_SEQ']


class CampaignTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'all').mkdir()
        (self.folder / 'all/walk.json').write_text(WALK)
        (self.folder / 'all/calm.json').write_text(CALM)

    def lubdub(self, *words, status=None, **variables):
        environment = {name: value for name, value in os.environ.items() if name not in VARIABLES} | variables
        done = subprocess.run(
            [LUBDUB, *map(str, words)], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def run_cases(self, *words, **options):
        """Runs cases; returns the process and its JSON report."""
        done = self.lubdub('run', *words, '--report', 'report.json', **options)
        report = json.loads((self.folder / 'report.json').read_text())
        jsonschema.validate(report, SCHEMA)
        return done, report

    def octets(self, name):
        return (self.folder / name).read_bytes()

    def test_the_summary_names_the_seeds_that_failed(self):
        done, report = self.run_cases('all', '--seeds', '1..30', '--quiet', status=1)
        self.assertEqual(len(report['cases']), 60)
        failed = [case for case in report['cases'] if case['verdict'] == 'fail']
        self.assertTrue(0 < len(failed) < 30, len(failed))
        self.assertEqual({case['case'] for case in failed}, {'walk'})
        for case in report['cases']:
            self.assertEqual((case['id'], case['run']), (f'{case["case"]}@{case["seed"]}', None))
        seeds = ', '.join(str(case['seed']) for case in failed[:20])
        self.assertIn(f'\nwalk: {len(failed)} of 30 seeds failed: {seeds}', '\n' + done.stdout)
        self.assertIn(f'; replay: {failed[0]["replay"]}\n', done.stdout)
        # The replay command repeats the run, with the same words.
        words = shlex.split(failed[-1]['replay'])
        self.assertEqual(words, ['lubdub', 'run', 'all', '--seed', str(failed[-1]['seed']), '--only', 'walk'])
        _, again = self.run_cases(*words[2:], status=1)
        for key in ['verdict', 'reason', 'seed', 'duration', 'replay', 'case']:
            self.assertEqual(again['cases'][0][key], failed[-1][key])

    def test_the_same_seeds_give_the_same_report(self):
        for jobs in ['1', '4']:
            for options, name in [([], 'all'), (['--until-fail'], 'until')]:
                reports = [word for end in ['json', 'xml', 'md', 'html']
                           for word in ['--report', f'{name}{jobs}.{end}']]
                self.lubdub('run', 'all', '--seeds', '1..12', '--jobs', jobs, *options, *reports)
        for name in ['all', 'until']:
            for end in ['json', 'xml', 'md', 'html']:
                self.assertEqual(self.octets(f'{name}1.{end}'), self.octets(f'{name}4.{end}'), (name, end))
        self.assertIn('of 12 seeds failed: ', self.octets('all1.md').decode())
        self.assertIn('of 12 seeds failed: ', self.octets('all1.html').decode())
        verdicts = [case['verdict'] for case in json.loads(self.octets('until1.json'))['cases']]
        self.assertEqual((verdicts[-1], set(verdicts[:-1])), ('fail', {'pass'}))

    def test_the_last_failures_run_again_with_their_seeds(self):
        _, report = self.run_cases('all', '--seeds', '1..12', status=1)
        (self.folder / 'report.json').rename(self.folder / 'first.json')
        failed = [case for case in report['cases'] if case['verdict'] == 'fail']
        _, again = self.run_cases('all', '--last-failed', 'first.json', status=1)
        for key in ['id', 'case', 'seed', 'verdict', 'reason', 'replay', 'duration']:
            self.assertEqual([case[key] for case in again['cases']], [case[key] for case in failed])
        listed = self.lubdub(
            'run', 'all', '--last-failed', 'first.json', '--repeat', '2', '--shard', '2/2', '--list', status=0)
        self.assertEqual(listed.stdout.split(), [f'{case["id"]}#2' for case in failed])
        self.assertEqual(
            self.lubdub('run', 'all', '--last-failed', 'first.json', '--list', '--only', 'calm', status=0).stdout, '')
        # Nothing failed: nothing to run, but a report.
        _, good = self.run_cases('all/calm.json', status=0)
        self.assertEqual(good['cases'][0]['seed'], 9)
        (self.folder / 'report.json').rename(self.folder / 'good.json')
        done, empty = self.run_cases('all/calm.json', '--last-failed', 'good.json', status=0)
        self.assertEqual((done.stdout, empty['cases']), ('Nothing to run: no selected case failed in good.json\n', []))

    def test_many_cases_need_few_descriptors(self):
        words = ['run', 'all/calm.json', '--client', 'true', '--repeat', '100', '--report', 'report.json', '--quiet']
        limited = ['sh', '-c', 'ulimit -n 40; exec "$@"', 'sh', LUBDUB, *words]
        subprocess.run(limited, cwd=self.folder, capture_output=True, timeout=600)
        cases = json.loads((self.folder / 'report.json').read_text())['cases']
        self.assertEqual(len(cases), 100)
        self.assertEqual({case['reason'] for case in cases}, {cases[0]['reason']})
        self.assertNotEqual(cases[0]['verdict'], 'error', cases[0]['reason'])

    def test_a_file_may_be_given_twice_to_repeat_it(self):
        done = self.lubdub('run', 'all/calm.json', 'all/calm.json', status=2)
        self.assertIn('another case has the id "all/calm"; to run a case several times, use --repeat', done.stderr)
        _, report = self.run_cases('all/calm.json', 'all/calm.json', '--repeat', '2', status=0)
        self.assertEqual([case['id'] for case in report['cases']], [f'all/calm#{number}' for number in range(1, 5)])
        self.assertEqual([case['run'] for case in report['cases']], [1, 2, 3, 4])
        self.assertEqual(len({case['duration'] for case in report['cases']}), 1)

    def test_a_flaky_client_is_found(self):
        (self.folder / 'reset.py').write_text(RESET)
        done, report = self.run_cases(
            'all/calm.json', '--client', FLAKY.format(shlex.quote(sys.executable)), '--repeat', '9', '--until-fail',
            '--for', '1 s', status=1)
        self.assertEqual([case['id'] for case in report['cases']], ['all/calm#1', 'all/calm#2'])
        self.assertIn('ended by --until-fail: 2 of 9 cases were run', done.stderr)

    def test_merged_shards_are_the_report_of_the_whole_run(self):
        self.lubdub('run', 'all', '--seeds', '1..7', '--report', 'whole.json')
        for index in range(3):
            self.lubdub(
                'run', 'all', '--seeds', '1..7', '--shard', 'auto/3', '--report', f'part-{index}.json',
                JOB_COMPLETION_INDEX=str(index))
            part = json.loads(self.octets(f'part-{index}.json'))
            jsonschema.validate(part, SCHEMA)
            self.assertEqual(part['shard'], f'{index + 1}/3')
        parts = ['part-2.json', 'part-0.json', 'part-1.json']
        done = self.lubdub('merge', *parts, '-o', 'merged.json', '-o', 'merged.xml', '-o', 'merged.md', status=1)
        self.assertEqual(self.octets('merged.json'), self.octets('whole.json'))
        self.assertIn('14 cases from 3 reports: ', done.stdout)
        self.assertRegex(done.stdout, r'\Awalk: \d of 7 seeds failed: ')
        self.assertIn(b'tests="14"', self.octets('merged.xml'))

        before = self.octets('merged.json')
        other = json.loads(self.octets('part-1.json')) | {'lubdub': '9.9'}
        (self.folder / 'newer.json').write_text(json.dumps(other))
        (self.folder / 'broken.json').write_text('{')
        for words, message in [
                (['part-0.json', 'part-0.json'], 'both contain the case "calm@1"'),
                (['part-0.json', 'whole.json'], 'part-0.json is shard 1/3, and whole.json is not a shard'),
                (['part-0.json', 'newer.json'], 'newer.json of 9.9: run all parts with the same version'),
                (['broken.json', 'none.json'], 'LD0113')]:
            with self.subTest(words):
                done = self.lubdub('merge', *words, '-o', 'merged.json', status=2)
                self.assertIn(message, done.stderr)
                self.assertEqual((done.stdout, self.octets('merged.json')), ('', before))
        for words in [['part-0.json'], ['part-0.json', '-o', 'x.txt'], ['part-0.json', '-o', 'part-0.json'], ['-o', 'x.md']]:
            self.lubdub('merge', *words, status=2)
        done = self.lubdub('merge', 'part-0.json', 'part-1.json', '-o', 'merged.json')
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('lubdub: missing: shard 3/3\n', done.stderr)
        self.lubdub('run', 'all/calm.json', '--seeds', '1..2', '--shard', '1/2', '--report', 'half.json', status=0)
        self.lubdub('merge', 'half.json', '-o', 'merged.json', status=3)

    def test_invalid_options_are_reported_before_any_case_runs(self):
        (self.folder / 'r.json').write_text(
            '{"lubdub": "1", "seed": 1, "cases": [], "summary":'
            '{"pass": 0, "fail": 0, "inconclusive": 0, "skip": 0, "error": 0}}')
        for words, status, message in [
                (['--seeds', '5..1'], 2, '--seeds must be A..B, two whole numbers with A not above B, for example 1..200, not "5..1"'),
                (['--seeds', '1..9999999999999999'], 2, '--seeds: there are more than 20000 runs: choose fewer'),
                (['--repeat', '0'], 2, '--repeat must be a whole number from 1 to 20000, not "0"'),
                (['--repeat', '-1'], 2, '--repeat must be'), (['--repeat', '20000'], 2, '--repeat: there are more than'),
                (['--seeds', '1..2', '--seed', '3'], 2, '--seeds and --seed are mutually exclusive'),
                (['--seed', '3', '--last-failed', 'r.json'], 2, 'mutually exclusive: the report has the seeds'),
                (['--seeds', '1..3', '--last-failed', 'r.json'], 2, 'mutually exclusive: the report has the seeds'),
                (['--last-failed', 'none.json'], 2, 'LD0113'), (['--last-failed', 'all/walk.json'], 2, 'LD01'),
                (['--last-failed', 'r.json'], 3, 'r.json has no cases'),
                (['--shard', 'auto'], 3, 'JOB_COMPLETION_INDEX (Kubernetes), SLURM_ARRAY_TASK_ID (Slurm), PARALLEL_SEQ'),
                (['--shard', 'auto/0'], 2, 'or auto, or auto/N'), (['--shard', '9/9'], 3, 'only 2 cases are selected'),
                (['--seeds', '1..2', '--events', 'e.jsonl'], 2, '--keep DIR')]:
            with self.subTest(words):
                done = self.lubdub('run', 'all', *words, status=status)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stdout, '')
        self.lubdub('run', 'all', '--seeds', '1..12', '--report', 'f.json', status=1)
        done = self.lubdub('run', 'all', '--last-failed', 'f.json', '--report', 'f.json', status=2)
        self.assertIn('--report would overwrite "f.json", which this command reads', done.stderr)

    def test_the_documented_jobs_know_their_part(self):
        page = (ROOT / 'Documentation/continuous-integration.md').read_text()
        for name in VARIABLES:
            self.assertIn(f'`{name}`', page)
        for variables, option, ids in [
                ({'LUBDUB_SHARD_INDEX': '1', 'LUBDUB_SHARD_COUNT': '4'}, 'auto', ['calm@2']),
                ({'JOB_COMPLETION_INDEX': '3'}, 'auto/4', ['walk@2']),
                ({'SLURM_ARRAY_TASK_ID': '0', 'SLURM_ARRAY_TASK_MIN': '0', 'SLURM_ARRAY_TASK_MAX': '3',
                  'SLURM_ARRAY_TASK_STEP': '1', 'SLURM_ARRAY_TASK_COUNT': '4'}, 'auto', ['calm@1']),
                ({'PARALLEL_SEQ': '2', 'PARALLEL_JOBSLOT': '1'}, 'auto/2', ['calm@2', 'walk@2'])]:
            done = self.lubdub('run', 'all', '--seeds', '1..2', '--shard', option, '--list', status=0, **variables)
            self.assertEqual(done.stdout.split(), ids)

    def test_artifacts_of_runs_are_in_separate_folders(self):
        self.run_cases('all/calm.json', '--seeds', '3..4', '--keep', 'kept', status=0)
        for seed in [3, 4]:
            run = json.loads(self.octets(f'kept/all/calm@{seed}/run.json'))
            self.assertEqual(run['seed'], seed)
        self.assertNotEqual(
            self.octets('kept/all/calm@3/events.jsonl'), self.octets('kept/all/calm@4/events.jsonl'))


RESET = '''import os, socket, sys, time
host, port = os.environ['LUBDUB_CONTROLLER'].removeprefix('tcp:').rsplit(':', 1)
link = socket.create_connection((host, int(port)))
link.sendall(bytes.fromhex('01030c00'))
assert (os.environ['LUBDUB_CASE'], os.environ['LUBDUB_SEED']) == ('all/calm', '9')
time.sleep(float(sys.argv[1]))
'''


if __name__ == '__main__':
    unittest.main()
