"""Progress on a terminal: a bar without colours, which is gone at the end, and nothing elsewhere."""

import asyncio
import contextlib
import signal
import unittest

from harness import LUBDUB, Interoperability, controller_port, lubdub
from terminal import Terminal

BAR = r'\r\[#* *\] +\d+ %  '


@contextlib.asynccontextmanager
async def running(*arguments, name='xterm', columns=120, **options):
    terminal = Terminal(name, columns=columns)
    await terminal.start(LUBDUB, *arguments, **({'stdout': asyncio.subprocess.DEVNULL} | options))
    try:
        yield terminal
    finally:
        await terminal.close()


class ProgressTests(Interoperability):
    async def ends(self, terminal, status=0, last=''):
        self.assertEqual(await terminal.ended(), status)
        await terminal.shows(r'\r\x1b\[K' + last + r'\Z')

    async def test_a_suite_shows_its_cases(self):
        async with running('run', 'scenarios/formats') as terminal:
            first = await terminal.shows(BAR + r'1 of (\d+): ')
            await terminal.shows(BAR + rf'{first[1]} of {first[1]}: ')
            await self.ends(terminal)
            self.assertNotRegex(terminal.text, r'\x1b\[[\d;]*m')

    async def test_a_long_run_in_virtual_time_shows_its_time(self):
        async with running('run', 'scenarios/resting.json', '--for', '240 h') as terminal:
            await terminal.shows(BAR + r'[\d.]+ s of 864000\.\d* s', limit=30)
            terminal.process.send_signal(signal.SIGINT)
            await self.ends(terminal, 128 + signal.SIGINT, r'lubdub: interrupted: [^\r\n]*\r?\n')

    async def test_scan_shows_its_parts(self):
        async with lubdub('serve', 'scenarios/resting.json', '--controller', 'tcp:127.0.0.1:0', '--quiet') as strap:
            radio = f'hci:tcp:127.0.0.1:{await controller_port(strap)}'
            async with running('scan', '--radio', radio, '--for', '3 s') as terminal:
                await terminal.shows(BAR + 'scanning: 1 device')
                await terminal.shows(r'\r\[#{5,} *\] +\d+ %  scanning')
                await self.ends(terminal)

    async def test_the_line_is_cut_to_the_width(self):
        async with running('run', 'scenarios/formats', columns=20) as terminal:
            await terminal.shows(r'\r1 of \d+: .{1,13}\x1b\[K')
            await self.ends(terminal)

    async def test_there_is_none_elsewhere(self):
        for arguments, options in [
                ([], {'name': 'dumb'}), ([], {'stderr': asyncio.subprocess.DEVNULL}), (['--quiet'], {})]:
            with self.subTest(options, arguments=arguments):
                async with running('run', 'scenarios/formats', *arguments, **options) as terminal:
                    self.assertEqual(await terminal.ended(), 0)
                    self.assertNotIn('%', terminal.text)


if __name__ == '__main__':
    unittest.main()
