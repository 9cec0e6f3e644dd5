import Basics
import Bluetooth
import ScenarioModel
import Testing
import VirtualWorld

/// Faults in values, as the other side's link layer and the event log observe them.
@Suite struct ValueFaultTests {
    /// A strap whose heart beats one faster with each second, and one that is indicated; 30 s.
    static func play(_ script: String, more: String = "", device: String = "") -> TestScenario {
        TestScenario(
            script,
            """
            {"lubdub": 1, "name": "x", "limit": "30 s", "devices": [
              {"id": "strap", "address": "C0:FF:EE:00:00:01/random", \(device) "advertise": {"services": ["180D"]}, "services": [
                {"service": "heart_rate", "value": {"curve": "step", "start": 100, "by": 1, "period": "1 s"}},
                {"service": "health_thermometer", "value": {"curve": "step", "start": 20, "by": 1, "period": "1 s"}},
                {"service": "battery", "value": 50, "period": "1 s"}\(more)]}],
             "script": [\(script)]}
            """)
    }

    private static func bpm(_ records: [EventRecord], from begin: Double, until end: Double) -> [Int] {
        records.filter { (begin..<end).contains(Double($0.instant.nanoseconds) / 1e9) }
            .compactMap { $0.octets.map { Int($0[1]) } }
    }

