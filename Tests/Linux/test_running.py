"""`lubdub run` with a strap over bluetoothd, or on an adapter without it, for a program and for an operator."""

import asyncio
import json
import shlex
import sys

from harness import LUBDUB, ROOT
from serving import ServingTest, read
from test_clients import ADAPTER, CASE, said

HEARD = CASE | {
    'name': 'Two octets',
    'script': CASE['script'][:1],
    'expect': [
        {'id': 'shows', 'expect': 'seen', 'within': '10 s', 'since': {'event': 'delivered', 'of': 'heart_rate', 'nth': 1},
         'event': said({'$truth': 'last', 'of': 'heart_rate'})},
        {'id': 'shows_300', 'expect': 'seen', 'event': said(300), 'since': {'event': 'began', 'of': 'big', 'nth': 1},
         'within': '5 s'},
        {'id': 'does_not_poll', 'expect': 'never', 'event': 'refused'}],
}
LOST = CASE | {
    'name': 'A silent loss', 'limit': '65 s',
    'script': [
        {'when': {'event': 'subscribed', 'of': 'heart_rate', 'nth': 1, 'after': '3 s'}, 'id': 'away', 'do': 'link_loss',
         'for': '12 s'}],
    'expect': [
        {'id': 'shows', 'expect': 'seen', 'event': said(60), 'within': '10 s',
         'since': {'event': 'subscribed', 'of': 'heart_rate', 'nth': 1}},
        {'id': 'returns', 'expect': 'seen', 'event': {'event': 'subscribed', 'of': 'heart_rate'},
         'since': {'event': 'ended', 'of': 'away'}, 'within': '40 s'},
        {'id': 'shows_again', 'expect': 'seen', 'event': said(60), 'since': {'event': 'ended', 'of': 'away'},
         'within': '45 s'}],
}
SKIPPED = 'does_not_poll: refused cannot be observed: bluetoothd does not report this'


class RunningTests(ServingTest):
    limit = 240

    def client(self, adapter):
        """The documentation's adapter for bleak, on another adapter than the strap."""
        (self.folder / 'client.py').write_text(ADAPTER)
        return f'LUBDUB_CONTROLLER={adapter} exec {shlex.quote(sys.executable)} {self.folder}/client.py'

    def case(self, case=HEARD):
        path = self.folder / 'case.json'
        path.write_text(json.dumps(case))
        return path

    async def test_a_program_is_tested(self):
        report = self.folder / 'report.json'
        async with self.own_adapters(2) as (own, other):
            output = await self.output(
                LUBDUB, 'run', self.case(), '--radio', f'bluez:{own}', '--client', self.client(other), '--report', report,
                limit=200)
        case, = json.loads(report.read_text())['cases']
        self.assertEqual((case['verdict'], case['reason']), ('pass', SKIPPED), output)

    async def test_a_program_survives_a_silent_loss(self):
        """bluetoothd does not let a scenario lose a link; on an adapter without it, the controller is reset."""
        report = self.folder / 'report.json'
        async with self.own_adapters(2) as (own, other):
            output = await self.output(
                LUBDUB, 'run', self.case(LOST), '--radio', f'hci:{own.removeprefix("hci")}', '--client',
                self.client(other), '--report', report, limit=200)
        case, = json.loads(report.read_text())['cases']
        self.assertEqual((case['verdict'], case['reason']), ('pass', None), output)

    async def test_an_operator_is_asked(self):
        async with self.own_adapters(2) as (own, other):
            asked = await asyncio.create_subprocess_exec(
                LUBDUB, 'run', self.case(), '--radio', f'bluez:{own}', '--ask', cwd=ROOT, stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE)
            peer = await read(f'/org/bluez/{own}', 'org.bluez.Adapter1', 'Address')
            phone = await asyncio.create_subprocess_shell(
                f'LUBDUB_PEER={peer}/public {self.client(other)}', stdout=asyncio.subprocess.DEVNULL)
            try:
                output, _ = await asked.communicate(b'\nyes\n60\n')
            finally:
                phone.terminate()
                await phone.wait()
        self.assertEqual(asked.returncode, 0, output)
        self.assertIn(b'2 pass, 0 fail, 0 inconclusive, 1 skip', output)
