import Basics
import Clients
import Documents
import GATT
import LEHost
import ScenarioModel
import Testing
import VirtualWorld

/// Devices that restart, and those that notify before they respond.
@Suite struct RestartTests {
    private static func strap(_ script: String, more: String = "", limit: String = "60 s") throws -> WorldHarness {
        try WorldHarness(
            TestScenario(
                "restarts",
                """
                {"lubdub": 1, "name": "x", "limit": "\(limit)", "devices": [
                  {"id": "strap", "advertise": {"services": ["180D"]}, \(more) "services": [
                    {"service": "heart_rate", "energy": true,
                     "value": {"curve": "step", "start": 160, "by": 1, "period": "1 s"}},
                    {"service": "battery", "value": 50}]}],
                 "script": [\(script)]}
                """
            ).scenario)
    }

    private static func seconds(_ instant: Instant) -> Double { Double(instant.nanoseconds) / 1e9 }

    private static func numbers(_ harness: WorldHarness, _ entity: String, _ key: String) -> [(at: Double, Double)] {
        harness.records(.notified, of: entity).compactMap { record in
            guard case .number(let number)? = record.value.flatMap({ Datum(json: $0.utf8) })?[key] else { return nil }
            return (seconds(record.instant), number)
        }
    }

    @Test func `A device that restarts leaves silently, and counts from zero`() throws {
        var harness = try Self.strap(#"{"id": "again", "when": "20 s", "do": "restart", "off": "3 s"}"#)
        #expect(harness.records(.disconnected).map(\.reason) == ["connection_timeout"])
        let advertised = harness.records(.advertising).map { Self.seconds($0.instant) }
        #expect(advertised.contains { (23..<23.1).contains($0) } && !advertised.contains { (20..<23).contains($0) })
        #expect(harness.records(.connected).count == 2)
        let rates = Self.numbers(harness, "strap/heart_rate", "bpm")
        #expect(rates.contains { $0.1 > 175 && $0.at < 20 })
        let after = rates.filter { $0.at > 20 }
        #expect(after.count > 25)
        #expect(
            after.allSatisfy { $0.at > 23 && abs($0.1 - (160 + $0.at - 23)) < 1.5 }, "the curve begins with the restart"
        )
        let energies = Self.numbers(harness, "strap/heart_rate", "energy_kj")
        let (before, later) = (energies.last { $0.at < 20 }, energies.first { $0.at > 23 })
        #expect(try #require(before).1 > 2 * #require(later).1, "\(energies)")
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    @Test func `Values that rules have set stay, and a second restart replaces the first`() throws {
        let harness = try Self.strap(
            """
            {"when": "10 s", "do": "set", "of": "heart_rate", "to": 150},
            {"when": "20 s", "do": "restart", "off": "10 s"}, {"when": "22 s", "do": "restart", "off": "2 s"}
            """)
        let rates = Self.numbers(harness, "strap/heart_rate", "bpm").filter { $0.at > 20 }
        #expect(rates.count > 20 && rates.allSatisfy { $0.1 == 150 })
        #expect(harness.records(.connected).map { Self.seconds($0.instant) }.contains { (24..<29).contains($0) })
    }

    private static let bonded = #""security": {"bonded": true},"#

    /// The arguments of the restart, and whether the device keeps its bond and the subscriptions of its client.
    @Test(arguments: [
        ("", true, true), (#", "subscriptions": "lost""#, true, false), (#", "bonds": "lost""#, false, false),
    ])
    func `A restart keeps bonds and subscriptions, or loses them`(
        arguments: String, keepsBond: Bool, keepsSubscriptions: Bool
    ) throws {
        let harness = try Self.strap(
            #"{"when": "20 s", "do": "restart"\#(arguments)}"#, more: Self.bonded, limit: "21.01 s")
        let memory = try #require(harness.world.memories.first?.memory)
        #expect(memory.bonds.isEmpty != keepsBond)
        #expect(memory.clients.values.contains { !$0.configurations.isEmpty } == keepsSubscriptions)
        #expect(harness.records(.bondLost).isEmpty == keepsBond)
    }

    @Test func `A client returns to a device that has lost its bonds`() throws {
        let harness = try Self.strap(
            #"{"when": "20 s", "do": "restart", "bonds": "lost"}"#, more: Self.bonded, limit: "90 s")
        #expect(Self.numbers(harness, "strap/heart_rate", "bpm").contains { $0.at > 80 })
    }

    // MARK: Values before the response

    /// Whether the value comes first, and the first octets of a notification and of a Write Response in the trace.
    @Test(arguments: [true, false]) func `A value comes before the response to its subscription`(isEarly: Bool) throws {
        var harness = try Self.strap("", more: isEarly ? #""early_values": true,"# : "", limit: "20 s")
        let trace = harness.trace.hex
        let subscribed = try #require(harness.records(.subscribed, of: "strap/heart_rate").first)
        let notified = try #require(harness.records(.notified, of: "strap/heart_rate").first)
        #expect((notified.instant == subscribed.instant) == isEarly)
        let write = try #require(trace.firstRange(of: "05 00 04 00 12 11 00 01 00"))
        let rest = trace[write.upperBound...]
        let value = try #require(rest.firstRange(of: "04 00 1B 10 00"))
        let response = try #require(rest.firstRange(of: "01 00 04 00 13"))
        #expect((value.lowerBound < response.lowerBound) == isEarly)
        #expect(!harness.said.filter { if case .heartRate = $0.update.content { true } else { false } }.isEmpty)
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }
}
