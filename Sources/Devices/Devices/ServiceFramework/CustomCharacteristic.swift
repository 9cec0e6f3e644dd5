package import Bluetooth
package import Characteristics
package import GATT

/// How a service is declared.  Core 6.0, Vol 3, Part G, sections 3.1 and 3.2.
package struct ServiceDeclaration: Hashable, Sendable {
    /// Whether only the services that include it lead to it.
    package var isSecondary = false
    /// The handle of the declaration; nil: the next free one.
    package var handle: UInt16?
    /// The included services: indices in the services of the device.
    package var includes: [Int] = []
    /// The security that access to its values needs, in addition to that of each value.
    package var security: LinkSecurity = []

    /// A primary service that includes no others, at the next free handle.
    package init() {}
}

/// A characteristic that a scenario file describes.
package struct CustomCharacteristic: Hashable, Sendable {
    /// The value until it is written or set.
    package enum Initial: Hashable, Sendable {
        case curve(Curve)
        case octets([UInt8])
    }

    /// Its name in paths, after the service's name.
    package var name: String
    package var uuid: UUID
    package var format: ValueFormat
    /// The declared properties.
    package var properties: CharacteristicProperties
    /// The access that the device grants, whatever the properties declare.
    package var permissions: AttributePermissions
    /// The value until it is written or set.
    package var initial: Initial
    /// The notification interval.
    package var period: Duration
    /// The values that it notifies instead, at their own times.
    package var recording: RecordedValues?
    /// The handle of its declaration; nil: the next free one.
    package var declarationHandle: UInt16?
    /// The handle of its value; nil: the next free one.
    package var handle: UInt16?
    /// Descriptors in addition to those that the properties imply; clients can write those with the permission.
    package var descriptors: [DescriptorDefinition]

    /// A characteristic with the access that the properties declare, notified once a second, at the next free handles,
    /// without further descriptors.
    package init(
        _ name: String, uuid: UUID, format: ValueFormat, properties: CharacteristicProperties, initial: Initial
    ) {
        (self.name, self.uuid, self.format) = (name, uuid, format)
        (self.properties, self.initial) = (properties, initial)
        (permissions, period, descriptors) = (AttributePermissions(properties), .seconds(1), [])
    }
}
