import Basics
import Devices
import ScenarioModel
import Testing

@testable import VirtualWorld

/// A script, its inputs, and all its outputs.
struct ScriptCase: CustomTestStringConvertible, Sendable {
    let name: String
    let script: [Rule]
    let steps: [Step]
    let lines: [String]
    var testDescription: String { name }

    init(_ name: String, _ script: [Rule], _ steps: [Step], _ lines: [String]) {
        (self.name, self.script, self.steps, self.lines) = (name, script, steps, lines)
    }
}

private let connected = ObservedEvent(.connected, of: strap)

@Suite struct ScriptRunnerTests {
    @Test(arguments: moments + ends + cover + clears) func `The outputs of a script`(_ script: ScriptCase) {
        #expect(play(script.script, script.steps) == script.lines)
    }

    static let moments = [
        ScriptCase(
            "rules of one instant go by the file, whatever their moments are",
            [
                .notify(when: .at(0)), .notify(when: .start),
                .notify(when: .repeated(first: .zero, every: .seconds(1), times: 1)),
            ],
            [.pass(9)], ["0 begin 0", "0 end 0", "0 begin 1", "0 end 1", "0 begin 2", "0 end 2"]),
        ScriptCase(
            "each value of a stream is a match",
            [
                .notify(when: .event(.delivered, of: heartRate, .every(2))),
                .notify(when: .event(.delivered, of: heartRate, .nth(3))),
            ],
            [
                .observe(
                    1,
                    ObservedEvent(
                        .delivered, of: heartRate, value: .list([.number(1), .number(2), .number(3), .number(4)])))
            ],
            ["1 begin 0", "1 end 0", "1 begin 0", "1 end 0", "1 begin 1", "1 end 1"]),
        ScriptCase(
            "times go by the clock", [.notify(when: .at(5)), .notify(when: .at(3))], [.pass(9)],
            ["3 begin 1", "3 end 1", "5 begin 0", "5 end 0"]),
        ScriptCase(
            "a number of times", [.notify(when: .repeated(first: .seconds(2), every: .seconds(3), times: 3))],
            [.pass(99)],
            ["2 begin 0", "2 end 0", "5 begin 0", "5 end 0", "8 begin 0", "8 end 0"]),
        ScriptCase(
            "no time at all", [.notify(when: .repeated(first: .zero, every: .seconds(3), times: 0))], [.pass(99)], []),
        ScriptCase(
            "to the end, and not after it",
            [
                .set(when: .repeated(first: .seconds(2), every: .seconds(4), times: nil), end: .seconds(1)),
                .notify(when: .end),
            ],
            [.finish(8), .pass(99), .observe(100, connected)],
            ["2 begin 0", "3 end 0", "6 begin 0", "7 end 0", "8 begin 1", "8 end 1"]),
        ScriptCase(
            "each, the second, every second",
            [
                .notify(when: .event(.connected)), .notify(when: .event(.connected, .nth(2))),
                .notify(when: .event(.connected, .every(2))),
            ],
            [1, 2, 3, 4].map { .observe($0, connected) },
            [
                "1 begin 0", "1 end 0", "2 begin 0", "2 end 0", "2 begin 1", "2 end 1", "2 begin 2", "2 end 2",
                "3 begin 0",
                "3 end 0", "4 begin 0", "4 end 0", "4 begin 2", "4 end 2",
            ]),
        ScriptCase(
            "after the event", [.notify(when: .event(.connected, after: 3))],
            [.observe(1, connected), .observe(2, connected), .pass(9)],
            ["4 begin 0", "4 end 0", "5 begin 0", "5 end 0"]),
        ScriptCase(
            "what belongs to the thing",
            [
                .notify(when: .event(.notified, of: strap)),
                .notify(when: .event(.notified, of: .service(device: 0, service: 0))),
                .notify(when: .event(.notified, of: heartRate)), .notify(when: .event(.notified, of: contact)),
                .notify(when: .event(.notified, of: otherStrap)), .notify(when: .event(.notified)),
            ],
            [
                .observe(1, .init(.notified, of: heartRate)), .observe(2, .init(.notified, of: battery)),
                .observe(3, .init(.notified)),
            ],
            [
                "1 begin 0", "1 end 0", "1 begin 1", "1 end 1", "1 begin 2", "1 end 2", "1 begin 5", "1 end 5",
                "2 begin 0", "2 end 0", "2 begin 5", "2 end 5", "3 begin 5", "3 end 5",
            ]),
        ScriptCase(
            "rules hear of rules: began, and then ended",
            [
                .notify(when: .event(.ended, of: .rule(2))), .notify(when: .event(.began, of: .rule(2))),
                .notify(when: .at(1)), .notify(when: .event(.ended, of: .rule(0), after: 2)),
            ], [.pass(9)],
            ["1 begin 2", "1 end 2", "1 begin 0", "1 end 0", "1 begin 1", "1 end 1", "3 begin 3", "3 end 3"]),
    ]

