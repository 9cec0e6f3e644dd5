import Documents
import Testing

@testable import CommandLineTool

@Suite struct RunningTests {
    private final class Counter { var count = 0 }

    /// A key that counts how often it is compared.
    private struct Key: Hashable {
        let number: Int
        let comparisons: Counter

        static func == (left: Key, right: Key) -> Bool {
            left.comparisons.count += 1
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test(arguments: [1, 50, 10_000]) func `Each end is compared with few of those that run, and the first ends first`(
        different: Int
    ) {
        let (counter, count) = (Counter(), 20_000)
        var running = Running<Key>()
        for index in 0..<count { running.begin(Key(number: index % different, comparisons: counter), at: index) }
        let ended = (0..<count).map { running.end(Key(number: $0 % different, comparisons: counter)) }
        #expect(ended == Array(0..<count))
        #expect(running.end(Key(number: 0, comparisons: counter)) == nil)
        #expect(counter.count < 10 * count)
    }

    @Test func `A chain of actions that cover each other ends with its last one`() throws {
        let first = #"{"t": 0.000000, "event": "start", "lubdub": "0.1.0", "scenario": "a.json", "seed": 7}"#
        var log = try ManualActionLog(Array(first.utf8))
        func line(_ time: String, _ event: String, _ number: Int) -> [UInt8] {
            Array(
                #"{"t": \#(time), "event": "\#(event)", "of": "strap", "line": {"do": "loss", "rate": \#(number)}, "rule": "x"}"#
                    .utf8)
        }
        let count = 500
        for number in 0..<count {
            try log.add(line("1.000000", "began", number))
            if number > 0 { try log.add(line("1.000000", "ended", number - 1)) }
        }
        try log.add(line("2.000000", "ended", count - 1))
        let replay = ReplayScenario(.object([("devices", Node(.array([])))]), devices: ["strap"], limit: 0, log)
        guard case .array(let rules)? = replay.root["script"]?.value else { throw Missing() }
        #expect(rules.count == count)
        #expect(rules.allSatisfy { $0["until"]?.string == "2.000000 s" })
    }

    private struct Missing: Error {}
}
