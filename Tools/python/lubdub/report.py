"""The verdicts of `lubdub run`."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile

from .failure import Failure
from .strap import program


@dataclasses.dataclass(frozen=True)
class Case:
    """A scenario that a client played."""

    id: str
    verdict: str  # pass, fail, inconclusive, skip or error
    content: dict  # the case in the JSON report

    @property
    def passed(self):
        """Whether the verdict is pass or skip, or a known fail."""
        return self.verdict in ('pass', 'skip') or self.content.get('known', False)

    @property
    def faults(self):
        """The expectations that did not pass, one line each, with the likely cause."""
        return [f'{finding["id"] or self.id}: ' + '; '.join(
                    part for part in (
                        finding['expected'] and f'expected {finding["expected"]}', finding['seen'], finding['cause'])
                    if part)
                for finding in self.content.get('findings', [])]

    @property
    def errors(self):
        """The last lines that the client wrote to its standard error."""
        return (self.content.get('stderr') or '').splitlines()


@dataclasses.dataclass(frozen=True)
class Report:
    """What `lubdub run --report FILE.json` wrote, and its exit status."""

    status: int
    content: dict
    output: str
    folder: pathlib.Path | None = None  # with the logs and traces of each case

    @property
    def cases(self):
        return [Case(case['id'], case['verdict'], case) for case in self.content['cases']]

    def check(self):
        """Raises an AssertionError that lists every case that did not pass, if the exit status is not 0."""
        __tracebackhide__ = True
        if self.status != 0:
            lines = []
            for case in self.cases:
                if not case.passed:
                    lines += [f'{case.id}: {case.verdict}', *(f'    {fault}' for fault in case.faults)]
                    lines += [f'    stderr: {line}' for line in case.errors]
                    if case.content['replay']:
                        lines.append(f'    replay: {case.content["replay"]}')
            if lines and self.folder is not None:
                lines.append(f'event logs and traces: {self.folder}')
            raise AssertionError('\n'.join(lines) or f'lubdub run ended with status {self.status}: {self.output}')


def judge(*suites, client=None, options=(), folder=None, lubdub=None, limit=600.0):
    """Runs suites with the command of a client, or with the built-in client; returns the report.

    `folder` receives report, event logs and traces (`--keep`).  Raises Failure if nothing could run.
    """
    with tempfile.TemporaryDirectory(prefix='lubdub') as temporary:
        path = pathlib.Path(temporary) / 'report.json'
        words = [program(lubdub), 'run', *map(os.fspath, suites), '--report', str(path), *options]
        if client is not None:
            words += ['--client', client]
        if folder is not None:
            words += ['--keep', os.fspath(folder)]
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit, text=True,
            errors='replace')
        if not path.exists():
            raise Failure(f'lubdub run judged nothing (status {done.returncode}): {done.stdout.strip()}')
        content = json.loads(path.read_text(encoding='utf-8'))
        return Report(done.returncode, content, done.stdout, pathlib.Path(folder) if folder is not None else None)
