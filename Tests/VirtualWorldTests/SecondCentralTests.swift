import Bluetooth
import EventLog
import Octets
import Scenarios
import Simulation
import Testing
import VirtualWorld

/// A second central takes the strap, or waits for it.
@Suite struct SecondCentralTests {
    private static func play(_ script: String, connections: Int = 1) -> Play {
        Play(
            "a second central",
            """
            {"lubdub": 1, "name": "x", "limit": "40 s", "devices": [
              {"id": "strap", "connections": \(connections), "advertise": {"services": ["180D"]}, "services": [
                {"service": "heart_rate", "value": 72}]},
              {"id": "thief", "role": "central"},
              {"id": "other", "services": [{"service": "battery", "value": 50}]}], "script": [\(script)]}
            """)
    }

    private static func visit(_ script: String, connections: Int = 1) throws -> Visitor {
        try Visitor(play(script, connections: connections).scenario, returns: connections > 1)
    }

    private static let takes = #"{"when": "5 s", "do": "connect", "of": "thief", "to": "strap"}"#
    private static let thief = DeviceAddress(0xC0FF_EE00_0002, .random)
    private static let other = DeviceAddress(0xC0FF_EE00_0003, .random)
    private static let strap = DeviceAddress(0xC0FF_EE00_0001, .random)

    /// With the built-in client, which listens for a second before it connects again, and so comes too late.
    @Test func `It waits until the strap is free, takes it, and lets it go`() throws {
        let script =
            Self.takes + """
                , {"when": "10 s", "do": "disconnect", "of": "strap"},
                {"when": "20 s", "do": "disconnect", "of": "thief", "reason": "remote_user_terminated_connection"}
                """
        var stage = try Stage(Self.play(script).scenario)
        let connected = stage.records(.connected, of: "strap")
        #expect(connected.map(\.peer) == [stage.clientAddress, Self.thief, stage.clientAddress])
        for event in [EventName.connecting, .connected, .disconnected] {
            #expect(stage.records(event, of: "thief").map(\.peer) == [Self.strap], "\(event)")
        }
        #expect(
            stage.records(.disconnected, of: "thief").map(\.reason) == ["connection_terminated_by_local_host"])
        #expect(stage.records(.advertising, of: "thief").isEmpty)
        // Held, it does not advertise, and it has nobody to notify.
        let times = stage.records(.advertising, of: "strap").map { $0.instant.nanoseconds / 1_000_000_000 }
        #expect(times == [0, 10, 20])
        let held = Instant(nanoseconds: 11_000_000_000)...Instant(nanoseconds: 20_000_000_000)
        #expect(!stage.records(.notified).contains { held.contains($0.instant) })
        #expect(stage.records(.notified).contains { $0.instant > held.upperBound })
        stage.end()
        #expect(stage.world.pool.taken == 0)
    }

    @Test func `From the start on it may be first, also before its host has begun`() throws {
        let visitor = try Self.visit(#"{"when": "start", "do": "connect", "of": "thief", "to": "strap"}"#)
        #expect(visitor.records(.connecting, of: "thief").count == 1)
        #expect(visitor.records(.connected, of: "strap").count == 1)
    }

    @Test func `A strap for two goes on advertising until both are there`() throws {
        let visitor = try Self.visit(Self.takes, connections: 2)
        #expect(visitor.records(.connected, of: "strap").count == 2)
        #expect(visitor.records(.connected, of: "thief").map { $0.instant.nanoseconds / 1_000_000_000 } == [5])
        #expect(visitor.records(.disconnected).isEmpty)
        #expect(visitor.world.status.devices.map(\.mtus.count) == [2, 1, 0])
    }

    @Test func `Once the strap has ended the link, it is not taken again`() throws {
        let visitor = try Self.visit(
            Self.takes + #", {"when": "8 s", "do": "disconnect", "of": "strap"}"#, connections: 2)
        #expect(visitor.records(.connected, of: "thief").count == 1)
        #expect(visitor.records(.disconnected, of: "thief").map(\.reason) == ["remote_user_terminated_connection"])
        #expect(visitor.records(.connected, of: "strap").count == 3)
    }

    @Test func `Who is told to disconnect while it waits does not wait any more`() throws {
        let visitor = try Self.visit(
            Self.takes + """
                , {"when": "7 s", "do": "disconnect", "of": "thief"}, {"when": "9 s", "do": "disconnect", "of": "strap"}
                """)
        #expect(visitor.records(.connecting, of: "thief").count == 1)
        #expect(visitor.records(.connected, of: "thief").isEmpty)
        #expect(visitor.records(.connected, of: "strap").count == 1)
    }

    @Test func `It takes one device after the other, and none twice`() throws {
        let visitor = try Self.visit(
            Self.takes + """
                , {"when": "5 s", "do": "connect", "of": "thief", "to": "strap"},
                {"when": "5 s", "do": "connect", "of": "thief", "to": "other"},
                {"when": "8 s", "do": "disconnect", "of": "strap"},
                {"when": "12 s", "do": "connect", "of": "thief", "to": "other"}
                """)
        #expect(visitor.records(.connecting, of: "thief").count == 2)
        let connected = visitor.records(.connected, of: "thief")
        #expect(connected.map(\.peer) == [Self.strap, Self.other])
        #expect(visitor.world.status.devices.map(\.mtus.count) == [1, 2, 1])
    }

    @Test func `Who is told to go on at once begins anew`() throws {
        let visitor = try Self.visit(
            Self.takes + """
                , {"when": "7 s", "do": "disconnect", "of": "thief"},
                {"when": "7 s", "do": "connect", "of": "thief", "to": "strap"},
                {"when": "9 s", "do": "disconnect", "of": "strap"}
                """)
        #expect(visitor.records(.connecting, of: "thief").count == 2)
        #expect(visitor.records(.connected, of: "thief").count == 1)
    }

    @Test func `The same seed says the same, with and without sleep`() throws {
        let scenario = try Self.play(
            Self.takes + #", {"when": {"at": "8 s", "every": "7 s"}, "do": "disconnect", "of": "strap"}"#
        ).scenario
        let (first, again, stepped) = (
            try Visitor(scenario), try Visitor(scenario), try Visitor(scenario, sleeps: false)
        )
        #expect(firstDifference(first.lines, again.lines) == nil)
        #expect(firstDifference(first.lines, stepped.lines) == nil)
        let tracesAreEqual = first.trace == again.trace && first.trace == stepped.trace
        #expect(tracesAreEqual)
    }
}
