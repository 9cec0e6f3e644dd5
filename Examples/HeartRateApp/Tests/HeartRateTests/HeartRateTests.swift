#if canImport(LubdubTesting)
import BuggyHeartRate
import Foundation
import HeartRate
import LubdubTesting
import Synchronization
import Testing

/// Plays a scenario with the app's core, which shows the heart rate and the contact.
@MainActor func play(_ scenario: String) async throws {
    try await withScenario(scenario, showing: .everything) { world in
        let monitor = HeartRateMonitor()
        monitor.onChange = { measurement in
            guard let measurement else { return world.show(bpm: nil) }
            let contact = measurement.hasContact.map { ", \"contact\": \($0)" } ?? ""
            world.show("{\"heart_rate\": {\"bpm\": \(measurement.bpm)\(contact)}}")
        }
        monitor.start()
        await world.runToEnd()
    }
}

/// Plays a scenario with a buggy core, which shows only the heart rate.
@MainActor func play(_ scenario: String, with bug: MonitorBug) async throws {
    try await withScenario(scenario, showing: .bpm) { world in
        let monitor = BuggyMonitor(bug)
        monitor.onChange = { world.show(bpm: $0) }
        monitor.start()
        await world.runToEnd()
    }
}

@Suite(.serialized) @MainActor struct HeartRateTests {
    @Test(arguments: [
        "resting", "clients/comes_back", "clients/contact", "clients/handles_moved", "clients/other_services",
        "clients/silence", "clients/subscribes", "clients/too_short", "clients/two_octets",
        "formats/always_two", "formats/contact_lost", "formats/edges", "formats/extra_octets",
        "formats/mtu_changes", "formats/reserved_flags", "formats/truncated", "formats/two_byte",
        "recovery/again_and_again", "recovery/another_address", "recovery/another_format",
        "recovery/away_long", "recovery/away_short", "recovery/away_while_connecting",
        "recovery/away_while_discovering", "recovery/away_while_subscribing", "recovery/disconnects",
        "recovery/flapping", "recovery/handles_moved", "recovery/handles_moved_silently", "recovery/held",
        "recovery/lossy_air", "recovery/nearest_leaves", "recovery/power_off", "recovery/services_change",
        "recovery/silence", "recovery/stalls", "recovery/taken", "recovery/walk_away_and_back",
    ])
    func `The app meets the expectations of a scenario`(scenario: String) async throws {
        try await play(scenario)
    }

    @Test(arguments: ["clients/several_rr", "clients/odd_tail"])
    func `An app that shows only the heart rate is not judged by other values`(scenario: String) async throws {
        try await withScenario(scenario, showing: .bpm) { world in
            let monitor = HeartRateMonitor()
            monitor.onChange = { world.show(bpm: $0?.bpm) }
            monitor.start()
            await world.runToEnd()
        }
    }

    @Test func `A heart rate of two octets is shown as it is`() async throws {
        try await withScenario("resting") { world in
            let monitor = HeartRateMonitor()
            monitor.start()
            await world.run(until: { monitor.measurement != nil }, within: .seconds(10))
            try world.set("strap/heart_rate", to: 300)
            await world.run(until: { monitor.measurement?.bpm == 300 }, within: .seconds(3))
        }
    }

    @Test func `The app comes back after a walk`() async throws {
        try await withScenario("resting") { world in
            let monitor = HeartRateMonitor()
            monitor.start()
            await world.run(until: { monitor.measurement != nil }, within: .seconds(10))
            try world.do("link_loss", of: "strap", for: .seconds(8))
            await world.run(until: { monitor.measurement == nil }, within: .seconds(2))
            await world.run(until: { monitor.measurement != nil }, within: .seconds(20))
        }
    }

    @Test func `A measurement is shown for 10 s`() async throws {
        try await withScenario("resting") { world in
            let monitor = HeartRateMonitor()
            monitor.start()
            await world.run(until: { monitor.measurement != nil }, within: .seconds(10))
            try world.do("silence", of: "strap")
            await world.run(for: .seconds(9))
            #expect(monitor.measurement != nil)
            await world.run(for: .seconds(3))
            #expect(monitor.measurement == nil)
        }
    }
}

/// The suite finds each bug.
@Suite(.serialized) @MainActor struct BugTests {
    /// Plays a scenario with a bug, and expects an issue of this expectation.
    private func finds(_ bug: MonitorBug, in scenario: String, _ expectation: String) async throws {
        let isNamed = Mutex(false)
        try await withKnownIssue("\(bug)") {
            try await play(scenario, with: bug)
        } matching: { issue in
            if issue.comments.contains(where: { "\($0)".contains(expectation) }) { isNamed.withLock { $0 = true } }
            return true
        }
        #expect(isNamed.withLock { $0 }, "no issue of \(expectation)")
    }

    @Test func byteOrder() async throws {
        try await finds(.byteOrder, in: "clients/two_octets", "it looks like swapped octets")
    }

    @Test func noResubscription() async throws {
        try await finds(.noResubscription, in: "recovery/away_long", "fail  returns")
    }

    @Test func unretainedPeripheral() async throws {
        try await finds(.unretainedPeripheral, in: "resting", "fail  subscribes")
        try await withScenario("resting") { world in
            let monitor = BuggyMonitor(.unretainedPeripheral)
            monitor.start()
            await world.run(for: .seconds(5))
            #expect(world.warnings.contains { $0.contains("Did you forget to keep a reference to it?") })
        }
    }

    @Test func uncheckedLength() async throws {
        await #expect(processExitsWith: .failure) { try await play("clients/too_short", with: .uncheckedLength) }
    }
}

/// A day with the faults of `scenarios/recovery`, twice; it takes a minute, so `LUBDUB_DAY` has to be set.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["LUBDUB_DAY"] != nil)) @MainActor struct DayTests {
    private func events(_ scenario: String, for duration: Duration) async throws -> String {
        try await withScenario(scenario) { world in
            let monitor = HeartRateMonitor()
            monitor.onChange = { world.show(bpm: $0?.bpm) }
            monitor.start()
            await world.run(for: duration)
            return world.events
        }
    }

    @Test func `A day takes less than a thousandth of it, and is the same again`() async throws {
        let scenarios = [
            "away_long", "away_short", "disconnects", "flapping", "lossy_air", "power_off", "silence", "stalls",
        ]
        let clock = ContinuousClock()
        var logs: [[String]] = []
        for _ in 1...2 {
            let begin = clock.now
            var log: [String] = []
            for scenario in scenarios { log.append(try await events("recovery/\(scenario)", for: .seconds(10_800))) }
            let duration = begin.duration(to: clock.now)
            print("a day in \(duration), \(log.map(\.utf8.count).reduce(0, +)) octets of events")
            #expect(duration < .milliseconds(86_400))
            logs.append(log)
        }
        #expect(logs[0] == logs[1])
    }
}
#endif
