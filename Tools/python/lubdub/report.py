"""The verdicts of `lubdub run`."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import tempfile

from .failure import Failure
from .strap import program

# The number of events before a verdict that a failure shows.
EVENTS = 8

# Seconds for a run to end after a signal: it ends its clients, and writes its reports.
GRACE = 10.0


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
        return [self._words(finding) for finding in self.content.get('findings', [])]

    def _words(self, finding):
        parts = finding['expected'] and f'expected {finding["expected"]}', finding['seen'], finding['cause']
        return f'{finding["id"] or self.id}: ' + '; '.join(part for part in parts if part)

    @property
    def note(self):
        """The scenario's note: what the client must do, and why; None if it passed."""
        return self.content.get('note')

    def account(self, folder=None):
        """What did not pass: each fault with the packets that show it, the last events before it, if `folder` has the event
        log, and the note."""
        lines = []
        for finding in self.content.get('findings', []):
            lines.append(self._words(finding))
            lines += [f'    {packet}' for packet in finding.get('packets', [])]
        instants = [finding['at'] for finding in self.content.get('findings', []) if finding['at'] is not None]
        events = last_events(self._log(folder), min(instants)) if folder and instants else []
        if events:
            lines += [f'the last events until {min(instants)} s:', *(f'    {event}' for event in events)]
        return lines + ([f'note: {self.note}'] if self.note else [])

    def _log(self, folder):
        """The event log in a folder of `--keep`: a scenario that ran alone has no folder of its own."""
        log = folder / self.id / 'events.jsonl'
        return log if log.exists() else folder / 'events.jsonl'

    @property
    def errors(self):
        """The last lines that the client wrote to its standard error."""
        return (self.content.get('stderr') or '').splitlines()


def last_events(log, until=None):
    """The last lines of an event log, up to an instant in seconds; none if there is no log."""
    with contextlib.suppress(OSError, ValueError):
        lines = log.read_text(encoding='utf-8', errors='replace').splitlines()
        if until is not None:
            lines = [line for line in lines if json.loads(line).get('t', until + 1) <= until]
        return lines[-EVENTS:]
    return []


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
        """Raises an AssertionError that lists every case that did not pass, with causes, packets, events and note, if the exit
        status is not 0."""
        __tracebackhide__ = True
        if self.status != 0:
            lines = []
            for case in self.cases:
                if not case.passed:
                    lines += [f'{case.id}: {case.verdict}', *(f'    {line}' for line in case.account(self.folder))]
                    lines += [f'    stderr: {line}' for line in case.errors]
                    if case.content['replay']:
                        lines.append(f'    replay: {case.content["replay"]}')
            if lines and self.folder is not None:
                lines.append(f'event logs and traces: {self.folder}')
            raise AssertionError('\n'.join(lines) or f'lubdub run ended with status {self.status}: {self.output}')


def judge(*suites, client=None, virtual=False, options=(), folder=None, lubdub=None, limit=600.0):
    """Runs suites with the command of a client, or with the built-in client; returns the report.

    `virtual`: the time of the client is virtual (`--speed max`), as that of the built-in client always is.
    `folder` receives report, event logs and traces (`--keep`).  Raises Failure if nothing could run, or if it takes more than
    `limit` seconds: then the run is interrupted, and `report` of the Failure has the verdicts until then.
    """
    __tracebackhide__ = True
    with tempfile.TemporaryDirectory(prefix='lubdub') as temporary:
        path = pathlib.Path(temporary) / 'report.json'
        words = [program(lubdub), 'run', *map(os.fspath, suites), '--report', str(path), *options]
        if client is not None:
            words += ['--client', client]
        if virtual:
            words += ['--speed', 'max']
        if folder is not None:
            words += ['--keep', os.fspath(folder)]
        is_late = False
        with open(pathlib.Path(temporary) / 'output.txt', 'w+b') as output:  # not a pipe, which what a client starts keeps open
            with _ended(subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)) as process:
                try:
                    process.wait(limit)
                except subprocess.TimeoutExpired:
                    is_late = True
            output.seek(0)
            said = output.read().decode(errors='replace')
        report = None
        if path.exists():
            content = json.loads(path.read_text(encoding='utf-8'))
            report = Report(process.returncode, content, said, pathlib.Path(folder) if folder is not None else None)
        if is_late:
            raise _late(limit, report, said)
        if report is None:
            raise Failure(f'lubdub run judged nothing (status {process.returncode}): {said.strip()}')
        return report


@contextlib.contextmanager
def _ended(process):
    """Ends a process that still runs at the end: by signals after which it writes its reports, then without mercy."""
    try:
        yield process
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            if process.poll() is None:
                process.send_signal(number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(GRACE)
        process.wait()


def _late(limit, report, said):
    """The failure of a run that did not end in time, with its verdicts until then."""
    cases = report.cases if report is not None else []
    lines = [f'{case.id}: {case.verdict}' for case in cases]
    failure = Failure('\n'.join([
        f'lubdub run did not end within {limit} s, and was interrupted (judge takes limit=SECONDS); '
        f'{len(lines)} verdicts until then:', *lines] if lines else [
        f'lubdub run did not end within {limit} s, and was interrupted before the first verdict (judge takes '
        f'limit=SECONDS): {said.strip()}']))
    failure.report = report
    return failure
