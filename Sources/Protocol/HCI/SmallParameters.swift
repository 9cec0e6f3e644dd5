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

/// HCI_LE_Enable_Encryption: Core 6.0, Vol 4, Part E, section 7.8.24.
public struct EncryptionStart: Parameters {
    /// The connection.
    public var handle: UInt16
    /// Identifies the key after legacy pairing; otherwise 0.
    public var random: UInt64
    /// Identifies the key after legacy pairing; otherwise 0.
    public var diversifier: UInt16
    /// 16 octets, least significant first.
    public var key: [UInt8]

    /// With a key of 16 octets: a shorter one is padded with zeros when it is sent.
    public init(handle: UInt16, random: UInt64, diversifier: UInt16, key: [UInt8]) {
        (self.handle, self.random, self.diversifier, self.key) = (handle, random, diversifier, key)
    }

    /// Reads 28 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        handle = try reader.handle()
        random = try reader.uint64("Random_Number")
        diversifier = try reader.uint16("Encrypted_Diversifier")
        key = try reader.octets("Long_Term_Key", count: 16)
    }

    /// Appends 28 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(handle)
        octets.append(random)
        octets.append(diversifier)
        octets += (key + [UInt8](repeating: 0, count: 16)).prefix(16)
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

/// HCI_LE_Set_Default_PHY: Core 6.0, Vol 4, Part E, section 7.8.48.
public struct PHYPreference: Parameters {
    /// Bit 0: no preference for sending; bit 1: none for receiving.
    public var anyPHYs: UInt8
    /// To send with; bit 0: 1 Msymbol/s, bit 1: 2 Msymbol/s, bit 2: coded.
    public var sending: UInt8
    /// To receive with; bits as for sending.
    public var receiving: UInt8

    /// As given.
    public init(anyPHYs: UInt8, sending: UInt8, receiving: UInt8) {
        (self.anyPHYs, self.sending, self.receiving) = (anyPHYs, sending, receiving)
    }

    /// Reads 3 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        anyPHYs = try reader.uint8("All_PHYs")
        sending = try reader.uint8("TX_PHYs")
        receiving = try reader.uint8("RX_PHYs")
    }

    /// Appends 3 octets.
    public func append(to octets: inout [UInt8]) { octets += [anyPHYs, sending, receiving] }
}
