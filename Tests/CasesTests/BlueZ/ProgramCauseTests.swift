import Basics
import BlueZServer
import Expectations
import ScenarioLanguage
import ScenarioModel
import Testing

@testable import Cases
@testable import Causes

/// Why a program of BlueZ did nothing more, or nothing at all.
@Suite struct ProgramCauseTests {
    private static func at(_ second: Int) -> Instant { .start.advanced(by: .seconds(second)) }

    // MARK: Calls

    private static func explanation(_ notes: [(Int, ServiceNote)], at second: Int = 30) -> String? {
        var history = ProgramHistory()
        for (second, note) in notes { history.take(note, at: at(second)) }
        return history.explanation(at: at(second), after: .seconds(5))
    }

    private static let away: [(Int, ServiceNote)] = [
        (1, .called("StartDiscovery")), (2, .called("Connect")), (7, .turned(.service, isOn: false)),
        (10, .turned(.service, isOn: true)),
    ]

    @Test func `A program does not notice that the service was away`() {
        #expect(
            Self.explanation(Self.away)
                == "org.bluez was away from 7.000000 s to 10.000000 s, and the program has called nothing since: it did not notice"
        )
        #expect(Self.explanation(Self.away, at: 14) == nil)
        #expect(Self.explanation(Array(Self.away.dropLast())) == nil)
    }

    @Test func `A program notices, and does not scan again`() {
        let notices = Self.away + [(11, .called("RegisterAgent"))]
        #expect(
            Self.explanation(notices)
                == "org.bluez was away from 7.000000 s to 10.000000 s, and the program has neither scanned nor connected since"
        )
        #expect(Self.explanation(notices + [(12, .called("StartDiscovery"))]) == nil)
    }

    @Test func `A program gives up after an error`() {
        let failing: [(Int, ServiceNote)] = [
            (1, .called("StartDiscovery")), (1, .failed("StartDiscovery", "Operation already in progress")),
        ]
        #expect(
            Self.explanation(failing)
                == "StartDiscovery failed at 1.000000 s (Operation already in progress), and the program has not tried again"
        )
        #expect(Self.explanation(failing + [(2, .called("StartDiscovery"))]) == nil)
        #expect(Self.explanation([(1, .called("StartDiscovery")), (2, .called("ReadValue"))]) == nil)
    }

    @Test func `The adapter was off while the service was there`() {
        let off: [(Int, ServiceNote)] = [(3, .turned(.adapter, isOn: false)), (8, .turned(.adapter, isOn: true))]
        #expect(Self.explanation(off)?.hasPrefix("the adapter was away from 3.000000 s to 8.000000 s") == true)
    }

    @Test func `The memory for calls is bounded`() {
        var history = ProgramHistory()
        for second in 0..<100_000 { history.take(.called("ReadValue"), at: Self.at(second)) }
        history.take(.called("Connect"), at: Self.at(100_000))
        history.take(.failed("Connect", "x"), at: Self.at(100_001))
        #expect(history.explanation(at: Self.at(100_100), after: .seconds(5))?.hasPrefix("Connect failed") == true)
    }

    // MARK: Subscriptions

    private static func subscriptions(_ events: [(Int, EventName, String)]) throws -> ConnectionHistory {
        let text = """
            {"lubdub": 1, "name": "One", "devices": [{"id": "strap", "services": [{"service": "heart_rate"}]}],
             "script": [{"id": "move", "when": "9 s", "do": "move_handles", "by": 16},
                        {"when": "9 s", "do": "move_handles", "by": 16, "announce": false}]}
            """
        var history = ConnectionHistory(
            try #require(ScenarioFile.read("a.json", variables: [:]) { _ in Array(text.utf8) }.scenario))
        for (second, event, entity) in events {
            var record = EventRecord(event, of: entity, at: at(second))
            if event == .began { record.rule = entity }
            history.take(record)
        }
        return history
    }

    private static let twice: [(Int, EventName, String)] = [
        (1, .connected, "strap"), (2, .subscribed, "strap/heart_rate"), (2, .subscribed, "strap"),
        (5, .disconnected, "strap"), (7, .connected, "strap"),
    ]

    private func explanation(_ events: [(Int, EventName, String)], at second: Int = 20) throws -> String? {
        try Self.subscriptions(events).forgottenSubscription(
            of: "strap", at: Self.at(second), connectedFor: .seconds(2))?.words
    }

    @Test func `A client connects again, and forgets to subscribe`() throws {
        #expect(
            try explanation(Self.twice)
                == "the client connected again at 7.000000 s, and has not subscribed again to strap/heart_rate")
        #expect(try explanation(Self.twice, at: 8) == nil, "it may still do so")
        #expect(try explanation(Self.twice + [(9, .subscribed, "strap/heart_rate")]) == nil)
        #expect(try explanation(Self.twice + [(9, .disconnected, "strap")]) == nil)
        #expect(try explanation(Self.twice + [(9, .refused, "strap/heart_rate")]) == nil, "it has tried")
        #expect(try explanation([(1, .connected, "strap")]) == nil)
        let other = [(3, EventName.subscribed, "strap/battery")]
        let both = try Self.subscriptions(Array(Self.twice.prefix(3)) + other + Array(Self.twice.suffix(2)))
        func about(_ value: String?) -> String? {
            both.forgottenSubscription(of: "strap", about: value, at: Self.at(20), connectedFor: .seconds(2))?.words
        }
        #expect(about(nil)?.hasSuffix("again to strap/heart_rate, strap/battery") == true)
        #expect(about("strap/battery")?.hasSuffix("again to strap/battery") == true)
    }

    @Test func `A client forgets to subscribe after attributes have changed`() throws {
        let first = Array(Self.twice.prefix(2))
        #expect(
            try explanation(first + [(9, .began, "move")])
                == "the attributes of strap changed at 9.000000 s, and the client has not subscribed again to strap/heart_rate"
        )
        #expect(try explanation(first + [(9, .began, "rule 2")]) == nil, "the device does not tell")
        #expect(try explanation(first + [(9, .began, "move"), (10, .subscribed, "strap/heart_rate")]) == nil)
    }

    // MARK: Without a bus

    @Test(arguments: [
        [
            "Traceback (most recent call last):", "  File \"/x/dbus_fast/aio/message_bus.py\", line 1",
            "FileNotFoundError: [Errno 2] No such file or directory",
        ],
        [
            "dbus.exceptions.DBusException: org.freedesktop.DBus.Error.FileNotFound: Failed to connect to socket /run/dbus/system_bus_socket: No such file or directory"
        ],
        ["GLib.Error: g-io-error-quark: Could not connect: No such file or directory (1)"],
        [
            "bleak.exc.BleakDBusError: [org.freedesktop.DBus.Error.ServiceUnknown] The name org.bluez was not provided by any .service files"
        ],
        ["dial unix /var/run/dbus/system_bus_socket: connect: no such file or directory"],
    ])
    func `A program without a bus is told of the option`(lines: [String]) {
        var record = ClientRecord()
        _ = record.errors.take(ArraySlice((lines.joined(separator: "\n") + "\n").utf8))
        #expect(record.missingBus?.contains("needs --system bluez") == true)
        record.usesSystem = true
        #expect(record.missingBus == nil)
    }

    @Test(arguments: [
        "FileNotFoundError: [Errno 2] No such file or directory: 'settings.json'", "cannot connect", "72 bpm",
    ])
    func `Other errors are not about a bus`(line: String) {
        var record = ClientRecord()
        _ = record.errors.take(ArraySlice((line + "\n").utf8))
        #expect(record.missingBus == nil)
    }

    @Test(arguments: [
        (#"{"error": "[Errno 2] No such file or directory"}"#, true), (#"{"error": "no strap"}"#, false),
        (#"{"error": "[org.freedesktop.DBus.Error.FileNotFound] x"}"#, true), (#"{"heart_rate": {"bpm": 70}}"#, false),
    ])
    func `A line can show that there is no bus`(line: String, isTrouble: Bool) throws {
        var record = ClientRecord()
        record.printed.take(try #require(ClientLine(Array(line.utf8))), at: .start)
        #expect((record.missingBus != nil) == isTrouble)
    }
}