    /// The beats that arrive from 10 s to 20 s, once in a second; the rules hold from 9.9 s to 15.9 s.
    static let faults: [(fault: String, bpm: [Int])] = [
        (#""do": "drop", "of": "strap""#, [116, 117, 118, 119]),
        (#""do": "drop", "of": "heart_rate""#, [116, 117, 118, 119]),
        (#""do": "drop", "of": "battery""#, Array(110...119)),
        (
            #""do": "duplicate", "of": "heart_rate""#,
            [110, 110, 111, 111, 112, 112, 113, 113, 114, 114, 115, 115, 116, 117, 118, 119]
        ),
        (#""do": "delay", "of": "heart_rate", "by": "2500 ms""#, [110, 111, 112, 113, 116, 114, 117, 115, 118, 119]),
        (#""do": "reorder", "of": "heart_rate", "span": 4"#, [113, 110, 111, 112, 114, 115, 116, 117, 118, 119]),
        (#""do": "reorder", "of": "heart_rate""#, [111, 110, 113, 112, 115, 114, 116, 117, 118, 119]),
    ]

    @Test(arguments: faults) func `The heart rates that arrive`(fault: String, bpm: [Int]) throws {
        var harness = try WorldHarness(Self.play(#"{"id": "f", "when": "9.9 s", "for": "6 s", \#(fault)}"#).scenario)
        let delivered = harness.records(.delivered, of: "strap/heart_rate")
        #expect(Self.bpm(delivered, from: 10, until: 20) == bpm)
        // All values that leave according to the log arrive.
        let notified = harness.records(.notified, of: "strap/heart_rate")
        #expect(notified.compactMap(\.octets).prefix(delivered.count) == delivered.compactMap(\.octets)[...])
        #expect(harness.records(.ended, of: "f").map(\.instant) == [Instant(nanoseconds: 15_900_000_000)])
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    @Test func `A delayed value arrives later`() throws {
        let script = #"{"when": "9.9 s", "for": "6 s", "do": "delay", "of": "strap", "by": "2500 ms"}"#
        let harness = try WorldHarness(Self.play(script).scenario)
        for record in harness.records(.notified, of: "strap/heart_rate") {
            let bpm = try Int(#require(record.octets)[1])
            let seconds = Double(record.instant.nanoseconds) / 1e9
            let late = (110...115).contains(bpm) ? 2.5 : 0
            #expect(seconds == Double(bpm - 100) + late)
        }
    }

    @Test(
        arguments: [
            (#""do": "truncate", "to": 1"#, [0x00]), (#""do": "truncate", "to": 0"#, []),
            (#""do": "lengthen", "with": "aabb""#, [0x00, 110, 0xAA, 0xBB]),
        ] as [(String, [UInt8])])
    func `Truncated and lengthened values`(fault: String, octets: [UInt8]) throws {
        let script = #"{"when": "9.9 s", "for": "1 s", "of": "heart_rate", \#(fault)}"#
        let harness = try WorldHarness(Self.play(script).scenario)
        for event in [EventName.notified, .delivered] {
            let all = harness.records(event, of: "strap/heart_rate").compactMap(\.octets)
            #expect(all.filter { $0 != [0, $0.last ?? 0] } == [octets])
        }
    }

    @Test(arguments: [23, 100]) func `Nothing gets longer than the MTU has room for`(mtu: Int) throws {
        let octets = String(repeating: "ee", count: 512)
        let script = #"{"when": "9.9 s", "for": "1 s", "of": "heart_rate", "do": "lengthen", "with": "\#(octets)"}"#
        let harness = try WorldHarness(Self.play(script, device: #""link": {"mtu": \#(mtu)},"#).scenario)
        for event in [EventName.notified, .delivered] {
            let all = harness.records(event, of: "strap/heart_rate").compactMap(\.octets)
            #expect(all.map(\.count).max() == mtu - 3)
        }
    }

    @Test func `Faults apply to values that a rule notifies`() throws {
        let harness = try WorldHarness(
            Self.play(
                """
                {"when": "9.9 s", "for": "2 s", "do": "truncate", "of": "battery", "to": 0},
                {"when": "9.9 s", "for": "2 s", "do": "duplicate", "of": "strap"},
                {"when": "10.5 s", "do": "notify", "of": "battery", "value": 7, "times": 2},
                {"when": "15 s", "do": "notify", "of": "battery", "value": 8}
                """
            ).scenario)
        #expect(harness.records(.delivered, of: "strap/battery").compactMap(\.octets) == [[], [], [], [], [8]])
    }

    @Test func `The more particular wins, and what was covered comes back`() throws {
        let harness = try WorldHarness(
            Self.play(
                """
                {"when": "9.9 s", "for": "8 s", "do": "delay", "of": "strap", "by": "300 ms"},
                {"when": "11.9 s", "for": "2 s", "do": "delay", "of": "heart_rate", "by": "100 ms"},
                {"when": "12.9 s", "for": "3 s", "do": "delay", "of": "strap", "by": "200 ms"},
                {"when": "24.9 s", "do": "delay", "of": "strap", "by": "1 s"},
                {"when": "26.9 s", "do": "clear", "of": "strap"}
                """
            ).scenario)
        let late = harness.records(.notified, of: "strap/heart_rate").compactMap { record -> Int? in
            guard let octets = record.octets, (109...119).contains(octets[1]) else { return nil }
            return Int(record.instant.nanoseconds / 1_000_000) - Int(octets[1] - 100) * 1000
        }
        #expect(late == [0, 300, 300, 100, 100, 200, 200, 300, 300, 0, 0])
        let bpm = Self.bpm(harness.records(.notified, of: "strap/heart_rate"), from: 24.5, until: 29.5)
        #expect(bpm == [125, 126, 127, 128, 129])  // what waits comes at its time, though the rule has ended
    }

    // MARK: Indications

    /// Those that are confirmed before the end.
    private static func indicated(_ harness: WorldHarness) -> [EventRecord] {
        harness.records(.indicated, of: "strap/health_thermometer").filter { $0.instant.nanoseconds < 29_900_000_000 }
    }

    @Test func `A dropped indication does not stop those that follow`() throws {
        var harness = try WorldHarness(
            Self.play(#"{"when": "9.9 s", "for": "5 s", "do": "drop", "of": "health_thermometer"}"#).scenario)
        let times = Self.indicated(harness).map { Int($0.instant.nanoseconds / 1_000_000_000) }
        #expect(
            times.filter { $0 > 5 } == [6, 7, 8, 9, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
        #expect(harness.records(.confirmed, of: "strap/health_thermometer").count == times.count)
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    static let orders: [(fault: String, celsius: [Int])] = [
        // The intermediate temperature, which is as frequent, is reordered together with it.
        (#""do": "reorder", "span": 3"#, [31, 30, 32, 34, 33, 35]),
        (#""do": "delay", "by": "1500 ms""#, [30, 31, 32, 33, 34, 35]),
        (#""do": "duplicate""#, [30, 30, 31, 31, 32, 32, 33, 33, 34, 34, 35, 35]),
    ]

    @Test(arguments: orders) func `Indications are held and doubled as well`(fault: String, celsius: [Int]) throws {
        var harness = try WorldHarness(
            Self.play(#"{"when": "9.9 s", "for": "6 s", "of": "health_thermometer", \#(fault)}"#).scenario)
        let told = Self.indicated(harness).compactMap { record in
            // After the flags: a number of tenths.  20 °C at 0 s.
            record.octets.map { (Int($0[1]) | Int($0[2]) << 8) / 10 }
        }
        #expect(told.filter { (30...35).contains($0) } == celsius)
        #expect(harness.records(.confirmed, of: "strap/health_thermometer").count == told.count)
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    // MARK: Bursts

    @Test func `A burst, and what the buffers do not take`() throws {
        func count(_ rate: String) throws -> (notified: Int, delivered: Int) {
            let script = #"{"when": "10 s", "for": "2 s", "do": "burst", "of": "heart_rate", "rate": "\#(rate)"}"#
            var harness = try WorldHarness(Self.play(script).scenario)
            func count(_ event: EventName) -> Int {
                Self.bpm(harness.records(event, of: "strap/heart_rate"), from: 9.999, until: 12.5).count
            }
            let counts = (count(.notified), count(.delivered))
            let after = Self.bpm(harness.records(.notified, of: "strap/heart_rate"), from: 12.5, until: 30)
            #expect(after == Array(113...129))
            harness.end()
            #expect(harness.world.pool.taken == 0)
            return counts
        }
        let slow = try count("50 Hz")
        #expect((100...102).contains(slow.notified))
        #expect((99...102).contains(slow.delivered))
        let fast = try count("4000 Hz")
        #expect((8000...8002).contains(fast.notified))
        #expect((500...7900).contains(fast.delivered))
        let rare = try count("0.001 Hz")
        #expect((1...2).contains(rare.notified))
    }

    @Test func `A burst of indications continues with each confirmation`() throws {
        let script = #"{"when": "10 s", "for": "2 s", "do": "burst", "of": "health_thermometer", "rate": "4000 Hz"}"#
        let harness = try WorldHarness(Self.play(script).scenario)
        let told = harness.records.filter {
            ($0.event == .indicated || $0.event == .confirmed) && $0.entity == "strap/health_thermometer"
        }
        // One under way at a time: none was dropped, and none waited for another.
        #expect(zip(told, told.dropFirst()).allSatisfy { $0.event != $1.event })
        #expect(told.count { (10..<12).contains($0.instant.nanoseconds / 1_000_000_000) } > 40)
        #expect(told.count { $0.event == .indicated && $0.instant.nanoseconds / 1_000_000_000 > 12 } >= 17)
    }

    // MARK: In every state

    /// All faults at once, from the start, without a client, during a connection attempt, and over two disconnections.
    static let everything = play(
        """
        {"when": "start", "do": "delay", "of": "strap", "by": "700 ms"},
        {"when": "start", "do": "burst", "of": "heart_rate", "rate": "10 Hz", "until": "20 s"},
        {"when": "connected", "do": "reorder", "of": "heart_rate", "span": 3},
        {"when": "discovering", "do": "duplicate", "of": "strap", "for": "8 s"},
        {"when": {"event": "subscribed", "of": "battery"}, "do": "lengthen", "of": "battery", "with": "00"},
        {"when": {"at": "3 s", "every": "2 s"}, "do": "drop", "of": "strap", "chance": 0.3, "for": "1 s"},
        {"when": {"event": "indicated", "nth": 3}, "do": "burst", "of": "health_thermometer", "rate": "100 Hz", "for": "3 s"},
        {"when": {"event": "indicated", "nth": 5}, "do": "drop", "of": "health_thermometer", "for": "1 s"},
        {"when": "12 s", "do": "disconnect", "of": "strap"}, {"when": "22.05 s", "do": "disconnect", "of": "strap"},
        {"when": "18 s", "do": "silence", "of": "strap", "for": "2 s"}, {"when": "27 s", "do": "clear", "of": "strap"}
        """)

    @Test func `All faults at once leak no packet and are deterministic`() throws {
        let scenario = try Self.everything.scenario
        var (first, again) = (try WorldHarness(scenario), try WorldHarness(scenario, sleeps: false))
        #expect(firstDifference(first.lines, again.lines) == nil)
        #expect(first.records(.subscribed, of: "strap/heart_rate").count == 3)
        #expect(Self.bpm(first.records(.notified, of: "strap/heart_rate"), from: 18, until: 20).isEmpty)
        #expect(Self.bpm(first.records(.delivered, of: "strap/heart_rate"), from: 28.5, until: 30) == [129])
        first.end()
        again.end()
        #expect(first.world.pool.taken == 0)
    }

    @Test func `A value held for one client is not sent to the next`() throws {
        let script = """
            {"when": "9.9 s", "do": "delay", "of": "strap", "by": "10 s", "for": "1 s"},
            {"when": "9.9 s", "do": "reorder", "of": "health_thermometer", "span": 9},
            {"when": "12 s", "do": "disconnect", "of": "strap"}
            """
        var harness = try WorldHarness(Self.play(script).scenario)
        #expect(!Self.bpm(harness.records(.notified, of: "strap/heart_rate"), from: 0, until: 30).contains(110))
        #expect(harness.records(.subscribed, of: "strap/heart_rate").count == 2)
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }
}
