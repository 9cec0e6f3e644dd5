"""Runs the workflow of Documentation/continuous-integration.md locally, shard by shard."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

from harness import LUBDUB, ROOT
from test_client import ADAPTER

WORKFLOW = (ROOT / 'Documentation/continuous-integration.md').read_text().split('```yaml\n')[1].split('```')[0]


def steps():
    """The shell commands of the workflow by the names of their steps; those of `run: |` are indented below it."""
    found = re.findall(r'- name: ([^\n]+)\n(?: +if: [^\n]+\n)? +run: (?:\|\n((?: {10}[^\n]*\n)+)|([^\n]+)\n)', WORKFLOW)
    return {name: block or line for name, block, line in found}


class WorkflowTests(unittest.TestCase):
    limit = 300

    def play(self, shard):
        """Runs the steps of one job of the matrix; returns the ids of its cases and its job summary."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / 'client.py').write_text(ADAPTER)
            (folder / 'bin').mkdir()
            (folder / 'bin/lubdub').symlink_to(LUBDUB)
            environment = os.environ | {
                'PATH': f'{folder}/bin:{pathlib.Path(sys.executable).parent}:{os.environ["PATH"]}',
                'GITHUB_STEP_SUMMARY': str(folder / 'summary')}
            for step, script in steps().items():
                done = subprocess.run(
                    ['bash', '-e', '-c', script.replace('${{ matrix.shard }}', str(shard))], cwd=folder, env=environment,
                    capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, f'{step}: {done.stdout}{done.stderr}')
            cases = ElementTree.parse(folder / 'lubdub.xml').getroot().iter('testcase')
            self.assertTrue((folder / 'kept').is_dir())
            return [case.get('name') for case in cases], (folder / 'summary').read_text()

    def test_the_jobs_together_run_all_scenarios_for_clients(self):
        self.assertEqual(set(steps()), {'Play the scenarios', "Add the summary to the job's page"})
        shards = [int(number) for number in re.search(r'shard: \[(.*)\]', WORKFLOW)[1].split(',')]
        self.assertIn(f'/{len(shards)} ', steps()['Play the scenarios'])
        with concurrent.futures.ThreadPoolExecutor() as pool:
            played = list(pool.map(lambda shard: self.play(shard), shards))
        ids = sorted(case for cases, _ in played for case in cases)
        self.assertEqual(ids, sorted(path.stem for path in (ROOT / 'scenarios/clients').glob('*.json')))
        for cases, summary in played:
            self.assertIn(f'{len(cases)} pass', summary)


if __name__ == '__main__':
    unittest.main()
