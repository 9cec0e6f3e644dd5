"""`lubdub check --bonds`, and passkeys that `check` and `monitor` ask for on a terminal."""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import stat
import sys
import tempfile
import unittest

from bumble import att, device, gatt

from harness import LUBDUB, ROOT, Interoperability, controller_port, host, lubdub
from terminal import SeenTerminal, Terminal
from test_secure_client import IO, SecureStrap, monitor
from test_secure_client import strap as bumble_strap
from test_secure_strap import configure, connect, served
from test_secure_strap import strap as served_strap

LOCATION, AUTHENTICATION = 'HRS/SEN/CR/BV-01-C', 'GATT/SR/GAR/BI-04-C'
NAME = 'Lubdub HRM'
QUESTION = f'Passkey that {NAME} displays: '
PASSKEY = 123456


@contextlib.asynccontextmanager
async def strap(permission='authenticated', **security):
    """A strap of Lubdub: the address of a controller in range of it, its controls, and its events after the block."""
    device = {
        'id': 'strap', 'name': NAME, 'address': 'C0:FF:EE:00:00:01/random', 'security': security, 'services': [
            {'service': 'heart_rate', 'permissions': [permission], 'location': 'chest', 'value': 62}]}
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, name) for name in ('scenario.json', 'events.jsonl', 'control')]
        paths[0].write_text(json.dumps({'lubdub': 1, 'name': 'Strap', 'devices': [device]}))
        options = ['--controller', 'tcp:127.0.0.1:0', '--events', paths[1], '--control', f'unix:{paths[2]}', '--quiet']
        records = []
        async with lubdub('serve', paths[0], *options) as process:
            yield f'tcp:127.0.0.1:{await controller_port(process)}', f'unix:{paths[2]}', records
        records += map(json.loads, paths[1].read_text().splitlines())


def displaying():
    return strap(io='display_only', passkey=PASSKEY, mitm='required')


def pairings(records):
    return sum(record['event'] == 'paired' for record in records)


