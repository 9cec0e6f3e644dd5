package import Basics
package import ScenarioModel

/// Reads packets of a trace in the formats of btsnoop: of btmon and Lubdub (datalink 2001), of Android (1002, with H4's packet
/// indicators), and without these (1001).  BlueZ, `src/shared/btsnoop.h`; `tools/btsnoop.c`.
///
/// | octets | record |
/// |---|---|
/// | 4, 4 | original length, included length |
/// | 4 | flags: with 2001, controller and opcode; else bit 0: from the controller, bit 1: command or event |
/// | 4 | packets lost |
/// | 8 | microseconds, with a sign |
/// | n | the packet |
package struct PacketTrace {
    /// Why a file cannot be read.
    package enum Unreadable: Error, Equatable, CustomStringConvertible {
        case notBtsnoop
        case datalink(UInt32)
        /// A record at this offset is longer than the file.
        case truncated(at: Int)

        package var description: String {
            switch self {
            case .notBtsnoop: "this is not a btsnoop file: record one with btmon -w, or with an Android phone's HCI log"
            case .datalink(let number):
                "this is a btsnoop file of datalink \(number), not of HCI packets (1001, 1002 or 2001)"
            case .truncated(let offset): "the record at octet \(offset) is longer than the file"
            }
        }
    }

    private let octets: [UInt8]
    private let datalink: UInt32
    /// The clock of the packets that were read.
    package private(set) var clock = TraceClock()

    /// A trace in a file's octets.
    package init(_ octets: [UInt8]) throws(Unreadable) {
        guard octets.count >= 16, octets.starts(with: Array("btsnoop\0".utf8)) else { throw .notBtsnoop }
        self.octets = octets
        datalink = UInt32(Self.number(octets[12..<16]))
        guard [1001, 1002, 2001].contains(datalink) else { throw .datalink(datalink) }
    }

    /// Calls `body` with each packet, in order; times count from the first one, by ``TraceClock``.  Throws at a record that is
    /// cut off, after the packets before it.
    package mutating func forEach(
        _ body: (PacketRecord.Kind, _ controller: UInt16, Instant, ArraySlice<UInt8>) -> Void
    ) throws(Unreadable) {
        var offset = 16
        while offset < octets.count {
            guard octets.count - offset >= 24 else { throw .truncated(at: offset) }
            let included = Int(Self.number(octets[(offset + 4)..<(offset + 8)]))
            let flags = UInt32(Self.number(octets[(offset + 8)..<(offset + 12)]))
            let time = Self.number(octets[(offset + 16)..<(offset + 24)])
            guard included <= octets.count - offset - 24 else { throw .truncated(at: offset) }
            let packet = octets[(offset + 24)..<(offset + 24 + included)]
            offset += 24 + included
            let instant = clock.instant(at: Int64(bitPattern: time))
            guard let (kind, controller, content) = packet.classified(flags, datalink) else { continue }
            body(kind, controller, instant, content)
        }
    }

    private static func number(_ octets: ArraySlice<UInt8>) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }
}

extension ArraySlice<UInt8> {
    /// The kind of packet, its controller, and its octets without a packet indicator; nil for other packets.
    fileprivate func classified(
        _ flags: UInt32, _ datalink: UInt32
    ) -> (PacketRecord.Kind, UInt16, ArraySlice<UInt8>)? {
        if datalink == 2001 {
            return PacketRecord.Kind(rawValue: UInt8(truncatingIfNeeded: flags)).map { kind in
                (kind, UInt16(truncatingIfNeeded: flags >> 16), self)
            }
        }
        let isReceived = flags & 1 != 0
        let hasIndicator = datalink == 1002
        let content = hasIndicator ? dropFirst() : self
        // Core 6.0, Vol 4, Part A, section 2.
        switch hasIndicator ? first : flags & 2 == 0 ? 2 : isReceived ? 4 : 1 {
        case 1: return (.command, 0, content)
        case 2: return (isReceived ? .aclToHost : .aclToController, 0, content)
        case 4: return (.event, 0, content)
        default: return nil
        }
    }
}
