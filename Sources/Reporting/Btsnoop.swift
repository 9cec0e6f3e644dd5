import EventLog
import Octets
import Simulation

/// The file format that Wireshark and btmon read: BlueZ, `src/shared/btsnoop.h` and `btsnoop.c`.
///
/// A header, then records; all numbers with the highest octet first.
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

    static let header: [UInt8] = Array("btsnoop\0".utf8) + bigEndian(UInt32(1)) + bigEndian(UInt32(2001))

    private let begins: Int64

    /// The instant 0 s is `epoch` after 1970-01-01T00:00:00Z.
    init(epoch: Duration) { begins = Self.unixEpoch &+ epoch.inNanoseconds / 1000 }

    /// Adds a record to `target`.
    func append(_ record: PacketRecord, _ octets: ArraySlice<UInt8>, to target: inout [UInt8]) {
        let length = UInt32(octets.count)
        let flags = UInt32(record.controller) << 16 | UInt32(record.kind.rawValue)
        for word in [length, length, flags, 0] { target.append(contentsOf: Self.bigEndian(word)) }
        target.append(contentsOf: Self.bigEndian(begins &+ record.instant.nanoseconds / 1000))
        target.append(contentsOf: octets)
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
