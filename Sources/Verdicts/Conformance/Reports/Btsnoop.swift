import Basics
import ScenarioModel

/// The file format that Wireshark and btmon read: BlueZ, `src/shared/btsnoop.h` and `btsnoop.c`.
///
/// A header, then records; all numbers are big-endian.
///
/// | octets | header |
/// |---|---|
/// | 8 | `btsnoop`, 0 |
/// | 4 | version 1 |
/// | 4 | datalink 2001: the Linux monitor |
///
/// | octets | record |
/// |---|---|
/// | 4, 4 | original length, included length |
/// | 4 | flags: the controller's index in the upper half, the opcode in the lower |
/// | 4 | packets lost: 0 |
/// | 8 | microseconds since the midnight before 0000-01-01 |
/// | n | the packet, without H4's packet indicator |
struct Btsnoop {
    /// 1970-01-01T00:00:00Z in the format's time: `src/shared/btsnoop.c` has 0x00E03AB44A676000 for 2000-01-01.
    private static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000

    static let header: [UInt8] = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x07, 0xD1]

    private static let headerLength = 24  // of a record

    private let begins: Int64

    /// The instant 0 s is `epoch` after 1970-01-01T00:00:00Z.
    init(epoch: Duration) { begins = Self.unixEpoch &+ epoch.inNanoseconds / 1000 }

    /// Appends a record with its octets to `target`.
    func append(_ record: PacketRecord, _ octets: ArraySlice<UInt8>, to target: inout [UInt8]) {
        let length = UInt32(octets.count)
        let flags = UInt32(record.controller) << 16 | UInt32(record.kind.rawValue)
        let microseconds = UInt64(bitPattern: begins &+ record.instant.nanoseconds / 1000)
        target.append(addingCapacity: Self.headerLength) { target in
            Self.append(length, to: &target)
            Self.append(length, to: &target)
            Self.append(flags, to: &target)
            Self.append(0, to: &target)
            Self.append(UInt32(truncatingIfNeeded: microseconds >> 32), to: &target)
            Self.append(UInt32(truncatingIfNeeded: microseconds), to: &target)
        }
        target.append(contentsOf: octets)
    }

    private static func append(_ word: UInt32, to target: inout OutputSpan<UInt8>) {
        target.append(UInt8(truncatingIfNeeded: word >> 24))
        target.append(UInt8(truncatingIfNeeded: word >> 16))
        target.append(UInt8(truncatingIfNeeded: word >> 8))
        target.append(UInt8(truncatingIfNeeded: word))
    }
}
