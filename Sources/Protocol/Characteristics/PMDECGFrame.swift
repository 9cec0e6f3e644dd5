public import Basics

/// Samples of an electrocardiogram, notified by Polar's PMD data characteristic: "Polar Measurement Data Specification",
/// ECG, frame type 0.
///
/// | Octets | Field            |                                                 |
/// |--------|------------------|-------------------------------------------------|
/// | 1      | measurement type | 0                                               |
/// | 8      | time stamp       | of the last sample, in ns of the device's clock |
/// | 1      | frame type       | 0                                               |
/// | 3 each | sample           | microvolts, two's complement                    |
public struct PMDECGFrame: OctetCodable, Hashable, Sendable {
    /// The time of the last sample, in nanoseconds since 2000-01-01T00:00:00 by the device's clock.
    public var timeStamp: UInt64
    /// In microvolts, -8388608 to 8388607.
    public let samples: [Int32]
    private static let headerSize = 10

    /// A frame; samples are clamped to the range of 24 bits.
    public init(timeStamp: UInt64, samples: [Int32]) {
        self.timeStamp = timeStamp
        self.samples = samples.map { min(max($0, -8_388_608), 8_388_607) }
    }

    /// The number of samples that fit into a notification: 73 with an MTU of 232, which Polar straps request.
    public static func capacity(mtu: Int) -> Int { max(0, min(mtu - 3, 512) - headerSize) / 3 }

    /// Reads all octets; throws for another type, and for an incomplete sample.
    public init(from reader: inout OctetReader) throws(Malformed) {
        timeStamp = try Self.timeStamp(&reader)
        var samples: [Int32] = []
        samples.reserveCapacity(reader.remaining / 3)
        while reader.remaining > 0 { samples.append(Int32(bitPattern: try reader.uint24("Sample") << 8) >> 8) }
        self.samples = samples
    }

    /// Decodes only the time stamp and the number of samples, without allocating; throws like `init(octets:)`.
    public static func header(of octets: ArraySlice<UInt8>) throws(Malformed) -> (timeStamp: UInt64, count: Int) {
        var reader = OctetReader(octets)
        let timeStamp = try timeStamp(&reader)
        let count = (reader.remaining + 2) / 3
        try reader.expect(3 * count, "Sample")
        return (timeStamp, count)
    }

    /// Reads the header, and leaves the samples.
    private static func timeStamp(_ reader: inout OctetReader) throws(Malformed) -> UInt64 {
        func zero(_ field: String) throws(Malformed) {
            let value = try reader.uint8(field)
            try reader.check(value == 0, field, value, allowed: "0")
        }
        try zero("Measurement Type")
        let timeStamp = try reader.uint64("Time Stamp")
        try zero("Frame Type")
        return timeStamp
    }

    /// Appends the encoded value.
    public func append(to octets: inout [UInt8]) {
        octets.append(PMD.ecg)
        octets.append(timeStamp)
        octets.append(0 as UInt8)
        for sample in samples { octets.append(uint24: UInt32(bitPattern: sample)) }
    }

    /// Appends a frame to a packet, without allocating.
    ///
    /// The packet must have room: pass at most `capacity(mtu:)` samples.
    public static func append(
        timeStamp: UInt64, samples: ArraySlice<Int16>, to packet: inout Packet, in pool: inout PacketPool
    ) {
        pool.append(PMD.ecg, to: &packet)
        for shift in stride(from: 0 as UInt64, to: 64, by: 16) {
            pool.append(UInt16(truncatingIfNeeded: timeStamp >> shift), to: &packet)
        }
        pool.append(0 as UInt8, to: &packet)
        for sample in samples {
            let bits = UInt32(bitPattern: Int32(sample))
            pool.append(UInt16(truncatingIfNeeded: bits), to: &packet)
            pool.append(UInt8(truncatingIfNeeded: bits >> 16), to: &packet)
        }
    }
}
