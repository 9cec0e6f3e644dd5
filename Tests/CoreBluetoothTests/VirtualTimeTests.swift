import CoreBluetooth
import Dispatch
import Foundation
import LubdubTesting
import Synchronization
import Testing

extension CoreBluetoothTests {
    /// The clocks and timers of an app in a scenario.
    @Suite struct VirtualTimeTests {
        /// Records instants, in seconds of the scenario.
        private final class Marks: Sendable {
            private let marks = Mutex<[String: Double]>([:])
            private let world: SimulatedWorld

            init(_ world: SimulatedWorld) { self.world = world }

            func set(_ name: String) { marks.withLock { $0[name] = world.now / .seconds(1) } }
            subscript(name: String) -> Double? { marks.withLock { $0[name] } }
        }

        @Test func `Timers follow virtual time`() async throws {
            try await withScenario("resting") { world in
                let marks = Marks(world)
                DispatchQueue.main.asyncAfter(deadline: .now() + 2) { marks.set("asyncAfter") }
                DispatchQueue.global().asyncAfter(wallDeadline: .now() + 3) { marks.set("wall") }
                let work = DispatchWorkItem { marks.set("work") }
                DispatchQueue.main.asyncAfter(deadline: .now() + 4, execute: work)
                let cancelled = DispatchWorkItem { marks.set("cancelled") }
                DispatchQueue.main.asyncAfter(deadline: .now() + 4, execute: cancelled)
                cancelled.cancel()
                let tasks = [
                    Task {
                        try await Task.sleep(for: .seconds(5))
                        marks.set("sleep")
                        try await Task.sleep(nanoseconds: 1_000_000_000)
                        marks.set("nanoseconds")
                    },
                    Task { @MainActor in
                        try await SuspendingClock().sleep(until: .now.advanced(by: .seconds(7)))
                        marks.set("clock")
                    },
                ]
                await world.run(for: .seconds(3600))
                for task in tasks { try await task.value }
                #expect(marks["asyncAfter"] == 2)
                #expect(marks["wall"] == 3)
                #expect(marks["work"] == 4)
                #expect(marks["cancelled"] == nil)
                #expect(marks["sleep"] == 5)
                #expect(marks["nanoseconds"] == 6)
                #expect(marks["clock"] == 7)
            }
        }

        @Test func `A test can sleep, and wait for the app`() async throws {
            try await withScenario("resting") { world in
                try await Task.sleep(for: .seconds(100))
                #expect(world.now == .seconds(100))
                let task = Task {
                    try await Task.sleep(for: .seconds(3600))
                    return world.now
                }
                #expect(try await task.value == .seconds(3700))
                let central = await Central.explorer()
                try await Task.sleep(for: .seconds(10))
                #expect(await central.isReady)
                #expect(world.now == .seconds(3710))
            }
        }

        @Test func `A test can wait for an event of the app without a timer`() async throws {
            try await withScenario("resting") { world in
                let central = await Central()
                await withCheckedContinuation { continuation in
                    Task { @MainActor in
                        central.reaction = { central, call in
                            central.explore(after: call)
                            if call == "didDiscoverServices" { continuation.resume() }
                        }
                    }
                }
                #expect(await central.isReady == false)
                #expect(world.now < .seconds(5))
            }
        }

        @Test func `A cancelled sleep ends at once`() async throws {
            try await withScenario("resting") { world in
                let marks = Marks(world)
                let task = Task {
                    defer { marks.set("ended") }
                    try await Task.sleep(for: .seconds(60))
                }
                await world.run(for: .seconds(1))
                task.cancel()
                await world.run(for: .seconds(1))
                #expect(marks["ended"] == 1)
            }
        }

        @Test func `Clocks show virtual time`() async throws {
            try await withScenario("resting") { world in
                let (date, continuous, uptime) = (Date(), ContinuousClock.now, DispatchTime.now())
                #expect(date.timeIntervalSince1970 == 946_684_800)
                await world.run(for: .seconds(1000))
                #expect(Date().timeIntervalSince(date) == 1000)
                #expect(continuous.duration(to: .now) == .seconds(1000))
                #expect(DispatchTime.now().uptimeNanoseconds - uptime.uptimeNanoseconds == 1_000_000_000_000)
            }
        }

        @Test func `After the scenario, and in other tests, time is real`() async throws {
            let before = Date()
            try await withScenario("resting") { world in await world.run(for: .seconds(100_000)) }
            let after = Date()
            #expect(before.timeIntervalSince1970 > 1_700_000_000 && after > before)
            #expect(after.timeIntervalSince(before) < 10_000)
        }

