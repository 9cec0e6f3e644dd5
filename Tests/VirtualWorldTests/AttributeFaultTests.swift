import ATT
import Basics
import Bluetooth
import GATT
import ScenarioModel
import Testing
import VirtualWorld

/// Attributes that change, as a client sees them that asks for each by its handle.
///
///     0006-000D  1801  0008 Service Changed, 0009 CCCD, 000B Client Supported Features, 000D Database Hash
///     000E-0011  180D  0010 2A37, 0011 CCCD
///     0012-0015  180F  0014 2A19, 0015 CCCD
///     0016-001C  1809  0018 2A1C indicate, 0019 CCCD, 001B 2A1E, 001C CCCD
///     001D-0040  1815  0040 2A58
///     0041-0044  1816  not there from the start: 0043 2A5B, 0044 CCCD
@Suite struct AttributeFaultTests {
    static func play(_ script: String) -> TestScenario {
        TestScenario(
            "changes",
            """
            {"lubdub": 1, "name": "x", "limit": "5 min", "devices": [
              {"id": "strap", "services": [
                {"service": "heart_rate", "value": 72}, {"service": "battery", "value": 50},
                {"service": "health_thermometer", "store": true, "value": 36.5},
                {"service": "custom", "uuid": "1815", "characteristics": [
                  {"id": "fixed", "uuid": "2A58", "properties": ["read"], "value": 7, "handle": 64}]}]}],
             "script": [\(script)]}
            """)
    }

    static let custom = """
        {"service": "custom", "id": "more", "uuid": "1816", "characteristics": [
         {"id": "count", "uuid": "2A5B", "properties": ["read", "notify"], "value": 9}]}
        """

    private static func moves(_ announce: Bool, when: String = #""20 s""#, by: Int = 16) -> String {
        #"{"id": "moves", "when": \#(when), "do": "move_handles", "of": "strap", "by": \#(by), "announce": \#(announce)}"#
    }

    private static func changes(_ announce: Bool, _ arguments: String, when: String = #""20 s""#) -> String {
        #"{"when": \#(when), "do": "change_services", \#(arguments), "announce": \#(announce)}"#
    }

    private static let hash = Procedure.readByUUID(UUID(0x2B2A), .all)
    private static let serviceChanged = Procedure.configure(handle: 0x09, .indication)
    private static let robustCaching = Procedure.write(handle: 0x0B, value: [0x01])

    private func refusal(_ error: ATTError, _ handle: UInt16) -> Result<Procedure.Outcome, Procedure.Failure> {
        .failure(.refused(error, handle: handle))
    }

    private func value(_ octets: UInt8...) -> Result<Procedure.Outcome, Procedure.Failure> { .success(.value(octets)) }

    // MARK: move_handles

    @Test func `Service Changed announces moved handles, and clients find them`() throws {
        var client = try ProcedureClient(Self.play(Self.moves(true)))
        let before = try client.ask(Self.hash)
        #expect(try client.ask(.read(handle: 0x14)) == value(50))
        #expect(try client.ask(Self.serviceChanged) == .success(.written))
        #expect(try client.ask(.configure(handle: 0x11, .notification)) == .success(.written))
        client.run(until: 20)
        #expect(client.heard.contains { $0.handle == 0x10 })
        client.heard = []
        client.run(until: 25)
        #expect(client.heard.first == ProcedureClient.Heard(handle: 8, octets: [0x0E, 0, 0x50, 0], isIndicated: true))
        #expect(client.heard.count == 1)
        #expect(try client.ask(.read(handle: 0x14)) == refusal(.invalidHandle, 0x14))
        #expect(try client.ask(.read(handle: 0x24)) == value(50))
        #expect(try client.ask(.read(handle: 0x50)) == value(7))
        #expect(try client.ask(.read(handle: 0x21)) == value(0, 0))
        #expect(try client.ask(.read(handle: 0x09)) == value(2, 0))
        #expect(try client.ask(Self.hash) != before)
        #expect(try client.ask(.configure(handle: 0x21, .notification)) == .success(.written))
        client.run(until: 30)
        #expect(client.heard.count { $0.handle == 0x20 } > 3)
    }

    @Test func `Without an announcement only the Database Hash shows a move`() throws {
        var client = try ProcedureClient(Self.play(Self.moves(false)))
        let before = try client.ask(Self.hash)
        _ = try client.ask(Self.serviceChanged)
        _ = try client.ask(Self.robustCaching)
        _ = try client.ask(.configure(handle: 0x11, .notification))
        client.run(until: 20)
        client.heard = []
        client.run(until: 25)
        #expect(client.heard == [])
        #expect(try client.ask(.read(handle: 0x14)) == refusal(.invalidHandle, 0x14))
        #expect(try client.ask(Self.hash) != before)
        #expect(try client.ask(.read(handle: 0x24)) == value(50))
    }

