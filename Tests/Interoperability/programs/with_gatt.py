"""gatt-python, above dbus-python."""

import gatt
from gi.repository import GLib
from session import BATTERY, ENOUGH, HEART_RATE, LINKS, LOCATION, MEASUREMENT, say, show, show_read


class Strap(gatt.Device):
    links = 0

    def begin(self):
        self.links, self.values = self.links + 1, 0
        self.connect()

    def connect_failed(self, error):
        super().connect_failed(error)
        say(error=str(error))
        GLib.timeout_add_seconds(1, self.connect)

    def services_resolved(self):
        super().services_resolved()
        self.found = {part.uuid: part for service in self.services for part in service.characteristics}
        show_read(self.found[LOCATION].read_value(), self.found[BATTERY].read_value())
        self.found[MEASUREMENT].enable_notifications()

    def characteristic_value_updated(self, characteristic, value):
        if characteristic.uuid == MEASUREMENT:
            show(value)
            self.values += 1
            if self.links == LINKS and self.values == ENOUGH:
                self.found[MEASUREMENT].enable_notifications(False)

    def characteristic_enable_notifications_succeeded(self, characteristic):
        if self.values >= ENOUGH:
            self.disconnect()

    def disconnect_succeeded(self):
        super().disconnect_succeeded()
        say(state='disconnected')
        if self.links == LINKS:
            self.manager.stop()
        else:
            GLib.timeout_add(100, self.begin)


class Manager(gatt.DeviceManager):
    strap = None

    def make_device(self, mac_address):
        return Strap(mac_address=mac_address, manager=self)

    def device_discovered(self, device):
        if self.strap is None:
            self.strap = device
            self.stop_discovery()
            device.begin()


manager = Manager(adapter_name='hci0')
manager.start_discovery([HEART_RATE])
manager.run()
