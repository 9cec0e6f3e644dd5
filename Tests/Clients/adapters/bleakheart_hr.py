"""bleakheart's `HeartRate`, with its measurements as received: with `unpack`, it drops those without RR-Intervals, as documented.

bleakheart has the contact in its attributes `contact_detection` and `good_contact`, not in the measurement.
"""

import with_bleak
from adapter import show
from bleakheart import HeartRate


async def subscribe(client):
    def received(frame):
        _, _, (bpm, intervals), energy = frame
        contact = heart.good_contact.is_set() if heart.contact_detection else None
        show(bpm, contact=contact, energy_kj=energy, rr_ms=intervals)

    heart = HeartRate(client, callback=received, unpack=False)
    await heart.start_notify()


with_bleak.run(subscribe)
