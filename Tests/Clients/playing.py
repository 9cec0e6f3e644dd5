"""Plays the cases of `cases.json` to the clients of `clients.json`, and keeps the reports.

Clients of BlueZ are played twice.  With bluetoothd, they run in Tools/linux-machine, in real time, where programs start
slowly: the first measurement has more time.  Their twins run here, with the bluetoothd that Lubdub plays, and, as all
clients but those in the machine, in virtual time.
"""

import datetime
import fnmatch
import json
import os
import pathlib
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LUBDUB = str((ROOT / os.environ.get('LUBDUB', '.build/release/lubdub')).resolve())
PYTHON = '.venv/bin/python'
SUITE = 'Tests/Clients/cases.json'
TWIN = '_played'
STORED = ROOT / 'Documentation/clients'
WORK = ROOT / '.build/matrix'
MACHINE_LIMIT = '1800'
# What a start may take longer in the emulated machine.
PATIENCE = 30
VERDICTS = ('pass', 'fail', 'inconclusive', 'skip', 'error')


def twin(client):
    """The same client with the played bluetoothd, from which the same verdicts are expected."""
    about = f'The adapter of [{client["name"]}](#{client["id"]}) with [the bluetoothd that Lubdub plays](bluez-programs.md).'
    return client | {'id': client['id'] + TWIN, 'name': f'{client["name"]}, played', 'about': about, 'radio': 'played'}


def clients():
    for client in json.loads((ROOT / 'Tests/Clients/clients.json').read_text())['clients']:
        yield client
        if client['radio'] == 'vhci':
            yield twin(client)


CLIENTS = {client['id']: client for client in clients()}


def cases():
    """The ids of the cases, each with the path of its scenario."""
    suite = ROOT / SUITE
    return {case['id']: suite.parent / case['scenario'] for case in json.loads(suite.read_text())['cases']}


def omission(client, case):
    """Why the client is not judged by the case; None if it is."""
    return next((reason for glob, reason in client['skips'].items() if fnmatch.fnmatch(case, glob)), None)


def play(client, options):
    """Plays the cases, and returns the exit status."""
    WORK.mkdir(parents=True, exist_ok=True)
    suite = patient_suite(WORK / client['id']) if client['radio'] == 'vhci' else SUITE
    command = [LUBDUB, 'run', suite, *options]
    client_command = f'exec {PYTHON} Tests/Clients/adapters/{client["adapter"]}'
    if client['radio'] in ('tcp', 'played'):
        command += ['--client', client_command, '--speed', 'max', '--jobs', str(os.cpu_count())]
        command += ['--system', 'bluez'] if client['radio'] == 'played' else []
    elif client['radio'] == 'vhci':
        # bluetoothd would take the attributes of the strap in the last case, which has the same address.
        command += ['--client', f'rm -rf /var/lib/bluetooth/*/cache; {client_command}', '--controller', 'vhci']
        command = ['Tools/linux-machine', '--limit', MACHINE_LIMIT, '--keep', WORK, 'Tests/Clients/in_linux', *command]
    return subprocess.run(command, cwd=ROOT).returncode


def patient_suite(folder):
    """The path of a copy of the cases in which everything that is due after the start has more time."""
    for case, scenario in cases().items():
        content = json.loads(scenario.read_text())
        early = [expectation for expectation in content['expect']
                 if expectation['expect'] == 'seen' and expectation.get('since', 'start') == 'start']
        for limited, key in [(expectation, 'within') for expectation in early] + [(content, 'limit')] * bool(early):
            limited[key] = later(limited[key])
        copy = folder / f'{case}.json'
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(json.dumps(content))
    suite = json.loads((ROOT / SUITE).read_text())
    for case in suite['cases']:
        case['scenario'] = f'{case["id"]}.json'
    (folder / 'cases.json').write_text(json.dumps(suite))
    return folder / 'cases.json'


def later(duration):
    """A duration in whole seconds, such as "9 s", and the patience."""
    seconds, unit = duration.split()
    assert unit == 's', duration
    return f'{int(seconds) + PATIENCE} s'


def run(client):
    """Plays the cases that the client does not leave out, and stores the report.

    A case that did not pass is played again, and only the second verdict counts, since the machine may have been busy.
    """
    played = played_cases(client, [case for case in cases() if omission(client, case) is None])
    if again := [case for case, entry in played.items() if entry['verdict'] != 'pass']:
        played |= played_cases(client, again)
    entries = [stored(client, case, played.get(case), scenario) for case, scenario in cases().items()]
    verdicts = [entry['verdict'] for entry in entries]
    content = {
        'client': client['id'], 'versions': versions(client),
        'date': datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        'report': {'lubdub': lubdub_version(), 'seed': 1, 'cases': entries,
                   'summary': {verdict: verdicts.count(verdict) for verdict in VERDICTS}}}
    STORED.mkdir(exist_ok=True)
    (STORED / f'{client["id"]}.json').write_text(json.dumps(content, indent=1, ensure_ascii=False) + '\n')


def played_cases(client, judged):
    """The cases of a new report, by their ids."""
    report = WORK / f'{client["id"]}.json'
    report.unlink(missing_ok=True)
    play(client, ['--quiet', '--report', report, *(word for case in judged for word in ('--only', case))])
    if not report.exists():
        raise SystemExit(f'matrix: {client["id"]} was not played; the reason is above')
    return {entry['id']: entry for entry in json.loads(report.read_text())['cases']}


def stored(client, case, played, scenario):
    """The parts of a case that the pages need; a case that was not played is a skip."""
    if played is None:
        title, verdict, duration = json.loads(scenario.read_text())['name'], 'skip', 0
        requirement, replay = None, None
        findings = [{'id': None, 'requirement': None, 'verdict': 'skip', 'expected': None, 'seen': omission(client, case),
                     'at': None, 'cause': None, 'packets': []}]
    else:
        title, verdict, duration = played['title'], played['verdict'], round(played['duration'], 1)
        requirement, replay = played['requirement'], shlex.join(['Tools/matrix', 'play', client['id'], '--only', case])
        findings = [finding for finding in played['findings'] if finding['verdict'] == verdict != 'pass']
    return {'id': case, 'title': title, 'verdict': verdict, 'requirement': requirement, 'reason': None, 'replay': replay,
            'start': 0, 'duration': duration, 'findings': findings}


def versions(client):
    """The versions of the packages that the client consists of; the first is the client's own."""
    found = {'lubdub': lubdub_version()} if client['radio'] == 'virtual' else {}
    is_played = client['radio'] == 'played'
    for package in client['python']:
        program = f'import importlib.metadata as found; print(found.version({package!r}))'
        found[package] = output(ROOT / PYTHON, '-c', program)
    for package in [] if is_played and client['python'] else client['debian']:
        found[package] = output('dpkg-query', '--show', '--showformat=${Version}', package)
    return found | ({'lubdub': lubdub_version()} if is_played else {})


def lubdub_version():
    return output(LUBDUB, '--version').split()[-1]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
