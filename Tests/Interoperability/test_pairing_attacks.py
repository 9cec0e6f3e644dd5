"""Bumble, as a central, tries to get around the security of straps of `lubdub serve`."""

import asyncio
import contextlib
from unittest import mock

from bumble import att, device, gatt, hci, smp

from harness import Interoperability, host
from test_secure_strap import configure, connect, location, served, strap

VICTIM, ATTACKER = 'F0:F1:F2:F3:F4:01', 'F0:F1:F2:F3:F4:02'


def authenticated(io, **security):
    described = strap(1, io, **security)
    described['services'][0]['permissions'] = ['authenticated']
    return described


async def pair(connection):
    """The keys of a pairing; raises what ends it."""
    made = asyncio.get_running_loop().create_future()
    connection.once('pairing', made.set_result)
    async with asyncio.timeout(5):
        await connection.pair()
        return await made


class PairingAttackTests(Interoperability):
    limit = 150

    async def test_data_out_of_band_that_nobody_has_authenticate_nobody(self):
        began = smp.Session.__init__

        def claims_data(session, *rest, **named):
            began(session, *rest, **named)
            session.oob_data_flag = 1

        async with served([authenticated('no_input_no_output', mitm='required')]) as (port, records):
            async with host(port, 'Attacker', ATTACKER) as attacker:
                configure(attacker, 'no_input_no_output', True, False)
                connection = await connect(attacker, 1)
                with mock.patch.object(smp.Session, '__init__', claims_data):
                    with self.assertRaises(Exception) as raised:
                        await pair(connection)
                self.assertEqual(raised.exception.error_code, smp.ErrorCode.OOB_NOT_AVAILABLE)
                self.assertEqual(await location(connection), att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR)
        self.assertFalse([record for record in records if record['event'] == 'paired'])

    async def test_the_key_of_a_weak_bond_does_not_carry_the_keys_of_a_strong_one(self):
        async with served([authenticated('display_only')]) as (port, _):
            async with host(port, 'Attacker', ATTACKER) as attacker:
                configure(attacker, 'no_input_no_output', False, False)
                connection = await connect(attacker, 1)
                old = (await pair(connection)).ltk_central
                await connection.disconnect()

                def encrypts_with_the_old_key(session, _):
                    command = hci.HCI_LE_Enable_Encryption_Command(
                        connection_handle=session.connection.handle, random_number=old.rand,
                        encrypted_diversifier=old.ediv, long_term_key=old.value)
                    asyncio.ensure_future(session.manager.device.host.send_async_command(command))

                configure(attacker, 'keyboard_only', False, True)
                connection = await connect(attacker, 1)
                with mock.patch.object(smp.Session, 'start_encryption', encrypts_with_the_old_key):
                    with self.assertRaises(Exception):
                        await pair(connection)

    async def test_just_works_does_not_take_over_the_identity_of_another_client(self):
        send = smp.Session.send_command

        def claims_to_be_the_victim(session, command):
            if isinstance(command, smp.SMP_Identity_Address_Information_Command):
                address = hci.Address(VICTIM)
                command = smp.SMP_Identity_Address_Information_Command(
                    addr_type=address.address_type, bd_addr=address)
            send(session, command)

        async with served([authenticated('display_only')]) as (port, records):
            async with host(port, 'Victim', VICTIM) as victim, host(port, 'Attacker', ATTACKER) as attacker:
                configure(victim, 'keyboard_only', True, True)
                connection = await connect(victim, 1)
                await pair(connection)
                await connection.disconnect()
                configure(attacker, 'no_input_no_output', True, False)
                connection = await connect(attacker, 1)
                with mock.patch.object(smp.Session, 'send_command', claims_to_be_the_victim):
                    # The strap refuses the last key, perhaps after the attacker believes that pairing is complete.
                    with contextlib.suppress(Exception):
                        await pair(connection)
                        await asyncio.sleep(0.5)
                await connection.disconnect()
                connection = await connect(victim, 1)
                await connection.encrypt()
                self.assertEqual(await location(connection), b'\x01')
        self.assertEqual([record['reason'] for record in records if record['event'] == 'pairing_failed'], ['key_rejected'])

    async def test_a_pairing_without_a_bond_does_not_change_what_is_kept_of_a_bonded_client(self):
        async with served([strap(1, 'no_input_no_output')]) as (port, _):
            async with host(port, 'Victim', VICTIM) as victim:
                configure(victim, 'no_input_no_output', True, False)
                connection = await connect(victim, 1)
                await pair(connection)
                peer = device.Peer(connection)
                service, = await peer.discover_service(gatt.GATT_HEART_RATE_SERVICE)
                await service.discover_characteristics()
                value, = service.get_characteristics_by_uuid(gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC)
                await value.discover_descriptors()
                await value.subscribe(lambda _: None)
                configuration = value.descriptors[0].handle
                store = victim.keystore
                await connection.disconnect()
            async with host(port, 'Attacker', VICTIM) as attacker:
                configure(attacker, 'no_input_no_output', True, False, bonding=False)
                connection = await connect(attacker, 1)
                await pair(connection)
                await connection.disconnect()
            async with host(port, 'Victim', VICTIM) as victim:
                configure(victim, 'no_input_no_output', True, False)
                victim.keystore = store
                connection = await connect(victim, 1)
                await connection.encrypt()
                octets = await device.Peer(connection).gatt_client.read_value(configuration)
                self.assertEqual(octets, b'\x01\x00')
