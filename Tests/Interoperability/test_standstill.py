"""`lubdub check` of a real peripheral on a machine that stops in between."""

import asyncio
import signal

import straps
from examining import examined
from harness import Interoperability

ALONE = True  # a busy machine stops without this test


class StandstillTests(Interoperability):
    async def test_a_stopped_machine_causes_no_failure(self):
        check = straps.CannotStop.caught_by
        async with examined(straps.CannotStop(), '--only', check, stderr=asyncio.subprocess.PIPE) as examination:
            process = examination.process
            await asyncio.sleep(4)
            process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(2)
            process.send_signal(signal.SIGCONT)
            seen = await examination.verdicts()
            message = (await process.stderr.read()).decode()
        self.assertRegex(message, f'^lubdub: {check}: this machine stopped for .* during the check; it is asked again at the end\n$')
        self.assertEqual(seen, {check: 'fail'}, 'asked again, and nothing stood still then')
