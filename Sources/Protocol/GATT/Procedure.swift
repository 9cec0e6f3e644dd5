public import ATT
public import Basics
public import Bluetooth

/// The procedures of a GATT client.  Core 6.0, Vol 3, Part G, section 4; each case gives its section.
public enum Procedure: Hashable, Sendable {
    /// Exchange MTU, once per connection; a repetition finishes at once with the current MTU.  4.3.1
    case exchangeMTU
    /// Discover All Primary Services.  4.4.1
    case discoverPrimaryServices
    /// Discover Primary Service by Service UUID.  4.4.2
    case findPrimaryServices(UUID)
    /// Find Included Services of the service with these handles.  4.5.1
    case findIncludedServices(HandleRange)
    /// Discover All Characteristics of the Service with these handles.  4.6.1
    case discoverCharacteristics(HandleRange)
    /// Discover All Characteristic Descriptors in this range of handles.  4.7.1
    case discoverDescriptors(HandleRange)
    /// Discovers all primary services, then the characteristics of each, its included services, and the descriptors of
    /// each characteristic.  Secondary services follow the primary ones, in the order of discovery.
    case discoverEverything
    /// Read Characteristic Value, or Descriptor: at most MTU − 1 octets.  4.8.1, 4.12.1
    case read(handle: UInt16)
    /// Read Using Characteristic UUID, with one request.  4.8.2
    case readByUUID(UUID, HandleRange)
    /// Read Long Characteristic Value, or Descriptor: the whole value, by several requests if necessary.  4.8.3, 4.12.2
    case readLong(handle: UInt16)
    /// The same, from an offset on.
    case readRest(handle: UInt16, from: UInt16)
    /// Read Multiple Characteristic Values of known lengths: their octets concatenated, truncated to one PDU.  4.8.4
    case readMultiple(handles: [UInt16])
    /// Read Multiple Variable Length Characteristic Values, truncated to one PDU.  4.8.5
    case readMultipleVariable(handles: [UInt16])
    /// Write Without Response; finishes when it is sent.  4.9.1
    case writeCommand(handle: UInt16, value: [UInt8])
    /// Write Characteristic Value, or Descriptor.  4.9.3, 4.12.3
    case write(handle: UInt16, value: [UInt8])
    /// Write Long Characteristic Value, or Descriptor: at most 512 octets, by several requests.  4.9.4, 4.12.4
    case writeLong(handle: UInt16, value: [UInt8])
    /// The same, from an offset on.
    case writeRest(handle: UInt16, from: UInt16, value: [UInt8])
    /// Reliable Writes: writes all of these values, or none if the server echoes one wrongly.  4.9.5
    case writeReliably([AttributeData])
    /// Writes the Client Characteristic Configuration with this handle; an empty one unsubscribes.  4.10, 4.11
    case configure(handle: UInt16, ClientConfiguration)
}

extension Procedure {
    /// Subscribes to notifications or indications; `handle` is the Client Characteristic Configuration's, not the value's.
    public static func subscribe(handle: UInt16, to configuration: ClientConfiguration) -> Procedure {
        .configure(handle: handle, configuration)
    }

    /// Ends a subscription; `handle` as in `subscribe`.
    public static func unsubscribe(handle: UInt16) -> Procedure { .configure(handle: handle, []) }

    /// The result of a procedure that succeeds.
    public enum Outcome: Hashable, Sendable {
        /// Of `exchangeMTU`: the new MTU, in octets.
        case mtu(Int)
        /// Of `discoverPrimaryServices` and `findPrimaryServices`, without characteristics; of `discoverEverything`, with
        /// them.
        case services([DiscoveredService])
        /// Of `findIncludedServices`.
        case included([IncludedService])
        /// Of `discoverCharacteristics`, without descriptors.
        case characteristics([DiscoveredCharacteristic])
        /// Of `discoverDescriptors`.
        case descriptors([AttributeType])
        /// Of `read`, `readLong`, `readRest` and `readMultiple`.
        case value([UInt8])
        /// Of `readByUUID`.
        case values([AttributeData])
        /// Of `readMultipleVariable`, in the order of the handles; the last ones are missing if the PDU had no room.
        case lengthValues([LengthValue])
        /// Of the writes and `configure`.
        case written
    }

    /// The reason for which a procedure failed.
    public enum Failure: Error, Equatable, Sendable {
        /// The server sent this Error Response.
        case refused(ATTError, handle: UInt16)
        /// The server's response violates the specification.
        indirect case malformed(Malformed)
        /// The server answered with a PDU of another kind.
        case unexpected(opcode: UInt8)
        /// The server listed a handle out of order, or outside the requested range.
        case handleOutOfOrder(UInt16)
        /// The server listed more than `Client.maximumDiscovered` attributes, or sent a value of more than 512 octets.
        case tooMuch
        /// The value, of this many octets, does not fit into one PDU or into an attribute.
        case valueTooLong(Int)
        /// This number of handles does not fit into one PDU, or is below two.
        case handleCount(Int)
        /// The server echoed a prepared write wrongly, with this handle.  Nothing was written.
        case echoDiffers(handle: UInt16)
        /// The server did not answer this request, or an earlier one, within 30 s: disconnect.
        case bearerLost
        /// The connection ended.
        case disconnected
        /// The host that owns the link does not support this procedure, or hides the server's answer; with the reason.
        case unavailable(String)
    }
}

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
    /// The value of its Characteristic Extended Properties; empty until they are read.
    public var extendedProperties: [UInt8] = []

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
    package var descriptorRange: HandleRange? {
        valueHandle < range.last ? HandleRange(valueHandle + 1, range.last) : nil
    }
}
