package import Bluetooth
package import Characteristics
package import GATT
package import Sensors
import Simulation

/// A characteristic that a scenario file describes.
package struct CustomCharacteristic: Hashable, Sendable {
    /// The value until it is written or set.
    package enum Initial: Hashable, Sendable {
        case curve(Curve)
        case octets([UInt8])
    }

    /// Its name in paths, after the service's name.
    package var name: String
    /// The UUID that a client discovers.
    package var uuid: UUID
    package var format: ValueFormat
    /// The operations that a client may use.
    package var properties: CharacteristicProperties
    /// The security that the link needs for them.
    package var security: LinkSecurity
    /// The value until it is written or set.
    package var initial: Initial
    /// The notification interval.
    package var period: Duration
    /// The handle of its value; nil: the next free one.
    package var handle: UInt16?
    /// Descriptors in addition to those that the properties imply.
    package var descriptors: [DescriptorDefinition]

    /// A characteristic that is notified once a second, at the next free handle, without further descriptors.
    package init(
        _ name: String, uuid: UUID, format: ValueFormat, properties: CharacteristicProperties, initial: Initial
    ) {
        (self.name, self.uuid, self.format) = (name, uuid, format)
        (self.properties, self.initial) = (properties, initial)
        (security, period, handle, descriptors) = ([], .seconds(1), nil, [])
    }
}

extension ConfiguredService {
    /// A service that a scenario file describes: `custom`.
    package static func custom(_ uuid: UUID, _ characteristics: [CustomCharacteristic]) -> ConfiguredService {
        let description = ServiceDescription(
            "custom", uuid, "what the file describes", fields: [],
            characteristics: characteristics.map { characteristic in
                CharacteristicDescription(
                    characteristic.uuid, characteristic.name, characteristic.properties,
                    format: characteristic.format.codec,
                    value: ValueDescription(.custom(characteristic.format), named: characteristic.name),
                    client: ClientUse("custom", importance: .none, isMeasurement: false)
                ) { definition, _ in
                    definition.permissions = AttributePermissions(
                        characteristic.properties, needing: characteristic.security)
                    definition.descriptors = characteristic.descriptors
                    definition.handle = characteristic.handle
                }
            },
            sensor: { CustomSensor(characteristics, $0) })
        return ConfiguredService(
            description, ServiceConfiguration(("characteristics", .characteristics(characteristics))))
    }
}