    static let ends = [
        ScriptCase("for ever", [.set(when: .at(1))], [.pass(99)], ["1 begin 0"]),
        ScriptCase("for a time", [.set(when: .at(1), end: .seconds(5))], [.pass(99)], ["1 begin 0", "6 end 0"]),
        ScriptCase("for no time", [.set(when: .at(1), end: .seconds(0))], [.pass(9)], ["1 begin 0", "1 end 0"]),
        ScriptCase("until a time", [.set(when: .at(1), end: .at(.at(4)))], [.pass(9)], ["1 begin 0", "4 end 0"]),
        ScriptCase(
            "until a time that is over", [.set(when: .at(5), end: .at(.at(4)))], [.pass(9)], ["5 begin 0", "5 end 0"]),
        ScriptCase(
            "until the next of many times",
            [.set(when: .at(5), end: .at(.repeated(first: .seconds(1), every: .seconds(2), times: 4)))], [.pass(9)],
            ["5 begin 0", "7 end 0"]),
        ScriptCase(
            "until the last of many times, which is over",
            [.set(when: .at(5), end: .at(.repeated(first: .seconds(1), every: .seconds(2), times: 3)))], [.pass(9)],
            ["5 begin 0", "5 end 0"]),
        ScriptCase(
            "until the next event; then the same event begins it again",
            [.set(when: .event(.connected), end: .at(.event(.connected)))],
            [.observe(1, connected), .observe(2, connected)],
            ["1 begin 0", "2 end 0", "2 begin 0"]),
        ScriptCase(
            "until the second event since it began, and a little later",
            [.set(when: .at(2), end: .at(.event(.connected, .nth(2), after: 1)))],
            [1, 3, 4, 5, 6].map { .observe($0, connected) }, ["2 begin 0", "5 end 0"]),
        ScriptCase("until the end", [.set(when: .at(2), end: .at(.end))], [.finish(8)], ["2 begin 0", "8 end 0"]),
    ]

    static let cover = [
        ScriptCase(
            "the second ends first, and the first goes on",
            [.set(when: .at(1), end: .seconds(9)), .set(when: .at(3), end: .seconds(2))], [.pass(99)],
            ["1 begin 0", "3 begin 1", "5 end 1", "5 resume 0 of 1", "10 end 0"]),
        ScriptCase(
            "the first ends first, unseen",
            [.set(when: .at(1), end: .seconds(3)), .set(when: .at(3), end: .seconds(2))],
            [.pass(99)], ["1 begin 0", "3 begin 1", "4 lapse 0", "5 end 1"]),
        ScriptCase(
            "three, and the one in the middle lapses",
            [.set(when: .at(1)), .set(when: .at(2), end: .seconds(2)), .set(when: .at(3), end: .seconds(2))],
            [.pass(99)],
            ["1 begin 0", "2 begin 1", "3 begin 2", "4 lapse 1", "5 end 2", "5 resume 0 of 1"]),
        ScriptCase(
            "a rule covers itself",
            [.set(when: .repeated(first: .seconds(1), every: .seconds(2), times: 2), end: .seconds(3))], [.pass(99)],
            ["1 begin 0", "3 begin 0", "4 lapse 0", "6 end 0"]),
        ScriptCase(
            "what can never come back lapses, and that is an end",
            [.set(when: .at(1)), .set(when: .at(2)), .notify(when: .event(.ended, of: .rule(0)))], [.pass(99)],
            ["1 begin 0", "2 begin 1", "2 lapse 0", "2 begin 2", "2 end 2"]),
        ScriptCase(
            "other kinds and other things do not cover",
            [
                .set(when: .at(1), end: .seconds(5)), .set(battery, when: .at(2), end: .seconds(1)),
                .fault(.silence, heartRate, when: .at(2), end: .seconds(2)),
            ], [.pass(99)], ["1 begin 0", "2 begin 1", "2 begin 2", "3 end 1", "4 end 2", "6 end 0"]),
    ]

