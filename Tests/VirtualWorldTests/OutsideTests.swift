import Basics
import Bluetooth
import Devices
import ScenarioLanguage
import ScenarioModel
import Services
import Synchronization
import Testing
import VirtualWorld

/// Actions that come while the world plays, as those of keys do.
@Suite struct OutsideTests {
    /// A strap above a foreign host, with a client that is subscribed to its heart rate, and its log.
    private struct Played {
        private final class Log: Sendable { let text = Mutex(JSONText()) }

        var world: World
        private let log = Log()
        private let phone = DeviceAddress(0xC0FF_EE00_0002, .random)

        init(script: String = "", devices: Int = 1) throws {
            world = try World((devices == 1 ? TestScenario.strap("a", script: script) : .twoDevices).scenario, seed: 1)
            world.placeDevices(on: .bluetoothd)
            let (log, wording) = (log, world.wording)
            world.journal = EventJournal { chunk in log.text.withLock { chunk.write(in: wording, to: &$0) } }
        }

        mutating func start() throws {
            world.start()
            world.connected(phone, toAttributeHostOf: 0, at: .start)
            world.subscribed(true, to: 0x0010, ofAttributeHostOf: 0, at: .start)
        }

        func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

        func entity(_ name: String? = nil) throws -> EntityReference {
            try #require(world.scenario.value(named: name, of: .heartRate, device: 0))
        }

        /// The beats a minute that were notified until then.
        mutating func rates(until seconds: Double) -> [UInt8] {
            world.run(until: at(seconds))
            defer { world.outbox.removeAll() }
            return world.outbox.compactMap { output in
                guard case .toAttributeHost(_, .notify(_, let octets)) = output else { return nil }
                return octets[1]
            }
        }

        mutating func act(_ action: Action, _ name: String, at seconds: Double) -> Bool {
            world.act(action, as: name, at: at(seconds))
        }

        mutating func end(_ name: String, _ entity: EntityReference, at seconds: Double) -> Bool {
            world.end(name, of: entity, at: at(seconds))
        }

        /// The log's events of rules and keys, without `t`.
        mutating func told() -> [String] {
            world.journal.flush()
            let lines = log.text.withLock { $0.string }.split(separator: "\n").map(String.init)
            return lines.filter { $0.contains("\"rule\"") }.map { line in
                String(line.drop { $0 != "," }.dropFirst(2).dropLast())
            }
        }
    }

    private static func set(_ entity: EntityReference, _ number: Double) -> Action {
        Action(.set(to: .curve(.constant(number))), of: entity)
    }

    @Test func `A rule that acts each microsecond delays an action by 1 ms`() throws {
        let rule = #"{"when": {"at": "2 s", "every": "1 us"}, "do": "silence", "of": "strap", "for": "1 us"}"#
        var played = try Played(script: rule)
        try played.start()
        let rate = try played.entity()
        played.world.run(until: played.at(2))
        #expect(played.act(Self.set(rate, 99), "key up", at: 2) == true)
        #expect(played.world.now == played.at(2.001001))
    }

