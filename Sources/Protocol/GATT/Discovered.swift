public import ATT
public import Bluetooth

/// A service that a client discovered.
public struct DiscoveredService: Hashable, Sendable {
    /// The service UUID.
    public var uuid: UUID
    /// From its declaration to its last attribute.
    public var range: HandleRange
    /// Whether it is a primary service; secondary ones are found where another service includes them.
    public var isPrimary: Bool
    /// The services that it includes; empty until they are discovered.
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

    /// The handles that include declarations can have: before the first characteristic; nil if there are none.
    /// Core 6.0, Vol 3, Part G, section 3.2.
    var includeRange: HandleRange? {
        let last = characteristics.first.map { $0.range.first - 1 } ?? range.last
        return range.first < last ? HandleRange(range.first + 1, last) : nil
    }
}

/// An included service that a client discovered.
public struct IncludedService: Hashable, Sendable {
    /// The handle of the include declaration.
    public var declaration: UInt16
    /// The handles of the included service.
    public var range: HandleRange
    /// The service UUID.
    public var uuid: UUID

    /// The service of these handles, included by this declaration.
    public init(declaration: UInt16, range: HandleRange, uuid: UUID) {
        (self.declaration, self.range, self.uuid) = (declaration, range, uuid)
    }
}

/// A characteristic that a client discovered.
public struct DiscoveredCharacteristic: Hashable, Sendable {
    /// The characteristic UUID.
    public var uuid: UUID
    /// From its declaration to its last descriptor.
    public var range: HandleRange
    /// The properties in its declaration.
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

    /// The handle of its Client Characteristic Configuration; nil if none was discovered.
    public var configurationHandle: UInt16? {
        descriptors.first { $0.type == .clientCharacteristicConfiguration }?.handle
    }

    /// The handles that its descriptors can have; nil if there are none.
    var descriptorRange: HandleRange? {
        valueHandle < range.last ? HandleRange(valueHandle + 1, range.last) : nil
    }
}
