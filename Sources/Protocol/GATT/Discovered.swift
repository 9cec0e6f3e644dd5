public import ATT
public import Bluetooth

/// A service as a client found it at a peer.
public struct DiscoveredService: Hashable, Sendable {
    /// What service it is.
    public var uuid: UUID
    /// From its declaration to its last attribute.
    public var range: HandleRange
    /// Whether it was found by itself; a secondary service is found where another one includes it.
    public var isPrimary: Bool
    /// The services that are part of it; empty until they are discovered.
    public var included: [IncludedService]
    /// Its characteristics by handle; empty until they are discovered.
    public var characteristics: [DiscoveredCharacteristic]

    /// A service with these handles.
    public init(
        uuid: UUID, range: HandleRange, isPrimary: Bool = true, included: [IncludedService] = [],
        characteristics: [DiscoveredCharacteristic] = []
    ) {
        (self.uuid, self.range, self.isPrimary) = (uuid, range, isPrimary)
        (self.included, self.characteristics) = (included, characteristics)
    }

    /// The handles that include declarations can have, which stand before all characteristics; nil when there are none.
    /// Core 6.0, Vol 3, Part G, section 3.2.
    var includeRange: HandleRange? {
        let last = characteristics.first.map { $0.range.first - 1 } ?? range.last
        return range.first < last ? HandleRange(range.first + 1, last) : nil
    }
}

/// A service that is included in another.
public struct IncludedService: Hashable, Sendable {
    /// The handle of the include declaration.
    public var declaration: UInt16
    /// The handles of the included service.
    public var range: HandleRange
    /// What service it is.
    public var uuid: UUID

    /// The service of these handles, included by this declaration.
    public init(declaration: UInt16, range: HandleRange, uuid: UUID) {
        (self.declaration, self.range, self.uuid) = (declaration, range, uuid)
    }
}

/// A characteristic as a client found it at a peer.
public struct DiscoveredCharacteristic: Hashable, Sendable {
    /// What characteristic it is.
    public var uuid: UUID
    /// From its declaration to its last descriptor.
    public var range: HandleRange
    /// What its declaration promises.
    public var properties: CharacteristicProperties
    /// The handle of the value.
    public var valueHandle: UInt16
    /// Its descriptors by handle; empty until they are discovered.
    public var descriptors: [AttributeType] = []

    /// A characteristic with these handles.
    public init(
        uuid: UUID, range: HandleRange, properties: CharacteristicProperties, valueHandle: UInt16,
        descriptors: [AttributeType] = []
    ) {
        (self.uuid, self.range, self.properties) = (uuid, range, properties)
        (self.valueHandle, self.descriptors) = (valueHandle, descriptors)
    }

    /// The handle of its Client Characteristic Configuration; nil when none was discovered.
    public var configurationHandle: UInt16? {
        descriptors.first { $0.type == .clientCharacteristicConfiguration }?.handle
    }

    /// The handles that its descriptors can have; nil when there is no room for any.
    var descriptorRange: HandleRange? {
        valueHandle < range.last ? HandleRange(valueHandle + 1, range.last) : nil
    }
}
