/// The return parameters of HCI_Read_Local_Version_Information after the status: Core 6.0, Vol 4, Part E, section
/// 7.4.1.
public struct LocalVersion: FieldwiseParameters {
    /// The version of HCI; 0x0E is that of Core 6.0.
    public var hciVersion: UInt8 = 0
    /// The vendor's revision of HCI.
    public var hciSubversion: UInt16 = 0
    /// The version of the Link Layer.
    public var linkLayerVersion: UInt8 = 0
    /// The vendor: an assigned number.
    public var company: UInt16 = 0
    /// The vendor's revision of the Link Layer.
    public var linkLayerSubversion: UInt16 = 0

    /// As given.
    public init(
        hciVersion: UInt8, hciSubversion: UInt16, linkLayerVersion: UInt8, company: UInt16,
        linkLayerSubversion: UInt16
    ) {
        (self.hciVersion, self.hciSubversion) = (hciVersion, hciSubversion)
        (self.linkLayerVersion, self.company) = (linkLayerVersion, company)
        self.linkLayerSubversion = linkLayerSubversion
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&hciVersion, .number("HCI_Version"))
        try coder.code(&hciSubversion, .number("HCI_Subversion"))
        try coder.code(&linkLayerVersion, .number("LMP_Version"))
        try coder.code(&company, .number("Company_Identifier"))
        try coder.code(&linkLayerSubversion, .number("LMP_Subversion"))
    }
}

/// The return parameters of HCI_LE_Read_Buffer_Size after the status: section 7.8.2.
public struct LEBufferSize: FieldwiseParameters {
    /// The maximum number of data octets in an ACL packet: 27 or more; 0: LE shares the BR/EDR buffers.
    public var length: UInt16 = 0
    /// The number of ACL packets that the controller can hold.
    public var count: UInt8 = 0

    /// As given.
    public init(length: UInt16, count: UInt8) { (self.length, self.count) = (length, count) }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&length, .number("LE_ACL_Data_Packet_Length"))
        try coder.code(&count, .number("Total_Num_LE_ACL_Data_Packets"))
    }
}

/// The return parameters of HCI_Read_RSSI after the status: section 7.5.4.
public struct LinkRSSI: FieldwiseParameters {
    /// The connection.
    public var handle: UInt16 = 0
    /// The strength of the peer's signal, in dBm; 127: unknown.
    public var rssi: Int8 = 0

    /// As given.
    public init(handle: UInt16, rssi: Int8) { (self.handle, self.rssi) = (handle, rssi) }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&handle, .handle)
        try coder.code(&rssi, .number("RSSI"))
    }
}
