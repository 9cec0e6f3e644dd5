"""`lubdub check` of real peripherals, Bumble's: a correct one fails what is known of Bumble and nothing else, and each
faulty one fails the check that is named for its fault."""

import asyncio
import contextlib
import importlib.metadata
import json
import logging
import os
import pathlib
import re
import signal
import tempfile

import straps
from harness import ROOT, Interoperability, lubdub
from straps import FAULTY, Strap
from terminal import Terminal

# Bumble's hosts find that their controllers have gone when lubdub ends.
logging.getLogger('bumble').setLevel(logging.CRITICAL)
logging.getLogger('asyncio').setLevel(logging.CRITICAL)

ADDRESS = 'F0:F1:F2:F3:F4:F5'
QUICK = 'GATT/SR/GAD/*'
DEVIATIONS = json.loads((ROOT / 'Documentation/known-deviations.json').read_text())
# Together they are all, and each takes its time.
PARTS = [
    'advertising/*', 'HR[PS]*', 'heart_rate/*', 'DIS/*', 'BAS/*', 'battery/*', 'GATT/*', 'reconnection/*']


class Examined:
    """A peripheral that is being checked."""

    def __init__(self, process, lines):
        self.process, self.lines = process, lines

    async def verdicts(self):
        """What is printed until the end, and the verdicts in it by their checks."""
        self.lines += [line.decode().rstrip() async for line in self.process.stdout]
        await self.process.wait()
        found = re.findall(r'(?m)^(pass|fail|inconclusive|skip|error) +(\S+)  ', '\n'.join(self.lines))
        return {check: verdict for verdict, check in found}

    async def line(self, pattern):
        async for line in self.process.stdout:
            self.lines.append(line.decode().rstrip())
            if re.search(pattern, self.lines[-1]):
                return
        raise AssertionError(f'no line like {pattern}: {self.lines}')


@contextlib.asynccontextmanager
async def examined(strap, *arguments, peer=ADDRESS, **streams):
    """A strap above a controller that `lubdub check ARGUMENTS...` offers."""
    words = ['check', '--controller', 'tcp:127.0.0.1:0', '--peer', peer, *arguments]
    async with lubdub(*words, **streams) as process:
        address = (await process.stdout.readline()).decode().split()[1]
        async with strap.above(address):
            yield Examined(process, [])


async def verdicts(strap, *arguments):
    async with examined(strap, *arguments) as examination:
        return await examination.verdicts(), examination


