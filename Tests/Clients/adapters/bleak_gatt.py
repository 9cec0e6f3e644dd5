"""bleak's GATT client.  The adapter decodes the octets."""

import with_bleak
from adapter import MEASUREMENT, show_octets


async def subscribe(client):
    await client.start_notify(MEASUREMENT, lambda _, octets: show_octets(octets))


with_bleak.run(subscribe)
