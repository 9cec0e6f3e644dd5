package import Bluetooth
package import Characteristics
package import GATT
package import Sensors

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
