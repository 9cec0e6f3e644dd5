import Basics
import Devices
import Documents
import ScenarioLanguage
import ScenarioModel
import Synchronization
import Testing
import VirtualWorld

@testable import Cases
@testable import CommandLineTool
@testable import CommandSupport

/// Manual actions while a client is connected: the scenario made from the log shows the same client the same values.
@Suite struct ReplayTests {
    private final class Text: Sendable { let text = Mutex(JSONText()) }

    private static let files = [
        "a/played.json": """
        {"lubdub": 1, "name": "played", "limit": "30 s", "include": ["straps.json"], "variables": {"high": 200},
         "script": [{"id": "high", "when": "12 s", "do": "set", "of": "strap/heart_rate", "to": "${high}"},
                    {"when": {"event": "ended", "of": "high"}, "do": "disconnect", "of": "strap"},
                    {"id": "mute", "when": "22 s", "do": "silence", "of": "strap", "for": "3 s"}]}
        """,
        "a/straps.json": """
        {"lubdub": 1, "variables": {"rest": 60}, "devices": [
          {"id": "strap", "advertise": {"services": ["180D"]}, "services": [
            {"service": "heart_rate", "contact": true, "rr_intervals": true, "period": "700 ms",
             "value": {"curve": "walk", "start": "${rest}", "by": 5, "period": "1 s", "range": [50, 90]}},
            {"service": "feed", "period": "900 ms", "value": {"curve": "csv", "file": "data/feed.csv"}},
            {"service": "battery", "value": 50}]}]}
        """,
        "a/data/feed.csv": "time,value\n0,1\n5,2\n10,3\n",
    ]

    private static func load(_ path: String) -> [UInt8]? { files[path].map { Array($0.utf8) } }

    /// A manual action at an instant, in seconds.
    private enum Hand {
        case line(Double, String)
        case key(Double, Action, String)
        case back(Double, EntityReference, String)

        var instant: Instant {
            switch self {
            case .line(let time, _), .key(let time, _, _), .back(let time, _, _):
                Instant(nanoseconds: Int64((time * 1e9).rounded()))
            }
        }

        func act(on world: inout World) throws {
            let isDone: Bool
            switch self {
            case .line(_, let line):
                let reader = InstructionReader(world.scenario)
                guard case .act(let rule) = try reader.read(Array(line.utf8), at: instant) else { return }
                isDone = world.act(rule, as: "control 1", at: instant)
            case .key(_, let action, let name): isDone = world.act(action, as: name, at: instant)
            case .back(_, let entity, let name): isDone = world.end(name, of: entity, at: instant)
            }
            #expect(isDone)
        }
    }

    /// Plays a scenario with the built-in client in it; the lines of the event log.
    private static func play(_ scenario: Scenario, _ hands: [Hand] = []) throws -> [String] {
        let text = Text()
        var world = try World(scenario, seed: scenario.seed)
        let wording = world.wording
        world.journal = EventJournal { chunk in text.text.withLock { chunk.write(in: wording, to: &$0) } }
        var clientRun = try BuiltInClientRun(RunPlan(scenario, seed: scenario.seed), in: world, nil)
        clientRun.begin { _, _ in }
        for hand in hands {
            while clientRun.playNext(until: hand.instant, { _, _ in }) {}
            try hand.act(on: &clientRun.world)
            clientRun.settle { _, _ in }
        }
        while clientRun.playNext(until: clientRun.limit, { _, _ in }) {}
        clientRun.world.journal.flush()
        return text.text.withLock { $0.string }.split(separator: "\n").map(String.init)
    }

    private static func replay(of lines: [String], _ original: Scenario, seed: UInt64) throws -> Scenario {
        let start = EventRecord.start(version: version, scenario: "a/played.json", seed: seed)
        var log = try ManualActionLog(Array(start.utf8))
        for line in lines { try log.add(Array(line.utf8)) }
        let root = try #require(ScenarioFile.flattened("a/played.json", naming: { $0 }, load: load))
        let replay = ReplayScenario(
            root, devices: original.devices.map(\.id), limit: original.limit.inNanoseconds / 1000, log)
        let text = replay.root.indentedJSON
        let reading = ScenarioFile.read("replay.json") { $0 == "replay.json" ? Array(text.utf8) : load($0) }
        #expect(reading.problems.map(\.description) == [])
        return try #require(reading.scenario)
    }

