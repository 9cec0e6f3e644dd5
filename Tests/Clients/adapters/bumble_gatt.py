"""Bumble's GATT client: `Peer` and `CharacteristicProxy.subscribe`.  The adapter decodes the octets."""

import with_bumble
from adapter import show_octets
from bumble import gatt


async def subscribe(peer):
    measurement, = peer.get_characteristics_by_uuid(gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC)
    await measurement.subscribe(show_octets)


with_bumble.run(subscribe)
