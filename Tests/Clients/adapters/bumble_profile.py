"""Bumble's client of the Heart Rate Profile: `HeartRateServiceProxy`, whose measurements the adapter prints.

Bumble has RR-Intervals in seconds; the adapter prints milliseconds.
"""

import with_bumble
from adapter import show
from bumble.profiles.heart_rate_service import HeartRateServiceProxy


def received(measurement):
    intervals = measurement.rr_intervals
    show(
        measurement.heart_rate, contact=measurement.sensor_contact_detected, energy_kj=measurement.energy_expended,
        rr_ms=None if intervals is None else [interval * 1000 for interval in intervals])


async def subscribe(peer):
    service = peer.create_service_proxy(HeartRateServiceProxy)
    await service.heart_rate_measurement.subscribe(received)


with_bumble.run(subscribe)