    @Test func `A value that is set from outside lasts until it is ended, and is logged`() throws {
        var played = try Played()
        try played.start()
        let (rate, contact) = (try played.entity(), try played.entity("contact"))
        #expect(played.rates(until: 2.5) == [72, 72])
        #expect(played.act(Self.set(rate, 99), "key up", at: 2.5) == true)
        #expect(played.act(Self.set(contact, 0), "key c", at: 2.5) == true)
        #expect(played.world.status.devices.map(\.bpm) == [99])
        #expect(played.world.status.devices.map(\.isTouching) == [false])
        #expect(played.world.lasts("key up", of: rate))
        #expect(played.rates(until: 4.5) == [99, 99])
        #expect(played.end("key up", rate, at: 4.5) == true)
        #expect(played.end("key up", rate, at: 4.5) == false)
        #expect(!played.world.lasts("key up", of: rate))
        #expect(played.rates(until: 6.5) == [72, 72])
        #expect(
            played.told() == [
                #""event": "began", "of": "strap/heart_rate", "value": 99, "line": {"do": "set", "of": "strap/heart_rate", "to": 99}, "rule": "key up""#,
                #""event": "began", "of": "strap/heart_rate/contact", "value": false, "line": {"do": "set", "of": "strap/heart_rate/contact", "to": false}, "rule": "key c""#,
                #""event": "ended", "of": "strap/heart_rate", "value": 99, "line": {"do": "set", "of": "strap/heart_rate", "to": 99}, "rule": "key up""#,
            ])
        #expect(played.world.pool.taken == 0)
    }

    @Test func `Rules of the file cover it, and wait for what it causes`() throws {
        var played = try Played(
            script: """
                {"id": "high", "when": "5 s", "do": "set", "of": "heart_rate", "to": 200, "for": "2 s"},
                {"id": "low", "when": "disconnected", "do": "set", "of": "battery", "to": 3}
                """)
        try played.start()
        #expect(played.world.status.next == .init("high", due: played.at(5)))
        #expect(played.act(Self.set(try played.entity(), 99), "key up", at: 1.5) == true)
        #expect(played.rates(until: 9.5) == [72, 99, 99, 99, 200, 200, 99, 99, 99])
        #expect(played.act(Action(.disconnect(reason: nil), of: .device(0)), "key d", at: 9.5) == true)
        let commands = played.world.outbox.compactMap { output in
            if case .toAttributeHost(_, .disconnect(let peer)) = output { peer } else { nil }
        }
        #expect(commands.count == 1)
        let peer = try #require(commands.first)
        played.world.disconnected(
            peer, fromAttributeHostOf: 0, reason: .remoteUserTerminated, at: played.at(9.6))
        let told = played.told()
        #expect(
            told.suffix(3) == [
                #""event": "began", "of": "strap", "line": {"do": "disconnect", "of": "strap"}, "rule": "key d""#,
                #""event": "ended", "of": "strap", "line": {"do": "disconnect", "of": "strap"}, "rule": "key d""#,
                #""event": "began", "of": "low", "rule": "low""#,
            ])
        #expect(played.world.status.next == nil)
    }

    @Test func `Silence notifies nothing, on whichever entity, and stays connected`() throws {
        for entity in [
            EntityReference.device(0), .service(device: 0, service: 0), .value(device: 0, service: 0, value: 0),
        ] {
            var played = try Played()
            try played.start()
            #expect(played.rates(until: 2.5).count == 2)
            #expect(played.act(Action(.silence, of: entity), "key s", at: 2.5) == true)
            #expect(played.world.status.devices.map(\.isSilent) == [true])
            let notify = Action(.notify(times: 3, value: nil), of: try played.entity())
            #expect(played.act(notify, "control", at: 3) == true)
            #expect(played.rates(until: 6.5) == [])
            #expect(played.world.hasLinks)
            #expect(played.end("key s", entity, at: 6.5) == true)
            #expect(played.rates(until: 8.5).count == 2)
            #expect(played.world.pool.taken == 0)
        }
    }

    @Test func `Silence of another value leaves this one, and a wider one outlasts a narrower one`() throws {
        var played = try Played()
        try played.start()
        let battery = EntityReference.service(device: 0, service: 1)
        #expect(played.act(Action(.silence, of: battery), "key s", at: 0) == true)
        #expect(played.rates(until: 2.5).count == 2)
        #expect(played.act(Action(.silence, of: .device(0)), "key s", at: 2.5) == true)
        #expect(played.end("key s", battery, at: 3) == true)
        #expect(played.rates(until: 5.5) == [])
        #expect(played.end("key s", .device(0), at: 5.5) == true)
        #expect(played.rates(until: 7.5).count == 2)
    }

    @Test func `A script is silent too, for the client of the whole air`() throws {
        let harness = try WorldHarness(
            TestScenario.strap(
                "silent", script: #"{"id": "mute", "when": "20 s", "do": "silence", "for": "10 s"}"#
            ).scenario)
        let heard = harness.records(.delivered, of: "strap/heart_rate").map { $0.instant.nanoseconds / 1_000_000_000 }
        #expect(heard.contains(19) && heard.contains(31))
        #expect(!heard.contains { (21..<30).contains($0) })
        #expect(harness.records(.disconnected).isEmpty)
        #expect(harness.records(.began, of: "mute").count == 1)
        #expect(harness.records(.ended, of: "mute").count == 1)
    }

    @Test func `A line from outside has its chance, its end, and its words in the log`() throws {
        var played = try Played()
        try played.start()
        let reader = InstructionReader(played.world.scenario)
        func act(_ line: String, at seconds: Double, in played: inout Played) throws -> Bool {
            let now = played.at(seconds)
            guard case .act(let rule) = try reader.read(Array(line.utf8), at: now) else { return false }
            return played.world.act(rule, as: "control 1", at: now)
        }
        #expect(try act(#"{"do": "silence", "chance": 0}"#, at: 1, in: &played) == false)
        #expect(try act(#"{"do":"set","of":"heart_rate","to":99,"for":"2 s"}"#, at: 1.5, in: &played) == true)
        #expect(played.rates(until: 4.5) == [72, 99, 99, 72])
        #expect(try act(#"{"do": "notify", "of": "heart_rate", "value": 7}"#, at: 4.6, in: &played) == true)
        #expect(played.rates(until: 5.5) == [7, 72])
        #expect(try act(#"{"do": "silence"}"#, at: 5.5, in: &played) == true)
        #expect(played.rates(until: 7.5) == [])
        #expect(try act(#"{"do": "clear"}"#, at: 7.5, in: &played) == true)
        #expect(played.rates(until: 9.5) == [72, 72])
        let set = #""line": {"do": "set", "of": "heart_rate", "to": 99, "for": "2 s"}, "rule": "control 1""#
        let notify = #""line": {"do": "notify", "of": "heart_rate", "value": 7}, "rule": "control 1""#
        let silence = #""line": {"do": "silence"}, "rule": "control 1""#
        let clear = #""line": {"do": "clear"}, "rule": "control 1""#
        #expect(
            played.told() == [
                #""event": "began", "of": "strap/heart_rate", "value": 99, \#(set)"#,
                #""event": "ended", "of": "strap/heart_rate", "value": 99, \#(set)"#,
                #""event": "began", "of": "strap/heart_rate", \#(notify)"#,
                #""event": "ended", "of": "strap/heart_rate", \#(notify)"#,
                #""event": "began", "of": "strap", \#(silence)"#,
                #""event": "began", \#(clear)"#,
                #""event": "ended", "of": "strap", \#(silence)"#,
                #""event": "ended", \#(clear)"#,
            ])
        #expect(played.world.pool.taken == 0)
    }

    @Test func `The status has all active actions with their rules, beginnings and ends`() throws {
        var played = try Played(
            script: #"{"id": "high", "when": "2 s", "do": "set", "of": "heart_rate", "to": 200, "until": "9 s"}"#)
        try played.start()
        #expect(played.rates(until: 3.5).count == 3)
        #expect(played.act(Action(.silence, of: .device(0)), "key s", at: 3.5) == true)
        let set = Self.set(try played.entity(), 99)
        #expect(played.world.act(set, as: "key up", for: .after(.seconds(1)), at: played.at(4)) == true)
        let silence = WorldStatus.ActiveAction(
            kind: .silence, entity: "strap", rule: "key s", begun: played.at(3.500001), end: nil)
        let up = WorldStatus.ActiveAction(
            kind: .set, entity: "strap/heart_rate", rule: "key up", begun: played.at(4), end: played.at(5))
        let high = WorldStatus.ActiveAction(
            kind: .set, entity: "strap/heart_rate", rule: "high", begun: played.at(2), end: played.at(9))
        #expect(played.world.status.activeActions == [silence, up])
        #expect(played.rates(until: 6) == [])
        #expect(played.world.status.activeActions == [high, silence])
        #expect(played.rates(until: 10) == [])
        #expect(played.world.status.activeActions == [silence])
    }

    @Test func `Actions from outside happen at separate whole microseconds, as the log has them`() throws {
        var played = try Played()
        try played.start()
        let set = Self.set(try played.entity(), 99)
        func nanoseconds(of now: Int64) -> Int64 {
            #expect(played.world.act(set, as: "key up", at: Instant(nanoseconds: now)) == true)
            return played.world.now.nanoseconds
        }
        #expect(nanoseconds(of: 500_000_000) == 500_000_000)
        #expect(nanoseconds(of: 500_000_000) == 500_001_000)  // something has happened at 0.5 s
        #expect(nanoseconds(of: 600_000_001) == 600_001_000)
        #expect(nanoseconds(of: 1_000_000_000) == 1_000_001_000)  // a value is due at 1 s
        #expect(played.end("key up", try played.entity(), at: 1) == true)
        #expect(played.world.now.nanoseconds == 1_000_002_000)
    }

    @Test func `Before the start nothing is done, and entities have their paths`() throws {
        var played = try Played(devices: 2)
        #expect(played.act(Action(.silence, of: .device(0)), "key s", at: 0) == false)
        let scenario = played.world.scenario
        #expect(scenario.path(of: .device(1)) == "far")
        #expect(scenario.path(of: .service(device: 1, service: 0)) == "far/heart_rate")
        #expect(scenario.path(of: .client) == "client")
        for missing in [
            EntityReference.device(2), .service(device: 0, service: 9), .value(device: 0, service: 0, value: 99),
            .rule(9),
        ] { #expect(scenario.path(of: missing) == nil) }
        #expect(scenario.value(of: .battery, device: 0) == nil)
        #expect(scenario.value(of: .heartRate, device: 2) == nil)
    }
}
