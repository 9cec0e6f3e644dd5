import Basics
import Testing

/// Controller 0 advertises every 100 ms as 11:11:11:11:11:11; controller 1 scans from a metre away.
struct AdvertisingTests {
    static let data = "020106"
    static func padded(_ hex: String) -> String {
        let count = hex.count / 2
        return String(count, radix: 16).count == 1
            ? "0\(count)" + hex + String(repeating: "00", count: 31 - count) : ""
    }

    static func harness(
        kind: String = "00", peer: String = "00000000000000", policy: String = "00", seed: UInt64 = 1
    )
        -> AirspaceHarness
    {
        var harness = AirspaceHarness.unmasked(controllers: 3, seed: seed)
        _ = harness.ask(0, "0620 0F A000A000 \(kind) 00 \(peer) 07 \(policy)")
        _ = harness.ask(0, "0820 20 " + padded(data))
        _ = harness.ask(0, "0920 20 " + padded("03094142"))
        _ = harness.ask(0, "0A20 01 01")
        return harness
    }

    static func scan(_ harness: inout AirspaceHarness, active: Bool, filter: Bool = false, window: String = "1000") {
        _ = harness.ask(1, "0B20 07 \(active ? "01" : "00") 1000 \(window) 00 00")
        _ = harness.ask(1, "0C20 02 01 \(filter ? "01" : "00")")
    }

    static let report = "3E0F02010000111111111111 03020106 D8".filter { $0 != " " }
    static let response = "3E1002010400111111111111 0403094142 D8".filter { $0 != " " }

    @Test func passiveScannerReceivesAdvertising() {
        var harness = Self.harness()
        Self.scan(&harness, active: false)
        harness.run(milliseconds: 10_000)
        let heard = harness.take(1)
        #expect((85...98).contains(heard.count))
        #expect(Set(heard) == [Self.report])
        #expect(harness.take(2) == [])
        #expect(harness.pool.taken == 0)
    }

    @Test func activeScannerReceivesResponsesToo() {
        var harness = Self.harness()
        Self.scan(&harness, active: true, filter: true)
        harness.run(milliseconds: 1000)
        #expect(harness.take(1) == [Self.report, Self.response])
        Self.scan(&harness, active: true, filter: true)
        harness.run(milliseconds: 1000)
        #expect(harness.take(1) == [Self.report, Self.response], "a new scan forgets earlier reports")
    }

    @Test func fullDuplicateFilterIsEmptied() {
        var harness = AirspaceHarness.unmasked(controllers: 2)
        Self.scan(&harness, active: false, filter: true)
        _ = harness.ask(0, "0620 0F 20002000 03 01 00000000000000 07 00")
        func appear(_ number: Int) -> Int {
            _ = harness.ask(0, octets: octets("0520 06") + [UInt8(number & 0xFF), UInt8(number >> 8), 0, 0, 0, 0xC0])
            _ = harness.ask(0, "0A20 01 01")
            harness.run(milliseconds: 200)
            _ = harness.ask(0, "0A20 01 00")
            return harness.take(1).count
        }
        #expect((0...1024).filter { appear($0) != 1 } == [])
        #expect(appear(0) == 1)
        #expect(appear(0) == 0)
        #expect(harness.pool.taken == 0)
    }

    @Test func narrowWindowReceivesLess() {
        var counts: [Int] = []
        for window in ["1000", "0500"] {
            var harness = Self.harness()
            Self.scan(&harness, active: false, window: window)
            harness.run(milliseconds: 60_000)
            counts.append(harness.take(1).count)
        }
        #expect(counts[0] > 520)
        #expect((100...300).contains(counts[1]), "\(counts)")
    }

    /// Advertising_Type, target, and the Event_Type and data that each scanner reports.
    @Test(arguments: [
        ("02", "00000000000000", [1: "3E0F020102001111111111110302010 6D8", 2: "3E0F020102001111111111110302 0106D8"]),
        ("03", "00000000000000", [1: "3E0F02010300111111111111030201 06D8", 2: "3E0F02010300111111111111030201 06D8"]),
        ("04", "00222222222222", [1: "3E0C0201010011111111111100D8"]),
    ])
    func kinds(kind: String, peer: String, reports: [Int: String]) {
        var harness = Self.harness(kind: kind, peer: peer)
        for host in 1...2 {
            _ = harness.ask(host, "0B20 07 00 1000 1000 00 00")
            _ = harness.ask(host, "0C20 02 01 01")
        }
        harness.run(milliseconds: 1000)
        for host in 1...2 {
            #expect(harness.take(host) == (reports[host].map { [$0.filter { $0 != " " }] } ?? []))
        }
    }

    @Test func acceptListLimitsResponses() {
        var harness = Self.harness(policy: "01")
        #expect(harness.ask(0, "1120 07 00222222222222") == ["0E040111200C"], "while it is used")
        Self.scan(&harness, active: true, filter: true)
        harness.run(milliseconds: 1000)
        #expect(harness.take(1) == [Self.report])
        _ = harness.ask(0, "0A20 01 00")
        #expect(harness.ask(0, "1120 07 00222222222222") == ["0E0401112000"])
        _ = harness.ask(0, "0A20 01 01")
        harness.run(milliseconds: 1000)
        #expect(harness.take(1) == [Self.response])
    }

    @Test func maskedReportsAreNotSent() {
        var harness = Self.harness()
        _ = harness.ask(1, "0120 08 1D00000000000000")
        Self.scan(&harness, active: false)
        harness.run(milliseconds: 1000)
        #expect(harness.take(1) == [])
        _ = harness.ask(1, "0120 08 1F00000000000000")
        _ = harness.ask(1, "010C 08 FFFFFFFFFFFFFF1F")
        harness.run(milliseconds: 1000)
        #expect(harness.take(1) == [])
    }

    @Test func seedDecides() {
        func received(seed: UInt64) -> [AirspaceHarness.Received] {
            var harness = Self.harness(seed: seed)
            Self.scan(&harness, active: true)
            harness.run(milliseconds: 3000)
            return harness.received[1]
        }
        #expect(received(seed: 1) == received(seed: 1))
        #expect(received(seed: 1).map(\.at) != received(seed: 2).map(\.at))
    }
}
