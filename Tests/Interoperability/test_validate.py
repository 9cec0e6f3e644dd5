"""`lubdub validate` prints problems for people, for editors and for GitHub; jsonschema is the reference of the objects."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema

from harness import LUBDUB, ROOT

BROKEN = ROOT / 'Tests' / 'ScenarioLanguageTests' / 'Broken'

SCENARIO = '''{
  "lubdub": 1, "name": "x",
  "devices": [{"id": "strap", "services": [{"servce": "heart_rate"}]}],  // one
  "script": [{"when": "1 s", "do": "silence", "duration": "2 s",}]
}
'''


class ValidateTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / 'a.json').write_text(SCENARIO)

    def validate(self, *words):
        done = subprocess.run(
            [LUBDUB, 'validate', *words], cwd=self.folder, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def test_text_has_the_line_the_marks_and_the_fix(self):
        status, lines, errors = self.validate('a.json')
        self.assertEqual((status, errors), (2, ''))
        self.assertEqual(lines[:4], [
            'a.json:3:45: LD0107: devices[0].services[0].servce: unknown key "servce"',
            '  3 |   "devices": [{"id": "strap", "services": [{"servce": "heart_rate"}]}],  // one',
            '    |                                             ^^^^^^^^',
            '    = help: did you mean "service"?'])
        self.assertEqual([line.split(': ')[1] for line in lines if line.startswith('a.json:')],
                         ['LD0107', 'LD0102', 'LD0107', 'LD0102'])

    def test_colours_are_only_those_asked_for(self):
        plain = self.validate('a.json')
        painted = self.validate('--color', 'always', 'a.json')
        self.assertNotIn('\x1b', ''.join(plain[1]))
        self.assertIn('\x1b[1;31m', ''.join(painted[1]))

    def test_each_object_of_json_fits_the_schema(self):
        schema = json.loads((ROOT / 'schema' / 'problem.schema.json').read_text())
        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        status, lines, errors = self.validate('--json', 'a.json', 'none.json', *map(str, sorted(BROKEN.glob('*.json'))))
        self.assertEqual((status, errors), (2, ''))
        problems = [json.loads(line) for line in lines]
        self.assertGreater(len(problems), 100)
        for problem in problems:
            self.assertEqual([error.message for error in validator(schema).iter_errors(problem)], [])
        self.assertEqual(problems[0], {
            'file': 'a.json', 'line': 3, 'column': 45, 'endColumn': 53, 'severity': 'error', 'code': 'LD0107',
            'path': 'devices[0].services[0].servce', 'message': 'unknown key "servce"',
            'help': 'did you mean "service"?', 'related': []})
        self.assertEqual(self.validate('--format', 'json', 'a.json'), self.validate('--json', 'a.json'))

    def test_a_warning_is_named_as_such_and_does_not_fail(self):
        (self.folder / 'b.json').write_text(
            '{"lubdub": 1, "name": "x", "devices": [{"id": "d", "services": [{"service": "custom", "uuid": "1815",'
            ' "characteristics": [{"uuid": "2A58", "properties": []}]}]}]}')
        status, lines, _ = self.validate('--json', 'b.json')
        self.assertEqual((status, [json.loads(line)['severity'] for line in lines]), (0, ['warning']))
        self.assertEqual(self.validate('--format', 'github', 'b.json')[1][0][:9], '::warning')

    def test_annotations_of_github(self):
        status, lines, errors = self.validate('--format', 'github', 'a.json')
        self.assertEqual((status, errors), (2, ''))
        self.assertEqual(
            lines[0], '::error file=a.json,line=3,endLine=3,col=45,endColumn=53,title=LD0107::'
            'devices[0].services[0].servce: unknown key "servce"%0Adid you mean "service"?')

    def test_a_valid_file_has_no_objects(self):
        path = str(ROOT / 'scenarios' / 'resting.json')
        self.assertEqual(self.validate('--json', path), (0, [], ''))
        self.assertEqual(self.validate('--format', 'github', path), (0, [], ''))

    def test_formats_exclude_each_other(self):
        status, lines, errors = self.validate('--json', '--format', 'text', 'a.json')
        self.assertEqual((status, lines), (2, []))
        self.assertIn('exclude each other', errors)

    def test_files_that_a_suite_or_a_scenario_names_are_missed_at_their_line(self):
        (self.folder / 's.json').write_text(
            '{"lubdub": 1, "kind": "suite", "name": "s", "cases": [\n  {"scenario": "none.json"}]}')
        (self.folder / 'i.json').write_text(
            '{"lubdub": 1, "name": "i", "devices": [{"id": "d"}],\n  "include": ["none.json"]}')
        for name, place in [('s', '2:16: LD0113: cases[0].scenario'), ('i', '2:15: LD0113: include[0]')]:
            status, lines, _ = self.validate(f'{name}.json')
            self.assertEqual(status, 2)
            self.assertEqual([line for line in lines if ': LD0' in line],
                             [f'{name}.json:{place}: cannot read "none.json"'])

    def test_likely_mistakes_are_warnings_which_only_strict_takes_for_errors(self):
        (self.folder / 'w.json').write_text(
            '{"lubdub": 1, "name": "w", "limit": "9 s", "devices": [{"id": "d"}],\n "expect": [{"id": "e", "expect": "seen", '
            '"within": "10 s",\n"event": {"event": "said", "line":\n{"heartrate": {"bpm": 72}}}}]}')
        warnings = ['w.json:2:53: warning LD0193: expect[0].within: the scenario ends before that, at its limit of 9 s',
                    'w.json:4:2: warning LD0192: expect[0].event.line.heartrate: clients print no "heartrate"']
        for words, expected in [((), 0), (('--strict',), 2)]:
            status, lines, _ = self.validate('w.json', *words)
            self.assertEqual((status, lines[-1]), (expected, 'w.json: 2 warnings'))
            self.assertEqual([line for line in lines if ' LD0' in line], warnings)
        status, lines, _ = self.validate('w.json', '--json')
        self.assertEqual((status, [json.loads(line)['severity'] for line in lines]), (0, ['warning'] * 2))
        done = subprocess.run([LUBDUB, 'run', 'w.json'], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertEqual([line for line in done.stderr.splitlines() if ' LD0' in line], warnings)

    def test_run_and_serve_print_the_same(self):
        printed = self.validate('a.json')[1]
        for words in (['run', 'a.json'], ['serve', 'a.json']):
            done = subprocess.run([LUBDUB, *words], cwd=self.folder, capture_output=True, text=True, timeout=60)
            lines = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
            self.assertEqual(done.returncode, 2 if words[0] == 'serve' else done.returncode)
            for line in printed:
                self.assertTrue(any(line.strip() in other for other in lines), f'{words}: {line}\n{done.stderr}')


if __name__ == '__main__':
    unittest.main()
