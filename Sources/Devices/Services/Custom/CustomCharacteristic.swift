public import Bluetooth
public import Characteristics
public import GATT
public import Sensors
import Simulation

/// A characteristic that a scenario file describes.
public struct CustomCharacteristic: Hashable, Sendable {
    /// The value until it is written or set.
    public enum Initial: Hashable, Sendable {
        /// A number or a curve.
        case curve(Curve)
        /// Octets.
        case octets([UInt8])
    }

    /// What a path has after the service's name.
    public var name: String
    /// The UUID that a client discovers.
    public var uuid: UUID
    /// How its value is encoded.
    public var format: ValueFormat
    /// What a client may do.
    public var properties: CharacteristicProperties
    /// What the link needs before a client may.
    public var security: LinkSecurity
    /// The value until it is written or set.
    public var initial: Initial
    /// From one notification or indication to the next.
    public var period: Duration
    /// The handle of its value; nil: the next free one.
    public var handle: UInt16?
    /// Those that do not follow from the properties.
    public var descriptors: [DescriptorDefinition]

    /// A characteristic that is notified once a second, at the next free handle, without further descriptors.
    public init(
        _ name: String, uuid: UUID, format: ValueFormat, properties: CharacteristicProperties, initial: Initial
    ) {
        (self.name, self.uuid, self.format) = (name, uuid, format)
        (self.properties, self.initial) = (properties, initial)
        (security, period, handle, descriptors) = ([], .seconds(1), nil, [])
    }
}

extension ConfiguredService {
    /// A service that a scenario file describes: `custom`.
    public static func custom(_ uuid: UUID, _ characteristics: [CustomCharacteristic]) -> ConfiguredService {
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
