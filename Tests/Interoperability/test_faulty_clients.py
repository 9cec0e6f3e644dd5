"""The scenarios for clients with the adapter of the documentation, and with copies that have one known bug each, in virtual time.

In real time, test_continuous_integration plays the same scenarios.
"""

import asyncio
import json
import pathlib
import re
import shlex
import shutil
import sys
import tempfile
import unittest

from harness import LUBDUB, ROOT, Interoperability
from test_client import ADAPTER, faulty

SCENARIOS = ROOT / 'scenarios/clients'
SUBSCRIBE = '            await measurement.subscribe(received)\n'
RATE, ENERGY, RR = 'take(2 if flags & 1 else 1)', '        if flags & 8:\n', '        if flags & 16:\n'
TAKE = 'sum(rest.pop(0) << 8 * place for place in range(size))'
CAREFREE = 'sum(rest.pop(0) << 8 * place for place in range(size) if rest)'
CLEAR = '        report(heart_rate=None)\n'
FLAGS = '        flags = take(1)\n'

# By the bug: a client known for it, the scenario that shows it, the expectations that fail (and no others), and the
# change to the adapter.
FAULTY = {
    'one_octet': ('googlearchive/android-BluetoothLeGatt#5', 'two_octets', {'shows_300', 'nothing_invented'}, [(RATE, 'take(1)')]),
    'big_endian': ('MoveUpwards/Gormsson#3', 'two_octets', {'shows_300', 'shows_72', 'nothing_invented'}, [
        ('place in range(size)', 'place in reversed(range(size))')]),
    'bits_exchanged': (
        'DeviceConnect/DeviceConnect-Android#163', 'energy_and_rr',
        {'shows_rr', 'shows_energy', 'shows_energy_alone', 'nothing_invented'}, [(RATE, 'take(2 if flags & 8 else 1)'), (ENERGY, '        if flags & 1:\n')]),
    'rr_from_energy': ('UNAWatch/una-sdk#220', 'energy_and_rr', {'shows_rr', 'nothing_invented'}, [
        ("shown['energy_kj'] = take(2)", "shown['energy_kj'] = rest[0] | rest[1] << 8")]),
    'energy_under_another_key': ('bleakheart 0.2.0', 'energy_and_rr', {'shows_energy', 'shows_energy_alone'}, [
        ("'energy_kj'", "'nrg'")]),
    'rr_from_seven_octets_on': ('codeinversion/sensors-swift#5', 'rr_alone', {'shows_1000_ms', 'shows_923_ms'}, [
        (RR, '        if flags & 16 and len(octets) > 6:\n')]),
    'rr_never': ('nrfconnect/sdk-nrf PR 8735', 'rr_alone', {'shows_1000_ms', 'shows_923_ms'}, [
        (RR, '        if 1 & 16:\n')]),
    'rr_not_in_ms': ('polarofficial/polar-ble-sdk#343', 'rr_alone', {
        'shows_1000_ms', 'shows_923_ms', 'nothing_invented'}, [
        ('take(2) * 1000 / 1024', 'take(2)')]),
    'rr_of_one_octet': ('WebBluetoothCG/web-bluetooth#493', 'rr_alone', {
        'shows_1000_ms', 'shows_923_ms', 'nothing_invented'}, [
        ('[take(2) * 1000', '[take(1) * 1000')]),
    'nothing_with_several_rr': ('TrackMyIndoorWorkout#372', 'several_rr', {'shows_two', 'shows_nine'}, [
        (RR, '        if flags & 16 and len(rest) > 2:\n            return\n' + RR)]),
    'nothing_without_rr': ('bleakheart 0.2.0', 'subscribes', {'starts'}, [
        (RR, '        if not flags & 16:\n            return\n' + RR)]),
    'tail_is_rr': ('bleakheart 0.2.0', 'odd_tail', {'drops_it', 'nothing_invented'}, [
        (TAKE, CAREFREE), ('range(len(rest) // 2)', 'range((len(rest) + 1) // 2)')]),
    'contact_is_one_bit': ('pycycling PR 54', 'contact', {'shows_off', 'shows_unknown', 'nothing_invented'}, [
        ('bool(flags & 2) if flags & 4 else None', 'bool(flags & 6)')]),
    'contact_for_ever': ('polarofficial/polar-ble-sdk#763', 'contact', {'shows_unknown', 'goes_on'}, [
        (FLAGS, FLAGS + '''        if flags & 4:
            received.can_tell = True
        elif hasattr(received, 'can_tell'):
            return
''')]),
    'zero_for_nothing': ('pycycling 0.4.1', 'too_short', {'no_zero', 'no_half'}, [(TAKE, CAREFREE)]),
    'crash_for_nothing': ('cordova-bluetoothle#116', 'too_short', {'client'}, [
        ('        return\n    report(heart_rate=shown)', '        os._exit(1)\n    report(heart_rate=shown)')]),
    'polls': ('Heart Rate Service 1.0, 3.1', 'subscribes', {'starts', 'subscribes', 'does_not_poll'}, [
        (SUBSCRIBE, ''), ('await gone.wait()', '''while not gone.is_set():
            try:
                received(await measurement.read_value())
            except core.ProtocolError:
                await asyncio.sleep(1)''')]),
    'keeps_what_it_showed': ('PineTimeSD#7', 'comes_back', {'clears'}, [
        ('def report(**line):', 'shown = {}\n\ndef report(**line):\n    shown.update(line)'), (CLEAR, ''),
        ("        report(state='disconnected')\n", ''),
        ("report(error=f'{type(problem).__name__}: {problem}')", "report(heart_rate=shown.get('heart_rate'))")]),
    'subscribes_once_in_its_life': ('WebBluetoothCG/web-bluetooth#220', 'comes_back', {'returns', 'shows'}, [
        (SUBSCRIBE, SUBSCRIBE.replace('await', 'if not hasattr(host, "is_old"): await')),
        ("report(state='subscribed')", 'host.is_old = True')]),
    'one_more_callback_each_time': ('hbldh/bleak#2002', 'comes_back', {'once'}, [
        (SUBSCRIBE, '''            host.callbacks = [*getattr(host, 'callbacks', []), received]
            await measurement.subscribe(lambda octets: [callback(octets) for callback in host.callbacks])
''')]),
    'does_not_come_back': ('flutter_reactive_ble#384', 'comes_back', {'returns', 'shows'}, [
        (CLEAR, CLEAR + '        await asyncio.Event().wait()\n')]),
    'takes_a_pause_for_the_end': ('VRCOSC#101', 'silence', {'shows'}, [
        (FLAGS, FLAGS + '        received.is_new = True\n'), ('        await gone.wait()\n', '''        while not gone.is_set():
            received.is_new = False
            await asyncio.sleep(5)
            if not received.is_new:
                await connection.disconnect()
                await asyncio.Event().wait()
''')]),
    'remembers_handles': ('bluez/bluez#191', 'handles_moved', {'returns', 'shows'}, [
        (SUBSCRIBE, '''            host.configuration = getattr(host, 'configuration', measurement.handle + 1)
            await device.Peer(connection).write_value(host.configuration, bytes([1, 0]), with_response=True)
            await asyncio.sleep(0)
            measurement.client.notification_subscribers.setdefault(measurement.handle, set()).add(received)
''')]),
    'wants_nothing_but_a_strap': ('SmartSpin2k#273', 'other_services', {'starts'}, [
        ('            service, =', '''            for other in await device.Peer(connection).discover_services():
                if other.uuid == core.UUID.from_16_bits(0x180F):
                    raise ValueError('this is no strap')
            service, =''')]),
    'takes_the_first': ('the scenario', 'named', {'starts', 'not_the_other'}, [
        ("os.environ['LUBDUB_PEER'].split('/')", "json.loads(os.environ['LUBDUB_PEERS'])[0]['address'].split('/')")]),
}


