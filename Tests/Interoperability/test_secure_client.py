"""The built-in client of `lubdub monitor` pairs with a strap of Bumble, over lubdub's virtual controllers."""

import asyncio
import contextlib
import dataclasses
import json
import os
import pathlib
import stat
import sys
import tempfile

from bumble import gatt, keys, pairing

from harness import LUBDUB, ROOT, Interoperability, controller_port, lubdub
from straps import Strap

IO = pairing.PairingDelegate.IoCapability
PASSKEY = 123456


class User(pairing.PairingDelegate):
    """Has the passkey of the strap, displayed or printed on it."""

    async def get_number(self):
        return PASSKEY

    async def generate_passkey(self):
        return PASSKEY


class SecureStrap(Strap):
    """A strap whose sensor location needs encryption, or authentication."""

    def __init__(self, io, secure, mitm):
        super().__init__()
        self.io, self.secure, self.mitm = io, secure, mitm
        self.pairings = self.refreshes = 0
        self.insists = False

    def heart_rate_service(self):
        service = super().heart_rate_service()
        needed = (
            gatt.Characteristic.READ_REQUIRES_AUTHENTICATION if self.mitm
            else gatt.Characteristic.READ_REQUIRES_ENCRYPTION)
        service.characteristics[1].permissions |= needed
        return service

    async def advertise(self):
        self.device.keystore = keys.MemoryKeyStore()
        self.device.pairing_config_factory = lambda _: pairing.PairingConfig(
            sc=self.secure, mitm=self.mitm, bonding=True, delegate=User(self.io),
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM)
        await super().advertise()

    def connected(self, connection):
        def paired(_):
            self.pairings += 1

        def encrypted():
            if self.insists:
                connection.request_pairing()

        def refreshed():
            self.refreshes += 1

        connection.on('pairing', paired)
        connection.on('connection_encryption_change', encrypted)
        connection.on('connection_encryption_key_refresh', refreshed)

    async def correct_legacy_keys(self):
        """Bumble, as a peripheral, looks for the key that it has distributed under the name of the other."""
        for name, bond in await self.device.keystore.get_all():
            if bond.ltk is None:
                await self.device.keystore.update(name, dataclasses.replace(bond, ltk_peripheral=bond.ltk_central))

    def forget(self):
        self.device.keystore = keys.MemoryKeyStore()


@contextlib.asynccontextmanager
async def strap(io=IO.NO_OUTPUT_NO_INPUT, secure=True, mitm=False):
    """A strap, and the address of a controller in range of it."""
    async with lubdub('controller', '--listen', 'tcp:127.0.0.1:0', '--quiet') as process:
        address = f'tcp:127.0.0.1:{await controller_port(process)}'
        secured = SecureStrap(io, secure, mitm)
        async with secured.above(address):
            yield secured, address


async def monitor(address, *options, until):
    """The lines of a client up to one that has a key."""
    process = await asyncio.create_subprocess_exec(
        LUBDUB, 'monitor', '--radio', f'hci:{address}', '--json', *options, stdout=asyncio.subprocess.PIPE)
    lines = []
    try:
        async with asyncio.timeout(20):
            async for line in process.stdout:
                lines.append(json.loads(line))
                if until in lines[-1]:
                    break
    finally:
        process.terminate()
        await process.wait()
    return lines


