/// HCI_Host_Buffer_Size: Core 6.0, Vol 4, Part E, section 7.3.39.
public struct HostBufferSize: FieldwiseParameters {
    /// The maximum number of data octets in an ACL packet.
    public var aclLength: UInt16 = 0
    /// The maximum number of data octets in a synchronous packet.
    public var synchronousLength: UInt8 = 0
    /// The number of ACL packets.
    public var aclCount: UInt16 = 0
    /// The number of synchronous packets.
    public var synchronousCount: UInt16 = 0

    /// By default nothing synchronous.
    public init(aclLength: UInt16, aclCount: UInt16, synchronousLength: UInt8 = 0, synchronousCount: UInt16 = 0) {
        (self.aclLength, self.aclCount) = (aclLength, aclCount)
        (self.synchronousLength, self.synchronousCount) = (synchronousLength, synchronousCount)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&aclLength, .number("Host_ACL_Data_Packet_Length"))
        try coder.code(&synchronousLength, .number("Host_Synchronous_Data_Packet_Length"))
        try coder.code(&aclCount, .number("Host_Total_Num_ACL_Data_Packets"))
        try coder.code(&synchronousCount, .number("Host_Total_Num_Synchronous_Data_Packets"))
    }
}

/// The maximum size of a data PDU: Core 6.0, Vol 4, Part E, section 7.8.33.
public struct DataLength: FieldwiseParameters {
    /// Octets of payload: 27 to 251.
    public var octetCount: UInt16 = 0
    /// Time on the air, in µs: 328 to 17040.
    public var microseconds: UInt16 = 0

    /// The maximum at 1 Mbit/s.
    public static let maximum = DataLength(octetCount: 251, microseconds: 2120)

    /// As given, in range or not.
    public init(octetCount: UInt16, microseconds: UInt16) {
        (self.octetCount, self.microseconds) = (octetCount, microseconds)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&octetCount, .number("Max_Octets"))
        try coder.code(&microseconds, .number("Max_Time"))
    }
}
