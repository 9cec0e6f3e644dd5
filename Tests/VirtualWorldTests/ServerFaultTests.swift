import Basics
import Bluetooth
import Clients
import GATT
import ScenarioModel
import Testing
import VirtualWorld

/// What a device's host and server do wrong, as a client outside sees it.
@Suite struct ServerFaultTests {
    /// Handles of the strap of `TestScenario.strap`.
    private static let (heartRate, configuration, location, control) =
        (0x10, 0x11, 0x13, 0x15)
        as (
            UInt16, UInt16, UInt16, UInt16
        )
    private static let battery: UInt16 = 0x18

    private static func visit(
        _ script: String, more: String = "", limit: String = "60 s", _ requests: ScriptedClient.ScheduledRequest...
    ) throws -> ScriptedClient {
        try ScriptedClient(
            TestScenario.strap("faults", more: more, script: script, limit: limit).scenario, asking: requests)
    }

    private static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    // MARK: stall

    /// A script, when a client reads the battery, and when it has the answer.
    @Test(arguments: [
        (#"{"when": "10 s", "do": "stall", "of": "strap", "for": "4 s"}"#, 10.5, 14.0),
        (#"{"when": "10 s", "do": "stall", "for": "4 s"}"#, 9, 9.0),
        (#"{"when": "10 s", "do": "stall", "for": "4 s"}"#, 15, 15.0),
        (
            #"{"when": "10 s", "do": "stall", "for": "10 s"}, {"when": "12 s", "do": "stall", "for": "2 s"}"#, 11,
            20.0
        ),
        (
            #"{"when": "10 s", "do": "stall", "for": "4 s"}, {"when": "12 s", "do": "stall", "for": "5 s"}"#, 11, 17.0
        ),
        (#"{"when": "10 s", "do": "stall"}, {"when": "13 s", "do": "clear", "of": "strap"}"#, 11, 13.0),
        (#"{"when": "start", "do": "stall", "for": "5 s"}"#, 0, 5.0),
        (#"{"when": "connected", "do": "stall", "for": "5 s"}"#, 0, 5.0),
        (#"{"when": {"event": "subscribed", "nth": 1}, "do": "stall", "until": "9 s"}"#, 4, 9.0),
    ])
    func `Requests during a stall are answered when it ends, and notifications continue`(
        script: String, asks: Double, answered: Double
    ) throws {
        var client = try Self.visit(
            script, limit: "25 s", .now(.subscribe(handle: Self.configuration, to: .notification)),
            .at(.seconds(asks), .read(handle: Self.battery)))
        let read = try #require(client.answers.last)
        #expect(read.result == .success(.value([50])))
        #expect(Self.at(answered) <= read.at && read.at < Self.at(answered + 0.7), "\(read.at)")
        let first = try #require(client.values.first)
        #expect(client.values.count >= Int(Self.at(25).nanoseconds - first.at.nanoseconds) / 1_000_000_000)
        let left = client.end()
        #expect(left == 0)
    }

    @Test func `A client gives up after 30 s, and another connection is stalled too`() throws {
        let client = try Self.visit(
            #"{"when": "10 s", "do": "stall", "until": "50 s"}"#,
            .at(.seconds(11), .read(handle: Self.battery)), .at(.seconds(45), .read(handle: Self.battery)))
        #expect(client.answers.map(\.result) == [.failure(.bearerLost), .success(.value([50]))])
        #expect(client.answers.map { $0.at.nanoseconds / 1_000_000_000 } == [41, 50])
        let told = client.told(.connected, .disconnected, .read, of: "strap", "strap/battery")
        #expect(
            told.map { String($0.drop { $0 != " " }.dropFirst()) } == [
                "connected strap", "disconnected strap", "connected strap", "read strap/battery",
            ])
        #expect(client.world.pool.taken == 0)
    }

    // MARK: att_error

    private static let reads: [ScriptedClient.ScheduledRequest] = [
        .at(.seconds(1), .read(handle: location)), .now(.read(handle: battery)),
    ]

    /// The results of two reads, of the location and of the battery, with a script.
    @Test(
        arguments: [
            (#"{"when": "start", "do": "att_error", "of": "strap", "error": "unlikely_error"}"#, [0x0E, 0x0E]),
            (#"{"when": "start", "do": "att_error", "of": "heart_rate", "error": 159}"#, [0x9F, nil]),
            (
                #"{"when": "start", "do": "att_error", "of": "heart_rate/location", "on": "read", "error": 0}"#,
                [0, nil]
            ),
            (
                #"{"when": "start", "do": "att_error", "of": "heart_rate/location", "on": "write", "error": 1}"#,
                [nil, nil]
            ),
            (#"{"when": "start", "do": "att_error", "of": "strap", "on": "discover", "error": 1}"#, [nil, nil]),
            // The more particular wins, and only in what it names.
            (
                """
                {"when": "start", "do": "att_error", "of": "heart_rate/location", "on": "read", "error": 1},
                {"when": "start", "do": "att_error", "of": "heart_rate", "on": "read", "error": 2},
                {"when": "start", "do": "att_error", "of": "strap", "error": 3}
                """, [1, 3]
            ),
            (
                """
                {"when": "start", "do": "att_error", "of": "strap", "error": 3},
                {"when": "start", "do": "att_error", "of": "battery", "on": "write", "error": 2},
                {"when": "start", "do": "att_error", "of": "heart_rate", "on": "read", "error": 1}
                """, [1, 3]
            ),
            // The second of one thing replaces the first, until it ends.
            (
                """
                {"when": "start", "do": "att_error", "of": "battery", "error": 1},
                {"when": "start", "do": "att_error", "of": "battery", "on": "subscribe", "error": 2}
                """, [nil, nil]
            ),
            (
                """
                {"when": "start", "do": "att_error", "of": "battery", "error": 1, "for": "30 s"},
                {"when": "start", "do": "att_error", "of": "battery", "error": 2, "for": "10 ms"}
                """, [nil, 1]
            ),
            (#"{"when": "start", "do": "att_error", "of": "strap", "error": 3, "for": "10 ms"}"#, [nil, nil]),
            (
                """
                {"when": "start", "do": "att_error", "of": "strap", "error": 3},
                {"when": "10 ms", "do": "clear", "of": "strap"}
                """, [nil, nil]
            ),
        ] as [(String, [UInt8?])])
    func `An injected error has the code of the action`(script: String, errors: [UInt8?]) throws {
        let client = try ScriptedClient(TestScenario.strap("refused", script: script).scenario, asking: Self.reads)
        let found = client.answers.map { answer -> UInt8? in
            guard case .failure(.refused(let error, _)) = answer.result else { return nil }
            return error.rawValue
        }
        #expect(found == errors)
        let names = zip(["strap/heart_rate/location", "strap/battery"], errors).compactMap { entity, error in
            error.map { "\(entity) \(ATTError(rawValue: $0).name)" }
        }
        #expect(client.records(.refused).map { "\($0.entity ?? "") \($0.error ?? "")" } == names)
    }

    /// `subscribe` and `write` are different, and a command gets no response.
    @Test func `Subscribing, writing and discovering are refused by their names`() throws {
        let script = """
            {"when": "start", "do": "att_error", "of": "heart_rate", "on": "subscribe", "error": 129, "until": "10 s"},
            {"when": "10 s", "do": "att_error", "of": "heart_rate", "on": "write", "error": 130, "until": "20 s"},
            {"when": "20 s", "do": "att_error", "of": "heart_rate", "on": "discover", "error": 131, "until": "30 s"}
            """
        let asked: [Procedure] = [
            .subscribe(handle: configuration, to: .notification), .write(handle: Self.control, value: [1]),
            .writeCommand(handle: Self.control, value: [1]), .discoverPrimaryServices,
        ]
        var requests: [ScriptedClient.ScheduledRequest] = []
        for second in [5, 15, 25, 35] {
            requests += asked.enumerated().map { .at(.milliseconds(second * 1000 + $0 * 500), $1) }
        }
        let client = try ScriptedClient(TestScenario.strap("refused", script: script).scenario, asking: requests)
        let refused = client.answers.map { answer -> UInt8 in
            guard case .failure(.refused(let error, _)) = answer.result else { return 0 }
            return error.rawValue
        }
        #expect(refused == [129, 0, 0, 0] + [0, 130, 0, 0] + [0, 0, 0, 131] + [0, 0, 0, 0])
        let written = client.records(.written).map { $0.instant.nanoseconds / 10_000_000_000 }
        // A write, and a command, but for the second round; a configuration but for the first.
        #expect(written == [0, 0, 1, 2, 2, 2, 3, 3, 3])
        #expect(client.records(.discovering).count == 4 && client.records(.discovered).count == 3)
    }

    private let configuration = Self.configuration

    // MARK: mtu

    @Test func `An MTU applies to later exchanges`() throws {
        let script = """
            {"when": "5 s", "do": "mtu", "of": "strap", "to": 100, "for": "20 s"},
            {"when": "6 s", "do": "mtu", "of": "strap", "to": 23, "for": "6 s"},
            {"when": {"at": "9 s", "every": "10 s", "times": 4}, "do": "disconnect", "of": "strap"}
            """
        let client = try ScriptedClient(
            TestScenario.strap("mtu", more: #""link": {"mtu": 185},"#, script: script).scenario,
            asking: [3, 10, 20, 30].map { .at(.seconds($0), .exchangeMTU) })
        #expect(client.records(.mtu).map(\.value) == ["185", "23", "100", "185"])
        #expect(client.answers.map(\.result) == [185, 23, 100, 185].map { .success(.mtu($0)) })
    }

    @Test func `An MTU that is agreed stays`() throws {
        let client = try Self.visit(
            """
            {"when": "5 s", "do": "mtu", "of": "strap", "to": 23},
            {"when": "6 s", "do": "raw", "of": "heart_rate", "octets": "\(String(repeating: "ab", count: 200))"}
            """,
            .now(.exchangeMTU), .now(.subscribe(handle: Self.configuration, to: .notification)),
            .at(.seconds(10), .write(handle: Self.control, value: [UInt8](repeating: 1, count: 60))))
        #expect(client.values.contains { $0.octets == [UInt8](repeating: 0xAB, count: 200) })
        #expect(client.answers.count == 3 && client.records(.refused).count == 1)
    }

    /// A script, the answers to Exchange MTU and to a read, and how often the link ends.
    @Test(arguments: [
        (
            #"{"when": "start", "do": "att_error", "on": "mtu", "error": "request_not_supported"}"#,
            "refused(request_not_supported), value", 0
        ),
        (
            #"{"when": "start", "do": "att_error", "error": 6, "for": "3 s"}"#, "refused(request_not_supported), value",
            0
        ),
        (#"{"when": "start", "do": "att_error", "of": "heart_rate", "error": 6}"#, "mtu(247), value", 0),
        (#"{"when": "start", "do": "stall", "on": "mtu", "until": "disconnected"}"#, "bearer lost, value", 1),
        (#"{"when": "start", "do": "stall", "on": "mtu", "for": "4 s"}"#, "mtu(247), value", 0),
        (#"{"when": {"event": "mtu", "nth": 1}, "do": "disconnect"}"#, "mtu(247), value", 1),
    ])
    func `Exchange MTU is refused, ignored, late, or ends the link`(
        script: String, answers: String, ends: Int
    ) throws {
        let client = try Self.visit(
            script, .at(.seconds(2), .exchangeMTU), .at(.seconds(45), .read(handle: Self.battery)))
        let found = client.answers.map { answer in
            switch answer.result {
            case .success(.mtu(let mtu)): "mtu(\(mtu))"
            case .success: "value"
            case .failure(.refused(let error, _)): "refused(\(error.name))"
            case .failure(.bearerLost): "bearer lost"
            case .failure(let failure): "\(failure)"
            }
        }
        #expect(found.joined(separator: ", ") == answers)
        #expect(client.records(.disconnected).count == ends)
        #expect(client.world.pool.taken == 0)
    }

    // MARK: parameters

    private static let wanted = #""link": {"interval": "400 ms", "latency": 0, "timeout": "6 s"},"#

    @Test func `A request for parameters that the client accepts is an event, and rules and logs know it`() throws {
        let client = try Self.visit(
            #"{"id": "noted", "when": {"event": "parameters", "value": {"by": "peripheral"}}, "do": "set", "of": "battery", "to": 7}"#,
            more: Self.wanted, limit: "20 s", .at(.seconds(15), .read(handle: Self.battery + 2)))
        let log = client.records(.parameters)
        #expect(
            log.map(\.value) == [
                #"{"interval_ms": 400, "latency": 0, "timeout_ms": 6000, "accepted": true, "by": "peripheral"}"#
            ])
        #expect(log.allSatisfy { $0.entity == "strap" && $0.peer != nil })
        #expect(client.answers.map(\.result) == [.success(.value([7]))])
    }

    @Test func `A strap hangs up when its parameters are refused`() throws {
        let scenario = try TestScenario.strap(
            "parameters", more: Self.wanted,
            script: """
                {"when": {"event": "parameters", "of": "strap", "value": {"accepted": false}}, "do": "disconnect",
                 "of": "strap", "reason": "unacceptable_connection_parameters"}
                """, limit: "20 s"
        ).scenario
        let refusing = try #require(FaultyClient.all.first { $0.name == "refuses_parameters" })
        let patient = try WorldHarness(scenario)
        #expect(patient.records(.parameters).count == 1 && patient.records(.disconnected).isEmpty)
        let harness = try WorldHarness(scenario, client: refusing)
        let refusal = try #require(harness.records(.parameters).first)
        let connected = try #require(harness.records(.connected).first).instant
        #expect(refusal.value?.contains(#""accepted": false, "by": "peripheral""#) == true)
        #expect(connected.duration(to: refusal.instant) > .seconds(5))
        #expect(harness.records(.disconnected).count >= 1)
        #expect(harness.trace.hex.contains("06 04 03 01 00 3B"), "Disconnect, for this reason")
    }

    // MARK: raw

    @Test(arguments: [
        ("att", "1b100000ff", [5, 0, 4, 0, 0x1B, 0x10, 0, 0, 0xFF] as [UInt8]),
        ("signalling", "5501", [2, 0, 5, 0, 0x55, 1]),
        ("smp", "0b01", [2, 0, 6, 0, 0x0B, 1]), ("smp", "", [0, 0, 6, 0]),
    ])
    func `A raw PDU is sent unchanged`(channel: String, octets: String, frame: [UInt8]) throws {
        let client = try Self.visit(
            #"{"when": "5 s", "do": "raw", "of": "strap", "channel": "\#(channel)", "octets": "\#(octets)"}"#)
        #expect(client.count([UInt8(frame.count), 0] + frame) == 2)
        #expect(client.values.map(\.octets) == (channel == "att" ? [[0, 0xFF]] : []))
        #expect(client.records(.disconnected).isEmpty)
        #expect(client.world.pool.taken == 0)
    }

    @Test(
        arguments: [(false, "abcdef", [[0xAB, 0xCD, 0xEF]]), (true, "", [[]]), (true, "00ff", [[0, 0xFF]])]
            as [(Bool, String, [[UInt8]])])
    func `Raw octets of a value go to its subscribers`(
        isSubscribed: Bool, octets: String, values: [[UInt8]]
    ) throws {
        let script = #"{"when": "5.5 s", "do": "raw", "of": "heart_rate", "octets": "\#(octets)"}"#
        let client =
            isSubscribed
            ? try Self.visit(script, limit: "6 s", .now(.subscribe(handle: Self.configuration, to: .notification)))
            : try Self.visit(script, limit: "6 s")
        let told = client.values.filter { $0.at >= Self.at(5.5) && $0.octets.count != 5 && $0.octets.count != 4 }
        #expect(told.map(\.octets).filter { values.contains($0) } == (isSubscribed ? values : []))
        #expect(client.records(.delivered).contains { $0.octets == values[0] } == isSubscribed)
    }

    @Test func `A value is cut at the MTU`() throws {
        let client = try Self.visit(
            #"{"when": "5.5 s", "do": "raw", "of": "heart_rate", "octets": "\#(String(repeating: "ab", count: 512))"}"#,
            .now(.subscribe(handle: Self.configuration, to: .notification)))
        #expect(client.values.contains { $0.octets == [UInt8](repeating: 0xAB, count: 20) })
    }

    /// The thermometer's CCCD is 0x0011.
    private static func thermometer(_ script: String) -> TestScenario {
        TestScenario(
            "a thermometer",
            """
            {"lubdub": 1, "name": "x", "limit": "70 s", "devices": [{"id": "d", "services": [
              {"service": "health_thermometer", "period": "2 s", "value": 36.6}]}], "script": [\(script)]}
            """)
    }

    private static func visitThermometer(_ script: String) throws -> ScriptedClient {
        try ScriptedClient(
            thermometer(script).scenario, asking: [.now(.subscribe(handle: configuration, to: .indication))])
    }

    @Test func `Raw octets are indicated to clients that chose indications`() throws {
        let client = try Self.visitThermometer(
            #"{"when": "5.5 s", "do": "raw", "of": "health_thermometer", "octets": "ffff"}"#)
        #expect(client.values.contains { $0.octets == [0xFF, 0xFF] })
        #expect(client.records(.indicated).contains { $0.octets == [0xFF, 0xFF] })
        #expect(client.records(.confirmed).count >= 34)
    }

    // MARK: unconfirmed

    @Test func `A confirmation waits for the end of a stall`() throws {
        let client = try Self.visitThermometer(#"{"when": "10 s", "do": "stall", "of": "d", "for": "9 s"}"#)
        let confirmed = client.records(.confirmed).map { $0.instant }
        #expect(!confirmed.contains { Self.at(10) < $0 && $0 < Self.at(19) })
        let next = try #require(confirmed.first { $0 >= Self.at(19) })
        #expect(next == Self.at(19))
        #expect(client.records(.disconnected).isEmpty)
        #expect(client.values.count >= 33)
    }

    @Test func `Indications during the action are confirmed when it ends`() throws {
        let client = try Self.visitThermometer(#"{"when": "10 s", "do": "unconfirmed", "of": "client", "for": "5 s"}"#)
        let waiting = try #require(client.records(.indicated).first { $0.instant >= Self.at(10) })
        let confirmed = client.records(.confirmed).map { $0.instant }
        #expect(client.values.contains { $0.at > waiting.instant && $0.at < Self.at(15) })
        #expect(!confirmed.contains { waiting.instant <= $0 && $0 < Self.at(15) })
        #expect(confirmed.contains { Self.at(15) <= $0 && $0 < Self.at(15.1) })
        #expect(client.records(.disconnected).isEmpty)
    }

    @Test func `A missing confirmation ends the link`() throws {
        let client = try Self.visitThermometer(#"{"when": "10 s", "do": "unconfirmed", "of": "client"}"#)
        let lost = try #require(client.records(.indicated).first { $0.instant >= Self.at(10) })
        let end = try #require(client.records(.disconnected).first)
        #expect(client.records(.confirmed).allSatisfy { $0.instant < lost.instant })
        let waited = lost.instant.duration(to: end.instant)
        #expect(.seconds(30) <= waited && waited < .milliseconds(30_100))
    }

    /// A script from before there is a connection, and how many links end 30 s after their first indication.
    @Test(arguments: [
        (#"{"when": "start", "do": "unconfirmed", "of": "client"}"#, 2),
        (#"{"when": "start", "do": "unconfirmed", "of": "client", "for": "1 ms"}"#, 0),
        (
            """
            {"when": "start", "do": "unconfirmed", "of": "client", "for": "2 ms"},
            {"when": "1 ms", "do": "clear", "of": "client"}
            """, 0
        ),
        (
            """
            {"when": "start", "do": "unconfirmed", "of": "client", "for": "70 s"},
            {"when": "1 ms", "do": "unconfirmed", "of": "client", "for": "1 ms"}
            """, 2
        ),
    ])
    func `It applies to clients that connect later`(script: String, ends: Int) throws {
        let again: [ScriptedClient.ScheduledRequest] = [1, 35, 66].map {
            .at(.seconds($0), .subscribe(handle: Self.configuration, to: .indication))
        }
        let client = try ScriptedClient(Self.thermometer(script).scenario, asking: again)
        #expect(client.records(.disconnected).count == ends)
        #expect(client.records(.confirmed).isEmpty == (ends == 2))
    }

    // MARK: all

    static let everything = TestScenario.strap(
        "every fault of a server",
        script: """
            {"when": "5 s", "do": "stall", "of": "strap", "for": "2 s"},
            {"when": "6 s", "do": "raw", "of": "strap", "channel": "smp", "octets": "0b01"},
            {"when": "6 s", "do": "raw", "of": "strap", "channel": "signalling", "octets": "ff"},
            {"when": {"at": "8 s", "every": "1.1 s"}, "do": "att_error", "of": "strap", "error": 14, "for": "500 ms",
             "chance": 0.5},
            {"when": "9 s", "do": "mtu", "of": "strap", "to": 30, "for": "20 s"},
            {"when": {"at": "10 s", "every": "9 s"}, "do": "disconnect", "of": "strap"},
            {"when": "30 s", "do": "unconfirmed", "of": "client", "for": "2 s"}
            """)

    @Test func `The same seed gives the same logs, with and without sleep`() throws {
        let scenario = try Self.everything.scenario
        let (first, again) = (try WorldHarness(scenario), try WorldHarness(scenario))
        var stepped = try WorldHarness(scenario, sleeps: false)
        #expect(firstDifference(first.lines, again.lines) == nil)
        #expect(firstDifference(first.lines, stepped.lines) == nil)
        let tracesAreEqual = first.trace == again.trace && first.trace == stepped.trace
        #expect(tracesAreEqual)
        #expect(first.records(.refused).count > 3 && first.records(.mtu).count > 3)
        stepped.end()
        #expect(stepped.world.pool.taken == 0)
    }
}
