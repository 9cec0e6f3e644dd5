"""Heart-rate straps over Bumble: one made of Bumble's profiles, and faulty ones with one difference each.

If a fault was seen in a real device, the docstring of its class names the device.
"""

import asyncio
import contextlib
import struct

from bumble import att, core, device, gatt, hci, smp, transport
from bumble.profiles.battery_service import BatteryService
from bumble.profiles.device_information_service import DeviceInformationService
from bumble.profiles.heart_rate_service import HeartRateService

ADVERTISING = core.AdvertisingData
READ, WRITE = gatt.Characteristic.Properties.READ, gatt.Characteristic.Properties.WRITE
NOTIFY = gatt.Characteristic.Properties.NOTIFY
APPEARANCE = 0x0341  # a heart-rate belt


class Strap:
    """A correct strap with Bumble's Heart Rate, Battery and Device Information services."""

    period = 0.5
    advertised = gatt.GATT_HEART_RATE_SERVICE
    name = 'Bumble HRM'
    local_name = name
    flags = 0x06
    location = HeartRateService.BodySensorLocation.CHEST
    battery = 87
    manufacturer = 'Bumble'
    comes_back = True
    keeps_bonds = True
    session = smp.Session

    def __init__(self):
        self.energy = 0
        self.count = 0

    # MARK: Attributes

    def services(self):
        return [self.heart_rate_service(), BatteryService(lambda _: self.battery), self.information()]

    def heart_rate_service(self):
        return HeartRateService(lambda _: self.measurement(), self.location, self.reset)

    def information(self):
        return DeviceInformationService(
            manufacturer_name=self.manufacturer, model_number='HRM-1', serial_number='1', hardware_revision='A',
            firmware_revision='1.0', software_revision='1.0', system_id=(0xACDE48, 0x2345678))

    # MARK: Values

    def measurement(self):
        return HeartRateService.HeartRateMeasurement(72, self.contact(), self.energy, self.intervals())

    def contact(self):
        return True

    def intervals(self):
        return [0.75]

    def reset(self, _):
        self.energy = 0

    def advertising_data(self):
        return bytes(ADVERTISING([
            (ADVERTISING.Type.FLAGS, bytes([self.flags])),
            (ADVERTISING.Type.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, self.advertised.to_bytes())]))

    def scan_response(self):
        name = self.local_name.encode()
        return bytes(ADVERTISING([(ADVERTISING.Type.COMPLETE_LOCAL_NAME, name)])) if name else b''

    # MARK: Life cycle

    @contextlib.asynccontextmanager
    async def above(self, address):
        """The strap, advertising over the controller at an address that lubdub prints: `tcp:127.0.0.1:6402`."""
        async with await transport.open_transport(address.replace('tcp:', 'tcp-client:', 1)) as hci_transport:
            strap = device.Device.with_hci(
                self.name, hci.Address('F0:F1:F2:F3:F4:F5'), hci_transport.source, hci_transport.sink)
            self.device = strap
            strap.smp_manager.session_proxy = self.session
            service, *others = self.services()
            self.measurements = service.characteristics[0]
            strap.add_services([service, *others])
            strap.on('connection', self.connected)
            await strap.power_on()
            if not self.keeps_bonds:
                strap.keystore = None
            await self.advertise()
            beating = asyncio.create_task(self.beat())
            try:
                yield strap
            finally:
                beating.cancel()

    async def advertise(self):
        await self.device.start_advertising(
            auto_restart=self.comes_back, advertising_data=self.advertising_data(),
            scan_response_data=self.scan_response(), advertising_interval_min=30, advertising_interval_max=30)

    def connected(self, connection):
        pass

    async def beat(self):
        while True:
            await asyncio.sleep(self.period)
            self.energy += 2
            self.count += 1
            await self.notify()

    async def notify(self):
        await self.device.notify_subscribers(self.measurements)


class Encrypted(Strap):
    """Its location can be read over an encrypted link only."""

    def heart_rate_service(self):
        service = super().heart_rate_service()
        measurement, location, control = service.characteristics
        encrypted = characteristic(
            location.uuid, READ, gatt.Characteristic.READABLE | gatt.Characteristic.READ_REQUIRES_ENCRYPTION,
            bytes([self.location]))
        return gatt.Service(gatt.GATT_HEART_RATE_SERVICE, [measurement, encrypted, control])


class Thermometer(Strap):
    """A correct thermometer, made of Bumble's attributes: it has no profile for it."""

    advertised = gatt.GATT_HEALTH_THERMOMETER_SERVICE
    name = local_name = 'Bumble HTS'

    def services(self):
        temperature = characteristic(
            core.UUID.from_16_bits(0x2A1C, 'Temperature Measurement'), gatt.Characteristic.Properties.INDICATE,
            gatt.Characteristic.Permissions(0), self.temperature())
        return [gatt.Service(gatt.GATT_HEALTH_THERMOMETER_SERVICE, [temperature])]

    def temperature(self):
        return struct.pack('<BI', 0, 0xFF00016E)  # 36.6 degrees Celsius

    async def notify(self):
        await self.device.indicate_subscribers(self.measurements, self.temperature())


