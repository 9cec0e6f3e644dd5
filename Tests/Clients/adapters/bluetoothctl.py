"""bluetoothctl, typed at as a person would: scan, connect, select the measurement, and `notify on`; again after a lost link.

It prints values as hexadecimal dumps, which the adapter decodes.
"""

import asyncio
import contextlib
import re

from adapter import ADDRESS, MEASUREMENT, keep_listening, report, show_octets

# The prompt, which readline replaces by the line, and colours with the octets that hide them from it.
DECORATION = re.compile(r'^.*\r\x1b\[K|\x1b\[[0-9;]*m|[\x01\x02]')
DUMP = re.compile(r'^  ((?:[0-9a-f]{2} )+) ')
ROW = 16


class Shell:
    def __init__(self, process):
        self.process, self.lines = process, asyncio.Queue()

    def type(self, command):
        self.process.stdin.write(f'{command}\n'.encode())

    async def read(self):
        """Reads its output, and shows the values in it."""
        value = None
        async for line in self.process.stdout:
            line = DECORATION.sub('', line.decode(errors='replace')).rstrip('\n')
            self.lines.put_nowait(line)
            if value is not None and (dump := DUMP.match(line + ' ')):
                value += bytes.fromhex(dump[1])
                if len(dump[1].split()) == ROW:
                    continue
            if value is not None:
                show_octets(value)
            value = b'' if re.search(r'Attribute .*/char\w+ Value:', line) else None
        self.lines.put_nowait(None)

    async def until(self, pattern, limit):
        """The first line that matches."""
        async with asyncio.timeout(limit):
            while (line := await self.lines.get()) is not None:
                if re.search(pattern, line):
                    return line
        raise EOFError('bluetoothctl has ended')


async def listen():
    process = await asyncio.create_subprocess_exec(
        'stdbuf', '-oL', 'bluetoothctl', stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT)
    shell = Shell(process)
    reading = asyncio.create_task(shell.read())
    try:
        await use(shell)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await reading
        await process.wait()


async def use(shell):
    await shell.until('Agent registered', 10)
    report(state='scanning')
    shell.type('scan le')
    await shell.until(f'Device {ADDRESS}', 20)
    shell.type('scan off')
    await shell.until('Discovery stopped', 10)
    report(state='connecting')
    shell.type(f'connect {ADDRESS}')
    if 'Failed' in await shell.until('Connection successful|Failed to connect', 20):
        raise ConnectionError('Failed to connect')
    report(state='connected')
    await shell.until('ServicesResolved: yes', 20)
    for command in 'menu gatt', f'select-attribute {MEASUREMENT}', 'notify on':
        shell.type(command)
    await shell.until('Notify started', 10)
    report(state='subscribed')
    await shell.until(f'Device {ADDRESS} Connected: no', None)


asyncio.run(keep_listening(listen))
