"""bluezero as a central, above dbus-python."""

import dbus
from bluezero import async_tools, central
from session import BATTERY, ENOUGH, HEART_RATE, LINKS, LOCATION, MEASUREMENT, say, show, show_read

BATTERY_SERVICE = '0000180f-0000-1000-8000-00805f9b34fb'


def found():
    """The address of a strap with its service; None if it was not found."""
    straps = list(central.Central.available())
    return next((strap.address for strap in straps if HEART_RATE in strap.uuids), None)


central.adapter.Adapter().nearby_discovery(timeout=2)
strap = central.Central(found())
measurement = strap.add_characteristic(HEART_RATE, MEASUREMENT)
location = strap.add_characteristic(HEART_RATE, LOCATION)
battery = strap.add_characteristic(BATTERY_SERVICE, BATTERY)
links, values = 0, 0


def begin():
    global links, values
    links, values = links + 1, 0
    while True:
        try:
            strap.connect()
            break
        except dbus.exceptions.DBusException as error:
            say(error=str(error))
    show_read(bytes(location.value), bytes(battery.value))
    measurement.add_characteristic_cb(received)
    measurement.start_notify()


def received(interface, changed, invalidated):
    global values
    if 'Value' in changed:
        show(bytes(changed['Value']))
        values += 1
        if links == LINKS and values == ENOUGH:
            measurement.stop_notify()
            async_tools.add_timer_ms(100, strap.disconnect)


def lost(device):
    say(state='disconnected')
    measurement.add_characteristic_cb(None)
    if links == LINKS:
        strap.quit()
    else:
        async_tools.add_timer_ms(100, begin)


strap.dongle.on_disconnect = lost
begin()
strap.run()
