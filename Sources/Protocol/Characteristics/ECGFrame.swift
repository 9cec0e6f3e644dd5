public import Basics

/// ECG Samples (0201) of Lubdub's ECG service: consecutive samples of an electrocardiogram.
///
/// | Octets | Field    |                                                              |
/// |--------|----------|--------------------------------------------------------------|
/// | 1      | Version  | 1                                                            |
/// | 1      | Flags    | bits 0 to 3 as in `Flags`                                    |
/// | 2      | Sequence | of the frame; 0 follows 65535                                |
/// | 4      | Index    | of the first sample since the start; 0 follows 4294967295    |
/// | 1      | Count    | of the samples                                               |
/// | 1      | Lead     | its number                                                   |
/// | 2 each | Sample   | microvolts, two's complement                                 |
public struct ECGFrame: OctetCodable, Hashable, Sendable {
    /// Flags of a frame.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// All bits, including those reserved for future use.
        public let rawValue: UInt8

        /// The flags with these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Bit 0: samples before this frame are missing.
        public static let gap = Flags(rawValue: 0x01)
        /// Bit 1: an electrode was off during some of the samples.
        public static let leadOff = Flags(rawValue: 0x02)
        /// Bit 2: the samples are simulated, not measured.
        public static let synthetic = Flags(rawValue: 0x04)
        /// Bit 3: a sample was out of range, and was replaced by the nearest value in range.
        public static let saturated = Flags(rawValue: 0x08)
    }

    /// The fields before the samples.
    public struct Header: Hashable, Sendable {
        /// The flags.
        public var flags: Flags
        /// The number of the frame.
        public var sequence: UInt16
        /// The number of the first sample.
        public var index: UInt32
        /// The number of the lead.
        public var lead: UInt8

        /// The header of a frame whose first sample has number `index`.
        public init(flags: Flags = .synthetic, sequence: UInt16, index: UInt32, lead: UInt8 = 0) {
            (self.flags, self.sequence, self.index, self.lead) = (flags, sequence, index, lead)
        }
    }

    /// The only defined version.
    public static let version: UInt8 = 1
    private static let headerSize = 10

    /// The fields before the samples.
    public var header: Header
    /// At most 255 samples, in microvolts.
    public let samples: [Int16]

    /// A frame; nil for more than 255 samples.
    public init?(_ header: Header, samples: [Int16]) {
        guard samples.count <= 255 else { return nil }
        (self.header, self.samples) = (header, samples)
    }

    /// The number of samples that fit into a notification, 0 to 255.
    public static func capacity(mtu: Int) -> Int { sampleCapacity(mtu: mtu, header: headerSize) }

    /// Reads all octets; throws for another version, and unless Count matches the samples.
    public init(from reader: inout OctetReader) throws(Malformed) {
        let (header, count) = try Self.header(&reader)
        var samples: [Int16] = []
        samples.reserveCapacity(count)
        for _ in 0..<count { samples.append(Int16(bitPattern: try reader.uint16("Sample"))) }
        (self.header, self.samples) = (header, samples)
    }

    /// Decodes only the header and the number of samples, without allocating; throws like `init(octets:)`.
    public static func header(of octets: ArraySlice<UInt8>) throws(Malformed) -> (header: Header, count: Int) {
        var reader = OctetReader(octets)
        return try header(&reader)
    }

    /// Reads the header, and leaves the samples.
    private static func header(_ reader: inout OctetReader) throws(Malformed) -> (header: Header, count: Int) {
        let version = try reader.uint8("Version")
        try reader.check(version == Self.version, "Version", version, allowed: "1")
        let flags = Flags(rawValue: try reader.uint8("Flags"))
        let sequence = try reader.uint16("Sequence")
        let index = try reader.uint32("Index")
        let count = Int(try reader.uint8("Count"))
        let header = Header(flags: flags, sequence: sequence, index: index, lead: try reader.uint8("Lead"))
        try reader.expect(2 * count, "Sample")
        return (header, count)
    }

    /// Appends the encoded value.
    public func append(to octets: inout [UInt8]) {
        octets += [Self.version, header.flags.rawValue]
        octets.append(header.sequence)
        octets.append(header.index)
        octets += [UInt8(truncatingIfNeeded: samples.count), header.lead]
        for sample in samples { octets.append(littleEndian: sample) }
    }

    /// Appends a frame to a packet, without allocating.
    ///
    /// The packet must have room: pass at most `capacity(mtu:)` samples.  Samples after the 255th are ignored.
    public static func append(
        _ header: Header, samples: ArraySlice<Int16>, to packet: inout Packet, in pool: inout PacketPool
    ) {
        pool.append(version, to: &packet)
        pool.append(header.flags.rawValue, to: &packet)
        pool.append(header.sequence, to: &packet)
        pool.append(UInt16(truncatingIfNeeded: header.index), to: &packet)
        pool.append(UInt16(truncatingIfNeeded: header.index >> 16), to: &packet)
        pool.append(UInt8(clamping: samples.count), to: &packet)
        pool.append(header.lead, to: &packet)
        for sample in samples.prefix(255) { pool.append(UInt16(bitPattern: sample), to: &packet) }
    }
}

/// The number of 2-octet samples that fit into a notification after a header, at most 255: a value has at most `mtu` − 3
/// and at most 512 octets (Core 6.0, Vol 3, Part F, sections 3.4.7.1 and 3.2.9).
func sampleCapacity(mtu: Int, header: Int) -> Int { min(255, max(0, min(mtu - 3, 512) - header) / 2) }
