"""Runs the test files of a folder side by side, each in a process of its own: most of them wait most of the time.

    python Tests/side_by_side.py FOLDER

Files that name the port which `serve` takes by itself share a process, and those with a line `ALONE = True` have the
machine to themselves, one after the other at the end.  What a process says comes when it is over.
Exit status: 0 if all passed, else 1.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

WORKERS = 4
PORT = '6402'


def run(folder, names):
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, '-m', 'unittest', *names], env=os.environ | {'PYTHONPATH': str(folder)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    return names, done.returncode, done.stdout, time.monotonic() - started


def groups(folder):
    """Names of files that share a process, side by side with others; and of those that have the machine to themselves."""
    texts = {file.stem: file.read_text() for file in sorted(folder.glob('test_*.py'))}
    alone = [name for name, text in texts.items() if '\nALONE = True' in text]
    together = [name for name, text in texts.items() if PORT in text and name not in alone]
    others = [name for name in texts if name not in alone + together]
    return [group for group in [together, *([name] for name in others)] if group], [[name] for name in alone]


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
