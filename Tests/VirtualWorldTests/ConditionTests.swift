import Basics
import GATT
import ScenarioModel
import Testing
import VirtualWorld

/// Rules that act only if something has happened, or has not; and events of descriptors.
@Suite struct ConditionTests {
    /// The handles of the strap of `TestScenario.strap`: the value of the heart rate, and its configuration.
    private static let (heartRate, configuration, battery) = (0x10, 0x11, 0x18) as (UInt16, UInt16, UInt16)

    private static func play(_ script: String, _ requests: ScriptedClient.ScheduledRequest...) throws -> ScriptedClient
    {
        try ScriptedClient(
            TestScenario.strap("conditions", script: script, limit: "30 s").scenario, asking: requests)
    }

    /// The conditions of a rule at 10 s, and whether it acts; the client connects after a second, and reads the battery at 8 s.
    @Test(arguments: [
        (#""if": "read""#, true), (#""if": {"event": "read", "of": "battery"}"#, true),
        (#""if": {"event": "read", "of": "heart_rate/location"}"#, false),
        (#""if": {"event": "read", "within": "3 s"}"#, true), (#""if": {"event": "read", "within": "1 s"}"#, false),
        (#""if": {"event": "read", "nth": 2}"#, false), (#""if": {"event": "read", "value": 50}"#, true),
        (#""if": {"event": "read", "value": 51}"#, false), (#""unless": "read""#, false),
        (#""unless": {"event": "read", "within": "3 s"}"#, false),
        (#""unless": {"event": "read", "within": "1 s"}"#, true), (#""unless": "written""#, true),
        (#""if": "connected", "unless": "subscribed""#, true), (#""if": "connected", "unless": "read""#, false),
        (#""if": {"event": "began", "of": "first"}"#, true), (#""if": {"event": "began", "of": "later"}"#, false),
    ])
    func `A rule acts only if its conditions hold`(conditions: String, acts: Bool) throws {
        let client = try Self.play(
            """
            {"id": "first", "when": "5 s", "do": "notify", "of": "heart_rate"},
            {"id": "later", "when": "15 s", "do": "notify", "of": "heart_rate"},
            {"id": "it", "when": "10 s", \(conditions), "do": "set", "of": "battery", "to": 7}
            """, .at(.seconds(8), .read(handle: Self.battery)))
        #expect(client.records(.began, of: "it").isEmpty != acts)
    }

    /// A strap that hangs up 5 s after each connection, unless its client has subscribed.
    @Test(arguments: [true, false]) func `A condition holds when the rule acts, not when its event comes`(
        subscribes: Bool
    ) throws {
        let client = try Self.play(
            """
            {"when": {"event": "connected", "after": "5 s"}, "unless": {"event": "subscribed", "within": "5 s"},
             "do": "disconnect", "of": "strap"}
            """,
            .at(.seconds(4), subscribes ? .subscribe(handle: Self.configuration, to: .notification) : .exchangeMTU))
        #expect(client.records(.disconnected).isEmpty == subscribes)
    }

    @Test func `An event that begins a rule counts for its own condition, and chance is drawn after it`() throws {
        let client = try Self.play(
            """
            {"id": "second", "when": "read", "if": {"event": "read", "nth": 2}, "do": "notify", "of": "heart_rate"},
            {"id": "never", "when": "read", "unless": "read", "do": "notify", "of": "heart_rate"}
            """, .at(.seconds(3), .read(handle: Self.battery)), .at(.seconds(4), .read(handle: Self.battery)),
            .at(.seconds(5), .read(handle: Self.battery)))
        #expect(client.records(.began, of: "second").count == 2)
        #expect(client.records(.began, of: "never").isEmpty)
    }

    // MARK: Descriptors

    /// An event, and whether a read of the configuration of the heart rate is one, and a write of it.
    @Test(arguments: [
        (#"{"event": "read", "descriptor": "2902"}"#, 1), (#"{"event": "written", "descriptor": "2902"}"#, 1),
        (#"{"event": "read", "of": "heart_rate", "descriptor": "2902"}"#, 1),
        (#"{"event": "read", "of": "strap", "descriptor": "2902"}"#, 1),
        (#"{"event": "read", "of": "battery", "descriptor": "2902"}"#, 0),
        (#"{"event": "read", "descriptor": "2901"}"#, 0), (#"{"event": "read", "of": "battery"}"#, 1),
        (#"{"event": "written", "of": "heart_rate/control_point"}"#, 0),
    ])
    func `A rule can wait for a descriptor`(event: String, count: Int) throws {
        let client = try Self.play(
            #"{"id": "it", "when": \#(event), "do": "notify", "of": "heart_rate"}"#,
            .at(.seconds(3), .read(handle: Self.configuration)),
            .at(.seconds(4), .subscribe(handle: Self.configuration, to: .notification)),
            .at(.seconds(5), .read(handle: Self.battery)))
        #expect(client.records(.began, of: "it").count == count)
    }
}
