public import Octets

/// What HCI_Read_Local_Version_Information returns behind the status: Core 6.0, Vol 4, Part E, section 7.4.1.
public struct LocalVersion: Parameters {
    /// The version of HCI; 0x0E is that of Core 6.0.
    public var hciVersion: UInt8
    /// The maker's own number for it.
    public var hciSubversion: UInt16
    /// The version of the Link Layer.
    public var linkLayerVersion: UInt8
    /// Who made it: an assigned number.
    public var company: UInt16
    /// The maker's own number for the Link Layer.
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

    /// Takes 8 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        hciVersion = try reader.uint8("HCI_Version")
        hciSubversion = try reader.uint16("HCI_Subversion")
        linkLayerVersion = try reader.uint8("LMP_Version")
        company = try reader.uint16("Company_Identifier")
        linkLayerSubversion = try reader.uint16("LMP_Subversion")
    }

    /// Adds 8 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(hciVersion)
        octets.append(hciSubversion)
        octets.append(linkLayerVersion)
        octets.append(company)
        octets.append(linkLayerSubversion)
    }
}

/// What HCI_LE_Read_Buffer_Size returns behind the status: section 7.8.2.
public struct LEBufferSize: Parameters {
    /// The most octets of an ACL packet's data: 27 or more; 0 when LE has no buffers of its own.
    public var length: UInt16
    /// How many ACL packets the controller holds.
    public var count: UInt8

    /// As given.
    public init(length: UInt16, count: UInt8) { (self.length, self.count) = (length, count) }

    /// Takes 3 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        length = try reader.uint16("LE_ACL_Data_Packet_Length")
        count = try reader.uint8("Total_Num_LE_ACL_Data_Packets")
    }

    /// Adds 3 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(length)
        octets.append(count)
    }
}

/// What HCI_Read_RSSI returns behind the status: section 7.5.4.
public struct LinkRSSI: Parameters {
    /// Of which connection.
    public var handle: UInt16
    /// How strong the peer is heard, in dBm; 127: not known.
    public var rssi: Int8

    /// As given.
    public init(handle: UInt16, rssi: Int8) { (self.handle, self.rssi) = (handle, rssi) }

    /// Takes 3 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        handle = try reader.handle()
        rssi = try reader.sint8("RSSI")
    }

    /// Adds 3 octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(handle)
        octets.append(UInt8(bitPattern: rssi))
    }
}

/// What HCI_LE_Rand returns behind the status: section 7.8.23.
public struct RandomNumber: Parameters {
    /// Any 64 bits.
    public var number: UInt64

    /// As given.
    public init(_ number: UInt64) { self.number = number }

    /// Takes 8 octets.
    public init(from reader: inout OctetReader) throws(Malformed) { number = try reader.uint64("Random_Number") }

    /// Adds 8 octets.
    public func append(to octets: inout [UInt8]) { octets.append(number) }
}

/// What HCI_LE_Encrypt returns behind the status: section 7.8.22.
public struct EncryptedBlock: Parameters {
    /// 16 octets, the lowest first.
    public var block: [UInt8]

    /// With 16 octets: fewer are padded with zeros when they are sent.
    public init(_ octets: [UInt8]) { block = octets }

    /// Takes 16 octets.
    public init(from reader: inout OctetReader) throws(Malformed) {
        block = try reader.octets("Encrypted_Data", count: 16)
    }

    /// Adds 16 octets.
    public func append(to octets: inout [UInt8]) {
        octets += (block + [UInt8](repeating: 0, count: 16)).prefix(16)
    }
}
