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
    /// The security of a link that can read it; nil: none can.
    package var reading: LinkSecurity?
    /// The same for writing.
    package var writing: LinkSecurity?
    package var subscribing: LinkSecurity = []
    package var descriptors: [LocalDescriptor] = []

    /// A characteristic without permissions.
    package init(_ uuid: UUID, _ properties: CharacteristicProperties) {
        (self.uuid, self.properties) = (uuid, properties)
    }

    /// Whether it has a Client Characteristic Configuration, which programs do not publish.
    private var isConfigurable: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }

    /// The index of a program's descriptor among the defined ones.
    func index(ofDescriptor descriptor: Int) -> Int { descriptor + (isConfigurable ? 1 : 0) }

    var definition: CharacteristicDefinition {
        var descriptors = descriptors.map(\.definition)
        if isConfigurable {
            descriptors.insert(
                DescriptorDefinition(
                    uuid: .clientCharacteristicConfiguration,
                    permissions: [.readable, .writeable(needing: subscribing)], value: nil),
                at: 0)
        }
        return CharacteristicDefinition(
            uuid: uuid, properties: properties, permissions: AttributePermissions(reading: reading, writing: writing),
            value: value.map { .fixed($0) } ?? .requested, descriptors: descriptors)
    }
}

/// A descriptor of a characteristic that a program publishes.
package struct LocalDescriptor: Equatable, Sendable {
    package var uuid: UUID
    /// Nil: the program answers each access.
    package var value: [UInt8]?
    /// The security of links that can read and write it, as of a characteristic.
    package var reading: LinkSecurity? = []
    package var writing: LinkSecurity?

    /// A readable descriptor.
    package init(_ uuid: UUID, _ value: [UInt8]?) { (self.uuid, self.value) = (uuid, value) }

    fileprivate var definition: DescriptorDefinition {
        var result = DescriptorDefinition(
            uuid: uuid, permissions: AttributePermissions(reading: reading, writing: writing), value: value)
        result.isRequested = value == nil
        return result
    }
}

extension AttributePermissions {
    /// Access over links with this security; nil: none.
    fileprivate init(reading: LinkSecurity?, writing: LinkSecurity?) {
        self = []
        if let reading { formUnion(.readable(needing: reading)) }
        if let writing { formUnion(.writeable(needing: writing)) }
    }
}

extension ServiceDefinition {
    /// The services of the system itself.
    static func ofSystem(_ policy: HostPolicy, named name: String) -> [ServiceDefinition] {
        let access = ServiceDefinition(
            uuid: .genericAccess,
            characteristics: [
                CharacteristicDefinition(
                    uuid: .deviceName, properties: .read, value: .fixed(Array(name.utf8.prefix(248)))),
                CharacteristicDefinition(
                    uuid: .appearance, properties: .read, value: .fixed(policy.appearance.octets)),
            ])
        guard let identifier = policy.pnpID else { return [access, .genericAttribute] }
        let information = ServiceDefinition(
            uuid: .deviceInformation,
            characteristics: [CharacteristicDefinition(uuid: .pnpID, properties: .read, value: .fixed(identifier))])
        return [access, .genericAttribute, information]
    }
}
