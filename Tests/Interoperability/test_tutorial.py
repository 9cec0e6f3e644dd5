"""The tutorial, Documentation/scenarios.md: its files and commands are played in order, and print the lines shown."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from harness import LUBDUB, ROOT

PAGE = ROOT / 'Documentation/scenarios.md'
FENCE = re.compile(r'^```(json|sh|text)\n(.*?)^```$', re.MULTILINE | re.DOTALL)


class Tutorial:
    """Plays the blocks of a page in a folder: files are saved as `strap.json`, commands are run, lines are looked for."""

    def __init__(self, page, folder):
        self.blocks, self.folder = FENCE.findall(page), pathlib.Path(folder)
        (self.folder / 'lubdub').symlink_to(LUBDUB)
        self.environment = os.environ | {'PATH': f'{folder}:{os.environ["PATH"]}', 'LC_ALL': 'C.UTF-8'}

    def play(self):
        printed = []
        for language, body in self.blocks:
            if language == 'json':
                json.loads(body)
                (self.folder / 'strap.json').write_text(body)
            elif language == 'sh':
                printed = [line for command in body.splitlines() for line in self.run(command)]
            else:
                for line in body.splitlines():
                    assert any(found.startswith(line) for found in printed), f'{line!r} is missing in {printed}'

    def run(self, command):
        status = int(found[1]) if (found := re.search(r'  # status (\d+)$', command)) else 0
        done = subprocess.run(
            ['/bin/sh', '-c', command], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == status, f'{command}: {done.returncode}: {done.stdout}{done.stderr}'
        return done.stdout.splitlines()


class TutorialTests(unittest.TestCase):
    def play(self, page):
        with tempfile.TemporaryDirectory() as folder:
            Tutorial(page, folder).play()

    def test_every_step_prints_the_lines_shown(self):
        page = PAGE.read_text()
        self.assertEqual(len(re.findall(r'^## \d\. ', page, re.MULTILINE)), 6)
        self.assertEqual(len([1 for language, _ in FENCE.findall(page) if language == 'json']), 6)
        self.play(page)

    def test_a_wrong_line_a_wrong_status_and_a_wrong_file_fail(self):
        page = PAGE.read_text()
        for right, wrong in [
                ('pass  returns', 'fail  returns'), ('  # status 1\n', '\n'), ('"link_loss"', '"link_los"'),
                ('3.046060  60 bpm', '3.046060  61 bpm')]:
            with self.subTest(wrong), self.assertRaises(AssertionError):
                self.assertIn(right, page)
                self.play(page.replace(right, wrong))


class NewTests(unittest.TestCase):
    """`lubdub new` writes files that play, and replaces none."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def lubdub(self, *arguments, status=0):
        done = subprocess.run([LUBDUB, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, f'{arguments}: {done.stdout}{done.stderr}')
        return done

    def read(self, name):
        return pathlib.Path(self.folder, name).read_text()

    def test_every_scenario_passes_with_the_built_in_client(self):
        for kind in ['strap', 'thermometer', 'fitness', 'ecg', 'custom', 'suite']:
            name = f'{kind}.json'
            self.assertIn(f'Wrote {name}', self.lubdub('new', kind, name).stdout)
            self.assertEqual(self.lubdub('new', kind).stdout, self.read(name))
            self.assertEqual(self.read(name), (ROOT / 'Sources/Tool/CommandLineTool/Templates/Files' / name).read_text())
            self.assertEqual(json.loads(self.read(name))['$schema'], './scenario.schema.json')
            self.assertIn(f'{name}: no problems\n', self.lubdub('validate', name).stdout)
            self.assertRegex(self.lubdub('run', name).stdout, r'[1-9] pass, 0 fail, 0 inconclusive')
        self.assertEqual(self.read('scenario.schema.json'), self.lubdub('validate', '--schema').stdout)

    def test_the_clients_are_those_of_the_documentation(self):
        page = (ROOT / 'Documentation/testing-your-client.md').read_text()
        shown = [body.split('```')[0] for body in page.split('```python\n')[1:]]
        printed = [self.lubdub('new', 'client', '--with', library).stdout for library in ['bumble', 'bleak']]
        self.assertEqual(printed, shown)
        self.assertEqual(self.lubdub('new', 'client').stdout, shown[0])
        steps = self.lubdub('new', 'client', 'client.py').stdout
        self.assertIn('next: python3 -m venv venv && venv/bin/pip install bumble', steps)
        self.assertIn("next: lubdub run strap.json --client 'venv/bin/python client.py'", steps)
        self.assertIn("lubdub run 'my strap.json'", self.lubdub('new', 'strap', 'my strap.json').stdout)
        self.assertEqual(self.read('client.py'), shown[0])

    def test_a_client_needs_no_schema(self):
        self.lubdub('new', 'client', 'client.py')
        self.assertEqual([path.name for path in pathlib.Path(self.folder).iterdir()], ['client.py'])

    def test_no_file_is_replaced_without_force(self):
        for name in ['strap.json', 'link.json', 'folder']:
            path = pathlib.Path(self.folder, name)
            if name == 'folder':
                path.mkdir()
            elif name == 'link.json':
                path.symlink_to('nowhere')
            else:
                path.write_text('mine')
            refused = self.lubdub('new', 'strap', name, status=2)
            self.assertIn(f'"{name}" exists', refused.stderr)
        self.assertEqual(self.read('strap.json'), 'mine')
        pathlib.Path(self.folder, 'scenario.schema.json').write_text('mine')
        self.lubdub('new', 'strap', 'strap.json', '--force')
        self.assertIn('"Out of range and back"', self.read('strap.json'))
        self.assertEqual(self.read('scenario.schema.json'), 'mine')
        self.lubdub('new', 'strap', 'folder', '--force', status=3)

    def test_wrong_words(self):
        self.assertIn('KIND is missing: one of strap, thermometer', self.lubdub('new', status=2).stderr)
        self.assertIn('did you mean "strap"?', self.lubdub('new', 'strapp', status=2).stderr)
        self.assertIn('--with is for a client', self.lubdub('new', 'strap', '--with', 'bleak', status=2).stderr)
        self.assertIn('--with must be one of', self.lubdub('new', 'client', '--with', 'cat', status=2).stderr)
        self.lubdub('new', 'strap', 'no/such/folder/strap.json', status=3)


class ExplainTests(unittest.TestCase):
    def explain(self, *words, status=0):
        done = subprocess.run([LUBDUB, 'explain', *words], capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, status, f'{words}: {done.stdout}{done.stderr}')
        return done.stdout + done.stderr

    def test_words_of_each_group_are_explained(self):
        for word, expected in [
                ('ramp', 'ramp (curve): '), ('link_loss', '  radios: virtual radio'), ('subscribed', 'subscribed (event): '),
                ('$truth', '  in: a matcher'), ('heart_rate', 'heart_rate (service): '), ('within', '  in: expectation seen'),
                ('heart_rate/rr_ms', 'heart_rate/rr_ms (value): '), ('LD0107', 'LD0107: '), ('ld0107', 'LD0107: '),
                ('codes', 'LD0209: '), ('checks', 'GATT/SR/GAD/'), ('LINK_LOSS', 'link_loss (action): ')]:
            self.assertIn(expected, self.explain(word), word)

    def test_the_groups_are_listed_and_each_lists_its_words(self):
        groups = re.findall(r'^(\w+)  +[A-Z]', self.explain(), re.MULTILINE)
        self.assertGreater(len(groups), 12)
        for group in groups:
            self.assertGreater(len(self.explain(group).splitlines()), 4, group)

    def test_an_unknown_word_has_a_suggestion(self):
        for word, right in [('rampe', 'ramp'), ('linkloss', 'link_loss'), ('$thruth', '$truth')]:
            self.assertIn(f'did you mean "{right}"?', self.explain(word, status=2))
        self.assertIn('lists the groups', self.explain('zzzzzzzzzzzz', status=2))


if __name__ == '__main__':
    unittest.main()
