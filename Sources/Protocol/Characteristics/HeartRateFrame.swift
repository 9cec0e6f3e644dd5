public import Basics

/// Heart Rate Values (0301) of Lubdub's Measurements service: consecutive heart rates.
///
/// | Octets | Field    |                                                           |
/// |--------|----------|-----------------------------------------------------------|
/// | 2      | Sequence | of the frame; 0 follows 65535                             |
/// | 4      | Index    | of the first value since the start; 0 follows 4294967295  |
/// | 1      | Count    | of the values                                             |
/// | 2 each | Value    | beats per minute                                          |
public struct HeartRateFrame: OctetCodable, Hashable, Sendable {
    /// The number of the frame.
    public var sequence: UInt16
    /// The number of the first value.
    public var index: UInt32
    /// At most 255 heart rates, in beats per minute.
    public let values: [UInt16]
    private static let headerSize = 7

    /// A frame; nil for more than 255 values.
    public init?(sequence: UInt16, index: UInt32, values: [UInt16]) {
        guard values.count <= 255 else { return nil }
        (self.sequence, self.index, self.values) = (sequence, index, values)
    }

    /// The number of values that fit into a notification, 0 to 255.
    public static func capacity(mtu: Int) -> Int { sampleCapacity(mtu: mtu, header: headerSize) }

    /// Reads all octets; throws unless Count matches the heart rates.
    public init(from reader: inout OctetReader) throws(Malformed) {
        var values: [UInt16] = []
        (sequence, index, _) = try Self.read(&reader) { values.append($0) }
        self.values = values
    }

    /// Passes each heart rate to `take`, without allocating, and returns the header.
    ///
    /// Throws like `init(octets:)`, before the first call of `take`.
    public static func read(
        _ octets: ArraySlice<UInt8>, _ take: (UInt16) -> Void
    ) throws(Malformed) -> (sequence: UInt16, index: UInt32, count: Int) {
        var reader = OctetReader(octets)
        return try read(&reader, take)
    }

    private static func read(
        _ reader: inout OctetReader, _ take: (UInt16) -> Void
    ) throws(Malformed) -> (sequence: UInt16, index: UInt32, count: Int) {
        let header = try header(&reader)
        for _ in 0..<header.count { take(try reader.uint16("Value")) }
        return header
    }

    /// Decodes only the header, without allocating; throws like `init(octets:)`.
    public static func header(
        of octets: ArraySlice<UInt8>
    ) throws(Malformed) -> (sequence: UInt16, index: UInt32, count: Int) {
        var reader = OctetReader(octets)
        return try header(&reader)
    }

    private static func header(
        _ reader: inout OctetReader
    ) throws(Malformed) -> (sequence: UInt16, index: UInt32, count: Int) {
        let (sequence, index) = (try reader.uint16("Sequence"), try reader.uint32("Index"))
        let count = Int(try reader.uint8("Count"))
        try reader.expect(2 * count, "Value")
        return (sequence, index, count)
    }

    /// Appends the encoded value.
    public func append(to octets: inout [UInt8]) {
        octets.append(sequence)
        octets.append(index)
        octets.append(UInt8(truncatingIfNeeded: values.count))
        for value in values { octets.append(value) }
    }

    /// Appends a frame to a packet, without allocating.
    ///
    /// The packet must have room: pass at most `capacity(mtu:)` values.  Values after the 255th are ignored.
    public static func append(
        sequence: UInt16, index: UInt32, values: ArraySlice<UInt16>, to packet: inout Packet, in pool: inout PacketPool
    ) {
        pool.append(sequence, to: &packet)
        pool.append(UInt16(truncatingIfNeeded: index), to: &packet)
        pool.append(UInt16(truncatingIfNeeded: index >> 16), to: &packet)
        pool.append(UInt8(clamping: values.count), to: &packet)
        for value in values.prefix(255) { pool.append(value, to: &packet) }
    }
}
