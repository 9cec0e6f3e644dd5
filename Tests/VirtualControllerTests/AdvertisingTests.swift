import Octets
import Simulation
import Testing

/// Controller 0 advertises every 100 ms as 11:11:11:11:11:11; controller 1 scans from a metre away.
struct AdvertisingTests {
    static let data = "020106"
    static func padded(_ hex: String) -> String {
        let count = hex.count / 2
        return String(count, radix: 16).count == 1
            ? "0\(count)" + hex + String(repeating: "00", count: 31 - count) : ""
    }

    static func world(
        kind: String = "00", peer: String = "00000000000000", policy: String = "00", seed: UInt64 = 1
    )
        -> World
    {
        var world = World.awake(controllers: 3, seed: seed)
        _ = world.ask(0, "0620 0F A000A000 \(kind) 00 \(peer) 07 \(policy)")
        _ = world.ask(0, "0820 20 " + padded(data))
        _ = world.ask(0, "0920 20 " + padded("03094142"))
        _ = world.ask(0, "0A20 01 01")
        return world
    }

    static func scan(_ world: inout World, active: Bool, filter: Bool = false, window: String = "1000") {
        _ = world.ask(1, "0B20 07 \(active ? "01" : "00") 1000 \(window) 00 00")
        _ = world.ask(1, "0C20 02 01 \(filter ? "01" : "00")")
    }

    static let report = "3E0F02010000111111111111 03020106 D8".filter { $0 != " " }
    static let response = "3E1002010400111111111111 0403094142 D8".filter { $0 != " " }

    @Test func passiveScannerHearsReports() {
        var world = Self.world()
        Self.scan(&world, active: false)
        world.run(milliseconds: 10_000)
        let heard = world.take(1)
        #expect((85...98).contains(heard.count))
        #expect(Set(heard) == [Self.report])
        #expect(world.take(2) == [])
        #expect(world.pool.taken == 0)
    }

    @Test func activeScannerHearsResponsesToo() {
        var world = Self.world()
        Self.scan(&world, active: true, filter: true)
        world.run(milliseconds: 1000)
        #expect(world.take(1) == [Self.report, Self.response])
        Self.scan(&world, active: true, filter: true)
        world.run(milliseconds: 1000)
        #expect(world.take(1) == [Self.report, Self.response], "a new scan forgets what was heard")
    }

    @Test func duplicateFilterForgetsWhenItIsFull() {
        var world = World.awake(controllers: 2)
        Self.scan(&world, active: false, filter: true)
        _ = world.ask(0, "0620 0F 20002000 03 01 00000000000000 07 00")
        func appear(_ number: Int) -> Int {
            _ = world.ask(0, octets: octets("0520 06") + [UInt8(number & 0xFF), UInt8(number >> 8), 0, 0, 0, 0xC0])
            _ = world.ask(0, "0A20 01 01")
            world.run(milliseconds: 200)
            _ = world.ask(0, "0A20 01 00")
            return world.take(1).count
        }
        #expect((0...1024).filter { appear($0) != 1 } == [])
        #expect(appear(0) == 1)
        #expect(appear(0) == 0)
        #expect(world.pool.taken == 0)
    }

    @Test func narrowWindowHearsLess() {
        var counts: [Int] = []
        for window in ["1000", "0500"] {
            var world = Self.world()
            Self.scan(&world, active: false, window: window)
            world.run(milliseconds: 60_000)
            counts.append(world.take(1).count)
        }
        #expect(counts[0] > 520)
        #expect((100...300).contains(counts[1]), "\(counts)")
    }

    /// Advertising_Type, who it is for, and the Event_Type and data of what each scanner hears.
    @Test(arguments: [
        ("02", "00000000000000", [1: "3E0F020102001111111111110302010 6D8", 2: "3E0F020102001111111111110302 0106D8"]),
        ("03", "00000000000000", [1: "3E0F02010300111111111111030201 06D8", 2: "3E0F02010300111111111111030201 06D8"]),
        ("04", "00222222222222", [1: "3E0C0201010011111111111100D8"]),
    ])
    func kinds(kind: String, peer: String, reports: [Int: String]) {
        var world = Self.world(kind: kind, peer: peer)
        for host in 1...2 {
            _ = world.ask(host, "0B20 07 00 1000 1000 00 00")
            _ = world.ask(host, "0C20 02 01 01")
        }
        world.run(milliseconds: 1000)
        for host in 1...2 {
            #expect(world.take(host) == (reports[host].map { [$0.filter { $0 != " " }] } ?? []))
        }
    }

    @Test func acceptListDecidesWhoIsAnswered() {
        var world = Self.world(policy: "01")
        #expect(world.ask(0, "1120 07 00222222222222") == ["0E040111200C"], "while it is used")
        Self.scan(&world, active: true, filter: true)
        world.run(milliseconds: 1000)
        #expect(world.take(1) == [Self.report])
        _ = world.ask(0, "0A20 01 00")
        #expect(world.ask(0, "1120 07 00222222222222") == ["0E0401112000"])
        _ = world.ask(0, "0A20 01 01")
        world.run(milliseconds: 1000)
        #expect(world.take(1) == [Self.response])
    }

    @Test func maskedReportsAreNotSent() {
        var world = Self.world()
        _ = world.ask(1, "0120 08 1D00000000000000")
        Self.scan(&world, active: false)
        world.run(milliseconds: 1000)
        #expect(world.take(1) == [])
        _ = world.ask(1, "0120 08 1F00000000000000")
        _ = world.ask(1, "010C 08 FFFFFFFFFFFFFF1F")
        world.run(milliseconds: 1000)
        #expect(world.take(1) == [])
    }

    @Test func seedDecides() {
        func told(seed: UInt64) -> [World.Told] {
            var world = Self.world(seed: seed)
            Self.scan(&world, active: true)
            world.run(milliseconds: 3000)
            return world.told[1]
        }
        #expect(told(seed: 1) == told(seed: 1))
        #expect(told(seed: 1).map(\.at) != told(seed: 2).map(\.at))
    }
}
