import Basics
import ScenarioModel
import Testing
import VirtualWorld

/// Actions from outside begin, cover and end like rules of the file, and have higher numbers.
@Suite struct OutsideActionTests {
    @Test(arguments: cases) func `Actions from outside combine with the script`(_ scriptCase: ScriptCase) {
        #expect(play(scriptCase.script, scriptCase.steps) == scriptCase.lines)
    }

    private static func key(_ entity: EntityReference = heartRate, end: Rule.End? = nil, _ id: String = "key") -> Rule {
        .set(entity, when: .end, end: end, id: id)
    }

    static let cases = [
        ScriptCase(
            "it lasts until it is given back, and only once",
            [], [.act(1, key()), .end(5, "key", heartRate), .end(6, "key", heartRate)],
            ["1 begin 0", "5 end 0", "6 nothing"]),
        ScriptCase(
            "it is given back by its name and thing, not by others",
            [.set(when: .at(1), id: "key")],
            [
                .act(2, key(battery)), .end(3, "key", heartRate), .end(3, "other", battery),
                .end(4, "key", battery),
            ],
            ["1 begin 0", "2 begin 1", "3 nothing", "3 nothing", "4 end 1"]),
        ScriptCase(
            "a permanent value of the file returns after the override",
            [.set(when: .at(1))], [.act(2, key()), .end(5, "key", heartRate)],
            ["1 begin 0", "2 begin 1", "5 end 1", "5 resume 0 of 1"]),
        ScriptCase(
            "a rule of the file covers it for a while",
            [.set(when: .at(3), end: .seconds(2))], [.act(1, key()), .pass(9), .end(10, "key", heartRate)],
            ["1 begin 1", "3 begin 0", "5 end 0", "5 resume 1 of 1", "10 end 1"]),
        ScriptCase(
            "given back while it is covered, nothing is to be seen of that",
            [.set(when: .at(3), end: .seconds(4))], [.act(1, key()), .end(5, "key", heartRate), .pass(9)],
            ["1 begin 1", "3 begin 0", "5 lapse 1", "7 end 0"]),
        ScriptCase(
            "a rule of the file that never ends leaves nothing to it",
            [.set(when: .at(3))], [.act(1, key()), .end(5, "key", heartRate)],
            ["1 begin 1", "3 begin 0", "3 lapse 1", "5 nothing"]),
        ScriptCase(
            "the next one from outside takes its place, so that none pile up",
            [.set(when: .at(1))],
            [
                .act(2, key(heartRate, "up")), .act(3, key(heartRate, "down")), .act(4, key(heartRate, "up")),
                .end(5, "up", heartRate), .end(5, "down", heartRate),
            ],
            [
                "1 begin 0", "2 begin 1", "3 begin 2", "3 lapse 1", "4 begin 1", "4 lapse 2", "5 end 1",
                "5 resume 0 of 1", "5 nothing",
            ]),
        ScriptCase(
            "it ends by itself after its time, or at an event that no rule of the file waits for",
            [],
            [
                .act(1, key(end: .seconds(3))), .act(2, key(battery, end: .at(.event(.mtu, of: strap)))),
                .observe(6, .init(.mtu, of: strap)),
            ], ["1 begin 0", "2 begin 1", "4 end 0", "6 end 1"]),
        ScriptCase(
            "what does not last ends as it begins, and its effects are the script's",
            [.notify(when: .event(.disconnected, of: strap))],
            [
                .act(1, Rule(id: "key", when: .end, action: Action(.disconnect(reason: nil), of: strap))),
                .observe(1, .init(.disconnected, of: strap)),
            ], ["1 begin 1", "1 end 1", "1 begin 0", "1 end 0"]),
        ScriptCase(
            "a rule of the file that clears ends it",
            [.clear(strap, when: .at(3))], [.act(1, key()), .pass(3), .end(4, "key", heartRate)],
            ["1 begin 1", "3 begin 0", "3 end 1", "3 end 0", "4 nothing"]),
        ScriptCase("it does not fire at the end as a rule would", [], [.act(1, key()), .finish(2)], ["1 begin 0"]),
        ScriptCase("after the end nothing happens", [], [.finish(1), .act(2, key())], ["2 nothing"]),
        ScriptCase(
            "its chance decides", [],
            [.act(1, Rule(id: "key", when: .end, action: Action(.clear, of: strap), chance: 0))], ["1 nothing"]),
    ]

    @Test func `A thousand actions at one instant reuse numbers`() {
        var runner = ScriptRunner(Scenario(script: [.notify(when: .at(1))]), seed: RandomStream(seed: 1))
        var outbox: [ScriptRunner.Output] = []
        #expect(!runner.act(Self.key(), at: .start, into: &outbox))  // not before the start
        runner.start(at: .start, into: &outbox)
        #expect(runner.next?.rule == 0)
        for count in 0..<1000 {
            outbox.removeAll()
            #expect(runner.act(Self.key(heartRate, "\(count)"), at: .start, into: &outbox))
            #expect(outbox.contains(.begin(rule: 1 + count % 2)))
            #expect(runner.rule(1 + count % 2).id == "\(count)")
            #expect(runner.lasts("\(count)", of: heartRate))
            #expect(!runner.lasts("\(count - 1)", of: heartRate))
        }
    }

    @Test func `The next rule is the first that starts`() {
        let script: [Rule] = [.set(when: .at(1), end: .seconds(3)), .notify(when: .at(9)), .notify(when: .at(7))]
        var runner = ScriptRunner(Scenario(script: script), seed: RandomStream(seed: 1))
        var outbox: [ScriptRunner.Output] = []
        runner.start(at: .start, into: &outbox)
        #expect(runner.next?.rule == 0)
        runner.timePassed(at: Instant.start.advanced(by: .seconds(2)), into: &outbox)
        #expect(runner.next?.rule == 2)
        #expect(runner.next?.due == Instant.start.advanced(by: .seconds(7)))
        runner.timePassed(at: Instant.start.advanced(by: .seconds(9)), into: &outbox)
        #expect(runner.next == nil)
    }
}
