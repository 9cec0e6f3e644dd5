import Basics
import Clients
import ScenarioModel
import Testing
import VirtualWorld

/// Script actions on the air, as the other side observes them.
@Suite struct AirFaultTests {
    private static func played(_ script: String, more: String = "", limit: String = "60 s") throws -> WorldHarness {
        try WorldHarness(TestScenario.strap("faults", more: more, script: script, limit: limit).scenario)
    }

    private static func seconds(_ records: [EventRecord]) -> [Double] {
        records.map { Double($0.instant.nanoseconds) / 1e9 }
    }

    /// The client's supervision timeout is 720 ms, and its interval 50 ms.
    @Test func `Out of range, both sides lose the link, and no one is found until the action ends`() throws {
        var harness = try Self.played(#"{"id": "away", "when": "20 s", "do": "link_loss", "for": "8 s"}"#)
        let lost = harness.records(.disconnected)
        #expect(lost.map(\.reason) == ["connection_timeout"])
        let missing = try #require(Self.seconds(lost).first) - 20
        #expect((0.67...0.82).contains(missing), "\(missing)")
        let heard = Self.seconds(harness.records(.delivered, of: "strap/heart_rate"))
        #expect(!heard.contains { (20..<28).contains($0) })
        let back = try #require(Self.seconds(harness.records(.connected)).last)
        #expect((28..<34).contains(back), "\(back)")
        #expect(heard.contains { $0 > back })
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    @Test func `Away for less than the supervision timeout, the link survives`() throws {
        let harness = try Self.played(#"{"when": "20 s", "do": "link_loss", "for": "500 ms"}"#)
        #expect(harness.records(.disconnected).isEmpty)
        let heard = Self.seconds(harness.records(.delivered, of: "strap/heart_rate"))
        #expect(!heard.contains { (20.001..<20.5).contains($0) })
        #expect(heard.count >= 55)
    }

    @Test func `A device with two overlapping link losses returns when both are over`() throws {
        let harness = try Self.played(
            """
            {"id": "long", "when": "20 s", "do": "link_loss", "for": "20 s"},
            {"id": "short", "when": "25 s", "do": "link_loss", "for": "5 s"}
            """)
        let back = try #require(Self.seconds(harness.records(.connected)).last)
        #expect(back > 40)
        #expect(harness.records(.connected).count == 2)
    }

    /// The distance of a strap whose strength is not available, and whether it is found.
    @Test(arguments: [("1 m", true), ("300 m", false)])
    func `A strength that is not available is unknown to the client, and the distance counts`(
        distance: String, isFound: Bool
    ) throws {
        let harness = try Self.played(
            #"{"when": "start", "do": "rssi", "to": 127, "until": "10 s"}"#, more: #""distance": "\#(distance)","#,
            limit: "20 s")
        let strengths = harness.said.compactMap { said -> String? in
            guard case .found(let services, let rssi) = said.update.content, !services.isEmpty else { return nil }
            return rssi.map { "\($0) dBm" } ?? "unknown"
        }
        #expect(strengths.allSatisfy { $0 == "unknown" } && strengths.isEmpty != isFound)
        #expect(harness.records(.connected).count == (isFound ? 1 : 0))
        #expect(harness.records(.disconnected).isEmpty)
    }

    @Test(arguments: [
        (#""do": "distance", "to": "200 m", "over": "10 s""#, true),
        (#""do": "distance", "to": "20 m", "over": "10 s""#, false),
        (#""do": "rssi", "to": -98"#, true), (#""do": "rssi", "to": -80"#, false),
        (#""do": "rssi", "to": {"curve": "ramp", "start": -60, "end": -100, "over": "10 s"}"#, true),
        (#""do": "loss", "rate": 1"#, true), (#""do": "loss", "rate": 0.2"#, false),
    ])
    func `A weak signal loses the link, and a strong one restores it`(operation: String, isLost: Bool) throws {
        var harness = try Self.played(#"{"when": "20 s", \#(operation), "for": "15 s"}"#)
        #expect(harness.records(.disconnected).map(\.reason) == (isLost ? ["connection_timeout"] : []))
        let heard = Self.seconds(harness.records(.delivered, of: "strap/heart_rate"))
        #expect(heard.contains { $0 > 45 })
        #expect(heard.contains { (31..<35).contains($0) } != isLost)
        if isLost { #expect(try #require(Self.seconds(harness.records(.connected)).last) > 35) }
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    @Test func `A covered move resumes as if it had continued`() throws {
        let harness = try Self.played(
            """
            {"when": "10 s", "do": "distance", "to": "200 m", "over": "30 s"},
            {"when": "15 s", "do": "distance", "to": "1 m", "for": "30 s"}
            """)
        let lost = Self.seconds(harness.records(.disconnected))
        #expect(lost.count == 1)
        #expect(lost.allSatisfy { (45...46).contains($0) }, "\(lost)")
    }

    @Test func `The client's Bluetooth is switched off and on`() throws {
        var harness = try Self.played(#"{"when": "20 s", "do": "power_off", "of": "client", "for": "8 s"}"#)
        #expect(harness.records(.disconnected).map(\.reason) == ["connection_timeout"])
        let back = try #require(Self.seconds(harness.records(.connected)).last)
        #expect(back > 28)
        #expect(Self.seconds(harness.records(.delivered, of: "strap/heart_rate")).contains { $0 > back })
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    @Test func `Same seed, same bytes, with the air at its worst`() throws {
        let script = """
            {"when": {"at": "3 s", "every": "7 s"}, "do": "distance", "to": "60 m", "over": "2 s", "for": "4 s"},
            {"when": {"at": "5 s", "every": "11 s"}, "do": "loss", "rate": 0.5, "for": "3 s", "chance": 0.7},
            {"when": {"at": "9 s", "every": "13 s"}, "do": "link_loss", "for": "500 ms"}
            """
        let scenario = try TestScenario.strap("worst", script: script).scenario
        let (one, two) = (try WorldHarness(scenario), try WorldHarness(scenario))
        #expect(one.lines == two.lines)
        #expect(one.trace == two.trace)
        let stepped = try WorldHarness(scenario, sleeps: false)
        #expect(one.lines == stepped.lines)
        #expect(one.trace == stepped.trace)
        #expect(try WorldHarness(scenario, seed: 2).trace != one.trace)
    }
}