    @Test func `A client that caches robustly is out of sync once, until it has confirmed or read the hash`() throws {
        for subscribes in [false, true] {
            var client = try ProcedureClient(Self.play(Self.moves(true)))
            _ = try client.ask(Self.robustCaching)
            if subscribes { _ = try client.ask(Self.serviceChanged) }
            client.run(until: 25)
            #expect(try client.ask(.read(handle: 0x24)) == (subscribes ? value(50) : refusal(.databaseOutOfSync, 0x24)))
            #expect(try client.ask(.read(handle: 0x24)) == value(50))
        }
    }

    @Test func `Each time it is further, and what does not fit does not move`() throws {
        let rule = Self.moves(true, when: #"{"at": "20 s", "every": "5 s", "times": 3}"#, by: 30_000)
        var client = try ProcedureClient(Self.play(rule))
        _ = try client.ask(Self.serviceChanged)
        for (second, handle) in [(22.0, 30_020 as UInt16), (27, 60_020), (32, 60_020)] {
            client.run(until: second)
            #expect(try client.ask(.read(handle: handle)) == value(50), "after \(second) s")
        }
        #expect(client.heard.count == 2)
        let saturated = client.records.filter { $0.event == .saturated }
        #expect(saturated.map(\.entity) == ["strap"] && saturated.map(\.value) == ["30000"])
        #expect(client.records.count { $0.event == .began && $0.rule == "moves" } == 3)
    }

    /// When what is under way when everything moves, and by how much, so that the heart rate has its handle then.
    static let underWay: [(when: String, by: Int, configuration: UInt16, ClientConfiguration)] = [
        (#"{"event": "indicated", "of": "health_thermometer", "nth": 1}"#, 8, 0x19, .indication),
        (#"{"event": "notified", "of": "health_thermometer/intermediate", "nth": 1}"#, 11, 0x1C, .notification),
    ]

    @Test(arguments: underWay) func `Values in flight keep their old names`(
        when: String, by: Int, configuration: UInt16, wanted: ClientConfiguration
    ) throws {
        var client = try ProcedureClient(Self.play(Self.moves(true, when: when, by: by)))
        _ = try client.ask(.configure(handle: 0x11, .notification))
        _ = try client.ask(.configure(handle: configuration, wanted))
        client.run(until: 10)
        let records = client.records
        func entities(_ event: EventName) -> [String?] { records.filter { $0.event == event }.map(\.entity) }
        #expect(entities(.delivered) == entities(.notified) && !entities(.delivered).isEmpty)
        #expect(entities(.confirmed) == entities(.indicated))
        #expect(entities(.confirmed) == (wanted == .indication ? ["strap/health_thermometer"] : []))
        #expect(entities(.unsubscribed) == [])
        // A value that was confirmed late is stored again, since the confirmation was not expected any more.
        client.heard = []
        _ = try client.ask(.configure(handle: 0x19 + UInt16(by), .indication))
        client.run(until: 20)
        let stored = client.records.filter { $0.event == .indicated && $0.entity == "strap/health_thermometer" }
        #expect(stored.count > 10)
        #expect(Set(stored.map(\.octets)).count == stored.count - (wanted == .indication ? 1 : 0))
    }

    @Test func `A silence moves with what is silent`() throws {
        let rules = """
            {"when": "10 s", "do": "silence", "of": "heart_rate", "for": "30 s"}, \(Self.moves(true))
            """
        var client = try ProcedureClient(Self.play(rules))
        client.run(until: 25)
        _ = try client.ask(.configure(handle: 0x21, .notification))
        _ = try client.ask(.configure(handle: 0x2C, .notification))
        client.run(until: 39.9)
        #expect(!client.heard.contains { $0.handle == 0x20 } && client.heard.contains { $0.handle == 0x2B })
        client.run(until: 50)
        #expect(client.heard.count { $0.handle == 0x20 } > 8)
    }

    // MARK: change_services

    @Test(arguments: [true, false]) func `A service is removed and added again, and the others stay`(
        announce: Bool
    ) throws {
        let goes = Self.changes(announce, #""of": "strap", "remove": ["strap/battery"]"#)
        let back = Self.changes(
            announce, #""add": [{"service": "battery", "value": 50}, \#(Self.custom)]"#, when: #""30 s""#)
        let gone = Self.changes(announce, #""remove": ["more"]"#, when: #""40 s""#)
        var client = try ProcedureClient(Self.play([goes, back, gone].joined(separator: ",")))
        let before = try client.ask(Self.hash)
        _ = try client.ask(Self.serviceChanged)
        for handle in [0x11, 0x15] as [UInt16] { _ = try client.ask(.configure(handle: handle, .notification)) }
        #expect(try client.ask(.read(handle: 0x43)) == refusal(.invalidHandle, 0x43))
        client.run(until: 25)
        #expect(try client.ask(.read(handle: 0x14)) == refusal(.invalidHandle, 0x14))
        #expect(try client.ask(.read(handle: 0x18)) == refusal(.readNotPermitted, 0x18))
        #expect(try client.ask(Self.hash) != before)
        client.run(until: 35)
        #expect(try client.ask(.read(handle: 0x14)) == value(50))
        #expect(try client.ask(.read(handle: 0x15)) == value(0, 0))
        #expect(try client.ask(.read(handle: 0x43)) == value(9))
        client.run(until: 45)
        #expect(try client.ask(Self.hash) == before)
        let indicated = client.heard.filter(\.isIndicated)
        let ranges: [[UInt8]] = [[0x12, 0, 0x15, 0], [0x12, 0, 0x44, 0], [0x41, 0, 0x44, 0]]
        #expect(indicated.map(\.octets) == (announce ? ranges : []))
        #expect(indicated.allSatisfy { $0.handle == 8 })
        // Once a second, from the first of them to the last.
        let beats = client.records.filter { $0.event == .delivered && $0.entity == "strap/heart_rate" }.map(\.instant)
        #expect(zip(beats, beats.dropFirst()).allSatisfy { $0.advanced(by: .milliseconds(1200)) > $1 })
        #expect((beats.last ?? .start) > Instant.start.advanced(by: .seconds(43)))
        let read = client.records.filter { $0.event == .read && $0.entity == "strap/more/count" }
        #expect(read.map(\.value) == ["9"])
    }

    @Test func `A service that a rule adds can be named before it exists`() throws {
        let rules = """
            {"when": "5 s", "do": "set", "of": "more/count", "to": 11}, {"when": "6 s", "do": "notify", "of": "more/count"},
            {"when": "8 s", "do": "silence", "of": "more", "for": "25 s"},
            {"when": {"event": "subscribed", "of": "strap/more/count"}, "id": "seen", "do": "set", "of": "battery", "to": 1},
            """
        var client = try ProcedureClient(Self.play(rules + Self.changes(true, #""add": [\#(Self.custom)]"#)))
        client.run(until: 25)
        #expect(try client.ask(.configure(handle: 0x44, .notification)) == .success(.written))
        #expect(try client.ask(.read(handle: 0x43)) == value(11))
        #expect(try client.ask(.read(handle: 0x14)) == value(1))
        client.run(until: 32.9)
        #expect(client.heard == [])
        client.run(until: 40)
        #expect(client.heard.first == ProcedureClient.Heard(handle: 0x43, octets: [11], isIndicated: false))
    }

    @Test func `A present service is not added, and an absent one is not removed`() throws {
        let rule = Self.changes(
            true, #""add": [{"service": "battery", "value": 50}], "remove": ["more"]"#,
            when: #"{"at": "20 s", "every": "1 s", "times": 9}"#)
        let late = Self.changes(true, #""add": [\#(Self.custom)]"#, when: #""4 min""#)
        var client = try ProcedureClient(Self.play(rule + "," + late))
        let before = try client.ask(Self.hash)
        _ = try client.ask(Self.serviceChanged)
        _ = try client.ask(.configure(handle: 0x15, .notification))
        client.run(until: 35)
        #expect(client.heard.filter(\.isIndicated) == [])
        #expect(try client.ask(.read(handle: 0x15)) == value(1, 0))
        #expect(try client.ask(Self.hash) == before)
    }

    // MARK: In the middle of something

    @Test(arguments: [true, false])
    func `A procedure in progress ends, whatever changes meanwhile`(announce: Bool) throws {
        let rules = Self.moves(announce, when: #"{"at": "20 s", "every": "13 ms", "times": 60}"#, by: 7)
        let procedures: [Procedure] = [
            .discoverEverything, .exchangeMTU, .readLong(handle: 0x14), .readByUUID(UUID(0x2A19), .all),
            .writeLong(handle: 0x0B, value: [UInt8](repeating: 1, count: 100)), .configure(handle: 0x19, .indication),
            .writeReliably([AttributeData(0x11, [1, 0]), AttributeData(0x15, [1, 0])]),
            .readMultiple(handles: [0x14, 0x0D]), .findPrimaryServices(UUID(0x180D)),
        ]
        var client = try ProcedureClient(Self.play(rules))
        _ = try client.ask(Self.robustCaching)
        _ = try client.ask(Self.serviceChanged)
        client.run(until: 19.99)
        let numbers = try procedures.map { try client.begin($0) }
        client.run(until: 60)
        for (number, procedure) in zip(numbers, procedures) { #expect(client.answer(number) != nil, "\(procedure)") }
        #expect(try client.ask(.read(handle: 0x14 + 7 * 60)) == value(50))
        client.run(until: 90)
        #expect(client.world.pool.taken == 0)
    }

    @Test func `It works without a connection`() throws {
        var client = try ProcedureClient(Self.play(Self.moves(true, when: #""start""#)))
        #expect(try client.ask(.read(handle: 0x24)) == value(50))
        client = try ProcedureClient(Self.play(Self.moves(true, when: #""1 s""#)), connects: false)
        client.run(until: 5)
        #expect(client.records.contains { $0.event == .ended && $0.rule == "moves" })
    }
}
