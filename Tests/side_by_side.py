"""Runs the test classes of a folder side by side, each in a process of its own: most of them wait most of the time.

    python Tests/side_by_side.py FOLDER

Files that name the port which `serve` takes by itself share a process, and those with a line `ALONE = True` have the
machine to themselves, one after the other at the end.  What may take longest begins first.  What a process says comes
when it is over.
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
    """The test classes that a module defines itself, by their names, and how long all tests of each may take."""
    found = {}
    for name, kind in vars(module).items():
        if isinstance(kind, type) and issubclass(kind, unittest.TestCase) and kind.__module__ == module.__name__:
            count = len(unittest.defaultTestLoader.getTestCaseNames(kind))
            found[f'{module.__name__}.{name}'] = count * getattr(kind, 'limit', 10)
    return {name: limit for name, limit in found.items() if limit}


def groups(folder):
    """Names of classes that share a process, side by side with others; and of those that have the machine to themselves."""
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
    """Says how it went: whether it went well."""
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
