public import Octets

/// The return parameters of HCI_Read_Local_Version_Information after the status: Core 6.0, Vol 4, Part E, section
/// 7.4.1.
public struct LocalVersion: Parameters {
    /// The version of HCI; 0x0E is that of Core 6.0.
    public var hciVersion: UInt8
    /// The vendor's revision of HCI.
    public var hciSubversion: UInt16
    /// The version of the Link Layer.
    public var linkLayerVersion: UInt8
    /// The vendor: an assigned number.
    public var company: UInt16
    /// The vendor's revision of the Link Layer.
    public var linkLayerSubversion: UInt16

    /// As given.
    public init(
        hciVersion: UInt8, hciSubversion: UInt16, linkLayerVersion: UInt8, company: UInt16,
        linkLayerSubversion: UInt16
    ) {
        (self.hciVersion, self.hciSubversion) = (hciVersion, hciSubversion)
        (self.linkLayerVersion, self.company) = (linkLayerVersion, company)
        self.linkLayerSubversion = linkLayerSubversion
    }

    /// Reads 8 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        hciVersion = try reader.uint8("HCI_Version")
        hciSubversion = try reader.uint16("HCI_Subversion")
        linkLayerVersion = try reader.uint8("LMP_Version")
        company = try reader.uint16("Company_Identifier")
        linkLayerSubversion = try reader.uint16("LMP_Subversion")
    }

    /// Appends 8 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(hciVersion)
        octets.append(hciSubversion)
        octets.append(linkLayerVersion)
        octets.append(company)
        octets.append(linkLayerSubversion)
    }
}

/// The return parameters of HCI_LE_Read_Buffer_Size after the status: section 7.8.2.
public struct LEBufferSize: Parameters {
    /// The maximum number of data octets in an ACL packet: 27 or more; 0: LE shares the BR/EDR buffers.
    public var length: UInt16
    /// The number of ACL packets that the controller can hold.
    public var count: UInt8

    /// As given.
    public init(length: UInt16, count: UInt8) { (self.length, self.count) = (length, count) }

    /// Reads 3 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        length = try reader.uint16("LE_ACL_Data_Packet_Length")
        count = try reader.uint8("Total_Num_LE_ACL_Data_Packets")
    }

    /// Appends 3 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(length)
        octets.append(count)
    }
}

/// The return parameters of HCI_Read_RSSI after the status: section 7.5.4.
public struct LinkRSSI: Parameters {
    /// The connection.
    public var handle: UInt16
    /// The strength of the peer's signal, in dBm; 127: unknown.
    public var rssi: Int8

    /// As given.
    public init(handle: UInt16, rssi: Int8) { (self.handle, self.rssi) = (handle, rssi) }

    /// Reads 3 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        handle = try reader.handle()
        rssi = try reader.sint8("RSSI")
    }

    /// Appends 3 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(handle)
        octets.append(UInt8(bitPattern: rssi))
    }
}

/// The return parameters of HCI_LE_Rand after the status: section 7.8.23.
public struct RandomNumber: Parameters {
    /// Any 64 bits.
    public var number: UInt64

    /// As given.
    public init(_ number: UInt64) { self.number = number }

    /// Reads 8 octets.
    public init(from reader: inout OctetReader) throws(Malformed) { number = try reader.uint64("Random_Number") }

    /// Appends 8 octets.
    public func append(to octets: inout [UInt8]) { octets.append(number) }
}

/// The return parameters of HCI_LE_Encrypt after the status: section 7.8.22.
public struct EncryptedBlock: Parameters {
    /// 16 octets, least significant first.
    public var block: [UInt8]

    /// With 16 octets: fewer are padded with zeros when they are sent.
    public init(_ octets: [UInt8]) { block = octets }

    /// Reads 16 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        block = try reader.octets("Encrypted_Data", count: 16)
    }

    /// Appends 16 octets.
    public func append(to octets: inout [UInt8]) {
        octets += (block + [UInt8](repeating: 0, count: 16)).prefix(16)
    }
}
