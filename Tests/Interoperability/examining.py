"""Bumble's straps, checked by `lubdub check` over its controller."""

import contextlib
import logging
import re

from harness import lubdub

# Bumble's hosts report the loss of their controllers when lubdub ends.
logging.getLogger('bumble').setLevel(logging.CRITICAL)
logging.getLogger('asyncio').setLevel(logging.CRITICAL)

ADDRESS = 'F0:F1:F2:F3:F4:F5'


class Examined:
    """A peripheral during a check."""

    def __init__(self, process, lines, strap=None):
        self.process, self.lines, self.strap = process, lines, strap

    async def verdicts(self):
        """Collects the output until the end, and the verdict of each check."""
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
    """A strap over a controller of `lubdub check ARGUMENTS...`."""
    words = ['check', '--controller', 'tcp:127.0.0.1:0', '--peer', peer, '--verbose', *arguments]
    async with lubdub(*words, **streams) as process:
        address = (await process.stdout.readline()).decode().split()[1]
        async with strap.above(address):
            yield Examined(process, [], strap)


async def verdicts(strap, *arguments):
    async with examined(strap, *arguments) as examination:
        return await examination.verdicts(), examination


@contextlib.asynccontextmanager
async def air():
    """The address of controllers that share the air, and the process that provides them."""
    async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0', '--quiet') as process:
        yield (await process.stdout.readline()).decode().split()[1], process