async def check(address, *options, name=NAME, only=(LOCATION,)):
    """The verdict of each check, the text, and the status."""
    selection = [word for name in only for word in ('--only', name)]
    process = await asyncio.create_subprocess_exec(
        LUBDUB, 'check', '--radio', f'hci:{address}', '--peer', name, '--verbose', *selection, *options,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    output, _ = await process.communicate()
    lines = [line.split() for line in output.decode().splitlines()]
    verdicts = {line[1]: line[0] for line in lines if line[:1] and line[0] in ('pass', 'fail', 'inconclusive', 'skip')}
    return verdicts, output.decode(), process.returncode


def bonds_in(path):
    return [bond for device in json.loads(path.read_text())['devices'] for bond in device['bonds']]


@contextlib.asynccontextmanager
async def on_terminal(*command, terminal=None):
    terminal = terminal or Terminal(columns=150)
    await terminal.start(LUBDUB, *command)
    try:
        yield terminal
    finally:
        await terminal.close()


class BondFileTests(Interoperability):
    limit = 100

    async def test_a_bond_in_a_file_replaces_the_passkey(self):
        with tempfile.TemporaryDirectory() as folder:
            bonds, passkey = pathlib.Path(folder, 'bonds.json'), ['--passkey', str(PASSKEY)]
            async with displaying() as (address, control, records):
                verdicts, text, _ = await check(address, '--bonds', bonds, *passkey)
                self.assertEqual(verdicts, {LOCATION: 'pass'}, text)
                self.assertEqual(stat.S_IMODE(os.stat(bonds).st_mode), 0o600)
                self.assertTrue(bonds_in(bonds)[0]['central']['authenticated'])
                verdicts, text, _ = await check(address, '--bonds', bonds)
                self.assertEqual(verdicts, {LOCATION: 'pass'}, text)
                # The client uses the same bond.
                lines = await monitor(address, '--bonds', bonds, until='location')
                self.assertFalse([line for line in lines if 'pairing' in line or 'error' in line])

                async with lubdub('control', control, 'forget_bond', 'strap') as forgetting:
                    self.assertEqual(await forgetting.wait(), 0)
                verdicts, text, _ = await check(address, '--bonds', bonds, *passkey)
                self.assertEqual(verdicts, {LOCATION: 'pass'}, text)
                verdicts, text, _ = await check(address, '--bonds', bonds)
                self.assertEqual(verdicts, {LOCATION: 'pass'}, text)
            self.assertEqual(pairings(records), 2)

    async def test_a_bond_with_a_strap_of_bumble(self):
        for secure in (True, False):
            with self.subTest(secure=secure), tempfile.TemporaryDirectory() as folder:
                bonds = pathlib.Path(folder, 'bonds.json')
                async with bumble_strap(secure=secure) as (secured, address):
                    for _ in range(2):
                        verdicts, text, _ = await check(address, '--bonds', bonds, name=SecureStrap.name)
                        self.assertEqual(verdicts, {LOCATION: 'pass'}, text)
                        await secured.correct_legacy_keys()
                    self.assertEqual(secured.pairings, 1)

    async def test_checks_about_other_clients_leave_the_bond_alone(self):
        only = [LOCATION, AUTHENTICATION, 'SM/PER/JW/*', 'SM/PER/KDU/BV*', 'GATT/SR/GAN/BV-03-C',
                'reconnection/configuration_is_cleared']
        with tempfile.TemporaryDirectory() as folder:
            bonds = pathlib.Path(folder, 'bonds.json')
            async with strap('encrypted') as (address, _, _):
                without, _, _ = await check(address, only=only)
                await check(address, '--bonds', bonds)
                before = bonds.read_bytes()
                with_bond, text, _ = await check(address, '--bonds', bonds, only=only)
                self.assertEqual(with_bond, without, text)
                self.assertEqual({with_bond[name] for name in only if '*' not in name}, {'pass'}, text)
                self.assertEqual(bonds.read_bytes(), before)
                lines = await monitor(address, '--bonds', bonds, until='location')
                self.assertFalse([line for line in lines if 'pairing' in line])

    async def test_a_bonded_client_unsubscribes(self):
        with tempfile.TemporaryDirectory() as folder:
            bonds = pathlib.Path(folder, 'bonds.json')
            async with strap('encrypted') as (address, _, records):
                await check(address, '--bonds', bonds, only=['reconnection/nothing_is_replayed'])  # subscribes twice
        subscribed, ends = set(), 0
        for record in records:
            match record['event']:
                case 'subscribed': subscribed.add(record['of'])
                case 'unsubscribed': subscribed.discard(record['of'])
                case 'disconnected':
                    self.assertEqual(subscribed, set())
                    ends += 1
        self.assertEqual((pairings(records), ends), (1, 3))

    async def test_bluetoothd_keeps_its_own_bonds(self):
        process = await asyncio.create_subprocess_exec(
            LUBDUB, 'check', '--radio', 'bluez', '--peer', 'Nobody', '--bonds', 'bonds.json',
            stderr=asyncio.subprocess.PIPE)
        _, errors = await process.communicate()
        self.assertEqual(process.returncode, 2)
        self.assertIn('--bonds needs --radio hci:', errors.decode())


class RestartTests(Interoperability):
    limit = 60

    @contextlib.asynccontextmanager
    async def bonded_central(self, port, store):
        """A central of Bumble that has the strap's bond, if any, and its encrypted connection."""
        async with host(port, 'Central', 'F0:F1:F2:F3:F4:01') as central:
            configure(central, 'no_input_no_output', True, False)
            if store:
                central.keystore = store[0]
            connection = await connect(central, 1)
            if store:
                await connection.encrypt()
            else:
                await connection.pair()
                store.append(central.keystore)
            yield connection

    async def beats(self, connection, subscribes):
        """Waits for a heart rate; returns the handle of its value."""
        heard = asyncio.get_running_loop().create_future()
        connection.gatt_client.on_gatt_pdu = lambda pdu, take=connection.gatt_client.on_gatt_pdu: (
            heard.done() or not isinstance(pdu, att.ATT_Handle_Value_Notification) or heard.set_result(pdu), take(pdu))
        if subscribes:
            async with device.Peer(connection) as peer:
                measurement, = peer.get_characteristics_by_uuid(gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC)
                await peer.subscribe(measurement, lambda _: None)
        async with asyncio.timeout(10):
            return (await heard).attribute_handle

    async def test_subscriptions_survive_the_strap(self):
        with tempfile.TemporaryDirectory() as folder:
            bonds, store = pathlib.Path(folder, 'bonds.json'), []
            async with served([served_strap(1, 'no_input_no_output')], '--bonds', str(bonds)) as (port, _):
                async with self.bonded_central(port, store) as connection:
                    handle = await self.beats(connection, subscribes=True)
                    # The strap is switched off during the connection.
            client = bonds_in(bonds)[0]['client']
            self.assertIn({'handle': handle, 'value': 1}, client['configurations'])
            async with served([served_strap(1, 'no_input_no_output')], '--bonds', str(bonds)) as (port, records):
                async with self.bonded_central(port, store) as connection:
                    self.assertEqual(await self.beats(connection, subscribes=False), handle)
            self.assertEqual([record for record in records if record['event'] == 'written'], [])

    async def test_a_strap_with_another_service_forgets_them_and_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            bonds, store = pathlib.Path(folder, 'bonds.json'), []
            other = served_strap(1, 'no_input_no_output')
            other['services'].insert(0, {'service': 'battery', 'value': 50})
            async with served([served_strap(1, 'no_input_no_output')], '--bonds', str(bonds)) as (port, _):
                async with self.bonded_central(port, store) as connection:
                    async with device.Peer(connection) as peer:
                        changed, = peer.get_characteristics_by_uuid(gatt.GATT_SERVICE_CHANGED_CHARACTERISTIC)
                        await peer.subscribe(changed, lambda _: None)
                    await self.beats(connection, subscribes=True)
            async with served([other], '--bonds', str(bonds)) as (port, records):
                async with self.bonded_central(port, store):
                    pass
            told = [record for record in records if record['event'] == 'indicated']
            self.assertEqual([record.get('octets', '') for record in told], ['01 00 FF FF'], records)

    async def test_a_private_strap_keeps_its_irk(self):
        with tempfile.TemporaryDirectory() as folder:
            bonds, clients = pathlib.Path(folder, 'bonds.json'), pathlib.Path(folder, 'client.json')
            for seed in ('1', '2'):
                private = served_strap(1, 'no_input_no_output', privacy=True)
                async with served([private], '--bonds', str(bonds), '--seed', seed) as (port, records):
                    lines = await monitor(
                        f'tcp:127.0.0.1:{port}', '--bonds', clients, '--peer', private['name'], until='location')
                paired = any('paired' in line for line in lines)
                self.assertEqual(paired, seed == '1', lines)
            self.assertIn(private['address'], {line.get('peer') for line in lines})


class SharedFileTests(Interoperability):
    """Two programs with one file of bonds would each write only the bonds that they know."""

    async def test_the_second_is_refused_until_the_first_has_ended_however_it_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            bonds = pathlib.Path(folder, 'bonds.json')
            command = ['serve', 'scenarios/resting.json', '--controller', 'tcp:127.0.0.1:0', '--bonds', str(bonds)]
            log = pathlib.Path(folder, 'events.jsonl')
            log.write_text('old')
            async with lubdub(*command) as first:
                await controller_port(first)
                for other in [command + ['--events', str(log)],
                              ['monitor', '--radio', 'hci:tcp:127.0.0.1:1', '--bonds', str(bonds)]]:
                    process = await asyncio.create_subprocess_exec(
                        LUBDUB, *other, cwd=ROOT, stderr=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.DEVNULL)
                    _, errors = await process.communicate()
                    self.assertEqual(process.returncode, 3)
                    self.assertIn(f'is used by process {first.pid}:', errors.decode())
                self.assertEqual(log.read_text(), 'old')
                first.kill()
                await first.wait()
            async with lubdub(*command) as third:
                await controller_port(third)
            self.assertEqual(sorted(path.name for path in pathlib.Path(folder).iterdir()), ['events.jsonl'])


class BondFromTheStartTests(Interoperability):
    limit = 120

    async def played(self, client):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, 'report.json')
            only = ['--only', 'bonded', '--only', 'bond_lost_before']
            process = await asyncio.create_subprocess_exec(
                LUBDUB, 'run', 'scenarios/security', *only, '--jobs', '2', '--speed', 'max', '--strict', '--quiet', '--report', report,
                '--client', client.format(folder=folder), cwd=ROOT, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT)
            output, _ = await process.communicate()
            cases = json.loads(report.read_text())['cases']
        self.assertEqual([case['verdict'] for case in cases], ['pass'] * 2, output.decode())

    async def test_a_client_with_bumble_uses_them(self):
        await self.played(f'{sys.executable} Tests/Clients/adapters/bumble_gatt.py')

    async def test_they_are_a_file_of_bonds(self):
        await self.played(
            'file=$(mktemp -p {folder}); printf %s "$LUBDUB_BONDS" > $file; '
            f'exec {LUBDUB} monitor --radio hci:$LUBDUB_CONTROLLER --json --bonds $file')


