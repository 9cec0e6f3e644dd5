public import Octets

/// Heart Rate Measurement, 0x2A37.  Heart Rate Service 1.0, section 3.1.
///
/// | Octets | Field                        | Present when   | Unit     |
/// |--------|------------------------------|----------------|----------|
/// | 1      | Flags                        | always         |          |
/// | 1 or 2 | Heart Rate Measurement Value | always         | 1/min    |
/// | 2      | Energy Expended              | bit 3 of Flags | kJ       |
/// | 2 each | RR-Interval                  | bit 4 of Flags | 1/1024 s |
///
/// Flags: bit 0, the value has 2 octets; bit 1, contact detected; bit 2, contact is supported; bits 5 to 7 are
/// reserved for future use: sent as 0 and ignored when received.
public struct HeartRateMeasurement: Hashable, Sendable {
    /// How many octets the value takes.
    public enum Format: Sendable {
        /// One octet up to 255, as section 3.1.1.2 recommends; two above.
        case automatic
        /// Two octets for any value, as some sensors do.
        case uint16
    }

    /// Beats per minute.
    public var bpm: UInt16
    /// Read as `.automatic` unless the value took more octets than it had to.
    public var format: Format
    /// Whether the sensor touches the skin.
    public var contact: SensorContact
    /// Kilojoules since the last reset; 65535 stands for all that is more.  Nil: the field is left out.
    public var energyExpended: UInt16?
    /// The time from beat to beat in 1/1024 s, the oldest first.  Empty: the field is left out.
    public var rrIntervals: [UInt16]

    /// A measurement; what is not said is left out.
    public init(
        bpm: UInt16, format: Format = .automatic, contact: SensorContact = .notSupported,
        energyExpended: UInt16? = nil, rrIntervals: [UInt16] = []
    ) {
        (self.bpm, self.format, self.contact) = (bpm, format, contact)
        (self.energyExpended, self.rrIntervals) = (energyExpended, rrIntervals)
    }

    /// Reads a value as it came; throws when it ends before a field that its flags promise.
    ///
    /// Reserved flags and octets after the last whole field are ignored (HRP/COL/HRF/BI-01-C and BI-02-C).
    public init(octets: [UInt8]) throws(Malformed) { try self.init(octets: octets[...]) }

    /// The same for octets where they lie, without a copy.
    public init(octets: ArraySlice<UInt8>) throws(Malformed) {
        var reader = OctetReader(octets)
        let flags = try reader.uint8("Flags")
        let field = "Heart Rate Measurement Value"
        bpm = flags & Flag.uint16 == 0 ? UInt16(try reader.uint8(field)) : try reader.uint16(field)
        format = flags & Flag.uint16 != 0 && bpm <= 255 ? .uint16 : .automatic
        contact = SensorContact(flags: flags)
        energyExpended = flags & Flag.energyExpended == 0 ? nil : try reader.uint16("Energy Expended")
        rrIntervals = []
        guard flags & Flag.rrInterval != 0 else { return }
        rrIntervals = try reader.uint16s("RR-Interval")
    }

    /// The value as it is sent.
    public var octets: [UInt8] {
        var octets = [flags]
        if isUInt16 { octets.append(bpm) } else { octets.append(UInt8(truncatingIfNeeded: bpm)) }
        if let energyExpended { octets.append(energyExpended) }
        for interval in rrIntervals { octets.append(interval) }
        return octets
    }

    /// Adds the same octets at the end of a packet, without an allocation.
    ///
    /// The packet must have room for them: keep to `maximumRRIntervals(mtu:)`.
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

    /// How many RR-Intervals a notification of this measurement has room for, whatever it holds now: the value has
    /// `mtu` − 3 octets, and never more than 512 (Core 6.0, Vol 3, Part F, sections 3.4.7.1 and 3.2.9).
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

/// Bits 1 and 2 of the Flags.  Heart Rate Service 1.0, section 3.1.1.1.2.
public enum SensorContact: Hashable, CaseIterable, Sendable {
    /// The sensor cannot tell: sent as 00, and 01 is read so too.
    case notSupported
    /// It can tell, and there is no contact or a poor one: 10.
    case notDetected
    /// It can tell, and there is contact: 11.
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
