import Basics
public import Bluetooth

/// A packet of an advertiser, or a part of it: a report of HCI_LE_Extended_Advertising_Report, Core 6.0, Vol 4, Part E,
/// section 7.7.65.13.
public struct ExtendedAdvertisingReport: FieldwiseParameters {
    /// The kind of packet: bits 0 to 4 of `Event_Type`.
    public struct Kind: OptionSet, Hashable, Sendable {
        /// Five bits.
        public let rawValue: UInt16
        /// Any bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Bit 0: a central may connect.
        public static let connectable = Kind(rawValue: 1 << 0)
        /// Bit 1: a scanner may request a scan response.
        public static let scannable = Kind(rawValue: 1 << 1)
        /// Bit 2: directed to one peer.
        public static let directed = Kind(rawValue: 1 << 2)
        /// Bit 3: the response to a scan request.
        public static let scanResponse = Kind(rawValue: 1 << 3)
        /// Bit 4: a legacy PDU.
        public static let legacy = Kind(rawValue: 1 << 4)
    }

    /// Whether more data follow: bits 5 and 6 of `Event_Type`.
    public enum DataStatus: UInt8, Sendable {
        /// The data end with this report.
        case complete
        /// Another report continues the data.
        case incomplete
        /// The data end with this report, and some are missing.
        case truncated
    }

    fileprivate static let anonymous: UInt8 = 0xFF
    fileprivate static let unresolved: UInt8 = 0xFE
    private static let maximumDataCount = 229

    /// The kind of packet.
    public var kind: Kind = []
    /// Whether more data follow.
    public var status = DataStatus.complete
    /// The advertiser; nil: anonymous.
    public var address: DeviceAddress?
    /// 1: 1 Msymbol/s, 3: coded.
    public var primaryPHY: UInt8 = 1
    /// 0: none, 1 and 2: that many Msymbol/s, 3: coded.
    public var secondaryPHY: UInt8 = 0
    /// The set of the advertiser: 0x00 to 0x0F; 0xFF: none.
    public var sid: UInt8 = 0xFF
    /// The transmit power, in dBm; 127: unknown.
    public var txPower: Int8 = 127
    /// The signal strength at the receiver, in dBm; 127: unknown.
    public var rssi: Int8 = 0
    /// In units of 1.25 ms; 0: the set has no periodic advertising.
    public var periodicInterval: UInt16 = 0
    /// The target; nil: not directed.  A private address that the controller could not resolve is a random one.
    public var target: DeviceAddress?
    /// 229 octets at most.
    public var data: [UInt8] = []

    /// By default one whole report of legacy advertising.
    public init(
        kind: Kind, status: DataStatus = .complete, address: DeviceAddress?, data: [UInt8], rssi: Int8,
        target: DeviceAddress? = nil
    ) {
        (self.kind, self.status, self.address) = (kind, status, address)
        (self.data, self.rssi, self.target) = (data, rssi, target)
    }

    init() {}

    mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var type = kind.rawValue & 0b1_1111 | UInt16(status.rawValue) << 5
        try coder.code(&type, .eventType)
        kind = Kind(rawValue: type & 0b1_1111)
        status = DataStatus(rawValue: UInt8(type >> 5 & 0b11)) ?? .complete
        try coder.code(&address, .advertiser)
        try coder.code(&primaryPHY, .number("Primary_PHY"))
        try coder.code(&secondaryPHY, .number("Secondary_PHY"))
        try coder.code(&sid, .number("Advertising_SID"))
        try coder.code(&txPower, .number("TX_Power"))
        try coder.code(&rssi, .number("RSSI"))
        try coder.code(&periodicInterval, .number("Periodic_Advertising_Interval"))
        var target = kind.contains(.directed) ? self.target : nil
        try coder.code(&target, .target)
        self.target = kind.contains(.directed) ? target : nil
        try coder.code(&data, .counted("Data", maximum: Self.maximumDataCount))
    }
}

extension Field<UInt16> {
    /// Event_Type of an extended report; throws for a `DataStatus` that is reserved.
    fileprivate static var eventType: Self {
        Self(name: "Event_Type") { reader, field throws(Malformed) in
            let type = try reader.uint16(field.name)
            try reader.check(type >> 5 & 0b11 <= 2, field.name, type, allowed: "0 to 2 in bits 5 and 6")
            return type
        } write: { type, octets, _ in
            octets.append(type)
        }
    }
}

extension Field<DeviceAddress?> {
    /// An address of the types 0 to 3; nil for type 0xFF, which has six octets without a meaning.
    fileprivate static var advertiser: Self {
        Self(name: "Address") { reader, field throws(Malformed) in
            var ahead = reader
            guard try ahead.uint8("Address_Type") == ExtendedAdvertisingReport.anonymous else {
                return try reader.address(field.name)
            }
            reader = ahead
            _ = try reader.octets(field.name, count: 6)
            return nil
        } write: { address, octets, _ in
            if let address {
                octets.append(address)
            } else {
                octets += [ExtendedAdvertisingReport.anonymous, 0, 0, 0, 0, 0, 0]
            }
        }
    }

    /// The target of directed advertising, of any type; all zeros without one.
    fileprivate static var target: Self {
        Self(name: "Direct_Address") { reader, field throws(Malformed) in
            let type = try reader.uint8("Direct_Address_Type")
            let isRandom = type == ExtendedAdvertisingReport.unresolved || type & 1 == 1
            return try DeviceAddress(kind: isRandom ? .random : .public, from: &reader, field.name)
        } write: { target, octets, _ in
            octets.append(target ?? DeviceAddress(0, .public))
        }
    }
}
