"""Qt's QtBluetooth, with PyQt6."""

import sys

from PyQt6.QtBluetooth import (
    QBluetoothDeviceDiscoveryAgent, QBluetoothUuid, QLowEnergyController, QLowEnergyDescriptor, QLowEnergyService)
from PyQt6.QtCore import QByteArray, QCoreApplication, QTimer
from session import BATTERY, ENOUGH, LINKS, LOCATION, MEASUREMENT, say, show, show_read

app = QCoreApplication(sys.argv)


def uuid(text):
    from PyQt6.QtCore import QUuid
    return QBluetoothUuid(QUuid(text))


HEART_RATE, BATTERY_SERVICE = (uuid(f'0000{number}-0000-1000-8000-00805f9b34fb') for number in ('180d', '180f'))


class Session:
    def __init__(self):
        self.links, self.values, self.services, self.read = 0, 0, [], {}
        self.agent = QBluetoothDeviceDiscoveryAgent()
        self.agent.setLowEnergyDiscoveryTimeout(20000)
        self.agent.deviceDiscovered.connect(self.discovered)
        self.agent.deviceUpdated.connect(lambda device, _: self.discovered(device))
        self.agent.start(QBluetoothDeviceDiscoveryAgent.DiscoveryMethod.LowEnergyMethod)

    def discovered(self, device):
        if HEART_RATE in device.serviceUuids() and not self.links:
            self.agent.stop()
            self.controller = QLowEnergyController.createCentral(device)
            self.controller.connected.connect(self.controller.discoverServices)
            self.controller.discoveryFinished.connect(self.use)
            self.controller.disconnected.connect(self.disconnected)
            self.controller.errorOccurred.connect(self.failed)
            self.connect()

    def connect(self):
        self.links += 1
        self.controller.connectToDevice()

    def failed(self, error):
        say(error=str(error))
        if error == QLowEnergyController.Error.ConnectionError:
            QTimer.singleShot(1000, self.controller.connectToDevice)

    def use(self):
        self.values, self.read = 0, {}
        self.services = [self.controller.createServiceObject(uuid) for uuid in (HEART_RATE, BATTERY_SERVICE)]
        for service in self.services:
            service.stateChanged.connect(lambda state, service=service: self.discovered_details(service, state))
            service.characteristicRead.connect(self.was_read)
            service.characteristicChanged.connect(self.received)
            service.descriptorWritten.connect(self.written)
            service.discoverDetails()

    def discovered_details(self, service, state):
        if state != QLowEnergyService.ServiceState.RemoteServiceDiscovered:
            return
        if service.serviceUuid() == HEART_RATE:
            service.readCharacteristic(service.characteristic(uuid(LOCATION)))
            self.configure(b'\1\0')
        else:
            service.readCharacteristic(service.characteristic(uuid(BATTERY)))

    def configure(self, value):
        configuration = self.services[0].characteristic(uuid(MEASUREMENT)).descriptor(
            QBluetoothUuid(QBluetoothUuid.DescriptorType.ClientCharacteristicConfiguration))
        self.services[0].writeDescriptor(configuration, QByteArray(value))

    def was_read(self, characteristic, value):
        self.read[characteristic.uuid().toString().strip('{}')] = bytes(value)
        if len(self.read) == 2:
            show_read(self.read[LOCATION], self.read[BATTERY])

    def received(self, characteristic, value):
        if characteristic.uuid() == uuid(MEASUREMENT):
            show(bytes(value))
            self.values += 1
            if self.links == LINKS and self.values == ENOUGH:
                self.configure(b'\0\0')

    def written(self, _, value):
        if bytes(value) == b'\0\0':
            self.controller.disconnectFromDevice()

    def disconnected(self):
        say(state='disconnected')
        if self.links == LINKS:
            app.quit()
        else:
            QTimer.singleShot(100, self.connect)


session = Session()
app.exec()
