"""`lubdub check` with Bumble's peripherals: a correct one has only the known failures, and each
faulty one fails the check for its fault."""

import asyncio
import importlib.metadata
import json
import re

from examining import ADDRESS, verdicts
from harness import ROOT, Interoperability, lubdub
from straps import FAULTY, Encrypted, LeavesForGood, Strap, Thermometer

DEVIATIONS = json.loads((ROOT / 'Documentation/known-deviations.json').read_text())


class RealPeripheralTests(Interoperability):
    limit = 300

    async def test_a_correct_strap_has_only_the_known_failures(self):
        self.assertEqual(importlib.metadata.version('bumble'), DEVIATIONS['stacks']['Bumble']['version'])
        known = self.known(Strap)
        listed = await self.listed()
        parts = await asyncio.gather(*(verdicts(Strap(), '--only', part) for part in self.parts(listed)))
        found = {}
        for seen, examination in parts:
            found |= seen
            self.octets(examination, seen)
            self.assertRegex('\n'.join(examination.lines), r'(?m) 0 inconclusive, \d+ skip, 0 error$')
        self.assertEqual(found.keys(), listed)
        self.assertEqual({check for check, verdict in found.items() if verdict == 'fail'}, known)
        self.assertGreater(list(found.values()).count('pass'), 30)

    def known(self, peripheral):
        return {deviation['case'] for deviation in DEVIATIONS['deviations']
                if deviation['stack'] == 'Bumble' and deviation.get('peripheral', 'Strap') == peripheral.__name__}

    async def test_a_correct_thermometer_has_only_the_known_failures(self):
        parts = 'HTS/*', 'HTP/*', 'thermometer/*', 'GATT/SR/GAI/*'
        found = await asyncio.gather(*(verdicts(Thermometer(), '--only', part) for part in parts))
        fails = set()
        for seen, examination in found:
            fails |= {check for check, verdict in seen.items() if verdict == 'fail'}
            self.octets(examination, seen)
            self.assertRegex('\n'.join(examination.lines), r'(?m) 0 inconclusive, \d+ skip, 0 error$')
        self.assertEqual(fails, self.known(Thermometer))

    async def test_a_strap_that_never_advertises_again_fails_one_check(self):
        seen, examination = await verdicts(LeavesForGood())
        lines = '\n'.join(examination.lines)
        self.assertEqual(
            {check: verdict for check, verdict in seen.items() if verdict not in ('pass', 'skip')},
            {'reconnection/advertises_again': 'fail'}, lines)
        self.assertEqual(examination.process.returncode, 1)
        self.assertRegex(lines, r'observed .*no advertising for 42 s after the disconnection')
        gone = [line for line in examination.lines if 'did not advertise again after a disconnection' in line]
        self.assertGreater(len(gone), 50, lines)

    def parts(self, listed):
        """Globs that together match all checks; slow ones have a separate strap, the others share one."""
        long = 'gatt/', 'heart_rate/', 'reconnection/', 'GATT/SR/UNS/', 'GATT/SR/GAR/BV-'
        alone = {check for check in listed if check.startswith(long)}
        tens = {check for check in listed - alone if check.startswith('GATT/')}
        return (alone | {check.removesuffix('-C')[:-1] + '*' for check in tens}
                | {check.rsplit('/', 1)[0] + '/*' for check in listed - alone - tens})

    def octets(self, examination, seen):
        """Asserts that the last request and response before a known failure match the list."""
        for deviation in DEVIATIONS['deviations']:
            if seen.get(deviation['case']) != 'fail':
                continue
            # First as it ends, and with its details after the summary.
            _, fail = [i for i, line in enumerate(examination.lines) if line.startswith(f'fail  {deviation["case"]}  ')]
            trace = re.findall(r'(->|<-) (?:ATT|SMP) .*?((?: [0-9A-F]{2})+)(?: \.\.\.)?$', '\n'.join(examination.lines[fail:fail + 11]), re.M)
            # The next request, after a request that is not answered.
            trace = [(way, octets) for way, octets in trace if not octets.strip().startswith(('04 01 00 01 00', '05 01'))]
            *_, sent = [place for place, (way, _) in enumerate(trace) if way == '->']
            said = [octets.strip() for _, octets in trace[sent:sent + 2]] + ['']
            for octets, wanted in zip(said, (deviation['sent'], deviation['answered'])):
                start, changing, _ = wanted.partition(' ..')
                self.assertEqual(octets[:len(start)] if changing else octets, start, deviation['case'])

    async def listed(self):
        async with lubdub('check', '--list') as process:
            return {line.split()[0].decode() async for line in process.stdout}

    async def test_a_strap_that_requires_encryption_is_paired_with(self):
        for check in 'HRS/SEN/CR/BV-01-C', 'gatt/pairing_opens_values':
            seen, examination = await verdicts(Encrypted(), '--only', check)
            self.assertEqual(seen, {check: 'pass'}, '\n'.join(examination.lines))

    async def test_every_faulty_strap_fails_the_check_for_its_fault(self):
        self.assertGreaterEqual(len(FAULTY), 12)
        found = await asyncio.gather(*(verdicts(fault(), '--strict', '--only', fault.caught_by) for fault in FAULTY))
        for fault, (seen, examination) in zip(FAULTY, found):
            with self.subTest(fault.__name__):
                self.assertEqual(seen, {fault.caught_by: 'fail'}, '\n'.join(examination.lines))
                self.assertEqual(examination.process.returncode, 1)
                summary = next(i for i, line in enumerate(examination.lines) if ' 1 fail, ' in line)
                words = [line.split()[0] for line in examination.lines[summary:] if line]
                words = words[words.index('fail'):]
                self.assertEqual(words[1:6], ['expected', 'observed', 'at', 'requires', 'trace'])
                self.assertIn(f'--peer {ADDRESS} --strict --only {fault.caught_by}', examination.lines[-1])
