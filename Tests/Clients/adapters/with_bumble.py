"""Connects with Bumble, as examples/heart_rate_client.py of its repository does; pairs, as examples/battery_client.py does not."""

import asyncio

from adapter import ADDRESS, CONTROLLER, KIND, PASSKEY, keep_listening, report
from bumble import att, device, hci, keys, pairing, transport

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


def run(subscribe):
    """Awaits `subscribe(peer)` in each connection, all attributes discovered."""
    asyncio.run(main(subscribe))


async def main(subscribe):
    strap = hci.Address(ADDRESS + ('/P' if KIND == 'public' else ''))
    async with await transport.open_transport('tcp-client:' + CONTROLLER.removeprefix('tcp:')) as controller:
        host = device.Device.with_hci('client', hci.Address('F0:F0:F0:F0:F0:F0'), controller.source, controller.sink)
        host.keystore = keys.MemoryKeyStore()
        host.pairing_config_factory = lambda _: pairing.PairingConfig(
            delegate=User(), identity_address_type=pairing.PairingConfig.AddressType.RANDOM)
        await host.power_on()

        async def listen():
            report(state='connecting')
            connection = await host.connect(strap, timeout=5)
            report(state='connected')
            connection.on('security_request', lambda _: asyncio.ensure_future(secure(connection)))
            if await host.keystore.get_all():
                await connection.encrypt()
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