class Raw(Strap):
    """A strap that changes the octets that Bumble notifies."""

    def octets(self):
        raise NotImplementedError

    async def notify(self):
        for connection in list(self.device.connections.values()):
            cccd = self.device.gatt_server.subscribers.get(connection, {}).get(self.measurements.handle, b'\0')
            if cccd[0] & 1:
                self.tell(connection, self.octets())

    def tell(self, connection, octets):
        self.device.gatt_server.send_gatt_pdu(connection, bytes(att.ATT_Handle_Value_Notification(
            attribute_handle=self.measurements.handle, attribute_value=octets)))


def characteristic(uuid, properties, permissions, value):
    return gatt.Characteristic(uuid, properties, permissions, value)


class Controlled(Strap):
    """A strap with a different control point."""

    properties = WRITE

    def heart_rate_service(self):
        service = super().heart_rate_service()
        measurement, location, _ = service.characteristics
        control = characteristic(
            gatt.GATT_HEART_RATE_CONTROL_POINT_CHARACTERISTIC, self.properties, gatt.Characteristic.WRITEABLE,
            gatt.CharacteristicValue(write=self.written))
        return gatt.Service(gatt.GATT_HEART_RATE_SERVICE, [measurement, location, control])

    def written(self, connection, value):
        if value != b'\x01':
            raise att.ATT_Error(HeartRateService.CONTROL_POINT_NOT_SUPPORTED)
        self.reset(connection)


# The faulty straps.  `caught_by` is the check that must find the fault.


class WantsTwoOctets(Controlled):
    """BTstack, heart_rate_service_server.c: accepts 01 00 at its control point, and rejects 01, the specified value."""

    caught_by = 'HRS/SEN/CW/BV-01-C'

    def written(self, connection, value):
        if len(value) < 2:
            raise att.ATT_Error(att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR)
        super().written(connection, value[:1])


class CannotBeReset(Controlled):
    """Zephyr before its pull requests 77596 and 77598: rejects every write to its control point."""

    caught_by = 'HRS/SEN/CW/BV-01-C'

    def written(self, connection, value):
        raise att.ATT_Error(att.ATT_WRITE_NOT_PERMITTED_ERROR)


class NeverResets(Strap):
    """Accepts the reset, but keeps Energy Expended."""

    caught_by = 'HRS/SEN/CW/BV-01-C'

    def reset(self, _):
        pass


class TakesAnything(Controlled):
    """Accepts any value at its control point."""

    caught_by = 'HRS/SEN/CW/BI-01-C'

    def written(self, connection, value):
        self.reset(connection)


class WritesWithoutResponse(Controlled):
    """Declares its control point with more properties than the service allows."""

    caught_by = 'HRS/SEN/SGGIT/CHA/BV-03-C'
    properties = WRITE | gatt.Characteristic.Properties.WRITE_WITHOUT_RESPONSE


class CanBeRead(Strap):
    """InfiniTime, HeartRateService.cpp: 2A37 is declared with Read and Notify."""

    caught_by = 'HRS/SEN/SGGIT/CHA/BV-01-C'

    def heart_rate_service(self):
        service = super().heart_rate_service()
        service.characteristics[0].properties |= READ
        return service


class RemembersSubscribers(Raw):
    """InfiniTime, HeartRateService.cpp: has one subscription flag for all clients, which survives disconnections."""

    caught_by = 'reconnection/configuration_is_cleared'
    is_on = False

    def octets(self):
        return bytes(self.measurement())

    async def notify(self):
        server = self.device.gatt_server
        for connection in list(self.device.connections.values()):
            cccd = server.subscribers.get(connection, {}).get(self.measurements.handle)
            if cccd is not None:
                self.is_on = bool(cccd[0] & 1)
            if self.is_on:
                self.tell(connection, self.octets())


class PromisesIntervals(Strap):
    """Bumble's profile with an empty list of intervals: sets bit 4 of the flags without a field."""

    caught_by = 'heart_rate/flags_explain_octets'

    def intervals(self):
        return []


class SaysOneOctet(Raw):
    """tinygo-org/bluetooth, before its pull request 47: sends the heart rate without flags."""

    caught_by = 'heart_rate/flags_explain_octets'

    def octets(self):
        return bytes([72])


class AdvertisesTheCharacteristic(Strap):
    """tinygo-org/bluetooth, before its pull request 47: advertises 2A37, as if that were a service."""

    caught_by = 'HRP/SEN/HRF/BV-01-C'
    advertised = gatt.GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC


class AdvertisesWhatItHasNot(Strap):
    """Advertises Health Thermometer, but does not have it."""

    caught_by = 'advertising/services_are_there'

    def advertising_data(self):
        both = self.advertised.to_bytes() + struct.pack('<H', 0x1809)
        return bytes(ADVERTISING([
            (ADVERTISING.Type.FLAGS, bytes([self.flags])),
            (ADVERTISING.Type.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, both)]))