class QuestionTests(Interoperability):
    limit = 60

    def command(self, word, address, *options, name=NAME):
        return [word, '--radio', f'hci:{address}', '--peer', name, *options]

    async def test_check_asks_once_for_the_passkey(self):
        async with displaying() as (address, _, records):
            command = self.command('check', address, '--only', LOCATION, '--only', AUTHENTICATION)
            async with on_terminal(*command) as terminal:
                await terminal.shows(QUESTION)
                place = terminal.press(b'12345\n')
                await terminal.shows('"12345" is not a passkey, which has six digits; try again', place)
                await terminal.shows(QUESTION, place)
                place = terminal.press(b'%d\n' % PASSKEY)
                await terminal.shows('2 pass, 0 fail', place, limit=20)
                self.assertEqual(await terminal.ended(), 0)
                self.assertNotIn(QUESTION, terminal.text[place:])
        self.assertEqual(pairings(records), 1)

    async def test_ctrl_c_ends_a_check_that_asks(self):
        async with displaying() as (address, _, records):
            async with on_terminal(*self.command('check', address, '--only', LOCATION)) as terminal:
                await terminal.shows(QUESTION)
                terminal.press(b'12\x03')
                self.assertEqual(await terminal.ended(), 128 + signal.SIGINT)
                self.assertTrue(terminal.gives_lines())
                await terminal.shows('interrupted: 0 of 1 checks ran')
        reasons = [record['reason'] for record in records if record['event'] == 'disconnected']
        self.assertEqual(set(reasons), {'remote_user_terminated_connection'})

    async def test_without_a_terminal_check_names_the_option(self):
        async with displaying() as (address, _, _):
            verdicts, text, status = await check(address)
        self.assertEqual((verdicts, status), ({LOCATION: 'skip'}, 3))
        self.assertIn('nobody has entered the passkey that the peripheral displays: give it with --passkey', text)

    async def test_the_client_asks_below_its_lines(self):
        async with bumble_strap(IO.DISPLAY_OUTPUT_ONLY, mitm=True) as (_, address):
            command = self.command('monitor', address, '--plain', name=SecureStrap.name)
            async with on_terminal(*command) as terminal:
                await terminal.shows(f'Passkey that {SecureStrap.name} displays: ')
                terminal.press(b'123 456\n')
                await terminal.shows('chest')
                terminal.press(b'\x03')
                self.assertEqual(await terminal.ended(), 128 + signal.SIGINT)

    async def test_ctrl_c_ends_a_client_that_asks(self):
        async with displaying() as (address, _, _):
            async with on_terminal(*self.command('monitor', address, '--json')) as terminal:
                await terminal.shows(QUESTION)
                terminal.press(b'\x03')
                self.assertEqual(await terminal.ended(), 128 + signal.SIGINT)
                self.assertTrue(terminal.gives_lines())

    async def test_the_screen_gives_way_to_the_question(self):
        async with displaying() as (address, _, _):
            terminal = SeenTerminal(100, 30)
            async with on_terminal(*self.command('monitor', address), terminal=terminal):
                await terminal.sees(lambda rows: any(QUESTION.strip() in row for row in rows))
                self.assertTrue(terminal.gives_lines())
                terminal.press(b'%d\n' % PASSKEY)
                await terminal.sees(lambda rows: ' subscribed ' in rows[0])
                self.assertFalse(terminal.gives_lines())
                terminal.press(b'q')
                self.assertEqual(await terminal.ended(), 0)

    async def test_without_a_terminal_the_client_names_the_option(self):
        async with displaying() as (address, _, _):
            async with lubdub(
                    *self.command('monitor', address, '--json', '--for', '20 s'),
                    stderr=asyncio.subprocess.PIPE) as client:
                message = (await client.stderr.readline()).decode()
        expected = f'lubdub: {NAME} requires authentication: give the passkey that it displays with --passkey\n'
        self.assertEqual(message, expected)


if __name__ == '__main__':
    unittest.main()
