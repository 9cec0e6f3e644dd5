import Basics
package import Bluetooth
package import GATT

/// A service that a program publishes.
package struct LocalService: Equatable, Sendable {
    package var uuid: UUID
    package var isPrimary: Bool
    /// The numbers of the included services, which the program has published before.
    package var includes: [UInt32] = []
    package var characteristics: [LocalCharacteristic] = []

    /// A service without characteristics.
    package init(_ uuid: UUID, isPrimary: Bool) { (self.uuid, self.isPrimary) = (uuid, isPrimary) }
}

/// A characteristic that a program publishes.
package struct LocalCharacteristic: Equatable, Sendable {
    package var uuid: UUID
    package var properties: CharacteristicProperties
    /// Nil: the program answers each access.
    package var value: [UInt8]?
    package var isReadable = false
    package var isWriteable = false
    package var readingNeedsEncryption = false
    package var writingNeedsEncryption = false
    package var subscribingNeedsEncryption = false
    package var descriptors: [LocalDescriptor] = []

    /// A characteristic without permissions.
    package init(_ uuid: UUID, _ properties: CharacteristicProperties) {
        (self.uuid, self.properties) = (uuid, properties)
    }

    var definition: CharacteristicDefinition {
        var permissions: AttributePermissions = []
        if isReadable { permissions.formUnion(.readable(needing: readingNeedsEncryption ? .encrypted : [])) }
        if isWriteable { permissions.formUnion(.writeable(needing: writingNeedsEncryption ? .encrypted : [])) }
        var descriptors = descriptors.map { DescriptorDefinition(uuid: $0.uuid, value: $0.value) }
        if !properties.isDisjoint(with: [.notify, .indicate]) {
            let subscribing = AttributePermissions.writeable(needing: subscribingNeedsEncryption ? .encrypted : [])
            descriptors.insert(
                DescriptorDefinition(
                    uuid: .clientCharacteristicConfiguration, permissions: [.readable, subscribing], value: nil),
                at: 0)
        }
        return CharacteristicDefinition(
            uuid: uuid, properties: properties, permissions: permissions,
            value: value.map { .fixed($0) } ?? .requested, descriptors: descriptors)
    }
}

/// A constant descriptor of a characteristic that a program publishes.
package struct LocalDescriptor: Equatable, Sendable {
    package let uuid: UUID
    package let value: [UInt8]

    package init(_ uuid: UUID, _ value: [UInt8]) { (self.uuid, self.value) = (uuid, value) }
}

extension ServiceDefinition {
    /// The services of the system itself.
    static func ofSystem(named name: String, _ appearance: Appearance) -> [ServiceDefinition] {
        [
            ServiceDefinition(
                uuid: .genericAccess,
                characteristics: [
                    CharacteristicDefinition(
                        uuid: .deviceName, properties: .read, value: .fixed(Array(name.utf8.prefix(248)))),
                    CharacteristicDefinition(
                        uuid: .appearance, properties: .read,
                        value: .fixed(appearance.octets)),
                ]),
            .genericAttribute,
        ]
    }
}