class HasNoName(Strap):
    """Advertises no name."""

    caught_by = 'HRP/SEN/HRF/BV-02-C'
    local_name = ''


class HasAnotherName(Strap):
    """Advertises a complete name that differs from its Device Name."""

    caught_by = 'advertising/name_fits'
    local_name = 'HRM'


class ClaimsBothModes(Strap):
    """Sets both discoverable flags."""

    caught_by = 'advertising/flags'
    flags = 0x07


class CannotStop(Raw):
    """Zephyr's issue 88027, exaggerated: notifies for some seconds after the client has unsubscribed."""

    caught_by = 'HRS/SEN/CN/BV-01-C'
    wants = 0

    def octets(self):
        return bytes(self.measurement())

    async def notify(self):
        for connection in list(self.device.connections.values()):
            cccd = self.device.gatt_server.subscribers.get(connection, {}).get(self.measurements.handle, b'\0')
            self.wants = 8 if cccd[0] & 1 else self.wants - 1
            if self.wants > 0:
                self.tell(connection, self.octets())


class ChangesItsMind(Strap):
    """The first draft of Bumble's example, pull request 15: changes the Sensor Contact Supported flag at random."""

    caught_by = 'heart_rate/contact_support_is_static'

    def contact(self):
        return True if self.count % 3 else None


class IsNowhere(Strap):
    """Has a reserved Body Sensor Location."""

    caught_by = 'HRS/SEN/CR/BV-01-C'

    def heart_rate_service(self):
        service = super().heart_rate_service()
        measurement, _, control = service.characteristics
        location = characteristic(
            gatt.GATT_BODY_SENSOR_LOCATION_CHARACTERISTIC, READ, gatt.Characteristic.READABLE, bytes([7]))
        return gatt.Service(gatt.GATT_HEART_RATE_SERVICE, [measurement, location, control])


class MovesAround(Strap):
    """Has another Body Sensor Location at each read."""

    caught_by = 'heart_rate/location_is_static'

    def heart_rate_service(self):
        service = super().heart_rate_service()
        measurement, _, control = service.characteristics
        location = characteristic(
            gatt.GATT_BODY_SENSOR_LOCATION_CHARACTERISTIC, READ, gatt.Characteristic.READABLE,
            gatt.CharacteristicValue(read=lambda _: bytes([self.count % 7])))
        return gatt.Service(gatt.GATT_HEART_RATE_SERVICE, [measurement, location, control])


class CountsWithoutControl(Strap):
    """Sends Energy Expended without a control point to reset it."""

    caught_by = 'heart_rate/energy_needs_control_point'

    def heart_rate_service(self):
        return HeartRateService(lambda _: self.measurement(), self.location)


class IsTwo(Strap):
    """Has two Heart Rate Services."""

    caught_by = 'HRS/SEN/SGGIT/SER/BV-01-C'

    def services(self):
        return [*super().services(), self.heart_rate_service()]


class IsOvercharged(Strap):
    """Reports a battery level of 101 %."""

    caught_by = 'battery/level_is_a_percentage'
    battery = 101


class CannotSpell(Strap):
    """Has a manufacturer name in Latin-1."""

    caught_by = 'DIS/SR/SGGIT/CHA/BV-01-C'

    def information(self):
        return gatt.Service(gatt.GATT_DEVICE_INFORMATION_SERVICE, [characteristic(
            gatt.GATT_MANUFACTURER_NAME_STRING_CHARACTERISTIC, READ, gatt.Characteristic.READABLE,
            'Müller'.encode('latin-1'))])


class LeavesForGood(Strap):
    """Stops advertising after its first connection."""

    caught_by = 'reconnection/advertises_again'
    comes_back = False


class WaitsForALostClient(Strap):
    """Advertises again after a disconnection, but not after link loss."""

    caught_by = 'reconnection/advertises_after_loss'
    comes_back = False

    def connected(self, connection):
        connection.on('disconnection', self.disconnected)

    def disconnected(self, reason):
        if reason != hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR:
            asyncio.create_task(self.advertise())


class ForgetsBonds(Strap):
    """Announces that it keeps keys, and keeps none."""

    caught_by = 'pairing/bond_is_kept'
    keeps_bonds = False


class TrustsAnyone(Strap):
    """Accepts every confirm value, and every DHKey check value."""

    caught_by = 'SM/PER/JW/BI-02-C'

    class session(smp.Session):
        def check_expected_value(self, *_):
            return True


FAULTY = [
    WantsTwoOctets, CannotBeReset, NeverResets, TakesAnything, WritesWithoutResponse, CanBeRead, RemembersSubscribers,
    PromisesIntervals, SaysOneOctet, AdvertisesTheCharacteristic, AdvertisesWhatItHasNot, HasNoName, HasAnotherName,
    ClaimsBothModes, CannotStop, ChangesItsMind, IsNowhere, MovesAround, CountsWithoutControl, IsTwo, IsOvercharged,
    CannotSpell, LeavesForGood, WaitsForALostClient, ForgetsBonds, TrustsAnyone,
]
