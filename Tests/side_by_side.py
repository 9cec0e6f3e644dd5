"""Runs the tests of a folder in parallel processes, since most of them mostly wait.

    python Tests/side_by_side.py FOLDER [GLOB]    files whose names match, all tests without

This process imports the tests and what they need once, and forks a process for each test.  Tests of a class with
`setUpClass` share processes, up to 4 each; those of classes with `uses_default_port = True` share one.  Of classes with
`computes = True`, whose clients play in virtual time and so never wait, one job runs for each two processors: more would
only delay those in real time.  Tests that a file names in `ALONE` run one after another at the end, with nothing in
parallel.  The slowest start first.  The output of a process is printed if it failed.  Most tests play in real time and a
busy machine can delay them, so what fails beside others runs once more, alone; both outputs are printed.  The last lines
have the jobs that took longest, and those that used the processors most.
Exit status: 0 if all passed, else 1.
"""

import dataclasses
import importlib
import os
import pathlib
import sys
import tempfile
import time
import traceback
import unittest

WORKERS = 16
COMPUTING = max(1, (os.cpu_count() or 1) // 2)
MOST_TESTS = 4
SLOWEST = 10


@dataclasses.dataclass
class Job:
    """Tests that share a process, and how long they may take, which orders the jobs."""

    names: list
    limit: int
    uses_default_port: bool = False
    computes: bool = False


class Running:
    """A forked process that runs a job."""

    def __init__(self, job):
        self.job, self.started, self.output = job, time.monotonic(), tempfile.TemporaryFile()
        sys.stdout.flush()
        self.id = os.fork()
        if self.id == 0:
            os._exit(self.perform())

    def perform(self):
        """In the child: runs the tests with their output in the file."""
        try:
            os.dup2(self.output.fileno(), 1)
            os.dup2(self.output.fileno(), 2)
            sys.stdin = open(os.devnull)
            result = unittest.main(module=None, argv=['side_by_side', *self.job.names], exit=False).result
            passed = result.wasSuccessful()
        except BaseException:
            traceback.print_exc()
            passed = False
        sys.stdout.flush()
        sys.stderr.flush()
        return 0 if passed else 1

    def end(self, status, used):
        """Prints what a process that failed has written; returns whether it passed, its seconds, and those of processors."""
        seconds = time.monotonic() - self.started
        with self.output:
            self.output.seek(0)
            said = self.output.read().decode(errors='replace')
        summary = said.strip().splitlines()[-1] if said.strip() else 'nothing was said'
        if status != 0:
            print(f'{title(self.job.names)}: {summary} in {seconds:.0f} s\n{said}', flush=True)
        return status == 0, (seconds, used.ru_utime + used.ru_stime)


def title(names):
    """The names, of which those of one class are one if there are several."""
    return names[0] if len(names) == 1 else ' '.join(dict.fromkeys('.'.join(name.split('.')[:2]) for name in names))


def parts(module):
    """The jobs of a module."""
    for name, kind in vars(module).items():
        if isinstance(kind, type) and issubclass(kind, unittest.TestCase) and kind.__module__ == module.__name__:
            tests = [f'{module.__name__}.{name}.{test}' for test in unittest.defaultTestLoader.getTestCaseNames(kind)]
            limit, computes = getattr(kind, 'limit', 10), getattr(kind, 'computes', False)
            if getattr(kind, 'uses_default_port', False):
                yield Job(tests, len(tests) * limit, True)
            elif kind.setUpClass.__func__ is not unittest.TestCase.setUpClass.__func__:
                count = -(-len(tests) // MOST_TESTS)
                yield from (Job(tests[place::count], len(tests[place::count]) * limit) for place in range(count))
            else:
                yield from (Job([test], limit, computes=computes) for test in tests)


def jobs(folder, pattern):
    """The jobs that run in parallel, and those that run alone."""
    sys.path.insert(0, str(folder))
    os.environ['PYTHONPATH'] = str(folder)  # for tests that start Python
    beside, alone, together = [], [], Job([], 0)
    for file in sorted(folder.glob(pattern)):
        module = importlib.import_module(file.stem)
        found = [job for job in parts(module) if job.names]
        assert found, f'{file} has no tests'
        needs_all = getattr(module, 'ALONE', ())
        for job in found:
            if job.names[0].rpartition('.')[2] in needs_all:
                alone.append(job)
            elif job.uses_default_port:
                together = Job(together.names + job.names, together.limit + job.limit)
            else:
                beside.append(job)
    return sorted(beside + [together] * bool(together.names), key=lambda job: -job.limit), alone


def first(todo, running):
    """The first job that may start beside others; None if there is none."""
    has_room = sum(job.computes for job in running) < COMPUTING
    return next((job for job in todo if has_room or not job.computes), None)


def perform(todo, workers):
    """Runs jobs, `workers` at a time; returns what failed, and the two seconds of each."""
    todo, running, failed, seconds, count = list(todo), {}, [], {}, len(todo)
    while todo or running:
        while len(running) < workers and (job := first(todo, [started.job for started in running.values()])):
            todo.remove(job)
            started = Running(job)
            running[started.id] = started
        process, status, used = os.wait4(-1, 0)
        if process not in running:
            continue
        ended = running.pop(process)
        passed, seconds[tuple(ended.job.names)] = ended.end(status, used)
        if not passed:
            failed.append(ended.job)
        if sys.stdout.isatty():
            print(f'\r{len(seconds)} of {count}', end='' if todo or running else '\n', flush=True)
    return failed, seconds


def main(folder, pattern='test_*.py'):
    started = time.monotonic()
    beside, alone = jobs(folder, pattern)
    delayed, seconds = perform(beside, WORKERS)
    failed, others = perform(alone + delayed, 1)
    for job in delayed:
        if job not in failed:
            print(f'{title(job.names)}: failed beside others, passed alone', flush=True)
    seconds |= others
    for place, word in enumerate(('slowest', 'busiest')):
        most = sorted(seconds, key=lambda names: -seconds[names][place])[:SLOWEST]
        print(f'{word}:', ', '.join(f'{title(names)} {seconds[names][place]:.1f} s' for names in most))
    count, used = sum(len(job.names) for job in beside + alone), sum(used for _, used in seconds.values())
    print(f'the tests and what they started used processors for {used:.0f} s')
    print(f'{count} tests in {time.monotonic() - started:.0f} s: ' + ('not all passed' if failed else 'all passed'), flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1]), *sys.argv[2:]))
