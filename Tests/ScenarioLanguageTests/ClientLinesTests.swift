import Basics
import Devices
import Documents
import Services
import Testing

@testable import ScenarioLanguage

/// Lines that clients printed, and what the contract has instead.
@Suite struct ClientLinesTests {
    private static func likeness(_ line: String) throws -> ClientLines.Likeness {
        ClientLines.likeness(of: try Node(json: Array(line.utf8), file: ""))
    }

    private static func isRight(_ line: String) throws -> Bool {
        if case .right = try likeness(line) { true } else { false }
    }

    @Test func `The examples of all characteristics are right`() throws {
        for client in ServiceRegistry.all.flatMap(\.characteristics).map(\.client) {
            guard let example = client.example else { continue }
            let line = "{\(client.key.quoted): \(example.json)}"
            #expect(try Self.isRight(line), "\(line)")
        }
    }

    @Test(arguments: [
        (#"{"bpm": 71}"#, #"{"heart_rate": {"bpm": 71}}"#),
        (#"{"bpm": 71, "rr_ms": [812.5], "goal": 80}"#, #"{"heart_rate": {"bpm": 71, "rr_ms": [812.5]}, "goal": 80}"#),
        (#"{"heart_rate": 72}"#, #"{"heart_rate": {"bpm": 72}}"#),
        (#"{"heart_rate": "72"}"#, #"{"heart_rate": {"bpm": 72}}"#),
        (#"{"HeartRate": {"bpm": 71}}"#, #"{"heart_rate": {"bpm": 71}}"#),
        (#"{"heartRate": {"BPM": 71}}"#, #"{"heart_rate": {"bpm": 71}}"#),
        (#"{"hear_rate": {"bpm": 71}}"#, #"{"heart_rate": {"bpm": 71}}"#),
        (#"{"hr": 71}"#, #"{"heart_rate": {"bpm": 71}}"#),
        (#"{"heart_rate": {"value": 71}}"#, #"{"heart_rate": {"bpm": 71}}"#),
        (#"{"heart_rate": {"bpm": "71"}}"#, #"{"heart_rate": {"bpm": 71}}"#),
        (#"{"heart_rate": {"bmp": 71, "zone": 2}}"#, #"{"heart_rate": {"bpm": 71, "zone": 2}}"#),
        (#"{"State": "connected", "peer": "x"}"#, #"{"state": "connected", "peer": "x"}"#),
        (#"{"state": "Connected"}"#, #"{"state": "connected"}"#),
        (#"{"battery": {"level": 87}}"#, #"{"battery": 87}"#),
        (#"{"celsius": 36.6}"#, #"{"temperature": {"celsius": 36.6}}"#),
    ])
    func `Something else is meant`(printed: String, meant: String) throws {
        guard case .resembling(_, meant) = try Self.likeness(printed) else {
            Issue.record("\(try Self.likeness(printed))")
            return
        }
        #expect(try Self.isRight(meant))
    }

    @Test(arguments: [
        #"{"heart_rate": {"bpm": 72, "contact": true, "energy_kj": 12, "rr_ms": [812.5, 790.0]}}"#,
        #"{"heart_rate": null}"#, #"{"heart_rate": {"bpm": 72, "zone": 3}, "goal": 80}"#, #"{"state": "scanning"}"#,
        #"{"temperature": {"celsius": 36.6}}"#, #"{"steps": 4211}"#, #"{"steps_today": 812}"#, #"{"battery": 87}"#,
        #"{"location": "chest"}"#, #"{"ecg": {"samples": 73, "lost": 0}}"#, #"{"error": "text"}"#,
        #"{"statistic": {"name": "average_heart_rate", "value": 71.3}}"#, #"{"pairing": "started"}"#,
        #"{"found": {"name": null, "services": ["180D"], "rssi": -42}, "peer": "C0:FF:EE:00:00:01/random"}"#,
        #"{"passkey": {"displayed": 123456}}"#, #"{"paired": {"bonded": true, "authenticated": true}}"#,
    ])
    func `The contract's own lines are right`(line: String) throws { #expect(try Self.isRight(line)) }

    @Test(arguments: [
        #""72 bpm""#, "72", #"{"goal": 80}"#, #"{"level": "info", "message": "connected", "time": 1.5}"#,
        #"{"reading": 71}"#,
        #"{"stats": {"mean": 71}}"#, #"{"state": "looking around"}"#, #"{"peer": "C0:FF:EE:00:00:01/random"}"#, "{}",
        #"{"heart_rate": [71]}"#, #"{"heart_rate": "nan"}"#,
    ])
    func `Other lines resemble nothing`(line: String) throws { #expect(try Self.likeness(line) == .unlike) }
}