class SecureClientTests(Interoperability):
    limit = 100

    async def test_bonds_in_a_file_survive_the_client(self):
        for secure in (True, False):
            with self.subTest(secure=secure), tempfile.TemporaryDirectory() as folder:
                bonds = pathlib.Path(folder, 'bonds.json')
                async with strap(secure=secure) as (secured, address):
                    lines = await monitor(address, '--bonds', bonds, until='location')
                    self.assertIn({'bonded': True, 'authenticated': False}, [line.get('paired') for line in lines])
                    self.assertEqual(stat.S_IMODE(os.stat(bonds).st_mode), 0o600)
                    await secured.correct_legacy_keys()
                    lines = await monitor(address, '--bonds', bonds, until='location')
                    self.assertFalse([line for line in lines if 'pairing' in line or 'paired' in line])
                    self.assertEqual(secured.pairings, 1)

                    secured.forget()
                    lines = await monitor(address, '--bonds', bonds, until='error')
                    self.assertIn('has lost the keys of an earlier pairing', lines[-1]['error'])
                    self.assertEqual(secured.pairings, 1)
                    lines = await monitor(address, '--bonds', bonds, '--pair', until='location')
                    self.assertEqual(secured.pairings, 2)
                    await secured.correct_legacy_keys()
                    await monitor(address, '--bonds', bonds, until='location')
                    self.assertEqual(secured.pairings, 2)

    async def test_the_passkey_of_the_strap_authenticates(self):
        for io in (IO.DISPLAY_OUTPUT_ONLY, IO.KEYBOARD_INPUT_ONLY, IO.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT):
            for secure in (True, False):
                with self.subTest(io=io, secure=secure):
                    async with strap(io, secure, mitm=True) as (_, address):
                        lines = await monitor(address, '--passkey', '123456', until='location')
                        self.assertIn({'bonded': True, 'authenticated': True}, [line.get('paired') for line in lines])

    async def test_a_wrong_passkey_is_reported(self):
        async with strap(IO.DISPLAY_OUTPUT_ONLY, mitm=True) as (_, address):
            lines = await monitor(address, '--passkey', '654321', until='error')
            self.assertEqual(lines[-1]['error'], 'pairing failed: confirm_value_failed')

    async def test_a_security_request_after_encryption_refreshes_the_key(self):
        with tempfile.TemporaryDirectory() as folder:
            bonds = pathlib.Path(folder, 'bonds.json')
            async with strap() as (secured, address):
                await monitor(address, '--bonds', bonds, until='location')
                secured.insists = True
                lines = await monitor(address, '--bonds', bonds, until='location')
                self.assertFalse([line for line in lines if 'pairing' in line])
                self.assertEqual((secured.pairings, secured.refreshes), (1, 1))

    async def test_pair_does_not_wait_for_a_refusal(self):
        async with strap() as (_, address):
            lines = await monitor(address, '--pair', until='paired')
            self.assertNotIn('heart_rate', [key for line in lines for key in line])


class SecureScenarioTests(Interoperability):
    limit = 120
    computes = True

    async def verdicts(self, folder, names):
        """All verdicts on a client with Bumble, by scenario; the exit status; and the output."""
        only = [word for name in names for word in ('--only', name)]
        with tempfile.TemporaryDirectory() as work:
            report = pathlib.Path(work, 'report.json')
            process = await asyncio.create_subprocess_exec(
                LUBDUB, 'run', folder, *only, '--jobs', '2', '--speed', 'max', '--quiet', '--report', report, '--client',
                f'{sys.executable} Tests/Clients/adapters/bumble_gatt.py', cwd=ROOT, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT)
            output, _ = await process.communicate()
            cases = json.loads(report.read_text())['cases']
        found = {name: set() for name in names}
        for case in cases:
            found[pathlib.Path(case['case']).stem].add(case['verdict'])
        return found, process.returncode, output.decode()

    async def test_a_client_with_bumble_passes_scenarios_that_need_pairing(self):
        names = [
            'encrypted', 'legacy', 'passkey_displayed', 'passkey_entered', 'numbers_compared', 'security_request',
            'lost_at_dhkey_check', 'refused_and_retried']
        found, status, output = await self.verdicts('scenarios/security', names)
        self.assertEqual(status, 0, output)
        self.assertEqual(found, dict.fromkeys(names, {'pass'}), output)

    async def test_a_client_with_bumble_does_what_a_central_must_with_four_exceptions(self):
        right = [
            'legacy_wrong_random', 'legacy_wrong_confirm', 'wrong_random', 'wrong_dhkey_check', 'invalid_public_key',
            'passkey_wrong_confirm', 'passkey_reserved_bits', 'legacy_encryption_key', 'identity_key',
            'legacy_oob', 'legacy_oob_client_only', 'legacy_oob_strap_only', 'legacy_oob_strap_only_just_works',
            'legacy_oob_wrong_confirm', 'oob', 'oob_reserved_bits', 'oob_wrong_public_key', 'oob_cancelled']
        # Bumble 0.0.236 does not compare the confirm values (CVE-2020-26558), nor does it look at the key size.  For Just
        # Works it uses the Temporary Key that it has received out of band, in place of 0.
        wrong = ['legacy_echo', 'legacy_passkey_echo', 'short_key', 'legacy_oob_client_only_just_works']
        found, status, output = await self.verdicts('scenarios/security/central', right + wrong)
        self.assertEqual(status, 1, output)
        self.assertEqual({name: found[name] for name in right}, dict.fromkeys(right, {'pass'}), output)
        for name in wrong:
            self.assertIn('fail', found[name], output)
