"""The command-line contract of `lubdub check`: lines, statuses, replays, and logs of one case."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from harness import LUBDUB, ROOT

RESTING = 'scenarios/resting.json'
EDGE = 'HRS/SEN/CN/BV-04-C'
FORMAT = 'heart_rate/flags_explain_octets'
# A surplus octet, which that check finds.
SURPLUS = {'when': 'start', 'do': 'lengthen', 'of': 'strap/heart_rate', 'with': 'ff'}


def check(*arguments):
    """A finished `lubdub check ARGUMENTS...`."""
    return subprocess.run(
        [LUBDUB, 'check', *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=60)


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def scenario(self, *rules, **changes):
        """A strap with `rules` as its script and `changes` to its service, as a file."""
        service = {'service': 'heart_rate', 'value': 72} | changes
        path = self.folder / 'strap.json'
        device = {'id': 'strap', 'services': [service]}
        path.write_text(json.dumps({'lubdub': 1, 'name': 'strap', 'devices': [device], 'script': rules}))
        return path

    def test_a_correct_strap_passes(self):
        done = check(RESTING)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertRegex(done.stdout, r'(?m)^pass  HRS/SEN/CN/BV-01-C  ')
        self.assertRegex(done.stdout, r'\d+ pass, 0 fail, 0 inconclusive, \d+ skip, 0 error\n')
        self.assertEqual(done.stdout, check(RESTING, '--seed', 1).stdout)

    def test_a_baseline_accepts_known_fails(self):
        faulty, report = self.scenario(SURPLUS), self.folder / 'known.json'
        self.assertEqual(check(faulty, '--quiet', '--report', report).returncode, 1)
        again = self.folder / 'again.json'
        done = check(faulty, '--baseline', report, '--report', again, '--report', self.folder / 'again.xml')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(f'1 known fail of "{report}"\n', done.stdout)
        self.assertRegex(done.stdout, rf'(?m)^fail  {FORMAT}  .* \(known\)$')
        self.assertNotIn('expected', done.stdout)
        known = [case['id'] for case in json.loads(again.read_text())['cases'] if case.get('known')]
        self.assertIn(FORMAT, known)
        self.assertEqual((self.folder / 'again.xml').read_text().count('<skipped type="known fail"'), len(known))
        # The fails of a run with a baseline are known to the next one.
        self.assertEqual(check(faulty, '--baseline', again).returncode, 0)
        done = check(self.scenario(), '--baseline', report)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, f'(?m)^no longer failing: .*{FORMAT}')

    def test_a_baseline_must_be_a_report_or_a_list(self):
        wrong = self.folder / 'wrong.json'
        for text, message in ((None, 'cannot read'), ('{', 'wrong.json:1:2'), ('{}', 'wrong.json:1:1'), ('[]', 'wrong.json:1:1')):
            with self.subTest(text):
                if text is not None:
                    wrong.write_text(text)
                done = check(RESTING, '--baseline', wrong)
                self.assertEqual((done.returncode, done.stdout), (2, ''))
                self.assertIn(message, done.stderr)

    def test_a_fail_is_complete_and_its_replay_fails_alike(self):
        path = self.scenario(SURPLUS)
        done = check(path, '--quiet')
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        fail = lines.index(next(line for line in lines if FORMAT in line))
        words = [line.split()[0] for line in lines[fail:fail + 6]]
        self.assertEqual(words, ['fail', 'expected', 'observed', 'at', 'requires', 'trace'])
        replay = next(line for line in lines[fail:] if line.lstrip().startswith('replay: '))
        again = subprocess.run(
            replay.split(': ', 1)[1].replace('lubdub', LUBDUB, 1), shell=True, cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(again.returncode, 1)
        self.assertEqual(again.stdout.splitlines()[-(lines.index(replay) + 1 - fail):], lines[fail:lines.index(replay) + 1])

    def test_only_selected_checks_run(self):
        done = check(RESTING, '--only', 'DIS/*')
        self.assertEqual(done.returncode, 0)
        self.assertEqual(set(re.findall(r'(?m)^pass  (\w+)/', done.stdout)), {'DIS'})
        self.assertEqual(check(RESTING, '--only', 'BAS/SR/CN/BV-21-C').returncode, 3, 'all were skipped')
        none = check(RESTING, '--only', 'HRS/SEN/CN/BV-99-C')
        self.assertEqual(none.returncode, 3)
        self.assertIn('did you mean', none.stderr)

    def test_strict_runs_recommendations(self):
        path = self.scenario(format='uint16')
        only = ['--only', 'heart_rate/one_octet_up_to_255']
        self.assertEqual(check(path, *only).returncode, 3)
        strict = check(path, *only, '--strict')
        self.assertEqual(strict.returncode, 1)
        self.assertIn('--strict --only', strict.stdout)

    def test_strict_runs_robustness_checks(self):
        only = ['--only', 'robustness/*']
        lenient = check(RESTING, *only)
        self.assertEqual(lenient.returncode, 3)
        self.assertIn('add --strict to run it', lenient.stdout)
        strict = check(RESTING, *only, '--strict')
        self.assertEqual(strict.returncode, 0)
        self.assertRegex(strict.stdout, r'(?m)^pass  robustness/too_short  ')

    def test_each_vendor_sensor_passes(self):
        for name, group in [('thermometer', 'HTS/*'), ('fitness', 'fitness/*'), ('ecg_500hz', 'ecg/*')]:
            done = check(ROOT / f'scenarios/{name}.json', '--only', group)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_list_and_its_explanations(self):
        done = check('--list')
        self.assertEqual(done.returncode, 0)
        ids = [line.split()[0] for line in done.stdout.splitlines()]
        self.assertIn(FORMAT, ids)
        explained = subprocess.run([LUBDUB, 'explain', EDGE], capture_output=True, text=True)
        self.assertRegex(explained.stdout, f'^{EDGE}: .*Heart Rate Service 1.0')
        misspelt = subprocess.run([LUBDUB, 'explain', EDGE[:-1]], capture_output=True, text=True)
        self.assertEqual(misspelt.returncode, 2)
        self.assertIn(f'(did you mean "{EDGE}"?)', misspelt.stderr)
        collector = subprocess.run([LUBDUB, 'explain', 'HRP/COL/HRF/BI-01-C'], capture_output=True, text=True)
        self.assertRegex(collector.stdout, r'^HRP/COL/HRF/BI-01-C: .*Heart Rate Service 1.0, section 3.1.1.1; tested by')

    def test_logs_hold_one_case(self):
        events, trace = self.folder / 'events.jsonl', self.folder / 'trace.btsnoop'
        self.assertEqual(check(RESTING, '--events', events).returncode, 2)
        self.assertEqual(check(RESTING, '--only', EDGE, '--events', events, '--trace', trace).returncode, 0)
        lines = [json.loads(line) for line in events.read_text().splitlines()]
        self.assertEqual(lines[-1], {'event': 'end', 'status': 0})
        self.assertIn({'bpm': 300}, [{'bpm': line['value']['bpm']} for line in lines if line['event'] == 'delivered'])
        subprocess.run(['tshark', '-r', trace], check=True, capture_output=True, timeout=60)

    def test_invalid_and_missing_operands(self):
        for arguments, words in [
                ([], 'needs a SCENARIO'), ([RESTING, '--radio', 'hci:tcp:127.0.0.1:6402'], 'remove "scenarios/'),
                ([RESTING, '--peer', 'Strap'], 'requires a radio to the peripheral'),
                (['--radio', 'usb:0', '--peer', 'Strap'], 'not "usb:0"'),
                (['--radio', 'hci:tcp:127.0.0.1:1', '--controller', 'tcp:127.0.0.1:0'], 'remove --controller, or --radio'),
                (['--radio', 'hci:tcp:127.0.0.1:1', '--seed', '2'], '--seed needs a scenario'),
                ([self.folder / 'none.json'], 'none.json'), ([RESTING, '--set', 'a=1'], '"a"')]:
            done = check(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
        nobody = check('--radio', 'hci:tcp:127.0.0.1:1', '--peer', 'Strap')
        self.assertEqual(nobody.returncode, 3)
        self.assertIn('is a program listening there?', nobody.stderr)


if __name__ == '__main__':
    unittest.main()
