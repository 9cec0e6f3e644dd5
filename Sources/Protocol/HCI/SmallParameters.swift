public import Octets

/// HCI_Host_Buffer_Size: Core 6.0, Vol 4, Part E, section 7.3.39.
public struct HostBufferSize: Parameters {
    /// The maximum number of data octets in an ACL packet.
    public var aclLength: UInt16
    /// The maximum number of data octets in a synchronous packet.
    public var synchronousLength: UInt8
    /// The number of ACL packets.
    public var aclCount: UInt16
    /// The number of synchronous packets.
    public var synchronousCount: UInt16

    /// By default nothing synchronous.
    public init(aclLength: UInt16, aclCount: UInt16, synchronousLength: UInt8 = 0, synchronousCount: UInt16 = 0) {
        (self.aclLength, self.aclCount) = (aclLength, aclCount)
        (self.synchronousLength, self.synchronousCount) = (synchronousLength, synchronousCount)
    }

    /// Reads 7 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        aclLength = try reader.uint16("Host_ACL_Data_Packet_Length")
        synchronousLength = try reader.uint8("Host_Synchronous_Data_Packet_Length")
        aclCount = try reader.uint16("Host_Total_Num_ACL_Data_Packets")
        synchronousCount = try reader.uint16("Host_Total_Num_Synchronous_Data_Packets")
    }

    /// Appends 7 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(aclLength)
        octets.append(synchronousLength)
        octets.append(aclCount)
        octets.append(synchronousCount)
    }
}

/// The maximum size of a data PDU: Core 6.0, Vol 4, Part E, section 7.8.33.
public struct DataLength: Parameters {
    /// Octets of payload: 27 to 251.
    public var octetCount: UInt16
    /// Time on the air, in µs: 328 to 17040.
    public var microseconds: UInt16

    /// As given, in range or not.
    public init(octetCount: UInt16, microseconds: UInt16) {
        (self.octetCount, self.microseconds) = (octetCount, microseconds)
    }

    /// Reads 4 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        octetCount = try reader.uint16("Max_Octets")
        microseconds = try reader.uint16("Max_Time")
    }

    /// Appends 4 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(octetCount)
        octets.append(microseconds)
    }
}
