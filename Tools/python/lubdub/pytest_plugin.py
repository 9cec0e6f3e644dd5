"""Fixtures of pytest: `strap` starts simulated devices, and `lubdub_run` judges a client."""

import itertools

import pytest

from .failure import Failure
from .report import judge, last_events
from .strap import Strap


def pytest_addoption(parser):
    parser.getgroup('lubdub').addoption(
        '--lubdub', metavar='PATH', help='the program (default: the environment variable LUBDUB, or lubdub in PATH)')


@pytest.fixture
def strap(request, tmp_path):
    """Starts a scenario: `strap('resting')`.  Takes the arguments of `lubdub.Strap`; ended after the test."""
    running = []

    def start(scenario, *options, **settings):
        settings.setdefault('folder', tmp_path / f'strap{len(running) + 1}')
        settings.setdefault('lubdub', request.config.getoption('--lubdub'))
        running.append(Strap(scenario, *options, **settings))
        return running[-1]

    yield start
    failures = []
    for device in reversed(running):
        try:
            device.close()
        except Failure as failure:
            failures.append(failure)
        events = '\n'.join(last_events(device.folder / 'events.jsonl'))
        request.node.add_report_section(
            'teardown', 'lubdub', f'{device.folder}\n{device.errors}\nthe last events:\n{events}')
    if failures:  # after all have ended
        raise failures[0]


@pytest.fixture
def lubdub_run(request, tmp_path):
    """Judges a client: `lubdub_run('recovery', client='python3 client.py').check()`.  Takes the arguments of `judge`."""

    runs = itertools.count(1)

    def run(*suites, **settings):
        settings.setdefault('folder', tmp_path / f'cases{next(runs)}')
        settings.setdefault('lubdub', request.config.getoption('--lubdub'))
        return judge(*suites, **settings)

    return run
