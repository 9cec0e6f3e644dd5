"""What `lubdub check` says of a real peripheral when the machine itself stalled meanwhile."""

import asyncio
import signal

import straps
from examining import examined
from harness import Interoperability

ALONE = ['test_a_machine_that_stalls_fails_nobody']  # a machine with more to do stalls by itself


class StallTests(Interoperability):
    async def test_a_machine_that_stalls_fails_nobody(self):
        check = straps.RemembersSubscribers.caught_by
        async with examined(straps.RemembersSubscribers(), '--only', check, stderr=asyncio.subprocess.PIPE) as examination:
            process = examination.process
            device = examination.strap.device
            connections = []
            device.on('connection', connections.append)
            # For the recording, with a subscription, and without one: the check judges the third.
            while len(connections) < 3:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.5)  # until the check waits for values that must not come
            process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(3)
            process.send_signal(signal.SIGCONT)
            seen = await examination.verdicts()
            message = (await process.stderr.read()).decode()
        self.assertRegex(message, f'^lubdub: {check}: this machine stopped for .* during the check; it runs again at the end\n$')
        self.assertEqual(seen, {check: 'fail'}, 'asked again, and nothing stalled then')