class RealPeripheralTests(Interoperability):
    limit = 300

    async def test_a_correct_strap_fails_what_is_known_and_nothing_else(self):
        self.assertEqual(importlib.metadata.version('bumble'), DEVIATIONS['stacks']['Bumble']['version'])
        known = {deviation['case'] for deviation in DEVIATIONS['deviations'] if deviation['stack'] == 'Bumble'}
        parts = await asyncio.gather(*(verdicts(Strap(), '--only', part) for part in self.parts()))
        found = {}
        for seen, examination in parts:
            self.assertFalse(found.keys() & seen.keys())
            found |= seen
            self.assertRegex(examination.lines[-1], r' 0 inconclusive, \d+ skip, 0 error$')
        listed = await self.listed()
        self.assertEqual(found.keys(), listed)
        self.assertEqual({check for check, verdict in found.items() if verdict == 'fail'}, known)
        self.assertGreater(list(found.values()).count('pass'), 30)

    def parts(self):
        return [part.replace('HR[PS]', kind) for part in PARTS for kind in (['HRP', 'HRS'] if '[' in part else [''])]

    async def listed(self):
        async with lubdub('check', '--list') as process:
            return {line.split()[0].decode() async for line in process.stdout}

    async def test_every_faulty_strap_fails_the_check_that_is_named_for_it(self):
        self.assertGreaterEqual(len(FAULTY), 12)
        found = await asyncio.gather(*(verdicts(fault(), '--only', fault.caught_by) for fault in FAULTY))
        for fault, (seen, examination) in zip(FAULTY, found):
            with self.subTest(fault.__name__):
                self.assertEqual(seen, {fault.caught_by: 'fail'}, '\n'.join(examination.lines))
                self.assertEqual(examination.process.returncode, 1)
                words = [line.split()[0] for line in examination.lines]
                self.assertEqual(words[1:6], ['expected', 'seen', 'at', 'requires', 'trace'])
                self.assertIn(f'--peer {ADDRESS} --only {fault.caught_by}', examination.lines[-2])

    async def test_it_is_found_by_its_name_above_a_controller_outside_too(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, 'trace.btsnoop')
            async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0') as air:
                address = (await air.stdout.readline()).decode().split()[1]
                async with (
                        Strap().above(address),
                        lubdub('check', '--radio', f'hci:{address}', '--peer', Strap.name, '--only', QUICK,
                               '--trace', trace) as process):
                    examination = Examined(process, [])
                    self.assertEqual(set((await examination.verdicts()).values()), {'pass'})
                    self.assertEqual(process.returncode, 0)
            tshark = await asyncio.create_subprocess_exec(
                'tshark', '-r', trace, '-Y', 'btatt', stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
            read, _ = await tshark.communicate()
            self.assertIn(b'Read By Group Type', read)

    async def test_who_is_not_heard_is_told_from_who_is(self):
        async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0') as air:
            address = (await air.stdout.readline()).decode().split()[1]
            for arguments, status, words in [
                    (['--peer', 'Nobody'], 3, 'lubdub: "Nobody" was not heard within 21 s; these were: '),
                    ([], 2, 'lubdub: --peer has to name the peripheral to check; these were heard: ')]:
                async with (
                        Strap().above(address),
                        lubdub('check', '--radio', f'hci:{address}', *arguments,
                               stderr=asyncio.subprocess.PIPE) as process):
                    _, message = await process.communicate()
                    self.assertEqual(message.decode(), f'{words}{ADDRESS}/random "{Strap.name}"\n')
                    self.assertEqual(process.returncode, status)

    async def test_who_goes_away_is_waited_for_once(self):
        async with lubdub(
                'check', '--controller', 'tcp:127.0.0.1:0', '--peer', ADDRESS, '--only', 'heart_rate/*') as process:
            address = (await process.stdout.readline()).decode().split()[1]
            examination = Examined(process, [])
            async with Strap().above(address):
                await examination.line('^pass')
                await asyncio.sleep(2)
            # Its controller has left the air without a word.
            seen = await examination.verdicts()
        self.assertEqual(process.returncode, 1)
        lost = [check for check, verdict in seen.items() if verdict == 'inconclusive']
        self.assertGreater(len(lost), 3)
        self.assertNotIn('fail', seen.values())
        since = [line for line in examination.lines if 'has not been heard any more since' in line]
        self.assertEqual(len(since), len(lost) - 1)

    async def test_a_controller_that_goes_away_is_named(self):
        async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0') as air:
            address = (await air.stdout.readline()).decode().split()[1]
            async with (
                    Strap().above(address),
                    lubdub('check', '--radio', f'hci:{address}', '--peer', ADDRESS, '--only', '*flags*',
                           stderr=asyncio.subprocess.PIPE) as process):
                await Examined(process, []).line('^pass')
                air.kill()
                rest, message = await process.communicate()
        self.assertEqual(process.returncode, 3)
        self.assertIn(f'lubdub: {address}: ', message.decode())
        self.assertIn('ended early: 1 of 2 checks have been asked', message.decode())
        self.assertRegex(rest.decode(), '1 pass, 0 fail, 0 inconclusive, 0 skip, 0 error\n$')

    async def test_ctrl_c_ends_the_link_in_good_order(self):
        strap = Strap()
        async with examined(strap, '--only', 'heart_rate/flags*') as examination:
            while not strap.device.connections:
                await asyncio.sleep(0.01)
            connection, = strap.device.connections.values()
            gone = asyncio.get_running_loop().create_future()
            connection.on('disconnection', gone.set_result)
            examination.process.send_signal(signal.SIGINT)
            async with asyncio.timeout(5):
                self.assertEqual(await gone, 0x13)  # Remote User Terminated Connection
                await examination.verdicts()
            self.assertEqual(examination.process.returncode, 128 + signal.SIGINT)

    async def test_a_machine_that_stands_still_fails_nobody(self):
        async with examined(
                straps.SaysOneOctet(), '--only', straps.SaysOneOctet.caught_by,
                stderr=asyncio.subprocess.PIPE) as examination:
            process = examination.process
            await asyncio.sleep(5)
            process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(4)
            process.send_signal(signal.SIGCONT)
            seen = await examination.verdicts()
            message = (await process.stderr.read()).decode()
        self.assertRegex(message, 'this machine stood still for [34] ?.*s; it is asked again at the end\n$')
        self.assertEqual(seen, {straps.SaysOneOctet.caught_by: 'fail'}, 'asked again, and nothing stood still then')

    async def test_a_terminal_shows_how_far_it_is(self):
        strap = Strap()
        terminal = Terminal(columns=150)
        await terminal.start(
            *[os.environ.get('LUBDUB', '.build/debug/lubdub'), 'check', '--controller', 'tcp:127.0.0.1:0', '--peer',
              ADDRESS, '--only', 'heart_rate/location_is_static'])
        address = (await terminal.shows(r'controller (\S+)')).group(1)
        async with strap.above(address):
            await terminal.shows('1 of 1: heart_rate/location_is_static, 2 s', limit=20)
            await terminal.shows('pass  heart_rate/location_is_static', limit=20)
            await terminal.ended()

    async def test_nothing_but_skips_is_no_success(self):
        seen, examination = await verdicts(Strap(), '--only', 'HRS/SEN/CN/BV-04-C')
        self.assertEqual(seen, {'HRS/SEN/CN/BV-04-C': 'skip'})
        self.assertIn('nobody can set the heart rate of this peripheral', examination.lines[0])
        self.assertEqual(examination.process.returncode, 3)
