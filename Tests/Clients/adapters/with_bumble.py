"""Connects with Bumble, as examples/heart_rate_client.py of its repository does; pairs, as examples/battery_client.py does not."""

import asyncio
import json
import os

from adapter import ADDRESS, CONTROLLER, KIND, OOB, PASSKEY, keep_listening, report
from bumble import att, core, device, hci, keys, pairing, transport

REFUSALS = att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR, att.ATT_INSUFFICIENT_ENCRYPTION_ERROR


class User(pairing.PairingDelegate):
    """Has a keyboard and a display, and sees the device."""

    def __init__(self):
        super().__init__(pairing.PairingDelegate.IoCapability.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT)

    async def get_number(self):
        report(passkey={'requested': True})
        return PASSKEY

    async def display_number(self, number, digits):
        report(passkey={'displayed': number})

    async def compare_numbers(self, number, digits):
        report(passkey={'compared': number})
        return True


def out_of_band():
    """What the device has given away; None: nothing.

    Not with `OobData.from_ad`: in Bumble 0.0.236 it rejects LE Bluetooth Device Address, which has 7 octets.
    """
    kinds = core.AdvertisingData.Type
    values = dict(core.AdvertisingData.from_bytes(OOB).ad_structures)
    confirm = values.get(kinds.LE_SECURE_CONNECTIONS_CONFIRMATION_VALUE)
    key = values.get(kinds.SECURITY_MANAGER_TK_VALUE)
    if confirm is None and key is None:
        return None
    return pairing.PairingConfig.OobConfig(
        our_context=pairing.OobContext(),
        peer_data=confirm and pairing.OobSharedData(confirm, values[kinds.LE_SECURE_CONNECTIONS_RANDOM_VALUE]),
        legacy_context=key and pairing.OobLegacyContext(key))


def earlier_bonds():
    """The client's address, and its bonds with the names that Bumble gives them."""
    if 'LUBDUB_BONDS' not in os.environ:
        return 'F0:F0:F0:F0:F0:F0', []
    client, = json.loads(os.environ['LUBDUB_BONDS'])['devices']
    bonds = []
    for bond in client['bonds']:
        address, kind = bond['peer'].split('/')
        key = bond['central']
        keyed = keys.PairingKeys.Key(
            bytes.fromhex(key['ltk'])[::-1], key['authenticated'], key.get('ediv'), bytes.fromhex(key.get('rand', ''))[::-1])
        name = str(hci.Address(address + ('/P' if kind == 'public' else '')))
        bonds.append((name, keys.PairingKeys(**{'ltk' if key['secure_connections'] else 'ltk_central': keyed})))
    return client['address'].split('/')[0], bonds


def run(subscribe):
    """Awaits `subscribe(peer)` in each connection, all attributes discovered."""
    asyncio.run(main(subscribe))


async def main(subscribe):
    strap = hci.Address(ADDRESS + ('/P' if KIND == 'public' else ''))
    async with await transport.open_transport('tcp-client:' + CONTROLLER.removeprefix('tcp:')) as controller:
        own, bonds = earlier_bonds()
        host = device.Device.with_hci('client', hci.Address(own), controller.source, controller.sink)
        host.keystore = keys.MemoryKeyStore()
        for peer, bond in bonds:
            await host.keystore.update(peer, bond)
        oob = out_of_band()
        # With data for LE legacy pairing only, Bumble has the OOB data flag only without LE Secure Connections.
        host.pairing_config_factory = lambda _: pairing.PairingConfig(
            sc=oob is None or oob.peer_data is not None, delegate=User(), oob=oob,
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM)
        await host.power_on()

        async def listen():
            report(state='connecting')
            connection = await host.connect(strap, timeout=5)
            report(state='connected')
            connection.on('security_request', lambda _: asyncio.ensure_future(secure(connection)))
            if await host.keystore.get_all():
                try:
                    await connection.encrypt()
                except hci.HCI_Error:
                    await connection.disconnect()
                    raise
            async with device.Peer(connection) as peer:
                try:
                    await subscribe(peer)
                except att.ATT_Error as error:
                    if error.error_code not in REFUSALS or connection.is_encrypted:
                        raise
                    await secure(connection)
                    await subscribe(peer)
                report(state='subscribed')
                await peer.sustain()

        await keep_listening(listen)


async def secure(connection):
    """Pairs, and reports the result."""
    made = asyncio.get_running_loop().create_future()
    connection.once('pairing', made.set_result)
    report(pairing='started')
    await connection.pair()
    bond = await made
    key = bond.ltk or bond.ltk_central
    report(paired={'bonded': True, 'authenticated': key.authenticated})
