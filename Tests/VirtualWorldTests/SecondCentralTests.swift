import Basics
import Bluetooth
import ScenarioModel
import Testing
import VirtualWorld

/// A second central takes the strap, or waits for it.
@Suite struct SecondCentralTests {
    private static func play(_ script: String, connections: Int = 1) -> TestScenario {
        TestScenario(
            "a second central",
            """
            {"lubdub": 1, "name": "x", "limit": "40 s", "devices": [
              {"id": "strap", "connections": \(connections), "advertise": {"services": ["180D"]}, "services": [
                {"service": "heart_rate", "value": 72}]},
              {"id": "thief", "role": "central"},
              {"id": "other", "services": [{"service": "battery", "value": 50}]}], "script": [\(script)]}
            """)
    }

    private static func visit(_ script: String, connections: Int = 1) throws -> ScriptedClient {
        try ScriptedClient(play(script, connections: connections).scenario, returns: connections > 1)
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
        var harness = try WorldHarness(Self.play(script).scenario)
        let connected = harness.records(.connected, of: "strap")
        #expect(connected.map(\.peer) == [harness.clientAddress, Self.thief, harness.clientAddress])
        for event in [EventName.connecting, .connected, .disconnected] {
            #expect(harness.records(event, of: "thief").map(\.peer) == [Self.strap], "\(event)")
        }
        #expect(
            harness.records(.disconnected, of: "thief").map(\.reason) == ["connection_terminated_by_local_host"])
        #expect(harness.records(.advertising, of: "thief").isEmpty)
        // While connected it does not advertise, and it has no subscriber.
        let times = harness.records(.advertising, of: "strap").map { $0.instant.nanoseconds / 1_000_000_000 }
        #expect(times == [0, 10, 20])
        let held = Instant(nanoseconds: 11_000_000_000)...Instant(nanoseconds: 20_000_000_000)
        #expect(!harness.records(.notified).contains { held.contains($0.instant) })
        #expect(harness.records(.notified).contains { $0.instant > held.upperBound })
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    @Test func `From the start on it may be first, also before its host has begun`() throws {
        let client = try Self.visit(#"{"when": "start", "do": "connect", "of": "thief", "to": "strap"}"#)
        #expect(client.records(.connecting, of: "thief").count == 1)
        #expect(client.records(.connected, of: "strap").count == 1)
    }

    @Test func `A strap for two advertises until both are connected`() throws {
        let client = try Self.visit(Self.takes, connections: 2)
        #expect(client.records(.connected, of: "strap").count == 2)
        #expect(client.records(.connected, of: "thief").map { $0.instant.nanoseconds / 1_000_000_000 } == [5])
        #expect(client.records(.disconnected).isEmpty)
        #expect(client.world.status.devices.map(\.mtus.count) == [2, 1, 0])
    }

    @Test func `After the strap has ended the link, the central does not reconnect`() throws {
        let client = try Self.visit(
            Self.takes + #", {"when": "8 s", "do": "disconnect", "of": "strap"}"#, connections: 2)
        #expect(client.records(.connected, of: "thief").count == 1)
        #expect(client.records(.disconnected, of: "thief").map(\.reason) == ["remote_user_terminated_connection"])
        #expect(client.records(.connected, of: "strap").count == 3)
    }

    @Test func `A disconnect action ends the wait for a connection`() throws {
        let client = try Self.visit(
            Self.takes + """
                , {"when": "7 s", "do": "disconnect", "of": "thief"}, {"when": "9 s", "do": "disconnect", "of": "strap"}
                """)
        #expect(client.records(.connecting, of: "thief").count == 1)
        #expect(client.records(.connected, of: "thief").isEmpty)
        #expect(client.records(.connected, of: "strap").count == 1)
    }

    @Test func `It connects to one device after the other, and to none twice`() throws {
        let client = try Self.visit(
            Self.takes + """
                , {"when": "5 s", "do": "connect", "of": "thief", "to": "strap"},
                {"when": "5 s", "do": "connect", "of": "thief", "to": "other"},
                {"when": "8 s", "do": "disconnect", "of": "strap"},
                {"when": "12 s", "do": "connect", "of": "thief", "to": "other"}
                """)
        #expect(client.records(.connecting, of: "thief").count == 2)
        let connected = client.records(.connected, of: "thief")
        #expect(connected.map(\.peer) == [Self.strap, Self.other])
        #expect(client.world.status.devices.map(\.mtus.count) == [1, 2, 1])
    }

    @Test func `A new connect action right after it starts again`() throws {
        let client = try Self.visit(
            Self.takes + """
                , {"when": "7 s", "do": "disconnect", "of": "thief"},
                {"when": "7 s", "do": "connect", "of": "thief", "to": "strap"},
                {"when": "9 s", "do": "disconnect", "of": "strap"}
                """)
        #expect(client.records(.connecting, of: "thief").count == 2)
        #expect(client.records(.connected, of: "thief").count == 1)
    }

    @Test func `The same seed gives the same logs, with and without sleep`() throws {
        let scenario = try Self.play(
            Self.takes + #", {"when": {"at": "8 s", "every": "7 s"}, "do": "disconnect", "of": "strap"}"#
        ).scenario
        let (first, again, stepped) = (
            try ScriptedClient(scenario), try ScriptedClient(scenario), try ScriptedClient(scenario, sleeps: false)
        )
        #expect(firstDifference(first.lines, again.lines) == nil)
        #expect(firstDifference(first.lines, stepped.lines) == nil)
        let tracesAreEqual = first.trace == again.trace && first.trace == stepped.trace
        #expect(tracesAreEqual)
    }
}
