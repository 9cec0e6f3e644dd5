"""`action.yml` is valid, and its steps run as GitHub runs them; the Containerfile copies and builds what exists."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from ruamel.yaml import YAML

from harness import LUBDUB, ROOT

ACTION = YAML(typ='safe').load(ROOT / 'action.yml')
CONTAINERFILE = (ROOT / 'Containerfile').read_text()
# A client whose host only resets its controller.
SILENT = r"""
import os, socket, time
host, port = os.environ['LUBDUB_CONTROLLER'].removeprefix('tcp:').rsplit(':', 1)
with socket.create_connection((host, int(port))) as controller:
    controller.sendall(bytes.fromhex('01030c00'))
    time.sleep(60)
"""


class ActionTests(unittest.TestCase):
    limit = 120

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / 'bin').mkdir()
        (self.folder / 'bin/lubdub').symlink_to(LUBDUB)

    def play(self, **inputs):
        """Runs the steps in a clean environment; returns the status, the output, the summary and the outputs."""
        self.assertLessEqual(set(inputs), set(ACTION['inputs']))
        values = {name: row.get('default', '') for name, row in ACTION['inputs'].items()} | inputs
        files = {name: self.folder / name for name in ['GITHUB_STEP_SUMMARY', 'GITHUB_OUTPUT', 'GITHUB_PATH']}
        for path in files.values():
            path.write_text('')
        output = ''
        for step in ACTION['runs']['steps']:
            if 'if' in step and not self.holds(step['if'], values):
                continue
            path = ':'.join([*files['GITHUB_PATH'].read_text().split(), f'{self.folder}/bin', '/usr/bin', '/bin'])
            environment = {'PATH': path, 'HOME': str(self.folder), 'GITHUB_ACTIONS': 'true', 'RUNNER_TEMP': str(self.folder),
                           'GITHUB_ACTION_PATH': str(ROOT)} | {name: str(path) for name, path in files.items()}
            environment |= {name: self.substituted(text, values) for name, text in step.get('env', {}).items()}
            script = self.folder / 'step.sh'
            self.assertNotIn('${{', step['run'])  # an input within a script could contain commands
            script.write_text(step['run'])
            done = subprocess.run(
                ['bash', '--noprofile', '--norc', '-eo', 'pipefail', script], cwd=self.folder, env=environment,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
            output += done.stdout
            if done.returncode != 0:
                break
        return done.returncode, output, files['GITHUB_STEP_SUMMARY'].read_text(), files['GITHUB_OUTPUT'].read_text()

    def holds(self, condition, values):
        match = re.fullmatch(r"inputs\.(\w+) != ''", condition)
        self.assertTrue(match, condition)
        return values[match[1]] != ''

    def substituted(self, text, values):
        return re.sub(r'\$\{\{ inputs\.(\w+) \}\}', lambda match: values[match[1]], text)

    def test_it_fits_the_schema_of_actions(self):
        checker = pathlib.Path(sys.executable).parent / 'check-jsonschema'
        done = subprocess.run(
            [checker, '--builtin-schema', 'vendor.github-actions', ROOT / 'action.yml'], capture_output=True, text=True,
            timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_passing_suite_has_a_summary_and_no_annotation(self):
        status, output, summary, outputs = self.play(suite='clients/silence clients/named', report='a.xml b.html')
        self.assertEqual((status, outputs), (0, 'status=0\n'), output)
        self.assertIn('2 pass', summary)
        self.assertNotIn('::error', output)
        self.assertTrue((self.folder / 'a.xml').exists() and (self.folder / 'b.html').exists())

    def test_a_failing_client_has_annotations(self):
        (self.folder / 'client.py').write_text(SILENT)
        status, output, summary, outputs = self.play(suite='clients/named', client='python3 client.py', keep='kept')
        self.assertEqual((status, outputs), (1, 'status=1\n'), output)
        self.assertIn('1 fail', summary)
        line, = [line for line in output.splitlines() if line.startswith('::error')]
        self.assertRegex(line, r'^::error title=[^:,]*clients/named%3A fail::[^\n]*%0Alubdub run ')
        self.assertTrue(any((self.folder / 'kept').rglob('*.jsonl')))

    def test_shards_are_parts_of_the_suite(self):
        counts = []
        for shard in ['1/2', '2/2']:
            status, output, _, _ = self.play(suite='clients', shard=shard)
            self.assertEqual(status, 0, output)
            counts.append(len(json.loads((self.folder / 'lubdub.json').read_text())['cases']))
        self.assertEqual(sum(counts), len(list((ROOT / 'scenarios/clients').glob('*.json'))))

    def test_a_tarball_is_installed(self):
        place = self.folder / 'lubdub-0.1.0/bin'
        place.mkdir(parents=True)
        (place / 'lubdub').write_text('#!/bin/sh\necho "$@"\n')
        (place / 'lubdub').chmod(0o755)
        (self.folder / 'bin/lubdub').unlink()
        subprocess.run(['tar', 'cf', 'lubdub.tar', 'lubdub-0.1.0'], cwd=self.folder, check=True)
        status, output, _, _ = self.play(suite='a b', client="x 'y z'", package='lubdub.tar')
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"^run a b --jobs 4 .* --client x 'y z'\n")


class ContainerTests(unittest.TestCase):
    def test_it_copies_what_is_built(self):
        makefile = (ROOT / 'Makefile').read_text()
        self.assertIn('PACKAGES ?= .build/packages\n', makefile)
        self.assertIn('COPY --from=build /lubdub/.build/packages/*.deb', CONTAINERFILE)
        for target in re.findall(r'RUN make (\w+)', CONTAINERFILE):
            self.assertRegex(makefile, rf'(?m)^{target}:')
        self.assertEqual(re.findall(r'^FROM (\S+)', CONTAINERFILE, re.MULTILINE), ['swift:6.3-bookworm', 'debian:bookworm-slim'])

    def test_its_commands_are_shell(self):
        for command in re.findall(r'^RUN ((?:.*\\\n)*.*)', CONTAINERFILE, re.MULTILINE):
            done = subprocess.run(['sh', '-n', '-c', command], capture_output=True, text=True, timeout=10)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == '__main__':
    unittest.main()
