"""Runs the test classes of a folder in parallel, each in its own process, since most of them mostly wait.

    python Tests/side_by_side.py FOLDER

Files that use the default port of `serve` share a process.  Those with a line `ALONE = True` run one after another
at the end, with nothing in parallel.  The slowest start first.  The output of a process is printed
when it ends.
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

WORKERS = 8
PORT = '6402'


def run(folder, names):
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, '-m', 'unittest', *names], env=os.environ | {'PYTHONPATH': str(folder)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    return names, done.returncode, done.stdout, time.monotonic() - started


def classes(module):
    """The test classes of a module by their names, with the time limit of all tests of each."""
    found = {}
    for name, kind in vars(module).items():
        if isinstance(kind, type) and issubclass(kind, unittest.TestCase) and kind.__module__ == module.__name__:
            count = len(unittest.defaultTestLoader.getTestCaseNames(kind))
            found[f'{module.__name__}.{name}'] = count * getattr(kind, 'limit', 10)
    return {name: limit for name, limit in found.items() if limit}


def groups(folder):
    """The names of classes that share a process in parallel with others, and of those that run alone."""
    sys.path.insert(0, str(folder))
    beside, alone, together = [], [], {}
    for file in sorted(folder.glob('test_*.py')):
        module = importlib.import_module(file.stem)
        found = classes(module)
        assert found, f'{file} has no tests'
        if getattr(module, 'ALONE', False):
            alone.append(list(found))
        elif PORT in file.read_text():
            together |= found
        else:
            beside += [(limit, [name]) for name, limit in found.items()]
    beside.append((sum(together.values()), list(together)))
    return [names for limit, names in sorted(beside, reverse=True) if names], alone


def tell(names, code, said, seconds):
    """Prints the result of a process; returns whether it passed."""
    summary = said.strip().splitlines()[-1] if said.strip() else 'nothing was said'
    print(f'{" ".join(names)}: {summary} in {seconds:.0f} s', flush=True)
    if code != 0:
        print(said, flush=True)
    return code == 0


def main(folder):
    beside, alone = groups(folder)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(run, folder, names) for names in beside]
        passed = [tell(*job.result()) for job in concurrent.futures.as_completed(jobs)]
    passed += [tell(*run(folder, names)) for names in alone]
    print('all passed' if all(passed) else 'not all passed', flush=True)
    return 0 if all(passed) else 1


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1])))
