"""`lubdub doctor` on the machine that runs the tests, whatever its state; Tests/Linux provokes each failure."""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import unittest

from harness import LUBDUB


class DoctorTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def doctor(self, *arguments, bus=None):
        """The status, the output, and the time in seconds."""
        environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=bus or f'unix:path={self.folder}/none')
        began = time.monotonic()
        done = subprocess.run(
            [LUBDUB, 'doctor', *arguments], env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, '')
        return done.returncode, done.stdout, time.monotonic() - began

    def bus_finding(self, address):
        """The findings about a bus, long before libdbus would give up after 25 s."""
        _, printed, seconds = self.doctor('--json', bus=address)
        self.assertLess(seconds, 20)
        finding, = (finding for finding in json.loads(printed)['findings'] if finding['subject'] == 'bus')
        self.assertEqual(finding['level'], 'problem')
        self.assertTrue(finding['mend'])
        return finding['code']

    def test_the_virtual_radio_works_everywhere(self):
        status, printed, seconds = self.doctor('--json')
        report = json.loads(printed)
        self.assertEqual((status, list(report)), (0, ['lubdub', 'findings', 'radios', 'status']))
        self.assertEqual(
            [radio['radio'] for radio in report['radios']], ['virtual', 'hci:tcp, hci:unix', 'bluez', 'hci:N'])
        for finding in report['findings']:
            self.assertEqual(list(finding), ['subject', 'level', 'code', 'found', 'mend', 'advice'])
            self.assertEqual(finding['level'] == 'ok', finding['code'] is None)
        self.assertLess(seconds, 10)

    def test_the_status_is_that_of_the_required_radio(self):
        for radio, status in [('virtual', 0), ('bluez', 3), ('bluez:hci0', 3), ('hci:0', 3)]:
            self.assertEqual(self.doctor('--radio', radio)[0], status)
        for radio in ['bluez:', 'bluez:eth0', 'bluez:hci0,', 'hci:tcp:127.0.0.1:6402', 'virtual:hci0', '']:
            done = subprocess.run([LUBDUB, 'doctor', '--radio', radio], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (2, ''), radio)

    def test_text_output_has_the_codes_that_explain_knows(self):
        _, printed, _ = self.doctor('--color', 'never')
        self.assertIn('(LD0209)', printed)
        done = subprocess.run([LUBDUB, 'explain', 'LD0209'], capture_output=True, text=True, timeout=60)
        self.assertTrue(done.stdout.startswith('LD0209: '))

    def test_a_missing_bus(self):
        self.assertEqual(self.bus_finding(f'unix:path={self.folder}/none'), 'LD0209')

    def test_a_bus_that_would_block_is_not_called(self):
        for address in ['tcp:host=192.0.2.1,port=1', 'unixexec:path=/bin/sleep,argv1=60', 'autolaunch:', 'nonsense']:
            self.assertEqual(self.bus_finding(address), 'LD0209')

    def test_a_bus_that_never_responds(self):
        path = str(self.folder / 'silent')
        with socket.create_server(path, family=socket.AF_UNIX):
            self.assertEqual(self.bus_finding(f'unix:path={path}'), 'LD0210')

    def test_a_bus_that_rejects_everyone(self):
        path = str(self.folder / 'crowded')
        with contextlib.ExitStack() as crowd:
            crowd.enter_context(socket.create_server(path, family=socket.AF_UNIX, backlog=0))
            with self.assertRaises(BlockingIOError):
                while True:
                    guest = crowd.enter_context(socket.socket(socket.AF_UNIX))
                    guest.setblocking(False)
                    guest.connect(path)
            self.assertEqual(self.bus_finding(f'unix:path={path}'), 'LD0210')

    def test_a_bus_that_sends_nonsense(self):
        path = str(self.folder / 'nonsense')
        with socket.create_server(path, family=socket.AF_UNIX) as listener:
            listener.settimeout(10)
            process = subprocess.Popen(
                [LUBDUB, 'doctor', '--json'], stdout=subprocess.PIPE,
                env=dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=f'unix:path={path}'))
            guests = [listener.accept()[0] for _ in range(2)]
            guests[1].sendall(bytes(range(256)) * 64)
            printed, _ = process.communicate(timeout=5)
            for guest in guests:
                guest.close()
        self.assertIn('"code": "LD0210"', printed.decode())


if __name__ == '__main__':
    unittest.main()
