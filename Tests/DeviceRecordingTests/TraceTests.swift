import Basics
import ScenarioModel
import Testing

@testable import DeviceRecording

/// Traces in the formats of btsnoop, also malformed ones.
@Suite struct TraceTests {
    /// A header and one record for each packet, 1 ms apart.
    private static func trace(_ datalink: UInt32, _ packets: [(flags: UInt32, octets: [UInt8])]) -> [UInt8] {
        func big(_ number: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
        }
        let header = Array("btsnoop\0".utf8) + big(1, 4) + big(UInt64(datalink), 4)
        return packets.enumerated().reduce(into: header) { octets, item in
            let count = big(UInt64(item.element.octets.count), 4)
            octets += count + count + big(UInt64(item.element.flags), 4) + big(0, 4)
            octets += big(0x00E0_3AB4_4A67_6000 + UInt64(item.offset) * 1000, 8) + item.element.octets
        }
    }

    private struct Packet: Equatable {
        var kind: PacketRecord.Kind
        var controller: UInt16
        var instant: Instant
        var octets: [UInt8]
    }

    private func packets(_ octets: [UInt8]) throws -> [Packet] {
        var packets: [Packet] = []
        var trace = try PacketTrace(octets)
        try trace.forEach { kind, controller, instant, octets in
            packets.append(Packet(kind: kind, controller: controller, instant: instant, octets: Array(octets)))
        }
        return packets
    }

    private static let traces: [(datalink: UInt32, records: [(flags: UInt32, octets: [UInt8])], controller: UInt16)] = [
        (2001, [(0x0001_0002, [3, 0x0C, 0]), (0x0001_0005, [1, 2])], 1),
        (1002, [(2, [1, 3, 0x0C, 0]), (1, [2, 1, 2])], 0),
        (1001, [(2, [3, 0x0C, 0]), (1, [1, 2])], 0),
    ]

    @Test(arguments: traces.indices) func `Each datalink has its way to tell packets apart`(index: Int) throws {
        let (datalink, records, controller) = Self.traces[index]
        let read = try packets(Self.trace(datalink, records))
        let second = Instant.start.advanced(by: .milliseconds(1))
        #expect(
            read == [
                Packet(kind: .command, controller: controller, instant: .start, octets: [3, 0x0C, 0]),
                Packet(kind: .aclToHost, controller: controller, instant: second, octets: [1, 2]),
            ])
    }

    @Test func `A file that is not a trace is refused`() {
        #expect(throws: PacketTrace.Unreadable.notBtsnoop) { try PacketTrace(Array("{}".utf8)) }
        #expect(throws: PacketTrace.Unreadable.datalink(1)) { try PacketTrace(Self.trace(1, [])) }
    }

    @Test func `A record that is cut off follows the packets before it`() throws {
        let whole = Self.trace(2001, [(flags: 2, octets: [3, 0x0C, 0]), (flags: 2, octets: [3, 0x0C, 0])])
        for end in 44..<whole.count {
            var count = 0
            var trace = try PacketTrace(Array(whole[..<end]))
            #expect(throws: PacketTrace.Unreadable.truncated(at: 43)) {
                try trace.forEach { _, _, _, _ in count += 1 }
            }
            #expect(count == 1)
        }
    }
}
