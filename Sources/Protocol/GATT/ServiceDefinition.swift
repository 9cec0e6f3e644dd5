public import Bluetooth

/// Where the value of an attribute comes from.
public enum AttributeValue: Hashable, Sendable {
    /// It never changes, and clients cannot write it.
    case fixed([UInt8])
    /// Its owner is asked for it, and told when it is written: `AttributeValues`.
    case dynamic
    /// The Database Hash of the table: computed when that is made.  Core 6.0, Vol 3, Part G, section 7.3.
    case databaseHash
    /// Client Supported Features: each `Server` keeps its client's.  Core 6.0, Vol 3, Part G, section 7.2.
    case clientSupportedFeatures
}

/// A service as its author thinks of it, before it has handles.  Core 6.0, Vol 3, Part G, section 3.1.
public struct ServiceDefinition: Hashable, Sendable {
    /// What service it is.
    public var uuid: UUID
    /// Whether clients find it by itself; a secondary service is only there to be included.
    public var isPrimary: Bool
    /// The handle of the declaration; nil for the next one that is free.
    public var handle: UInt16?
    /// The services that are part of this one, counted from 0 in the order of definition.  Core 6.0, Vol 3, Part G,
    /// section 3.2.
    public var includes: [Int]
    /// In the order of their handles.
    public var characteristics: [CharacteristicDefinition]
    /// Whether clients see it; if they do not, its handles are kept free for it.
    public var isThere: Bool

    /// A service of these characteristics.
    public init(
        uuid: UUID, isPrimary: Bool = true, handle: UInt16? = nil, includes: [Int] = [],
        characteristics: [CharacteristicDefinition] = [], isThere: Bool = true
    ) {
        (self.uuid, self.isPrimary, self.handle) = (uuid, isPrimary, handle)
        (self.includes, self.characteristics, self.isThere) = (includes, characteristics, isThere)
    }
}

/// A characteristic of a service.  Core 6.0, Vol 3, Part G, section 3.3.
public struct CharacteristicDefinition: Hashable, Sendable {
    /// What characteristic it is.
    public var uuid: UUID
    /// As declared.  Notify or Indicate adds a Client Characteristic Configuration behind the value; to write that takes
    /// a link as secure as the value needs for anything.
    public var properties: CharacteristicProperties
    /// What the server allows, whatever the properties promise.
    public var permissions: AttributePermissions
    /// Where the value comes from.
    public var value: AttributeValue
    /// Other descriptors, behind the Client Characteristic Configuration.
    public var descriptors: [DescriptorDefinition]
    /// The handle of the value, above that of the declaration; nil for the next one that is free.
    public var handle: UInt16?

    /// A characteristic with these properties; without `permissions` it allows what they promise.
    public init(
        uuid: UUID, properties: CharacteristicProperties, permissions: AttributePermissions? = nil,
        value: AttributeValue = .dynamic, descriptors: [DescriptorDefinition] = [], handle: UInt16? = nil
    ) {
        (self.uuid, self.properties, self.value) = (uuid, properties, value)
        self.permissions = permissions ?? AttributePermissions(properties)
        (self.descriptors, self.handle) = (descriptors, handle)
    }
}

/// A descriptor of a characteristic.  Core 6.0, Vol 3, Part G, section 3.3.3.
public struct DescriptorDefinition: Hashable, Sendable {
    /// What descriptor it is.
    public var uuid: UUID
    /// What the server allows.
    public var permissions: AttributePermissions
    /// Octets that never change, and that clients cannot write; nil: its owner is asked, as for `.dynamic`.
    public var value: [UInt8]?

    /// A descriptor with this value.
    public init(uuid: UUID, permissions: AttributePermissions = .readable, value: [UInt8]?) {
        (self.uuid, self.permissions, self.value) = (uuid, permissions, value)
    }
}
