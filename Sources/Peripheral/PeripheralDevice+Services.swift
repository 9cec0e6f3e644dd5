import Bluetooth
import Characteristics
import GATT

/// What a definition becomes in the table of attributes.
extension PeripheralDevice {
    static func genericAccess(_ definition: PeripheralDefinition) -> ServiceDefinition {
        let name = definition.name.utf8(atMost: DeviceName.maximumCount)
        return ServiceDefinition(
            uuid: .genericAccess,
            characteristics: [
                CharacteristicDefinition(uuid: .deviceName, properties: .read, value: .fixed(name)),
                CharacteristicDefinition(
                    uuid: .appearance, properties: .read, value: .fixed(definition.appearance.octets)),
            ])
    }

    /// Service Changed, and what robust caching needs.  Core 6.0, Vol 3, Part G, section 7.
    static var genericAttribute: ServiceDefinition {
        ServiceDefinition(
            uuid: .genericAttribute,
            characteristics: [
                CharacteristicDefinition(uuid: .serviceChanged, properties: .indicate, value: .fixed([])),
                CharacteristicDefinition(
                    uuid: .clientSupportedFeatures, properties: [.read, .write], value: .clientSupportedFeatures),
                CharacteristicDefinition(uuid: .databaseHash, properties: .read, value: .databaseHash),
            ])
    }

    /// A service, and what each of its characteristics stands for.
    static func define(
        _ service: PeripheralDefinition.Service
    ) -> (ServiceDefinition, [Part.Quantity]) {
        switch service {
        case .heartRate(let heartRate): define(heartRate)
        case .battery:
            (
                ServiceDefinition(
                    uuid: .battery,
                    characteristics: [CharacteristicDefinition(uuid: .batteryLevel, properties: [.read, .notify])]),
                [.battery]
            )
        case .deviceInformation(let strings):
            (
                ServiceDefinition(
                    uuid: .deviceInformation,
                    characteristics: strings.map { kind, text in
                        let value = text.utf8(atMost: AttributeTable.longestValue)
                        return CharacteristicDefinition(uuid: kind.uuid, properties: .read, value: .fixed(value))
                    }), strings.map { .information($0.0) }
            )
        }
    }

    /// Heart Rate Service 1.0, table 3.1: the control point is there if and only if energy is.
    private static func define(_ service: PeripheralDefinition.HeartRate) -> (ServiceDefinition, [Part.Quantity]) {
        var characteristics = [CharacteristicDefinition(uuid: .heartRateMeasurement, properties: .notify)]
        var quantities = [Part.Quantity.heartRate]
        if let location = service.location {
            characteristics.append(
                CharacteristicDefinition(
                    uuid: .bodySensorLocation, properties: .read, value: .fixed(location.octets)))
            quantities.append(.location)
        }
        if case .none = service.energy {
        } else {
            characteristics.append(CharacteristicDefinition(uuid: .heartRateControlPoint, properties: .write))
            quantities.append(.controlPoint)
        }
        return (ServiceDefinition(uuid: .heartRate, characteristics: characteristics), quantities)
    }
}

extension String {
    /// The whole characters that fit into so many octets, from the first on.
    fileprivate func utf8(atMost count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        for character in self {
            guard octets.count + character.utf8.count <= count else { break }
            octets += character.utf8
        }
        return octets
    }
}
