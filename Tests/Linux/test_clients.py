"""Clients under test over the kernel and bluetoothd: the adapter for bleak in the documentation, and the one that pairs."""

import copy
import json
import shlex
import sys
import unittest

from harness import LUBDUB, ROOT, LinuxTest, interfaces, until

ADAPTERS = (ROOT / 'Documentation/testing-your-client.md').read_text().split('```python\n')[1:]
ADAPTER = next(text for text in ADAPTERS if 'import BleakClient' in text).split('```')[0]
# Python starts slowly under emulation.
START = '60 s'


def said(bpm):
    return {'event': 'said', 'line': {'heart_rate': {'bpm': bpm}}}


CASE = {
    'lubdub': 1, 'name': 'Two octets, and back after a loss', 'limit': '110 s',
    'devices': [{
        'id': 'strap', 'name': 'Lubdub HRM', 'address': 'C0:FF:EE:00:00:01/random',
        'advertise': {'interval': '100 ms', 'services': ['180D'], 'appearance': 833},
        'services': [{'service': 'heart_rate', 'format': 'uint8', 'period': '1 s', 'value': 60}]}],
    'script': [
        {'when': {'event': 'subscribed', 'of': 'heart_rate', 'nth': 1, 'after': '1500 ms'}, 'id': 'big', 'do': 'raw',
         'of': 'heart_rate', 'octets': '012c01'},
        {'when': {'event': 'began', 'of': 'big', 'after': '2 s'}, 'id': 'end', 'do': 'disconnect', 'of': 'strap'}],
    'expect': [
        {'id': 'starts', 'expect': 'seen', 'event': said(60), 'within': START},
        {'id': 'shows_300', 'expect': 'seen', 'event': said(300), 'since': {'event': 'began', 'of': 'big', 'nth': 1},
         'within': '5 s'},
        {'id': 'returns', 'expect': 'seen', 'event': {'event': 'subscribed', 'of': 'heart_rate'},
         'since': {'event': 'began', 'of': 'end', 'nth': 1}, 'within': '40 s'}],
}


class BleakTests(LinuxTest):
    limit = 240

    async def reported(self, client, case=CASE):
        """The report of one case, and lubdub's output."""
        (self.folder / 'case.json').write_text(json.dumps(case))
        report = self.folder / 'report.json'
        output = await self.output(
            LUBDUB, 'run', self.folder / 'case.json', '--controller', 'vhci', '--client', client, '--report', report,
            '--keep', self.folder / 'kept', limit=230)
        case, = json.loads(report.read_text())['cases']
        return case, output

    async def test_the_adapter_passes(self):
        self.assertLess(len(ADAPTER.splitlines()), 60)
        (self.folder / 'client.py').write_text(ADAPTER)
        before = interfaces()
        async with self.bluetoothd():
            case, output = await self.reported(f'exec {shlex.quote(sys.executable)} {self.folder}/client.py')
        self.assertEqual((case['verdict'], case['reason']), ('pass', None), output)
        self.assertRegex(output, r'^controller hci\d+\n')
        self.assertEqual(interfaces(), before)
        self.assertEqual(self.kernel_complaints(), [])

    async def pairs(self, permission, **security):
        """What the adapter of `Tests/Clients` reports about pairing while it passes a case, and the device's events."""
        case = copy.deepcopy(CASE)
        device, = case['devices']
        device['security'] = security
        device['services'][0]['permissions'] = [permission]
        case['script'] = [
            {'when': {'event': 'paired', 'of': 'strap', 'nth': 1, 'after': '3 s'}, 'id': 'end', 'do': 'disconnect'}]
        case['expect'] = [expectation for expectation in case['expect'] if expectation['id'] != 'shows_300']
        client = ['exec', sys.executable, str(ROOT / 'Tests/Clients/adapters/bleak_gatt.py')]
        async with self.bluetoothd():
            case, output = await self.reported(shlex.join(client), case)
        self.assertEqual((case['verdict'], case['reason']), ('pass', None), output)
        log, = (self.folder / 'kept').rglob('events.jsonl')
        records = [json.loads(record) for record in log.read_text().splitlines()]
        lines = [record['line'] for record in records if record['event'] == 'said']
        return [line for line in lines if {'passkey', 'paired'} & set(line)], [record['event'] for record in records]

    async def test_the_adapter_of_bleak_pairs_and_returns_with_the_bond(self):
        lines, events = await self.pairs('encrypted')
        self.assertEqual(lines, [{'paired': {'bonded': True}}])
        self.assertEqual((events.count('paired'), events.count('encrypted')), (1, 2))

    async def test_the_user_of_bleak_enters_the_passkey(self):
        lines, _ = await self.pairs('authenticated', io='display_only', mitm='required', passkey=123456)
        self.assertEqual(lines, [{'passkey': {'requested': True}}, {'paired': {'bonded': True}}])

    async def test_the_user_of_the_strap_enters_the_passkey_of_bleak(self):
        lines, _ = await self.pairs('authenticated', io='keyboard_only', mitm='required')
        self.assertEqual([list(line) for line in lines], [['passkey'], ['paired']])
        self.assertEqual(list(lines[0]['passkey']), ['displayed'])

    async def test_the_user_of_bleak_compares_numbers(self):
        lines, _ = await self.pairs('authenticated', io='display_yes_no', mitm='required', secure_connections='required')
        self.assertEqual([list(line) for line in lines], [['passkey'], ['paired']])
        self.assertEqual(list(lines[0]['passkey']), ['compared'])

    async def test_a_client_that_cannot_be_started_is_an_error(self):
        case, _ = await self.reported('no-such-program')
        self.assertTrue(
            case['reason'].startswith('client: it could not be started: /bin/sh reports not found'), case['reason'])

    async def test_serve_makes_an_interface_that_bluetoothd_powers(self):
        before = interfaces()
        serving = (LUBDUB, 'serve', 'scenarios/resting.json', '--controller', 'vhci')
        async with self.bluetoothd(), self.running('lubdub', *serving) as process:
            await until(lambda: interfaces() - before, 'the kernel has an interface', process)
            name, = interfaces() - before
            await self.powered(name)
            self.assertIn(f'controller {name}\n', (self.folder / 'lubdub.messages').read_text())
        await until(lambda: interfaces() == before, f'{name} is gone')
        self.assertEqual(self.kernel_complaints(), [])


if __name__ == '__main__':
    unittest.main()
