public import Octets

/// ECG Samples (0201) of Lubdub's own service: some samples of an electrocardiogram, one after the other.
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
public struct ECGFrame: Hashable, Sendable {
    /// What is to be known of all samples of a frame.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// All bits, those reserved for future use too.
        public let rawValue: UInt8

        /// These bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Bit 0: samples before this frame are missing.
        public static let gap = Flags(rawValue: 0x01)
        /// Bit 1: an electrode was off during some of the samples.
        public static let leadOff = Flags(rawValue: 0x02)
        /// Bit 2: no heart was measured.
        public static let synthetic = Flags(rawValue: 0x04)
        /// Bit 3: a sample was beyond what can be said, and is the nearest that can.
        public static let saturated = Flags(rawValue: 0x08)
    }

    /// What a frame says of its samples.
    public struct Header: Hashable, Sendable {
        /// What is to be known of all of them.
        public var flags: Flags
        /// The number of the frame.
        public var sequence: UInt16
        /// The number of the first sample.
        public var index: UInt32
        /// Between which electrodes they were measured.
        public var lead: UInt8

        /// Before the samples from `index` on.
        public init(flags: Flags = .synthetic, sequence: UInt16, index: UInt32, lead: UInt8 = 0) {
            (self.flags, self.sequence, self.index, self.lead) = (flags, sequence, index, lead)
        }
    }

    /// The only version there is.
    public static let version: UInt8 = 1
    private static let headerSize = 10

    /// What stands before the samples.
    public var header: Header
    /// In microvolts; 255 at most.
    public let samples: [Int16]

    /// Nil for more than 255 samples.
    public init?(_ header: Header, samples: [Int16]) {
        guard samples.count <= 255 else { return nil }
        (self.header, self.samples) = (header, samples)
    }

    /// How many samples a notification has room for: 0 when not even one.
    public static func capacity(mtu: Int) -> Int { sampleCapacity(mtu: mtu, header: headerSize) }

    /// Reads a value as it came; throws for another version, and unless it has as many samples as it says.
    public init(octets: ArraySlice<UInt8>) throws(Malformed) {
        var reader = OctetReader(octets)
        let (header, count) = try Self.header(&reader)
        var samples: [Int16] = []
        samples.reserveCapacity(count)
        for _ in 0..<count { samples.append(Int16(bitPattern: try reader.uint16("Sample"))) }
        (self.header, self.samples) = (header, samples)
    }

    /// What a value says of its samples, and how many there are, without an allocation; throws as a frame does.
    public static func header(of octets: ArraySlice<UInt8>) throws(Malformed) -> (header: Header, count: Int) {
        var reader = OctetReader(octets)
        return try header(&reader)
    }

    /// Takes the header off the front; the samples are what is left.
    private static func header(_ reader: inout OctetReader) throws(Malformed) -> (header: Header, count: Int) {
        let version = try reader.uint8("Version")
        guard version == Self.version else {
            throw .prohibited(field: "Version", at: 0, value: Int(version), allowed: "1")
        }
        let flags = Flags(rawValue: try reader.uint8("Flags"))
        let sequence = try reader.uint16("Sequence")
        let index = try reader.uint32("Index")
        let count = Int(try reader.uint8("Count"))
        let header = Header(flags: flags, sequence: sequence, index: index, lead: try reader.uint8("Lead"))
        try reader.expect(2 * count, "Sample")
        return (header, count)
    }

    /// The value as it is sent.
    public var octets: [UInt8] {
        var octets = [Self.version, header.flags.rawValue]
        octets.append(header.sequence)
        octets.append(header.index)
        octets += [UInt8(truncatingIfNeeded: samples.count), header.lead]
        for sample in samples { octets.append(UInt16(bitPattern: sample)) }
        return octets
    }

    /// Adds a frame at the end of a packet, without an allocation.
    ///
    /// The packet must have room: keep to `capacity(mtu:)`, which is 255 at most; samples behind the 255th are left out.
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

/// How many pairs of octets a notification has room for behind a header, 255 at most: a value has `mtu` − 3 octets, and
/// never more than 512 (Core 6.0, Vol 3, Part F, sections 3.4.7.1 and 3.2.9).
func sampleCapacity(mtu: Int, header: Int) -> Int { min(255, max(0, min(mtu - 3, 512) - header) / 2) }
