public import Basics

/// Heart Rate Measurement, 0x2A37.  Heart Rate Service 1.0, section 3.1.
///
/// | Octets | Field                        | Present when   | Unit     |
/// |--------|------------------------------|----------------|----------|
/// | 1      | Flags                        | always         |          |
/// | 1 or 2 | Heart Rate Measurement Value | always         | 1/min    |
/// | 2      | Energy Expended              | bit 3 of Flags | kJ       |
/// | 2 each | RR-Interval                  | bit 4 of Flags | 1/1024 s |
///
/// Flags: bit 0, the value has 2 octets; bit 1, contact is detected; bit 2, contact is supported; bits 5 to 7 are
/// reserved for future use: sent as 0 and ignored on receipt.
public struct HeartRateMeasurement: OctetCodable, Hashable, Sendable {
    /// The format of the heart rate value.
    public enum Format: Sendable {
        /// One octet up to 255, as section 3.1.1.2 recommends; two octets above.
        case automatic
        /// Two octets for every value, as some sensors send it.
        case uint16
    }

    /// The heart rate in beats per minute.
    public var bpm: UInt16
    /// The format of the value; decoding gives `.uint16` only for two octets with a value up to 255.
    public var format: Format
    /// Whether the sensor has skin contact.
    public var contact: SensorContact
    /// The energy since the last reset in kilojoules; 65535 also for more.  Nil if the field is absent.
    public var energyExpended: UInt16?
    /// The times between beats in units of 1/1024 s, oldest first.  Empty if the field is absent.
    public var rrIntervals: [UInt16]

    /// A measurement; the optional fields default to absent.
    public init(
        bpm: UInt16, format: Format = .automatic, contact: SensorContact = .notSupported,
        energyExpended: UInt16? = nil, rrIntervals: [UInt16] = []
    ) {
        (self.bpm, self.format, self.contact) = (bpm, format, contact)
        (self.energyExpended, self.rrIntervals) = (energyExpended, rrIntervals)
    }

    /// Reads all octets; throws if they end before a field that the flags announce.
    ///
    /// Ignores reserved flags and octets after the last complete field (HRP/COL/HRF/BI-01-C and BI-02-C).
    public init(from reader: inout OctetReader) throws(Malformed) {
        let flags = try reader.uint8("Flags")
        let field = "Heart Rate Measurement Value"
        bpm = flags & Flag.uint16 == 0 ? UInt16(try reader.uint8(field)) : try reader.uint16(field)
        format = flags & Flag.uint16 != 0 && bpm <= 255 ? .uint16 : .automatic
        contact = SensorContact(flags: flags)
        energyExpended = flags & Flag.energyExpended == 0 ? nil : try reader.uint16("Energy Expended")
        rrIntervals = []
        if flags & Flag.rrInterval != 0 { rrIntervals = try reader.uint16s("RR-Interval") }
        reader.skipRest()
    }

    /// Appends the encoded value.
    public func append(to octets: inout [UInt8]) {
        octets.append(flags)
        if isUInt16 { octets.append(bpm) } else { octets.append(UInt8(truncatingIfNeeded: bpm)) }
        if let energyExpended { octets.append(energyExpended) }
        for interval in rrIntervals { octets.append(interval) }
    }

    /// Appends the encoded value to a packet, without allocating.
    ///
    /// The packet must have room: see `maximumRRIntervals(mtu:)`.
    public func append(to packet: inout Packet, in pool: inout PacketPool) {
        pool.append(flags, to: &packet)
        if isUInt16 {
            pool.append(bpm, to: &packet)
        } else {
            pool.append(UInt8(truncatingIfNeeded: bpm), to: &packet)
        }
        if let energyExpended { pool.append(energyExpended, to: &packet) }
        for interval in rrIntervals { pool.append(interval, to: &packet) }
    }

    /// The number of RR-Intervals that fit into a notification with this measurement's other fields: a value has at most
    /// `mtu` − 3 and at most 512 octets (Core 6.0, Vol 3, Part F, sections 3.4.7.1 and 3.2.9).
    public func maximumRRIntervals(mtu: Int) -> Int {
        let others = 1 + (isUInt16 ? 2 : 1) + (energyExpended == nil ? 0 : 2)
        return max(0, min(mtu - 3, 512) - others) / 2
    }

    private var isUInt16: Bool { format == .uint16 || bpm > 255 }

    private var flags: UInt8 {
        (isUInt16 ? Flag.uint16 : 0) | contact.flags | (energyExpended == nil ? 0 : Flag.energyExpended)
            | (rrIntervals.isEmpty ? 0 : Flag.rrInterval)
    }

    private enum Flag {
        static let uint16: UInt8 = 0x01
        static let energyExpended: UInt8 = 0x08
        static let rrInterval: UInt8 = 0x10
    }
}

/// Sensor Contact Status: bits 1 and 2 of the Flags.  Heart Rate Service 1.0, section 3.1.1.1.2.
public enum SensorContact: Hashable, CaseIterable, Sendable {
    /// The sensor does not detect contact: encoded as 00, decoded from 00 and 01.
    case notSupported
    /// No contact, or poor contact: 10.
    case notDetected
    /// Contact: 11.
    case detected

    fileprivate init(flags: UInt8) {
        switch flags & 0x06 {
        case 0x04: self = .notDetected
        case 0x06: self = .detected
        default: self = .notSupported
        }
    }

    fileprivate var flags: UInt8 {
        switch self {
        case .notSupported: 0x00
        case .notDetected: 0x04
        case .detected: 0x06
        }
    }
}