    private static let rate = EntityReference.value(device: 0, service: 0, value: 0)

    private static let stories: [[Hand]] = [
        [],
        [.line(5.25, #"{"do": "set", "of": "heart_rate", "to": 99, "for": "3.5 s"}"#)],
        [  // one after the other, the file's own rule below them, and all of it cleared
            .line(4.1, #"{"do": "set", "of": "heart_rate", "to": 99}"#),
            .line(
                6.2,
                #"{"do": "set", "of": "heart_rate", "to": {"curve": "step", "start": 100, "by": 1, "period": "1 s"}}"#),
            .line(14.3, #"{"do": "clear"}"#),
        ],
        [  // covers a rule that never ends, and goes
            .key(13.000007, Action(.set(to: .curve(.constant(7))), of: rate), "key up"),
            .back(18.9, rate, "key up"),
        ],
        [  // covers it and stays, and what waits for its end goes on waiting
            .line(13.1, #"{"do": "set", "of": "heart_rate", "to": 7}"#)
        ],
        [  // is ended by a rule that never ends
            .key(3.7, Action(.set(to: .curve(.constant(7))), of: rate), "key up"),
            .key(3.7, Action(.set(to: .curve(.constant(8))), of: rate), "key up"),
        ],
        [
            .key(5, Action(.silence, of: .device(0)), "key s"), .back(7.5, .device(0), "key s"),
            .key(8.1, Action(.disconnect(reason: nil), of: .device(0)), "key d"),
            .line(15.5, #"{"do": "notify", "of": "feed", "times": 3, "value": 9}"#),
            .line(
                16.5, #"{"do": "silence", "of": "heart_rate", "until": {"event": "notified", "of": "feed", "nth": 4}}"#),
            .line(23.1, #"{"do": "clear", "of": "strap"}"#),
        ],
    ]

    @Test(arguments: stories.indices, [1, 7] as [UInt64])
    func `The same client receives the same values at the same times`(index: Int, seed: UInt64) throws {
        var original = try #require(ScenarioFile.read("a/played.json", load: Self.load).scenario)
        original.seed = seed
        let lines = try Self.play(original, Self.stories[index])
        let replay = try Self.replay(of: lines, original, seed: seed)
        #expect(replay.devices == original.devices)
        #expect(replay.seed == seed)
        let again = try Self.play(replay)
        for event in ["notified", "delivered", "connected", "disconnected", "subscribed"] {
            let words = "\"event\": \"\(event)\""
            func isMeant(_ line: String) -> Bool { line.prefix(40).contains(words) }  // and not in a `line` of its own
            let (all, wanted) = (again.filter(isMeant), lines.filter(isMeant))
            #expect(all.count == wanted.count, "\(event)")
            for (line, wantedLine) in zip(all, wanted) where line != wantedLine {
                Issue.record("\(line)\nand not\n\(wantedLine)")
                break
            }
        }
        #expect(lines.count { $0.contains("\"notified\"") } > 20)
    }

    @Test func `Manual actions change the received values`() throws {
        let original = try #require(ScenarioFile.read("a/played.json", load: Self.load).scenario)
        let all = try Self.stories.map { hands in
            try Self.play(original, hands).filter { $0.contains("\"notified\"") }
        }
        #expect(Set(all).count == Self.stories.count)
    }

    @Test func `A digest distinguishes files and their ends`() {
        func digest(_ files: [String]) -> String {
            var digest = FileDigest()
            for file in files { digest.add(Array(file.utf8)) }
            return digest.text
        }
        let all = [[], [""], ["a"], ["b"], ["ab"], ["a", "b"], ["", "ab"]].map(digest)
        #expect(Set(all).count == all.count)
        #expect(all.allSatisfy { $0.utf8.count == 16 })
        #expect(digest(["a"]) == digest(["a"]))
    }

    @Test func `A log that cannot be read is not an empty one`() {
        do throws(Obstacle) {
            _ = try EventLogReplay(of: "/", scenario: nil)
            Issue.record("accepted")
        } catch { #expect(error.description == "cannot read \"/\": Is a directory") }
    }
}
