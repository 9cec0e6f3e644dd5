public import Octets

/// Heart Rate Values (0301) of Lubdub's own Measurements service: some heart rates, one after the other.
///
/// | Octets | Field    |                                                           |
/// |--------|----------|-----------------------------------------------------------|
/// | 2      | Sequence | of the frame; 0 follows 65535                             |
/// | 4      | Index    | of the first value since the start; 0 follows 4294967295  |
/// | 1      | Count    | of the values                                             |
/// | 2 each | Value    | beats per minute                                          |
public struct HeartRateFrame: Hashable, Sendable {
    /// The number of the frame.
    public var sequence: UInt16
    /// The number of the first value.
    public var index: UInt32
    /// In beats per minute; 255 at most.
    public let values: [UInt16]
    private static let headerSize = 7

    /// Nil for more than 255 values.
    public init?(sequence: UInt16, index: UInt32, values: [UInt16]) {
        guard values.count <= 255 else { return nil }
        (self.sequence, self.index, self.values) = (sequence, index, values)
    }

    /// How many values a notification has room for: 0 when not even one.
    public static func capacity(mtu: Int) -> Int { sampleCapacity(mtu: mtu, header: headerSize) }

    /// Reads a value as it came; throws unless it has as many heart rates as it says.
    public init(octets: ArraySlice<UInt8>) throws(Malformed) {
        var values: [UInt16] = []
        (sequence, index, _) = try Self.read(octets) { values.append($0) }
        self.values = values
    }

    /// Gives each heart rate to `take`, without an allocation, and returns what stands before them; throws as a frame
    /// does, and then has given none.
    public static func read(
        _ octets: ArraySlice<UInt8>, _ take: (UInt16) -> Void
    ) throws(Malformed) -> (sequence: UInt16, index: UInt32, count: Int) {
        var reader = OctetReader(octets)
        let header = try header(&reader)
        for _ in 0..<header.count { take(try reader.uint16("Value")) }
        return header
    }

    /// What stands before the heart rates, without an allocation; throws as a frame does.
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

    /// The value as it is sent.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(sequence)
        octets.append(index)
        octets.append(UInt8(truncatingIfNeeded: values.count))
        for value in values { octets.append(value) }
        return octets
    }

    /// Adds a frame at the end of a packet, without an allocation.
    ///
    /// The packet must have room: keep to `capacity(mtu:)`, which is 255 at most; values behind the 255th are left out.
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
