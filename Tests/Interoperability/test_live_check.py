"""`lubdub check` with real peripherals: finding them, losing them, and interrupts."""

import asyncio
import pathlib
import signal
import tempfile

from examining import ADDRESS, Examined, air, examined, verdicts
from harness import LUBDUB, Interoperability, lubdub
from straps import Strap
from terminal import Terminal


class LiveCheckTests(Interoperability):
    limit = 120

    async def test_a_peripheral_is_found_by_name_over_an_external_controller_too(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, 'trace.btsnoop')
            async with air() as (address, _):
                async with (
                        Strap().above(address),
                        lubdub('check', '--radio', f'hci:{address}', '--peer', Strap.name, '--only', 'GATT/SR/GAD/*',
                               '--trace', trace) as process):
                    examination = Examined(process, [])
                    seen = set((await examination.verdicts()).values())
                    self.assertTrue('pass' in seen and seen <= {'pass', 'skip'}, seen)
                    self.assertEqual(process.returncode, 0)
            tshark = await asyncio.create_subprocess_exec(
                'tshark', '-r', trace, '-Y', 'btatt', stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
            read, _ = await tshark.communicate()
            self.assertIn(b'Read By Group Type', read)

    async def test_a_missing_peripheral_is_reported_with_the_others(self):
        async def told(*arguments):
            async with lubdub('check', '--radio', f'hci:{address}', *arguments, stderr=asyncio.subprocess.PIPE) as process:
                _, message = await process.communicate()
                return process.returncode, message.decode()

        async with air() as (address, _), Strap().above(address):
            missing, unnamed = await asyncio.gather(told('--peer', 'Nobody'), told())
        heard = f'{ADDRESS}/random "{Strap.name}"\n'
        self.assertEqual(missing, (3, f'lubdub: no peripheral "Nobody" found within 21 s. Found: {heard}'))
        self.assertEqual(
            unnamed, (2, f'lubdub: no peripheral given: name it with --peer. Found within 5 s: {heard}'))

    async def test_a_lost_peripheral_is_awaited_once(self):
        async with lubdub('check', '--controller', 'tcp:127.0.0.1:0', '--peer', ADDRESS, '--only', 'DIS/*') as process:
            address = (await process.stdout.readline()).decode().split()[1]
            examination = Examined(process, [])
            async with Strap().above(address):
                await examination.line('^pass')
            # Its controller has left the air silently.
            seen = await examination.verdicts()
        self.assertEqual(process.returncode, 1)
        self.assertEqual(list(seen.values()).count('inconclusive'), 1)
        self.assertNotIn('fail', seen.values())
        since, = [line for line in examination.lines if 'was not found any more after' in line]
        self.assertGreater(int(since.split()[0]), 5)

    async def test_a_lost_controller_is_named(self):
        async with air() as (address, radio):
            async with (
                    Strap().above(address),
                    lubdub('check', '--radio', f'hci:{address}', '--peer', ADDRESS, '--only', '*flags*',
                           stderr=asyncio.subprocess.PIPE) as process):
                await Examined(process, []).line('^pass')
                radio.kill()
                rest, message = await process.communicate()
        self.assertEqual(process.returncode, 3)
        self.assertIn(f'lubdub: {address}: ', message.decode())
        self.assertRegex(message.decode(), r'interrupted: 1 of \d+ checks ran')
        self.assertRegex(rest.decode(), '1 pass, 0 fail, 0 inconclusive, 0 skip, 0 error\n')

    async def test_ctrl_c_ends_the_link_cleanly(self):
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

    async def test_a_terminal_shows_the_progress(self):
        strap = Strap()
        terminal = Terminal(columns=150)
        await terminal.start(
            LUBDUB, 'check', '--controller', 'tcp:127.0.0.1:0', '--peer', ADDRESS, '--only',
            'heart_rate/location_is_static')
        address = (await terminal.shows(r'controller (\S+)')).group(1)
        async with strap.above(address):
            await terminal.shows('1 of 1: heart_rate/location_is_static, 4 s', limit=20)
            await terminal.shows('pass  heart_rate/location_is_static', limit=20)
            self.assertEqual(await terminal.ended(), 0)
        await terminal.close()

    async def test_only_skips_are_not_a_success(self):
        seen, examination = await verdicts(Strap(), '--only', 'HRS/SEN/CN/BV-04-C')
        self.assertEqual(seen, {'HRS/SEN/CN/BV-04-C': 'skip'})
        self.assertIn('cannot set the heart rate of a real peripheral', examination.lines[0])
        self.assertEqual(examination.process.returncode, 3)