    static let clears = [
        ScriptCase(
            "a device is cleared with all that belongs to it, each end only once",
            [
                .set(when: .at(1)), .fault(.linkLoss, strap, when: .at(1), end: .seconds(9)),
                .fault(.silence, otherStrap, when: .at(1), end: .seconds(4)), .set(when: .at(2), end: .seconds(9)),
                .clear(strap, when: .at(3)), .notify(when: .event(.ended, of: .rule(3))),
            ], [.pass(99)],
            [
                "1 begin 0", "1 begin 1", "1 begin 2", "2 begin 3", "3 begin 4", "3 lapse 0", "3 end 1", "3 end 3",
                "3 end 4", "3 begin 5", "3 end 5", "5 end 2",
            ]),
        ScriptCase(
            "without a thing all is cleared",
            [
                .set(when: .at(1)), .fault(.powerOff, .client, when: .at(1)),
                .fault(.valueFault(.drop), nil, when: .at(1)),
                .fault(.clear, nil, when: .at(3)),
            ], [.pass(9)],
            ["1 begin 0", "1 begin 1", "1 begin 2", "3 begin 3", "3 end 0", "3 end 1", "3 end 2", "3 end 3"]),
    ]

    @Test func `A rule that triggers itself is disabled, and no other rule`() {
        let script: [Rule] = [
            .notify(when: .event(.connected), id: "first"), .notify(when: .event(.ended, of: .rule(0))),
            .notify(when: .event(.ended, of: .rule(1))), .notify(when: .event(.ended, of: .rule(2))),
            .notify(when: .event(.began, of: .rule(4))), .notify(when: .event(.connected)),
        ]
        #expect(play(script, [.observe(1, connected)]).count == 10)
        var loop = script
        loop[1] = .notify(when: .event(.ended))
        let lines = play(loop, [.observe(1, connected), .observe(2, connected)])
        #expect(lines.filter { $0 == "1 begin 1" }.count == ScriptRunner.limit)
        #expect(lines.filter { $0.hasSuffix("runaway 1") } == ["1 runaway 1"])
        for second in 1...2 { #expect(lines.filter { $0 == "\(second) begin 5" }.count == 1) }
        #expect(!lines.contains("2 begin 1"))
        let ended = play(
            [.set(when: .at(1), end: .seconds(0)), .set(when: .event(.ended), end: .seconds(0))], [.pass(2)])
        #expect(ended.count == 2 + 2 * ScriptRunner.limit + 1)
        #expect(ended.last == "1 runaway 1")
    }

    @Test func `Rules that trigger each other are disabled together`() {
        let crowd = Array(repeating: Rule.notify(when: .event(.began)), count: 20)
        let lines = play([.notify(when: .at(1))] + crowd, [.pass(2)])
        #expect(Set(lines.filter { $0.contains("runaway") }) == Set((1...20).map { "1 runaway \($0)" }))
        #expect(lines.filter { $0.contains("begin") }.count <= 11 * ScriptRunner.limit)
    }

    @Test func `Covered rules do not pile up`() {
        let often = Rule.fault(
            .silence, heartRate, when: .repeated(first: .zero, every: .milliseconds(1), times: 3000),
            end: .seconds(3600))
        let lines = play([often], [.pass(2999)])
        #expect(lines.filter { $0.hasSuffix("begin 0") }.count == 3000)
        #expect(lines.filter { $0.hasSuffix("lapse 0") }.count == 3000 - ScriptRunner.limit)
        #expect(lines.filter { $0.hasSuffix("end 0") }.isEmpty)
    }

    @Test func `Draws depend on the seed and the rule's name`() {
        func fired(_ chance: Double, seed: UInt64 = 1, id: String? = "coin") -> [Int64] {
            let rule = Rule.notify(
                when: .repeated(first: .seconds(0), every: .seconds(1), times: 20), chance: chance, id: id)
            return play([rule], seed: seed, [.pass(99)]).filter { $0.hasSuffix("begin 0") }
                .compactMap { line in line.split(separator: " ").first.flatMap { Int64($0) } }
        }
        #expect(fired(0) == [])
        #expect(fired(-1) == [])
        #expect(fired(.nan) == [])
        #expect(fired(1) == Array(0..<20))
        #expect(fired(0.5) == [1, 3, 6, 9, 10, 15, 18, 19])  // the same on every machine
        #expect(fired(0.5) != fired(0.5, seed: 2))
        #expect(fired(0.5) != fired(0.5, id: nil))
        // What fires with little chance fires with more, too.
        #expect(Set(fired(0.25)).isStrictSubset(of: fired(0.5)))
    }

    @Test func `A wake is requested only when the next instant changes`() {
        var runner = ScriptRunner(
            Scenario(script: [
                .set(when: .at(10), end: .seconds(10)), .set(battery, when: .event(.connected, after: 2)),
                .clear(strap, when: .event(.disconnected)),
            ]), seed: RandomStream(seed: 1))
        func outputs(
            _ second: Int, _ step: (inout ScriptRunner, Instant, inout [ScriptRunner.Output]) -> Void
        ) -> [String] {
            var outbox: [ScriptRunner.Output] = []
            step(&runner, Instant.start.advanced(by: .seconds(second)), &outbox)
            return outbox.map(\.line)
        }
        #expect(outputs(0) { $0.observe(connected, at: $1, into: &$2) } == [])  // has not started
        #expect(outputs(0) { $0.start(at: $1, into: &$2) } == ["wake at 10"])
        #expect(outputs(0) { $0.start(at: $1, into: &$2) } == [])
        #expect(outputs(1) { $0.timePassed(at: $1, into: &$2) } == [])
        #expect(outputs(2) { $0.observe(.init(.subscribed), at: $1, into: &$2) } == [])
        #expect(outputs(3) { $0.observe(connected, at: $1, into: &$2) } == ["wake at 5"])
        #expect(outputs(5) { $0.timePassed(at: $1, into: &$2) } == ["begin 1", "wake at 10"])
        // Late: what was due is counted from when it was due.
        #expect(outputs(12) { $0.timePassed(at: $1, into: &$2) } == ["begin 0", "wake at 20"])
        #expect(
            outputs(15) { $0.observe(.init(.disconnected, of: strap), at: $1, into: &$2) }
                == ["begin 2", "end 1", "end 0", "end 2"])
        #expect(outputs(20) { $0.timePassed(at: $1, into: &$2) } == [])
        #expect(runner.waits(for: .connected))
        #expect(!runner.waits(for: .notified))
    }
}

