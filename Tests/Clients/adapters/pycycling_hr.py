"""pycycling's `HeartRateService`.

Its documentation gives RR-Intervals no unit: the adapter takes the numbers as 1/1024 s, as the specification has them.
`sensor_contact` is a truth value, False also for straps that do not detect contact: the adapter prints only True, so that
this fails the cases about contact, not all.
"""

import with_bleak
from adapter import show
from pycycling.heart_rate_service import HeartRateService


def received(measurement):
    show(
        measurement.bpm, contact=measurement.sensor_contact or None, energy_kj=measurement.energy_expended,
        rr_ms=[interval * 1000 / 1024 for interval in measurement.rr_interval])


async def subscribe(client):
    service = HeartRateService(client)
    service.set_hr_measurement_handler(received)
    await service.enable_hr_measurement_notifications()


with_bleak.run(subscribe)