        @Test func `Time waits for chains of work on several queues`() async throws {
            try await withScenario("resting") { world in
                let marks = Marks(world)
                let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
                let group = DispatchGroup()
                DispatchQueue.main.asyncAfter(deadline: .now() + 1) {
                    first.async {
                        second.async(group: group) {
                            Task { @MainActor in
                                first.async(flags: .barrier) { marks.set("end") }
                            }
                        }
                    }
                }
                await world.run(for: .seconds(10))
                #expect(marks["end"] == 1)
            }
        }

        /// Apple's page of `DispatchGroup.notify`: the block is submitted when all work of the group has ended.
        @Test(arguments: [DispatchQueue.main, .global()])
        func `Time waits for the notification of a group`(queue: DispatchQueue) async throws {
            try await withScenario("resting") { world in
                let marks = Marks(world)
                let group = DispatchGroup()
                for seconds in 1...3 {
                    group.enter()
                    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { group.leave() }
                }
                DispatchQueue.global().async(group: group) {}
                group.notify(queue: queue) {
                    marks.set("first")
                    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { marks.set("then") }
                }
                group.notify(queue: queue) { marks.set("second") }
                await world.run(for: .seconds(10))
                #expect(marks["first"] == 3)
                #expect(marks["second"] == 3)
                #expect(marks["then"] == 4)
                group.notify(queue: queue) { marks.set("empty") }
                await world.run(for: .seconds(1))
                #expect(marks["empty"] == 10)
            }
        }

        @Test func `The notifications of 1,000 groups`() async throws {
            try await withScenario("resting") { world in
                let ends = Mutex<[Duration]>([])
                for number in 0..<1000 {
                    let group = DispatchGroup()
                    for _ in 0..<3 { DispatchQueue.global().async(group: group) {} }
                    group.enter()
                    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(number % 10)) { group.leave() }
                    group.notify(queue: .global()) { ends.withLock { $0.append(world.now) } }
                }
                await world.run(for: .seconds(1))
                let count = (0..<10).map { number in ends.withLock { $0.count { $0 == .milliseconds(number) } } }
                #expect(count == Array(repeating: 100, count: 10))
            }
        }

        @Test func `The same seed gives the same events, another one others`() async throws {
            @MainActor func events(seed: UInt64) async throws -> String {
                try await withScenario("recovery/lossy_air", seed: seed) { world in
                    let central = Central { central, call in
                        central.explore(after: call)
                        if call == "didDisconnect", let peripheral = central.peripheral {
                            central.manager.connect(peripheral)
                        }
                        if call == "didDiscoverCharacteristics 180D", let rate = central.characteristic("2A37") {
                            central.peripheral?.setNotifyValue(true, for: rate)
                        }
                    }
                    await world.run(for: .seconds(600))
                    _ = central
                    return world.events
                }
            }
            let first = try await events(seed: 7)
            #expect(first.split(separator: "\n").count > 1000)
            let second = try await events(seed: 7)
            #expect(first == second)
            let other = try await events(seed: 8)
            #expect(first != other)
        }

        @Test func `Managers that are released leave nothing`() async throws {
            try await withScenario("resting") { world in
                for _ in 0..<100 {
                    var centrals = await withTaskGroup(of: Central.self) { group in
                        for _ in 0..<10 { group.addTask { await Central.explorer() } }
                        return await group.reduce(into: [Central]()) { $0.append($1) }
                    }
                    await world.run(for: .seconds(2))
                    #expect(centrals.count == 10)
                    centrals.removeAll()
                    await world.run(for: .seconds(2))
                }
                #expect(world.managerCount == 0)
            }
        }

        @Test func `A mistake in an action is reported`() async throws {
            try await withScenario("resting") { world in
                #expect(throws: ActionProblem.self) { try world.do("link_los", of: "strap") }
                #expect(throws: ActionProblem.self) { try world.do("link_loss", of: "strip") }
                #expect(throws: ActionProblem.self) { try world.perform(#"{"ask": "status"}"#) }
            }
            await #expect(throws: ScenarioProblem.self) { try await withScenario("no_such_scenario") { _ in } }
        }

        @Test func `A condition that does not hold in time is an issue`() async throws {
            try await withKnownIssue {
                try await withScenario("resting") { world in
                    let holds = await world.run(until: { false }, within: .seconds(5))
                    #expect(!holds)
                    #expect(world.now == .seconds(5))
                }
            } matching: {
                $0.comments.contains { "\($0)".contains("the condition does not hold after 5.0 seconds") }
            }
        }
    }
}
