"""`lubdub record`: Bumble's strap and a scenario's, recorded over the air and from traces, and played again."""

import asyncio
import csv
import json
import pathlib
import struct
import tempfile

from bumble import gatt

from examining import ADDRESS, Examined, air
from harness import LUBDUB, ROOT, Interoperability, host, lubdub
from sensing import CENTRAL, connected, listen, meeting, served, sig, take
from straps import Strap

MEASUREMENT = sig(0x2A37)
HRM = 'C0:FF:EE:00:00:01'


async def table(peer):
    """Every attribute, with its value if it can be read and does not change by itself."""
    rows = []
    for service in peer.services:
        rows.append((service.handle, str(service.uuid)))
        for own in service.characteristics:
            value = None
            changes = own.properties & (gatt.Characteristic.Properties.NOTIFY | gatt.Characteristic.Properties.INDICATE)
            if own.properties & gatt.Characteristic.Properties.READ and not changes:
                value = bytes(await peer.read_value(own))
            rows.append((own.handle, str(own.uuid), int(own.properties), value))
            rows += [(found.handle, str(found.type)) for found in own.descriptors]
    return rows


async def advertised(central, address):
    """Advertising and scan response data, which Bumble joins."""
    found = asyncio.get_running_loop().create_future()

    def heard(advertisement):
        if str(advertisement.address).startswith(address) and not found.done():
            found.set_result(bytes(advertisement.data_bytes))

    central.on('advertisement', heard)
    await central.start_scanning(active=True, legacy=True)
    async with asyncio.timeout(10):
        data = await found
    await central.stop_scanning()
    return data


