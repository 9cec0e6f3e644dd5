import Basics
import HCI
import LEHost
import Testing

/// The reports of a host about malformed packets.
@Suite struct MalformedTests {
    private func started() throws -> HostHarness {
        var harness = try HostHarness()
        harness.start()
        _ = (harness.takeSent(), harness.takeOutputs())
        return harness
    }

    /// The reports among the outputs since the last call.
    private func reports(_ harness: inout HostHarness) -> [MalformedPacket] {
        harness.takeOutputs().compactMap { if case .malformed(let packet) = $0 { packet } else { nil } }
    }

    @Test(
        arguments: [
            (
                [0x3E, 3, 1, 0, 0x40],
                "event (LE_Connection_Complete): octet 4: Connection_Handle needs 2 octet(s), and 1 are left: 3E 03 01 00 40"
            ),
            (
                [0x3E, 5, 1, 0, 0x40, 0, 7],
                "event (LE_Connection_Complete): octet 6: Role is 7, and must be 0 or 1: 3E 05 01 00 40 00 07"
            ),
            // An event that the host does not use.
            (
                [0x08, 1, 0],
                "event (Encryption_Change): octet 3: Connection_Handle needs 2 octet(s), and 0 are left: 08 01 00"
            ),
            ([0x3E, 0], "event: octet 2: Subevent_Code needs 1 octet(s), and 0 are left: 3E 00"),
            ([0x10, 2, 9], "event: octet 2: Parameters needs 2 octet(s), and 1 are left: 10 02 09"),
            (
                [0x13, 2, 1, 0],
                "event (Number_Of_Completed_Packets): octet 3: Connection_Handle needs 2 octet(s), and 1 are left: 13 02 01 00"
            ),
        ] as [([UInt8], String)])
    func `A malformed event is reported with its octets`(octets: [UInt8], words: String) throws {
        var harness = try started()
        harness.event(octets)
        let reports = reports(&harness)
        #expect(reports.map(\.description) == ["the controller sent an invalid \(words)"])
        #expect(reports.first?.kind == .event && reports.first?.octets == octets)
        #expect(harness.pool.taken == 0)
    }

    @Test func `A malformed ACL packet is reported with its first octets`() throws {
        var harness = try started()
        harness.acl([0x40, 0x20, 90, 0] + [UInt8](repeating: 7, count: 60))
        #expect(
            reports(&harness).map(\.description) == [
                "the controller sent an invalid ACL packet: octet 4: Data needs 90 octet(s), and 60 are left: 40 20 5A 00"
                    + String(repeating: " 07", count: 28) + " …"
            ])
        #expect(harness.pool.taken == 0)
    }

    @Test func `Only the first malformed packets after a start are reported`() throws {
        var harness = try started()
        for _ in 0..<3 {
            for _ in 0...Host.maximumMalformedReports { harness.event([0x08, 1, 0]) }
            #expect(reports(&harness).count == Host.maximumMalformedReports)
            harness.start()
            _ = (harness.takeSent(), harness.takeOutputs())
        }
    }
}
