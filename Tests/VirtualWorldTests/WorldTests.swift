import Basics
import Clients
import ScenarioModel
import Testing
import VirtualWorld

@Suite struct WorldTests {
    @Test(arguments: TestScenario.all)
    func `Skipped connection events change neither the event log nor the trace`(play: TestScenario) throws {
        let scenario = try play.scenario
        let (skipped, stepped) = (try WorldHarness(scenario), try WorldHarness(scenario, sleeps: false))
        #expect(firstDifference(skipped.lines, stepped.lines) == nil)
        let tracesAreEqual = skipped.trace == stepped.trace  // the octets need not be printed
        #expect(tracesAreEqual)
        #expect(!skipped.records(.delivered).isEmpty)
    }

    @Test(arguments: TestScenario.all) func `No packet is left when all is quiet`(play: TestScenario) throws {
        var harness = try WorldHarness(play.scenario)
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    @Test(arguments: TestScenario.all) func `The same seed gives the same logs, another one does not`(
        play: TestScenario
    ) throws {
        let scenario = try play.scenario
        let (first, again, other) = (
            try WorldHarness(scenario), try WorldHarness(scenario), try WorldHarness(scenario, seed: 2)
        )
        #expect(firstDifference(first.lines, again.lines) == nil)
        #expect(firstDifference(first.lines, other.lines) != nil)
        let traces = (isRepeated: first.trace == again.trace, differs: first.trace != other.trace)
        #expect(traces.isRepeated)
        #expect(traces.differs)
    }

    @Test(arguments: TestScenario.all) func `The client shows what was delivered, when it was`(
        play: TestScenario
    ) throws {
        let harness = try WorldHarness(play.scenario)
        let delivered = harness.records.filter { record in
            record.event == .delivered && record.value?.hasPrefix("{\"bpm\"") == true
        }
        let shown = harness.said.filter { if case .heartRate = $0.update.content { true } else { false } }
        #expect(shown.count == delivered.count)
        for (shown, delivered) in zip(shown, delivered) {
            let value = try #require(delivered.value)
            #expect(shown.update.json.hasPrefix("{\"heart_rate\": \(value)"))
            #expect(shown.at == delivered.instant)
        }
    }

    @Test(arguments: TestScenario.all) func `Everything on a link names its two sides`(play: TestScenario) throws {
        let harness = try WorldHarness(play.scenario)
        let others: [EventName] = [.began, .ended, .said, .advertising, .scanning, .scanningStopped, .connecting]
        let records = harness.records.filter { !others.contains($0.event) }
        #expect(!records.isEmpty)
        for record in records {
            #expect(record.entity != nil && record.peer == harness.clientAddress, "\(record.json)")
        }
    }

    @Test(arguments: TestScenario.all) func `A client discovers before it subscribes, once in each connection`(
        play: TestScenario
    ) throws {
        let kinds: [EventName] = [.connected, .discovering, .discovered, .subscribed, .disconnected]
        var told: [EventName] = []
        for event in try WorldHarness(play.scenario).records.map(\.event) where kinds.contains(event) {
            if event != .subscribed || told.last != .subscribed { told.append(event) }
        }
        let connection: [EventName] = [.connected, .discovering, .discovered, .subscribed, .disconnected]
        #expect(told.count >= 4)
        #expect(told == (0..<told.count).map { connection[$0 % connection.count] })
    }

    @Test func `A covered value resumes after a shorter one, counted from its start`() throws {
        let harness = try WorldHarness(TestScenario.setsForAWhile.scenario)
        let shown = harness.records(.notified, of: "strap/heart_rate")
        #expect(shown.count > 50)
        for record in shown {
            let second = Int(record.instant.nanoseconds / 1_000_000_000)
            let bpm =
                switch second {
                case 10..<20, 25..<40: 190 + second
                case 20..<25: 40
                default: 60 + second
                }
            #expect(record.value?.hasPrefix("{\"bpm\": \(bpm),") == true, "\(record.json)")
        }
    }
}

/// The first pair that differs.
func firstDifference(_ left: [String], _ right: [String]) -> String? {
    for (left, right) in zip(left, right) where left != right { return "\(left)\n\(right)" }
    return left.count == right.count ? nil : "\(left.count) lines, \(right.count) lines"
}
