"""Programs of BlueZ, unmodified, on the bus of a played bluetoothd: each finds the strap, connects, reads, shows heart rates,
returns after a lost link if it can, and ends.

Most play in virtual time; bleak, SimplePyBLE, Chromium, Go and bluez-tools play in real time.  `programs` has them.
Tools/setup test, programs and browser install what they need.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import browser
from harness import LUBDUB, ROOT

PROGRAMS = pathlib.Path(__file__).parent / 'programs'
CACHE = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache') / 'lubdub'
# A Python with Debian's packages.
DEBIAN = CACHE / 'programs/bin/python'
GO_PACKAGES = pathlib.Path('/usr/share/gocode')
MISSING = 'is not installed; Tools/setup programs installs it'
needs_debian = unittest.skipUnless(DEBIAN.exists(), f'a Python with gatt-python {MISSING}')


def said(**line):
    return {'event': 'said', 'line': line}


def scenario(links, ends=True):
    """A strap that goes out of range if there are two links, and what the program has to do."""
    heart_rate = {'service': 'heart_rate', 'value': 62, 'location': 'chest'}
    strap = {'id': 'strap', 'name': 'Strap', 'address': 'C0:FF:EE:00:00:01/random',
             'services': [heart_rate, {'service': 'battery', 'value': 80}]}
    last, script, expect = 'start', [], []

    def expects(id, event, since='start', within='25 s'):
        expect.append({'id': id, 'expect': 'seen', 'event': event, 'since': since, 'within': within})

    if links == 2:
        subscribed = {'event': 'subscribed', 'of': 'heart_rate', 'nth': 1, 'after': '2500 ms'}
        last = {'event': 'ended', 'of': 'away', 'nth': 1}
        script = [{'id': 'away', 'do': 'link_loss', 'of': 'strap', 'for': '2 s', 'when': subscribed},
                  {'do': 'set', 'of': 'heart_rate', 'to': 75, 'when': last}]
        expects('notices', said(state='disconnected'), {'event': 'began', 'of': 'away', 'nth': 1})
        expects('shows_first', said(heart_rate={'bpm': 62}))
    expects('shows', said(heart_rate={'bpm': 75 if links == 2 else 62}), last)
    if ends:
        expects('reads', said(location='chest'))
        expects('reads_battery', said(battery=80))
        expects('unsubscribes', {'event': 'unsubscribed', 'of': 'heart_rate'}, last)
        expects('disconnects', {'event': 'disconnected', 'of': 'strap'}, last)
        expects('ends', {'event': 'exited', 'status': 0}, last)
    return {'lubdub': 1, 'name': 'A link that is lost', 'limit': '60 s', 'devices': [strap], 'script': script, 'expect': expect}


class ProgramTests(unittest.TestCase):
    limit = 60

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def play(self, command, scenario, *options):
        """Runs the program of a command, and returns the exit status and what was printed."""
        path = self.folder / 'scenario.json'
        path.write_text(json.dumps(scenario))
        done = subprocess.run(
            [LUBDUB, 'run', path, '--system', 'bluez', '--client', f'exec {command}', *options], cwd=ROOT,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=150)
        return done.returncode, done.stdout

    def passes(self, python, program, *words, links=2, ends=True, options=('--speed', 'max')):
        events = self.folder / 'events.jsonl'
        command = f'{python} {PROGRAMS}/{program} {links} {" ".join(words)}'
        status, output = self.play(command, scenario(links, ends), '--events', events, *options)
        self.assertEqual(status, 0, output)
        return output, [json.loads(line) for line in events.read_text().splitlines()]

    def test_bleak(self):
        self.passes(sys.executable, 'with_bleak.py', 'bleak', options=())

    @needs_debian
    def test_bleak_0_20_of_debian(self):
        program = 'import importlib.metadata; print(importlib.metadata.version("bleak"))'
        version = subprocess.run([DEBIAN, '-c', program], capture_output=True, text=True, check=True).stdout
        self.assertRegex(version, r'^0\.20\.')
        self.passes(DEBIAN, 'with_bleak.py', 'bleak')

    def test_bleak_retry_connector(self):
        self.passes(sys.executable, 'with_bleak.py', 'retry')

    def test_bleakheart(self):
        self.passes(sys.executable, 'with_bleak.py', 'bleakheart')

    def test_pycycling(self):
        self.passes(sys.executable, 'with_bleak.py', 'pycycling')

    def test_bleak_without_disconnect_gets_each_value_twice_after_a_loss_as_with_bluetoothd(self):
        _, events = self.passes(sys.executable, 'with_bleak.py', 'bleak', 'forgets', ends=False)
        shown = [event for event in events if event['event'] == 'said' and event['line'] == {'heart_rate': {'bpm': 75}}]
        sent = [event for event in events if event['event'] == 'delivered' and event['value'] == {'bpm': 75}]
        self.assertGreater(len(shown), len(sent), events)

    def play_simplepyble(self, links, *options):
        for _ in range(4):
            status, output = self.play(f'{sys.executable} {PROGRAMS}/with_simplepyble.py {links}', scenario(links), *options)
            if 'SIGALRM' not in output:
                break
        return status, output

    def test_simplepyble(self):
        status, output = self.play_simplepyble(1)
        self.assertEqual(status, 0, output)

    def test_simplepyble_does_not_find_the_services_again_after_a_loss_as_with_bluetoothd(self):
        status, output = self.play_simplepyble(2)
        self.assertEqual(status, 1, output)
        self.assertIn('Service with UUID 0000180d-0000-1000-8000-00805f9b34fb not found', output)

    def test_simplepyble_returns_if_bluetoothd_keeps_no_attributes(self):
        status, output = self.play_simplepyble(2, '--bluez-cache', 'no')
        self.assertEqual(status, 0, output)

    @needs_debian
    def test_qt(self):
        self.passes(DEBIAN, 'with_qt.py')

    @needs_debian
    def test_gatt_python(self):
        self.passes(DEBIAN, 'with_gatt.py')

    @needs_debian
    def test_bluezero(self):
        self.passes(DEBIAN, 'with_bluezero.py')

    @needs_debian
    def test_btleplug(self):
        self.passes(DEBIAN, 'with_btleplug.py')

    @unittest.skipUnless(browser.PROGRAM, browser.MISSING)
    def test_a_page_in_chromium(self):
        output, _ = self.passes(sys.executable, 'with_chromium.py', options=())  # else it uses 50 s of CPU time
        self.assertIn('{"shown": "75"}', output)

    @unittest.skipUnless(shutil.which('bluetoothctl'), 'bluetoothctl is not installed; Tools/setup test installs it')
    def test_bluetoothctl(self):
        adapter = ROOT / 'Tests/Clients/adapters/bluetoothctl.py'
        status, output = self.play(f'{sys.executable} {adapter}', scenario(2, ends=False), '--speed', 'max')
        self.assertEqual(status, 0, output)

    @unittest.skipUnless(shutil.which('go') and GO_PACKAGES.exists(), f'Go with go-bluetooth {MISSING}')
    def test_go_bluetooth(self):
        environment = os.environ | {
            'GO111MODULE': 'off', 'GOPATH': str(GO_PACKAGES), 'GOCACHE': str(CACHE / 'go'), 'GOFLAGS': ''}
        program = self.folder / 'program'
        subprocess.run(['go', 'build', '-o', program, '.'], cwd=PROGRAMS / 'go', env=environment, check=True, timeout=100)
        # It knows only the properties of its time, so it fails on a real bluetoothd 5.66, too.
        status, output = self.play(f'{program} 2', scenario(2))
        self.assertEqual(status, 1, output)
        self.assertIn('Field not found: Bonded', output)
        status, output = self.play(f'{program} 2', scenario(2), '--bluez-version', '5.60')
        self.assertEqual(status, 0, output)

    @unittest.skipUnless(shutil.which('bt-device'), f'bluez-tools {MISSING}')
    def test_bluez_tools(self):
        strap = scenario(1)
        strap['devices'][0]['security'] = {}  # since bt-device -c pairs
        with self.serving(strap) as environment:
            def run(*words, limit=20):
                done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=limit)
                self.assertEqual(done.returncode, 0, done)
                return done.stdout

            self.assertIn('Powered: 1', run('bt-adapter', '-i'))
            search = subprocess.Popen(
                ['stdbuf', '-oL', 'bt-adapter', '-d'], env=environment, stdout=subprocess.PIPE, text=True)
            with search:
                self.assertTrue(any('Name: Strap' in line for line in search.stdout))
                search.send_signal(signal.SIGINT)
            self.assertIn('Done', run('bt-device', '-c', 'C0:FF:EE:00:00:01'))
            self.assertIn('Strap (C0:FF:EE:00:00:01)', run('bt-device', '-l'))
            self.assertIn('Trusted: 0 -> 1', run('bt-device', '--set', 'Strap', 'Trusted', '1'))
            self.assertIn('Done', run('bt-device', '-d', 'Strap'))
            self.assertIn('Done', run('bt-device', '-r', 'Strap'))
        events = [json.loads(line)['event'] for line in (self.folder / 'events.jsonl').read_text().splitlines()]
        for event in 'connected', 'paired', 'disconnected':
            self.assertIn(event, events)

    @contextlib.contextmanager
    def serving(self, scenario):
        """Serves a scenario; the environment for its programs."""
        path = self.folder / 'scenario.json'
        path.write_text(json.dumps(scenario))
        process = subprocess.Popen(
            [LUBDUB, 'serve', path, '--system', f'bluez:unix:{self.folder}/bus', '--events', self.folder / 'events.jsonl'],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)
        with process:
            try:
                line = next(line for line in process.stdout if line.startswith('system '))
                yield os.environ | dict(word.split('=', 1) for word in line.split()[2:])
            finally:
                process.terminate()


if __name__ == '__main__':
    unittest.main()
