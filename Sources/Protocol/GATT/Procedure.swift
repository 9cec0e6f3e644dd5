public import ATT
public import Bluetooth
public import Octets

/// What a client can be asked to do.  Core 6.0, Vol 3, Part G, section 4; the number of each case's section is given.
public enum Procedure: Hashable, Sendable {
    /// Exchange MTU, once per connection; asked for again, it ends at once with the MTU as it is.  4.3.1
    case exchangeMTU
    /// Discover All Primary Services.  4.4.1
    case discoverPrimaryServices
    /// Discover Primary Service by Service UUID.  4.4.2
    case findPrimaryServices(UUID)
    /// Find Included Services of a service with these handles.  4.5.1
    case findIncludedServices(HandleRange)
    /// Discover All Characteristics of a Service with these handles.  4.6.1
    case discoverCharacteristics(HandleRange)
    /// Discover All Characteristic Descriptors, which have these handles.  4.7.1
    case discoverDescriptors(HandleRange)
    /// All primary services, then the characteristics of each, what it includes, and the descriptors of each
    /// characteristic.  Secondary services stand behind the primary ones, in the order in which they are found.
    case discoverEverything
    /// Read Characteristic Value, or Descriptor: what fits into one PDU.  4.8.1, 4.12.1
    case read(handle: UInt16)
    /// Read Using Characteristic UUID: what fits into one PDU.  4.8.2
    case readByUUID(UUID, HandleRange)
    /// Read Long Characteristic Value, or Descriptor: all of it, in as many requests as it takes.  4.8.3, 4.12.2
    case readLong(handle: UInt16)
    /// Read Multiple Characteristic Values, of known lengths: all of them one behind the other, as far as they fit
    /// into one PDU.  4.8.4
    case readMultiple(handles: [UInt16])
    /// Read Multiple Variable Length Characteristic Values, as far as they fit into one PDU.  4.8.5
    case readMultipleVariable(handles: [UInt16])
    /// Write Without Response; done as soon as it is sent.  4.9.1
    case writeCommand(handle: UInt16, value: [UInt8])
    /// Write Characteristic Value, or Descriptor.  4.9.3, 4.12.3
    case write(handle: UInt16, value: [UInt8])
    /// Write Long Characteristic Value, or Descriptor: 512 octets at most, in as many requests as it takes.  4.9.4, 4.12.4
    case writeLong(handle: UInt16, value: [UInt8])
    /// Reliable Writes: all of these values or none, and none unless the server echoes each octet.  4.9.5
    case writeReliably([AttributeData])
    /// Writes a Client Characteristic Configuration, which has this handle; an empty one unsubscribes.  4.10, 4.11
    case configure(handle: UInt16, ClientConfiguration)
}

extension Procedure {
    /// Asks for notifications or indications; `handle` is that of the Client Characteristic Configuration.
    public static func subscribe(handle: UInt16, to configuration: ClientConfiguration) -> Procedure {
        .configure(handle: handle, configuration)
    }

    /// Wants no more of them; `handle` is that of the Client Characteristic Configuration.
    public static func unsubscribe(handle: UInt16) -> Procedure { .configure(handle: handle, []) }

    /// What a procedure ends with when it succeeds.
    public enum Outcome: Hashable, Sendable {
        /// Of `exchangeMTU`: the MTU that holds now, in octets.
        case mtu(Int)
        /// Of the two discoveries of services, without characteristics; of `discoverEverything`, with them.
        case services([DiscoveredService])
        /// Of `findIncludedServices`.
        case included([IncludedService])
        /// Of `discoverCharacteristics`, without descriptors.
        case characteristics([DiscoveredCharacteristic])
        /// Of `discoverDescriptors`.
        case descriptors([AttributeType])
        /// Of `read`, `readLong` and `readMultiple`.
        case value([UInt8])
        /// Of `readByUUID`.
        case values([AttributeData])
        /// Of `readMultipleVariable`, in the order of the handles; those there was no room for are missing at the end.
        case lengthValues([LengthValue])
        /// Of the writes and `configure`.
        case written
    }

    /// Why a procedure ended without what was asked for.
    public enum Failure: Error, Equatable, Sendable {
        /// The server's Error Response, with the handle it names.
        case refused(ATTError, handle: UInt16)
        /// The server's response is not as the specification has it.
        indirect case malformed(Malformed)
        /// The server answered with another PDU than was due.
        case unexpected(opcode: UInt8)
        /// The server listed a handle that is not above those before it, or not in the range it was asked for.
        case handleOutOfOrder(UInt16)
        /// The server listed more than `Client.mostFound`, or a value of more than 512 octets.
        case tooMuch
        /// The value, of so many octets, does not fit into one PDU of now, or into an attribute.
        case valueTooLong(Int)
        /// So many handles do not fit into one PDU of now, or are fewer than two.
        case handleCount(Int)
        /// The server repeated a prepared write wrongly; `handle` is the one it named.  Nothing was written.
        case echoDiffers(handle: UInt16)
        /// A request was not answered within 30 s, this one or one before: the link has to be closed.
        case bearerLost
        /// The connection ended first.
        case disconnected
        /// Somebody else has the link, and does not ask that for us, or does not say what the server answered: why.
        case unavailable(String)
    }
}
