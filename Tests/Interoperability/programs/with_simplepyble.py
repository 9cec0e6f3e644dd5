"""SimplePyBLE.

It sometimes reads a reply before it waits for it, and then waits 30 s; the alarm ends it, and it has to be started again.
"""

import os
import signal
import threading
import time

import simplepyble
from session import BATTERY, ENOUGH, HEART_RATE, LINKS, LOCATION, MEASUREMENT, say, show, show_read

BATTERY_SERVICE = '0000180f-0000-1000-8000-00805f9b34fb'

signal.alarm(6 + 8 * LINKS)
adapter = simplepyble.Adapter.get_adapters()[0]
strap = None
while strap is None:
    adapter.scan_for(1000)
    strap = next((found for found in adapter.scan_get_results()
                  if any(service.uuid() == HEART_RATE for service in found.services())), None)
lost, enough, values = threading.Event(), threading.Event(), []
strap.set_callback_on_disconnected(lost.set)


def received(octets):
    values.append(show(octets))
    if len(values) >= ENOUGH:
        enough.set()


for link in range(LINKS):
    lost.clear()
    while True:
        try:
            strap.connect()
            break
        except RuntimeError as error:
            say(error=str(error))
            time.sleep(1)
    show_read(strap.read(HEART_RATE, LOCATION), strap.read(BATTERY_SERVICE, BATTERY))
    values.clear()
    enough.clear()
    strap.notify(HEART_RATE, MEASUREMENT, received)
    if link < LINKS - 1:
        lost.wait()
        say(state='disconnected')
    else:
        enough.wait()
        strap.unsubscribe(HEART_RATE, MEASUREMENT)
        strap.disconnect()

os._exit(0)  # since its thread calls Python after the end
