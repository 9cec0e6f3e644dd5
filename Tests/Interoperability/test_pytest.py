"""The pytest plugin of Tools/python: installed by pip, it runs the example of the documentation, and reports failures."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import LUBDUB, ROOT
from test_action import SILENT
from test_client import ADAPTER

PAGE = (ROOT / 'Documentation/continuous-integration.md').read_text()
EXAMPLES = re.findall(r'```python\n(.*?)```', PAGE, re.DOTALL)
BUMBLE, = [text for text in EXAMPLES if 'shown_rate' in text]
RECOVERY, = [text for text in EXAMPLES if 'follow' in text]
JUDGING, VIRTUAL = [text for text in EXAMPLES if 'lubdub_run' in text]
BLEAK, = [text for text in EXAMPLES if 'bleak' in text]

# Tests of the plugin itself.
OWN = '''
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import sys

import lubdub
import pytest
from lubdub.patterns import FORMS, MEMBERS, matches


def test_a_missing_scenario_names_the_reason(strap):
    with pytest.raises(lubdub.Failure, match='no installed scenario is named "restin"'):
        strap('restin')


def test_a_wrong_action_is_refused(strap):
    device = strap('resting')
    with pytest.raises(lubdub.Refused, match='did you mean "strap"'):
        device.act('silence', 'strab')
    assert device.act('silence', 'strap', lasting='1 h') == {'ok': True}
    assert [action['do'] for action in device.status['in_force']] == ['silence']
    assert device.clear() == {'ok': True}
    assert device.status['in_force'] == []
    assert device.wait_for('ended')['t'] >= device.wait_for('began')['t']


def test_an_event_is_found_by_a_short_path(strap):
    device = strap('resting')
    device.act('set', 'heart_rate', to=90)
    path = device.wait_for('began')['of']
    assert path == 'strap/heart_rate'
    began = device.events('began', of=path)
    assert len(began) == 1 and began == device.events('began', of='heart_rate') == device.events('began', of='strap')
    for wrong, meant in [('rate', 'unknown path'), ('hart_rate', 'did you mean "heart_rate"'), ('strap/', 'not a path')]:
        with pytest.raises(lubdub.Failure, match=f"cannot have of='{wrong}': .*{meant}"):
            device.events('began', of=wrong)


def test_two_straps_have_two_controllers_and_folders(strap):
    one, other = strap('resting', seed=7), strap('polar_h10')
    assert one.port != other.port and one.folder != other.folder
    assert one.events('start')[0]['seed'] == 7


@pytest.mark.parametrize('name, members, why', [
    ('conected', {}, 'there is no event conected: .*did you mean "connected"'),
    ('link_loss', {}, 'there is no event link_loss: '),
    ('heart_rate', {}, 'there is no event heart_rate: '),
    ('said', {}, 'a strap starts no client, .* [(]lubdub_run starts one[)]'),
    ('delivered', {'off': 'heart_rate'}, 'delivered has no off; did you mean of[?]'),
    ('subscribed', {'value': 1}, 'subscribed has no value; its members are t, of, peer, handle'),
    ('start', {'of': 'strap'}, 'start has no of; its members are t, lubdub, scenario, seed'),
    (None, {'pear': 1}, 'an event has no pear; did you mean peer[?]'),
    ('disconnected', {'of': 'heart_rate'}, 'expected a device, found "heart_rate", a service; write the device, "strap"'),
    ('read', {'of': 'heart_rate'}, '"heart_rate" cannot be read, only be notified'),
    ('notified', {'of': 'heart_rate/contact'}, "it is a part of the value of strap/heart_rate [(]write of='strap/heart_rate'"),
    (None, {'of': 'strab'}, 'did you mean "strap"'),
    ('notified', {'of': b'strap'}, "no event can have of=b'strap' [(]the log has of such as 'strap/heart_rate'"),
    ('notified', {'octets': '0648'}, "no event can have octets='0648' [(]the log has octets such as '06 48'"),
    ('connected', {'peer': 'F0:F1:F2:F3:F4:F5'}, "such as 'F0:F1:F2:F3:F4:F5/random'"),
    ('notified', {'value': {'bpm': {'$min': 200}}}, '`value` cannot have the matcher [$]min'),
    ('disconnected', {'reason': 8}, "reason=8 [(]the log has reason such as 'connection_timeout'"),
    ('disconnected', {'reason': 'conection_timeout'}, 'did you mean "connection_timeout"'),
    ('pairing_failed', {'reason': 'lost'}, "cannot have reason='lost'"),
    ('refused', {'error': 'read_not_permited'}, 'did you mean "read_not_permitted"'),
    ('began', {'rule': 'awya'}, 'no rule has the id "awya"; did you mean "away"'),
    ('began', {'rule': 'strap'}, 'expected the id of a rule'),
])
def test_a_pattern_that_nothing_matches_fails(straps, name, members, why):
    for device in straps:
        with pytest.raises(lubdub.Failure, match=why):
            device.events(name, **members)
        with pytest.raises(lubdub.Failure, match=why.split(';')[0]):
            device.wait_for(name, **members)


@pytest.mark.parametrize('name, members', [
    ('notified', {'of': 'strap'}), ('notified', {'of': 'heart_rate', 'value': {'bpm': 300}}), ('notified', {'value': 300}),
    ('notified', {'octets': '06 48'}), ('read', {'of': 'strap', 'value': 20}), ('saturated', {'of': 'heart_rate/contact'}),
    ('written', {'of': 'strap/heart_rate', 't': 2.5}), ('connected', {'of': 'strap', 'peer': 'F0:F1:F2:F3:F4:F5/random'}),
    ('disconnected', {'reason': 'connection_timeout'}), ('pairing_failed', {'reason': 'timed_out'}),
    ('pairing_failed', {'reason': 'confirm_value_failed'}), ('pairing_failed', {'reason': 'connection_timeout'}),
    ('refused', {'of': 'strap', 'error': '0x9F'}), ('began', {'of': 'away'}), ('ended', {'rule': 'away'}),
    ('began', {'of': 'strap', 'rule': 'control 1'}), ('began', {'of': 'rule 2'}), ('scanning', {'of': 'client'}),
    (None, {'of': 'away'}), (None, {'of': 'heart_rate'}), ('start', {'seed': 9}),
])
def test_a_pattern_that_something_could_match_finds_nothing(straps, name, members):
    for device in straps:
        assert device.events(name, **members) == []


@pytest.fixture(scope='module')
def straps(tmp_path_factory):
    """A strap that runs, and one that has ended."""
    scenario = tmp_path_factory.mktemp('scenario') / 'strap.json'
    heart_rate = {'service': 'heart_rate', 'contact': True, 'energy': True}
    scenario.write_text(json.dumps({
        'lubdub': 1, 'name': 'Strap', 'devices': [{'id': 'strap', 'services': [heart_rate, {'service': 'battery'}]}],
        'script': [{'id': 'away', 'when': '1 h', 'do': 'link_loss', 'of': 'strap', 'for': '8 s'}]}))
    with lubdub.Strap(scenario) as running, lubdub.Strap(scenario) as ended:
        ended.close()
        yield running, ended


def test_threads_share_a_strap(strap):
    device = strap('resting')
    questions = [{'ask': 'status'}, {'ask': 'event', 'event': 'read'}] * 50
    with concurrent.futures.ThreadPoolExecutor() as pool:
        replies = pool.map(device.request, questions)
    assert [set(reply) == {'ok', 'of'} for reply in replies] == [False, True] * 50


@pytest.mark.parametrize('line', [{'ask': 'status'}, {'do': 'silence', 'of': 'strap'}])
def test_a_late_answer_is_not_that_of_the_next_request(strap, line):
    device = strap('resting')
    device.clear()
    device._process.send_signal(signal.SIGSTOP)
    device._patience = 0.2
    device._disconnect()
    for _ in range(2):
        with pytest.raises(lubdub.Failure, match='did not answer within 0.2 s; it may still do as asked'):
            device.request(line)
    device._process.send_signal(signal.SIGCONT)
    device._patience = 10
    assert set(device.request({'ask': 'event', 'event': 'read'})) == {'ok', 'of'}
    assert device.act('silence', 'strap') == {'ok': True}
    assert {action['do'] for action in device.status['in_force']} == {'silence'}


def test_a_number_is_the_main_value():
    event = {'event': 'notified', 'of': 'strap/heart_rate', 'value': {'bpm': 62, 'contact': True}}
    for value, is_right in [(62, True), ({'bpm': 62}, True), (True, False), ({'contact': True}, True), ({'bpm': 61}, False)]:
        assert matches(event, value=value) == is_right


def test_patterns_know_the_lines_of_logs(lubdub_run, tmp_path):
    lubdub_run('recovery', 'security', options=['--jobs', '2'])
    events = set()
    for log in tmp_path.rglob('events.jsonl'):
        for line in map(json.loads, log.read_text().splitlines()):
            if line['event'] not in ('said', 'exited'):
                events.add(line['event'])
                assert set(line) - {'event'} <= set(MEMBERS[line['event']]), line
                for member, (form, _) in FORMS.items():
                    assert member not in line or re.fullmatch(form, line[member]), line
    assert len(events) > 20, events


def test_waiting_for_a_rule_names_the_rules(straps):
    with pytest.raises(lubdub.Failure, match='when a rule of the script acts, `of` is its id: away'):
        straps[0].wait_for('began', of='strap', limit=0.1)
    with pytest.raises(lubdub.Failure, match='began has no timeout; did you mean limit[?]'):
        straps[0].wait_for('began', of='away', timeout=3)


def test_an_event_that_never_comes_fails(strap):
    device = strap('resting')
    with pytest.raises(lubdub.Failure, match='no event subscribed  within 0.1 s;'):
        device.wait_for('subscribed', limit=0.1)
    with pytest.raises(lubdub.Failure, match='within 0.1 s after 5 s;'):
        device.wait_for('subscribed', limit=0.1, after=5)
    assert device.close() == 128 + signal.SIGTERM
    with pytest.raises(lubdub.Failure):
        device.act('clear')


def test_nothing_is_absent_after_a_crash(tmp_path):
    device = lubdub.Strap('resting', folder=tmp_path / 'log')
    assert device.events('disconnected') == []
    device._process.kill()
    device._process.wait()
    questions = [
        lambda: device.events('disconnected'), lambda: device.events('connected'), lambda: device.wait_for('start'),
        lambda: device.wait_for('connected', limit=0.1), lambda: device.act('clear'), lambda: device.status, device.close]
    for question in [*questions, device.close]:
        with pytest.raises(lubdub.Failure, match='killed by signal 9, so its event log is not complete|serve has ended|not answer'):
            question()
    with pytest.raises(ZeroDivisionError), lubdub.Strap('resting') as device:
        device._process.kill()
        1 / 0
    device = lubdub.Strap('resting')
    device._process.terminate()
    device._process.wait()
    with pytest.raises(lubdub.Failure, match='has ended with status 143'):
        device.close()


def test_an_end_that_was_asked_for_is_none_of_a_crash(strap):
    device = strap('resting', '--for', '1 s')
    device._process.wait()
    assert device.events('disconnected') == [] and device.wait_for('end')['status'] == 0
    assert device.close() == 0


def test_a_run_that_takes_too_long_keeps_its_verdicts(tmp_path):
    (tmp_path / 'client').write_text('test -e begun && exec sleep 100; touch begun; exit 3')
    with pytest.raises(lubdub.Failure, match='(?s)did not end within 4 s.* 1 verdicts until then:.*named: fail') as caught:
        lubdub.judge(
            'clients/named', 'clients/silence', client=f'cd {tmp_path} && sh client', folder=tmp_path / 'kept', limit=4)
    report = caught.value.report
    assert [case.verdict for case in report.cases] == ['fail'] and report.status == 128 + signal.SIGINT
    assert (tmp_path / 'kept/report.json').exists() and report.content['incomplete'] == ['interrupted: 1 of 2 cases were run']


def test_the_bus_of_a_system_is_there_until_the_strap_ends(strap, tmp_path, monkeypatch):
    monkeypatch.setenv('DBUS_SYSTEM_BUS_ADDRESS', 'unix:path=/nowhere')
    monkeypatch.delenv('BLUETOOTH_FORCE_DBUS_LE_VERSION', raising=False)
    names = 'DBUS_SYSTEM_BUS_ADDRESS', 'BLUETOOTH_FORCE_DBUS_LE_VERSION'
    with lubdub.Strap('resting', system='bluez') as outer:
        first = [os.environ[name] for name in names]
        assert first[0] != 'unix:path=/nowhere' and outer.controller == 'hci0' and outer.status
        with lubdub.Strap('resting', system='bluez', controller='tcp:127.0.0.1:0') as inner:
            assert os.environ[names[0]] != first[0] and inner.port > 0
        assert [os.environ[name] for name in names] == first
    assert [os.environ.get(name) for name in names] == ['unix:path=/nowhere', None]
    strap('resting')
    assert os.environ[names[0]] == 'unix:path=/nowhere'
    with pytest.raises(lubdub.Failure, match='--system windows'):
        strap('resting', system='windows')


def test_a_strap_needs_no_pytest(tmp_path):
    with lubdub.Strap('resting', variables={}, folder=tmp_path / 'kept') as device:
        assert device.controller == f'tcp:127.0.0.1:{device.port}'
    assert device.events()[-1]['event'] == 'end' and device.trace.stat().st_size > 0


def test_the_verdicts_of_a_client(lubdub_run):
    report = lubdub_run('clients/named')
    report.check()
    assert [(case.id.rsplit('/', 1)[-1], case.verdict) for case in report.cases] == [('named', 'pass')]
    silent = lubdub_run('clients/named', client='python3 silent.py')
    with pytest.raises(AssertionError, match='(?s)named: fail.* replay: lubdub run .*event logs and traces: /'):
        silent.check()
    swapped = lubdub_run('clients/two_octets', options=['--faulty', 'big_endian'])
    with pytest.raises(AssertionError, match='it looks like swapped octets') as caught:
        swapped.check()
    text = str(caught.value)
    # The packets that show it, the last events before it, and the note.
    for part in ('<- ATT Handle Value Notification', 'client: {"heart_rate"', 'the last events until ', '"event": "delivered"',
                 'note: Flag bit 0'):
        assert part in text, text
    missing = lubdub_run('clients/named', client='python3 missing.py')
    with pytest.raises(AssertionError, match="stderr: .*can't open file"):
        missing.check()


def test_the_time_of_a_client_can_be_virtual(lubdub_run):
    report = lubdub_run('recovery/away_long', client=f'{sys.executable} client.py', virtual=True)
    report.check()
    assert report.content['time'] == 'virtual'
    assert 'time' not in lubdub_run('clients/named', client='exit 3').content
    deaf = lubdub_run('clients/named', client='env -u LD_PRELOAD sleep 1000', virtual=True)
    with pytest.raises(AssertionError, match='(?s)named: error.*LD_PRELOAD was removed.*: it cannot follow virtual time'):
        deaf.check()


@pytest.mark.skipif('FAILING' not in os.environ, reason='only to see how a failure looks')
def test_that_fails(strap):
    strap('resting')
    assert False
'''


class PytestTests(unittest.TestCase):
    limit = 120

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        source = cls.folder / 'python'
        # pip writes into the folder.
        shutil.copytree(ROOT / 'Tools/python', source, ignore=shutil.ignore_patterns('build', '*.egg-info', '__pycache__'))
        cls.packages = cls.folder / 'packages'
        subprocess.run(
            [sys.executable, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-index', '--no-deps',
             '--no-build-isolation', '--target', cls.packages, source], check=True, timeout=100)

    def pytest(self, text, *options, **environment):
        """Runs pytest with these tests; returns its status and output."""
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (place / 'test_example.py').write_text(text)
        (place / 'client.py').write_text(ADAPTER)
        (place / 'silent.py').write_text(SILENT)
        done = subprocess.run(
            [sys.executable, '-W', 'ignore', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--basetemp', place / 'kept',
             *options, 'test_example.py'],
            cwd=place, env=os.environ | {'PYTHONPATH': str(self.packages), 'LUBDUB': LUBDUB} | environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
        return done.returncode, done.stdout

    def test_the_example_for_bumble_passes(self):
        status, output = self.pytest(BUMBLE)
        self.assertEqual(status, 0, output)
        self.assertIn('1 passed', output)

    def test_the_example_for_bumble_can_fail(self):
        status, output = self.pytest(BUMBLE.replace('to=300', 'to=299'))
        self.assertEqual(status, 1, output)
        self.assertIn('assert 299 == 300', output)

    def test_the_example_of_recovery_passes_only_if_the_client_comes_back(self):
        status, output = self.pytest(RECOVERY)
        self.assertEqual(status, 0, output)
        status, output = self.pytest(RECOVERY.replace('while True:', 'if True:').replace('limit=30', 'limit=8'))
        self.assertEqual(status, 1, output)
        self.assertIn('no event delivered', output)

    def test_the_example_that_judges_a_client_runs_it(self):
        text = JUDGING.replace("'recovery'", "'clients/named', 'clients/silence'")
        client = f'{sys.executable} client.py'
        status, output = self.pytest(text.replace('python3 client.py', client))
        self.assertEqual(status, 0, output)

    def test_the_example_in_virtual_time_judges_a_client(self):
        text = VIRTUAL.replace("'recovery'", "'recovery/away_long', 'recovery/away_short'")
        status, output = self.pytest(text.replace('python3 client.py', f'{sys.executable} client.py'))
        self.assertEqual(status, 0, output)

    def test_the_example_for_bleak_passes_without_bluetooth_in_the_kernel(self):
        status, output = self.pytest(BLEAK)
        self.assertEqual(status, 0, output)
        self.assertIn('1 passed', output)

    def test_the_example_for_bleak_can_fail(self):
        status, output = self.pytest(BLEAK.replace('to=62', 'to=61'))
        self.assertEqual(status, 1, output)
        self.assertIn('assert 61 == 62', output)

    def test_straps_actions_events_and_verdicts(self):
        status, output = self.pytest(OWN)
        self.assertEqual(status, 0, output)
        self.assertIn('61 passed, 1 skipped', output)

    def test_a_failure_names_the_folder_with_the_event_log(self):
        status, output = self.pytest(OWN, '-k', 'test_that_fails', '-rA', FAILING='1')
        self.assertEqual(status, 1, output)
        folder, = re.findall(r'^\S+/strap1$', output, re.MULTILINE)
        self.assertRegex(output, r'the last events:\n(\{.*\n)*\{.*"event": "end"')
        self.assertIn('"event": "end"', (pathlib.Path(folder) / 'events.jsonl').read_text())

    def test_a_crash_fails_a_test_that_asks_nothing(self):
        status, output = self.pytest("def test_it(strap):\n    strap('resting')\n    strap('resting')._process.kill()\n")
        self.assertEqual(status, 1, output)
        self.assertIn('1 passed, 1 error', output)
        self.assertIn('lubdub serve was killed by signal 9, so its event log is not complete', output)

    def test_a_missing_program_is_named(self):
        status, output = self.pytest("def test_it(strap):\n    strap('resting')\n", '--lubdub', '/nowhere/lubdub')
        self.assertEqual(status, 1, output)
        self.assertIn('/nowhere/lubdub is not installed', output)


if __name__ == '__main__':
    unittest.main()