/// The work for a script grows with its rules, not with their square.
@Suite struct ScriptWorkTests {
    /// The comparisons of pending starts and ends, and of rules with events.
    private static func work(_ script: [Rule], for seconds: Int) -> (comparisons: Int, matchings: Int) {
        var runner = ScriptRunner(Scenario(script: script), seed: RandomStream(seed: 1))
        var outbox: [ScriptRunner.Output] = []
        runner.start(at: .start, into: &outbox)
        runner.timePassed(at: .start.advanced(by: .seconds(seconds)), into: &outbox)
        return (runner.comparisons, runner.matchings)
    }

    @Test(arguments: [false, true]) func `Many rules begin and end`(areCleared: Bool) {
        let count = 4000
        let rules = (0..<count).map { index in
            Rule.fault(
                .silence, .device(index), when: .time(.milliseconds(index)),
                end: areCleared ? .seconds(3600) : .seconds(10))
        }
        let clear = Rule(id: nil, when: .at(8), action: Action(.clear), chance: 1, end: nil)
        let (comparisons, matchings) = Self.work(areCleared ? rules + [clear] : rules, for: 60)
        #expect(comparisons < 80 * count)
        #expect(matchings == 0)
    }

    @Test func `Many rules wait for each other`() {
        let count = 4000
        let rules = (0..<count).map { index in
            Rule.notify(when: index == 0 ? .at(1) : .event(.ended, of: .rule(index - 1)))
        }
        let (comparisons, matchings) = Self.work(rules, for: 2)
        #expect(comparisons < 80 * count)
        #expect(matchings == count - 1)
    }
}
