import ATT
import Bluetooth
import Characteristics
import GATT

/// The services of these tests' strap.
enum Services {
    static let measurement: UInt16 = 0x0012
    static let location: UInt16 = 0x0015
    static let level: UInt16 = 0x0022

    static let heartRate = DiscoveredService(
        uuid: .heartRate, range: HandleRange(0x10, 0x1F),
        characteristics: [
            DiscoveredCharacteristic(
                uuid: .heartRateMeasurement, range: HandleRange(0x11, 0x13), properties: .notify,
                valueHandle: measurement,
                descriptors: [AttributeType(0x13, .clientCharacteristicConfiguration)]),
            DiscoveredCharacteristic(
                uuid: .bodySensorLocation, range: HandleRange(0x14, 0x15), properties: .read, valueHandle: location),
        ])

    static let battery = DiscoveredService(
        uuid: .battery, range: HandleRange(0x20, 0x2F),
        characteristics: [
            DiscoveredCharacteristic(
                uuid: .batteryLevel, range: HandleRange(0x21, 0x23), properties: [.read, .notify], valueHandle: level,
                descriptors: [AttributeType(0x23, .clientCharacteristicConfiguration)])
        ])

    static let information = DiscoveredService(
        uuid: .deviceInformation, range: HandleRange(0x30, 0x3F),
        characteristics: [
            DiscoveredCharacteristic(
                uuid: .manufacturerNameString, range: HandleRange(0x31, 0x32), properties: .read, valueHandle: 0x32)
        ])

    static let all = [heartRate, battery, information]

    /// A service with these characteristics, each of which takes three handles: the value has the second, and what can
    /// be subscribed to has its configuration at the third.
    static func service(
        _ uuid: UUID, from first: UInt16, _ characteristics: [(UUID, CharacteristicProperties)]
    ) -> DiscoveredService {
        var service = DiscoveredService(uuid: uuid, range: HandleRange(first, first + 0x0F))
        for (index, (uuid, properties)) in characteristics.enumerated() {
            let declaration = first + 1 + 3 * UInt16(index)
            let isTold = !properties.isDisjoint(with: [.notify, .indicate])
            let configuration = AttributeType(declaration + 2, .clientCharacteristicConfiguration)
            service.characteristics.append(
                DiscoveredCharacteristic(
                    uuid: uuid, range: HandleRange(declaration, declaration + 2), properties: properties,
                    valueHandle: declaration + 1, descriptors: isTold ? [configuration] : []))
        }
        return service
    }

    static let thermometer = service(
        .healthThermometer, from: 0x40,
        [
            (.temperatureMeasurement, .indicate), (.intermediateTemperature, .notify), (.temperatureType, .read),
            (.measurementInterval, [.read, .indicate, .write]),
        ])

    static let fitness = service(
        VendorUUID.fitness.uuid, from: 0x50,
        [
            (VendorUUID.steps.uuid, [.read, .notify]), (VendorUUID.stepsToday.uuid, [.read, .notify]),
            (.temperature, .read),
        ])

    static let ecg = service(
        VendorUUID.ecg.uuid, from: 0x60,
        [(VendorUUID.ecgSamples.uuid, .notify), (VendorUUID.ecgDescription.uuid, .read)])

    static let measurements = service(
        VendorUUID.measurements.uuid, from: 0x70, [(VendorUUID.heartRates.uuid, .notify)])

    static let feed = service(VendorUUID.feed.uuid, from: 0x80, [(VendorUUID.feedValue.uuid, [.read, .notify])])

    static let polar = service(
        PMD.Identifier.service.uuid, from: 0x90,
        [
            (PMD.Identifier.controlPoint.uuid, [.read, .write, .indicate]), (PMD.Identifier.data.uuid, .notify),
        ])

    static let attributes = service(
        .genericAttribute, from: 0xA0, [(.serviceChanged, .indicate), (.clientSupportedFeatures, [.read, .write])])
}
