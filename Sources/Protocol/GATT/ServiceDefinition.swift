public import Bluetooth

/// The source of an attribute's value.
public enum AttributeValue: Hashable, Sendable {
    /// A constant that clients cannot write.
    case fixed([UInt8])
    /// `AttributeValues` reads and writes it.
    case dynamic
    /// The caller reads and writes it, and may do so later: `Server.Output.requested`.
    case requested
    /// The Database Hash, computed when the table is built.  Core 6.0, Vol 3, Part G, section 7.3.
    case databaseHash
    /// Client Supported Features, kept by each `Server`.  Core 6.0, Vol 3, Part G, section 7.2.
    case clientSupportedFeatures
}

/// A service to put into an `AttributeTable`, which assigns the handles.  Core 6.0, Vol 3, Part G, section 3.1.
public struct ServiceDefinition: Hashable, Sendable {
    /// The service UUID.
    public var uuid: UUID
    /// Whether it is a primary service; a secondary service exists only to be included.
    public var isPrimary: Bool
    /// The handle of the declaration; nil for the next free one.
    public var handle: UInt16?
    /// The indices of the included services in the table's definitions.  Core 6.0, Vol 3, Part G, section 3.2.
    public var includes: [Int]
    /// The characteristics, in the order of their handles.
    public var characteristics: [CharacteristicDefinition]
    /// Whether clients can discover it; the handles of an absent service stay reserved.
    public var isPresent: Bool

    /// A service with these characteristics.
    public init(
        uuid: UUID, isPrimary: Bool = true, handle: UInt16? = nil, includes: [Int] = [],
        characteristics: [CharacteristicDefinition] = [], isPresent: Bool = true
    ) {
        (self.uuid, self.isPrimary, self.handle) = (uuid, isPrimary, handle)
        (self.includes, self.characteristics, self.isPresent) = (includes, characteristics, isPresent)
    }

    /// Service Changed, and the characteristics of Robust Caching. Core 6.0, Vol 3, Part G, section 7.
    package static var genericAttribute: ServiceDefinition {
        ServiceDefinition(
            uuid: .genericAttribute,
            characteristics: [
                CharacteristicDefinition(uuid: .serviceChanged, properties: .indicate, value: .fixed([])),
                CharacteristicDefinition(
                    uuid: .clientSupportedFeatures, properties: [.read, .write], value: .clientSupportedFeatures),
                CharacteristicDefinition(uuid: .databaseHash, properties: .read, value: .databaseHash),
            ])
    }
}

/// A characteristic of a service.  Core 6.0, Vol 3, Part G, section 3.3.
public struct CharacteristicDefinition: Hashable, Sendable {
    /// The characteristic UUID.
    public var uuid: UUID
    /// The declared properties.  Notify or Indicate adds a Client Characteristic Configuration after the value; writing it
    /// needs all the security that reading and writing the value need.
    public var properties: CharacteristicProperties
    /// The access that the server grants, whatever the properties declare.
    public var permissions: AttributePermissions
    /// The source of the value.
    public var value: AttributeValue
    /// The descriptors, after the Client Characteristic Configuration unless they contain one without a value: that one
    /// has its place, handle and permissions.
    public var descriptors: [DescriptorDefinition]
    /// The handle of the declaration; nil for the next free one.
    public var declarationHandle: UInt16?
    /// The handle of the value, above its declaration's; nil for the next free one.
    public var handle: UInt16?

    /// A characteristic with these properties; `permissions` default to the access that the properties declare.
    public init(
        uuid: UUID, properties: CharacteristicProperties, permissions: AttributePermissions? = nil,
        value: AttributeValue = .dynamic, descriptors: [DescriptorDefinition] = [], declarationHandle: UInt16? = nil,
        handle: UInt16? = nil
    ) {
        (self.uuid, self.properties, self.value) = (uuid, properties, value)
        self.permissions = permissions ?? AttributePermissions(properties)
        (self.descriptors, self.declarationHandle, self.handle) = (descriptors, declarationHandle, handle)
    }
}

/// A descriptor of a characteristic.  Core 6.0, Vol 3, Part G, section 3.3.3.
public struct DescriptorDefinition: Hashable, Sendable {
    /// The descriptor UUID.
    public var uuid: UUID
    /// The access that the server grants.
    public var permissions: AttributePermissions
    /// A constant that clients cannot write; nil for a value that `AttributeValues`, or the caller, reads and writes.
    public var value: [UInt8]?
    /// Whether the caller reads and writes the value, if it is not a constant: `AttributeValue.requested`.
    public var isRequested = false
    /// Its handle; nil for the next free one.
    public var handle: UInt16?

    /// A descriptor with this value.
    public init(uuid: UUID, permissions: AttributePermissions = .readable, value: [UInt8]?, handle: UInt16? = nil) {
        (self.uuid, self.permissions, self.value, self.handle) = (uuid, permissions, value, handle)
    }

    /// Whether it is the Client Characteristic Configuration of a characteristic with Notify or Indicate.
    package var isConfiguration: Bool { uuid == .clientCharacteristicConfiguration && value == nil }
}
