import Basics
import Bluetooth
import Conformance
import FoundationEssentials
import Glibc
import ScenarioModel
import Testing

@Suite struct FileTests {
    private static func path(_ name: String) -> String { "/tmp/lubdub-\(getpid())-\(name)" }

    /// Reads and removes the file at `path`.
    private static func take(_ path: String) throws -> [UInt8] {
        defer { unsafe unlink(path) }
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    @Test func `A trace has the format of the Linux monitor`() throws {
        let path = Self.path("trace")
        let trace = try TraceFile(path, epoch: .seconds(946_684_800))  // 2000-01-01
        var log = PacketLog { trace.write($0) }
        log.open(controller: 1, DeviceAddress(0x0102_0304_0506, .public), name: "strap", at: .start)
        log.append(.command, controller: 1, [0x03, 0x0C, 0x00], at: Instant(nanoseconds: 1_000_999))
        log.append(.aclToHost, controller: 0, [0x40, 0x20, 0x00, 0x00], at: Instant(nanoseconds: 2_000_000))
        log.flush()
        try trace.close()

        func record(_ octets: [UInt8], _ index: UInt8, _ opcode: UInt8, _ time: [UInt8]) -> [UInt8] {
            let length: [UInt8] = [0, 0, 0, UInt8(octets.count)]
            return length + length + [0, index, 0, opcode] + [0, 0, 0, 0] + [0x00, 0xE0, 0x3A, 0xB4, 0x4A] + time
                + octets
        }
        let expected: [[UInt8]] = [
            [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00, 0, 0, 0, 1, 0, 0, 0x07, 0xD1],
            record([0, 0, 6, 5, 4, 3, 2, 1, 0x73, 0x74, 0x72, 0x61, 0x70, 0, 0, 0], 1, 0, [0x67, 0x60, 0x00]),
            record([], 1, 8, [0x67, 0x60, 0x00]),
            record([0x03, 0x0C, 0x00], 1, 2, [0x67, 0x63, 0xE8]),
            record([0x40, 0x20, 0x00, 0x00], 0, 5, [0x67, 0x67, 0xD0]),
        ]
        #expect(try Self.take(path) == expected.flatMap { $0 })
    }

    @Test func `An event log has a first line, a last one, and a line for each event`() throws {
        let path = Self.path("events")
        let wording = ValueFormatter(entity: { _, _ in "strap" }, value: { _, _, _, _ in false })
        let file = try EventFile(path, wording: wording, version: "0.1.0", scenario: "a.json", seed: 7)
        var journal = EventJournal { file.write($0) }
        journal.append(EventRecord(.advertising, of: "strap", at: Instant(nanoseconds: 1_500_000)))
        journal.flush()
        try file.close(status: 0)
        #expect(
            String(decoding: try Self.take(path), as: UTF8.self) == """
                {"t": 0.000000, "event": "start", "lubdub": "0.1.0", "scenario": "a.json", "seed": 7}
                {"t": 0.001500, "event": "advertising", "of": "strap"}
                {"event": "end", "status": 0}

                """)
    }
}
