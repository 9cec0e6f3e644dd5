import Basics
import Bluetooth
import ScenarioModel
import Synchronization
import Testing

/// What a sink was given, chunk by chunk.
final class Collected<Chunk: Sendable>: Sendable {
    private let all = Mutex<[Chunk]>([])
    var chunks: [Chunk] { all.withLock { $0 } }
    func add(_ chunk: Chunk) { all.withLock { $0.append(chunk) } }
}

@Suite struct EventRecordTests {
    static let peer = DeviceAddress(0xC0FF_EE00_0001, .random)

    static let full: EventRecord = {
        var record = EventRecord(.written, of: "strap/heart_rate", at: Instant(nanoseconds: 12_345_678_999))
        record.peer = peer
        record.handle = 14
        record.value = "{\"bpm\": 62}"
        record.octets = [0x00, 0x3E]
        record.reason = "connection_timeout"
        record.error = "invalid \"handle\""
        record.line = "{\"steps\": 4211}"
        record.rule = "away"
        return record
    }()

    @Test func `Keys have a fixed order`() {
        #expect(
            Self.full.json == #"{"t": 12.345678, "event": "written", "of": "strap/heart_rate", "#
                + #""peer": "C0:FF:EE:00:00:01/random", "handle": 14, "value": {"bpm": 62}, "octets": "00 3E", "#
                + #""reason": "connection_timeout", "error": "invalid \"handle\"", "line": {"steps": 4211}, "#
                + #""rule": "away"}"#)
    }

    @Test(arguments: [
        (0 as Int64, "0.000000"), (999, "0.000000"), (1_000, "0.000001"), (100_000_000, "0.100000"),
        (86_400_000_000_000, "86400.000000"), (3_155_760_000_000_000_000, "3155760000.000000"),
    ])
    func `Missing details are omitted, and times have six decimals`(nanoseconds: Int64, text: String) {
        let record = EventRecord(.scanning, at: Instant(nanoseconds: nanoseconds))
        #expect(record.json == "{\"t\": \(text), \"event\": \"scanning\"}")
    }

    @Test func `First and last line`() {
        #expect(
            EventRecord.start(version: "0.1", scenario: "a \"b\".json", seed: .max)
                == #"{"t": 0.000000, "event": "start", "lubdub": "0.1", "scenario": "a \"b\".json", "#
                + #""seed": 18446744073709551615}"#)
        let source = EventRecord.Source(digest: "0f", settings: ["away=\"8 s\""])
        #expect(
            EventRecord.start(version: "0.1", scenario: "b", seed: 1, source: source)
                == #"{"t": 0.000000, "event": "start", "lubdub": "0.1", "scenario": "b", "#
                + #""seed": 1, "digest": "0f", "set": ["away=\"8 s\""]}"#)
        #expect(EventRecord.end(status: 130) == #"{"event": "end", "status": 130}"#)
    }

    @Test func `Names of events`() {
        let names = """
            advertising advertised scanning scanning_stopped connecting connected disconnected encrypted paired pairing_failed \
            encryption_failed bond_lost mtu parameters discovering discovered subscribed unsubscribed read written notified delivered indicated confirmed refused \
            saturated began ended said exited
            """
        #expect(EventName.allCases.map(\.rawValue).joined(separator: " ") == names)
    }
}
