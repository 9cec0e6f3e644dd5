"""Runs the tests of a folder in parallel processes, since most of them mostly wait; up to 7 of a class share one.

    python Tests/side_by_side.py FOLDER [GLOB]    files whose names match, all tests without

Files that use the default port of `serve` share a process.  Those with a line `ALONE = True` run one after another
at the end, with nothing in parallel.  The slowest start first.  The output of a process is printed
when it ends.  The tests play in real time and a busy machine can delay them, so a process that fails beside others
runs once more, alone; both outputs are printed.
Exit status: 0 if all passed, else 1.
"""

import concurrent.futures
import importlib
import os
import pathlib
import subprocess
import sys
import time
import unittest

WORKERS = 10
MOST_TESTS = 7
PORT = '6402'


def run(folder, names):
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, '-m', 'unittest', *names], env=os.environ | {'PYTHONPATH': str(folder)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    return names, done.returncode, done.stdout, time.monotonic() - started


def parts(module):
    """The names of tests or classes of a module that share a process, with the time limit of all their tests."""
    found = []
    for name, kind in vars(module).items():
        if isinstance(kind, type) and issubclass(kind, unittest.TestCase) and kind.__module__ == module.__name__:
            tests = unittest.defaultTestLoader.getTestCaseNames(kind)
            name, limit = f'{module.__name__}.{name}', getattr(kind, 'limit', 10)
            count = -(-len(tests) // MOST_TESTS)
            for part in (tests[place::count] for place in range(count)):
                found.append((len(part) * limit, [name] if count == 1 else [f'{name}.{test}' for test in part]))
    return found


def groups(folder, pattern):
    """The names that share a process in parallel with others, and those that run alone."""
    sys.path.insert(0, str(folder))
    beside, alone, together = [], [], []
    for file in sorted(folder.glob(pattern)):
        module = importlib.import_module(file.stem)
        found = parts(module)
        assert found, f'{file} has no tests'
        if getattr(module, 'ALONE', False):
            alone.append([name for _, names in found for name in names])
        elif PORT in file.read_text():
            together += found
        else:
            beside += found
    beside.append((sum(limit for limit, _ in together), [name for _, names in together for name in names]))
    return [names for _, names in sorted(beside, reverse=True) if names], alone


def title(names):
    """The names, of which those of one class are one."""
    kinds = dict.fromkeys('.'.join(name.split('.')[:2]) for name in names)
    return ' '.join(kinds)


def tell(names, code, said, seconds):
    """Prints the result of a process; returns whether it passed."""
    summary = said.strip().splitlines()[-1] if said.strip() else 'nothing was said'
    print(f'{title(names)}: {summary} in {seconds:.0f} s', flush=True)
    if code != 0:
        print(said, flush=True)
    return code == 0


def main(folder, pattern='test_*.py'):
    beside, alone = groups(folder, pattern)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(run, folder, names) for names in beside]
        delayed = [job.result()[0] for job in concurrent.futures.as_completed(jobs) if not tell(*job.result())]
    failed = [names for names in alone + delayed if not tell(*run(folder, names))]
    for names in delayed:
        if names not in failed:
            print(f'{title(names)}: failed beside others, passed alone', flush=True)
    print('not all passed' if failed else 'all passed', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1]), *sys.argv[2:]))