class RecordTests(Interoperability):
    limit = 120

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scenario, self.values = self.folder / 'strap.json', self.folder / 'strap.csv'

    async def said(self, *arguments, status=0):
        """Standard output and messages of `lubdub record`."""
        async with lubdub('record', *arguments, '-o', self.scenario, stderr=asyncio.subprocess.PIPE) as process:
            output, messages = await process.communicate()
            self.assertEqual(process.returncode, status, messages)
            return output.decode(), messages.decode()

    async def test_bumbles_strap_is_played_as_it_was(self):
        async with air() as (address, _), Strap().above(address):
            async with host(int(address.rsplit(':', 1)[1]), 'Central', CENTRAL) as central:
                async with connected(central, ADDRESS) as peer:
                    attributes = await table(peer)
                    heard = await take(await listen(peer, MEASUREMENT), 2)
            output, messages = await self.said('--radio', f'hci:{address}', '--peer', Strap.name, '--for', '5s')
            self.assertRegex(output, r'Wrote .*strap.json with \d services and \d+ characteristics, and .*strap.csv with \d+ val')
            self.assertEqual(messages, '')
        rows = list(csv.DictReader(self.values.open()))
        recorded = [bytes.fromhex(row['octets']) for row in rows
                    if row['characteristic'] == 'heart_rate/heart_rate_measurement']
        self.assertGreaterEqual(len(recorded), 8)
        self.assertEqual(recorded[0][:2], heard[0][:2])
        device, = json.loads(self.scenario.read_text())['devices']
        self.assertEqual((device['name'], device['address']), (Strap.name, f'{ADDRESS}/random'))
        async with meeting(self.scenario, ADDRESS) as (peer, _):
            self.assertEqual(await table(peer), attributes)
            self.assertEqual(await take(await listen(peer, MEASUREMENT), len(recorded)), recorded)

    async def test_a_scenario_and_its_recording_get_the_same_verdicts(self):
        async def verdicts(scenario):
            async with served(scenario) as (port, _, _), lubdub(
                    'check', '--radio', f'hci:tcp:127.0.0.1:{port}', '--peer', HRM, '--only', 'GATT/SR/GA*', '--only',
                    'HRS/SEN/DEC/*', '--only', 'BAS/SR/DEC/*') as process:
                return await Examined(process, []).verdicts()

        async with served('scenarios/resting.json') as (port, _, _):
            await self.said('--radio', f'hci:tcp:127.0.0.1:{port}', '--peer', HRM, '--for', '10s')
            async with host(port, 'Central', CENTRAL) as central:
                advertising = await advertised(central, HRM)
        async with served(self.scenario) as (port, _, _), host(port, 'Central', CENTRAL) as central:
            self.assertEqual(await advertised(central, HRM), advertising)
        original, recorded = await asyncio.gather(verdicts('scenarios/resting.json'), verdicts(self.scenario))
        self.assertIn('pass', original.values())
        self.assertEqual(recorded, original)

    async def test_a_trace_is_enough(self):
        trace = self.folder / 'trace.btsnoop'
        async with meeting('scenarios/resting.json', HRM, '--trace', trace) as (peer, _):
            attributes = await table(peer)
            heard = await take(await listen(peer, MEASUREMENT), 3)
        # Android writes H4's packet indicators, and one controller.
        android = self.folder / 'android.btsnoop'
        android.write_bytes(self.as_android(trace.read_bytes()))
        for name, options in [('btmon', ['--peer', 'Lubdub HRM']), ('android', [])]:
            with self.subTest(name):
                source = trace if name == 'btmon' else android
                await self.said('--from', source, '--force', *options)
                rows = list(csv.DictReader(self.values.open()))
                self.assertEqual([bytes.fromhex(row['octets']) for row in rows][:3], heard)
                async with meeting(self.scenario, HRM) as (peer, _):
                    self.assertEqual(await table(peer), attributes)

    @staticmethod
    def as_android(octets):
        """The central's packets of a trace of the Linux monitor in the format of datalink 1002."""
        result, offset = [b'btsnoop\0' + struct.pack('>II', 1, 1002)], 16
        while offset < len(octets):
            _, count, flags, _, time = struct.unpack_from('>IIIIq', octets, offset)
            packet, kind = octets[offset + 24:offset + 24 + count], flags & 0xFFFF
            offset += 24 + count
            # command, event, data to and from the controller: indicator, and whether it is received
            h4 = {2: (1, 2), 3: (4, 3), 4: (2, 0), 5: (2, 1)}.get(kind)
            if flags >> 16 == 1 and h4:
                result += [struct.pack('>IIIIq', count + 1, count + 1, h4[1], 0, time), bytes([h4[0]]), packet]
        return b''.join(result)

    async def test_what_is_proposed_for_a_file_that_looks_like_an_option_works(self):
        trace = self.folder / 'trace.btsnoop'
        async with meeting('scenarios/resting.json', HRM, '--trace', trace) as (peer, _):
            await table(peer)

        async def said(*words):
            process = await asyncio.create_subprocess_exec(
                *words, cwd=self.folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
            output, messages = await process.communicate()
            self.assertEqual(process.returncode, 0, messages)
            return output.decode()

        (self.folder / 'lubdub').symlink_to(pathlib.Path(ROOT, LUBDUB).resolve())
        recorded = await said('./lubdub', 'record', '--from', trace, '-o', '-my strap.json')
        self.assertIn("next: lubdub serve './-my strap.json'\n", recorded)
        written = await said('./lubdub', 'new', 'strap', '--', '-x.json')
        proposals = [line.removeprefix('next: ') for line in (recorded + written).splitlines() if line.startswith('next: ')]
        self.assertEqual(len(proposals), 3)
        for proposal in proposals:
            with self.subTest(proposal):
                command = f'./{proposal}'.replace(' serve ', ' serve --speed max --for 1s ')
                await said('sh', '-c', command)
        run = await asyncio.create_subprocess_exec(
            './lubdub', 'run', '--client', 'echo hello', '--', '-x.json', cwd=self.folder, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL)
        output, _ = await run.communicate()
        self.assertEqual(run.returncode, 1)
        self.assertIn("replay: lubdub run ./-x.json --seed 1 --client 'echo hello' --only -x\n", output.decode())

    async def test_a_clock_that_was_set_leaves_nothing_out(self):
        trace, changed = self.folder / 'trace.btsnoop', self.folder / 'changed.btsnoop'
        async with meeting('scenarios/resting.json', HRM, '--trace', trace) as (peer, _):
            await take(await listen(peer, MEASUREMENT), 3)
        await self.said('--from', trace)
        values = len(self.values.read_text().splitlines())
        octets = bytearray(trace.read_bytes())
        octets[32:40] = bytes(8)  # the time of the first packet
        changed.write_bytes(octets)
        _, messages = await self.said('--from', changed, '--force')
        self.assertIn('more than 7 days forward 1 time, as when a clock is set: all packets are used', messages)
        self.assertEqual(len(self.values.read_text().splitlines()), values)

    async def test_messages(self):
        text = self.folder / 'text.btsnoop'
        text.write_text('{}')
        empty = self.folder / 'empty.btsnoop'
        empty.write_bytes(b'btsnoop\0' + struct.pack('>II', 1, 2001))
        for arguments, status, part in [
                (['--from', text], 2, 'this is not a btsnoop file'),
                (['--from', self.folder / 'none'], 2, 'cannot read'),
                (['--from', empty], 3, 'Devices: none'),
                (['--radio', 'bluez'], 2, 'bluetoothd hides'),
                ([], 2, 'record needs --radio'),
                (['--from', empty, '--for', '5s'], 2, '--for is for a radio')]:
            with self.subTest(arguments):
                _, messages = await self.said(*arguments, status=status)
                self.assertIn(part, messages)
                self.assertFalse(self.scenario.exists())
        self.scenario.write_text('{}')
        _, messages = await self.said('--from', empty, status=2)
        self.assertIn('add --force', messages)