def client(text):
    """The command line of a client: Python, quoted for the shell, and its program."""
    return f'exec {shlex.quote(sys.executable)} {text}'


class FaultyClientTests(Interoperability):
    limit = 120
    computes = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    async def reported(self, suite, command, *options):
        """The report's cases by their ids, and the exit status."""
        report = self.folder / 'report.json'
        process = await asyncio.create_subprocess_exec(
            LUBDUB, 'run', suite, '--client', command, '--speed', 'max', '--jobs', '2', '--report', report, *options, cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL)
        status = await process.wait()
        return {case['id']: case for case in json.loads(report.read_text())['cases']}, status

    async def test_the_correct_client_passes_everything(self):
        (self.folder / 'client.py').write_text(ADAPTER)
        cases, status = await self.reported(SCENARIOS, client('client.py'))
        self.assertEqual({name: case['reason'] for name, case in cases.items() if case['verdict'] != 'pass'}, {})
        self.assertEqual(sorted(cases), sorted(path.stem for path in SCENARIOS.glob('*.json')))
        self.assertEqual(status, 0)

    async def test_each_faulty_client_fails_for_its_fault(self):
        shutil.copytree(SCENARIOS, self.folder / 'clients')
        suite = {'lubdub': 1, 'kind': 'suite', 'name': 'Faulty clients', 'cases': [
            {'id': name, 'scenario': f'clients/{case}.json'} for name, (_, case, _, _) in FAULTY.items()]}
        (self.folder / 'suite.json').write_text(json.dumps(suite))
        for name, (_, _, _, changes) in FAULTY.items():
            (self.folder / f'{name}.py').write_text(faulty(*changes))
        cases, status = await self.reported('suite.json', client('"$LUBDUB_CASE.py"'), '--quiet')
        self.assertEqual((list(cases), status), (list(FAULTY), 1))
        for name, (_, _, expected, _) in FAULTY.items():
            with self.subTest(name):
                reason = cases[name]['reason']
                self.assertEqual((cases[name]['verdict'], failed(reason) | excused(reason)), ('fail', expected), reason)
                stays_away = name in ('does_not_come_back', 'takes_a_pause_for_the_end')
                self.assertEqual('the client neither scanned nor connected' in reason, stays_away, reason)
                if expected != {'client'}:
                    self.assertRegex(reason, r'(?m)^ +\d+\.\d{6}  (->|<-|client:) ')

    async def test_each_scenario_fails_some_client(self):
        self.assertEqual({case for _, case, _, _ in FAULTY.values()}, {path.stem for path in SCENARIOS.glob('*.json')})


def explained(reason):
    """The expectations that did not pass, each with why."""
    return re.findall(r'^(\w+)(?: \(.*?\))?: (.*)$', reason or '', re.M)


def failed(reason):
    """The expectations that a case failed; inconclusive ones have other reasons."""
    return {who for who, why in explained(reason)
            if who == 'client' or why.startswith('expected ') and not why.endswith(", before this was decided")}


def excused(reason):
    """The expectations that a case would have failed on a machine that did not stall."""
    return {who for who, why in explained(reason) if re.match(r'this machine stalled for [\d.]+ s: expected ', why)}


if __name__ == '__main__':
    unittest.main()
