import CoreBluetooth
import Foundation
import Testing

@testable import LubdubTesting

extension CoreBluetoothTests {
    /// Foundation's timers in a scenario.  Rules without another source are of Apple's page of `Timer`.
    @Suite @MainActor struct RunLoopTimerTests {
        /// `Timer.scheduledTimer`, which asynchronous functions cannot call.
        @discardableResult
        private func scheduled(
            _ interval: Double, repeats: Bool, _ block: @escaping @Sendable (Timer) -> Void
        ) -> Timer { Timer.scheduledTimer(withTimeInterval: interval, repeats: repeats, block: block) }

        @Test func `A repeating timer fires once per interval, on the main queue`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                let timer = scheduled(1, repeats: true) { _ in
                    dispatchPrecondition(condition: .onQueue(.main))
                    calls.note()
                }
                await world.run(for: .seconds(1000))
                #expect(calls.times == (1...1000).map(Double.init))
                timer.invalidate()
                await world.run(for: .seconds(1000))
                #expect(calls.times.count == 1000)
            }
        }

        /// "A nonrepeating timer fires once and then invalidates itself automatically."
        @Test func `Another timer fires once`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                let timer = scheduled(2.5, repeats: false) { _ in calls.note() }
                #expect(timer.isValid)
                await world.run(for: .seconds(100))
                #expect(calls.times == [2.5])
                #expect(!timer.isValid)
            }
        }

        /// `RunLoop.add(_:forMode:)`: a timer can be in several modes of one run loop.
        @Test func `A timer that is added to the main run loop fires, also from another queue`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                let timers = (1...2).map { number in
                    let date = Date(timeIntervalSinceNow: Double(number))
                    return Timer(fire: date, interval: 10, repeats: true) { _ in calls.note() }
                }
                RunLoop.main.add(timers[0], forMode: .default)
                RunLoop.main.add(timers[0], forMode: .common)
                nonisolated(unsafe) let timer = timers[1]
                DispatchQueue.global().async { RunLoop.main.add(timer, forMode: .common) }
                let alone = Timer(timeInterval: 1, repeats: true) { _ in calls.note() }
                await world.run(for: .seconds(15))
                #expect(calls.times == [1, 2, 11, 12])
                for timer in timers + [alone] { timer.invalidate() }
            }
        }

        @Test func `A timer can be invalidated in its block`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                scheduled(1, repeats: true) { timer in
                    calls.note()
                    if calls.times.count == 3 { timer.invalidate() }
                }
                await world.run(for: .seconds(100))
                #expect(calls.times == [1, 2, 3])
                #expect(world.timerCount == 0)
            }
        }

        /// `Timer.fireDate`: the date can be changed, earlier or later, and a repeating timer continues from there.
        @Test func `The fire date can be changed`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                let timer = scheduled(10, repeats: true) { _ in calls.note() }
                #expect(timer.fireDate.timeIntervalSinceNow == 10)
                timer.fireDate = Date(timeIntervalSinceNow: 1)
                await world.run(for: .seconds(5))
                timer.fireDate = .distantFuture
                await world.run(for: .seconds(95))
                timer.fireDate = Date()
                await world.run(for: .seconds(15))
                #expect(calls.times == [1, 100, 110])
                #expect(timer.fireDate.timeIntervalSinceNow == 5)
                timer.invalidate()
            }
        }

        /// `Timer.fire()`: a repeating timer fires "without interrupting its regular firing schedule".
        @Test func `A timer that the app fires keeps its schedule`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                let timer = scheduled(2, repeats: true) { _ in calls.note() }
                await world.run(for: .seconds(3))
                timer.fire()
                await world.run(for: .seconds(2))
                #expect(calls.times == [2, 3, 4])
                timer.invalidate()
            }
        }

        @Test func `Time waits for a block and for what it causes`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                let timer = scheduled(1, repeats: true) { _ in
                    DispatchQueue.global().async { DispatchQueue.main.async { calls.note() } }
                }
                await world.run(for: .milliseconds(3500))
                #expect(calls.times == [1, 2, 3])
                timer.invalidate()
            }
        }

        @Test func `A sleeping test waits for timers, but not for one that is never due`() async throws {
            try await withScenario("resting") { world in
                let never = scheduled(1, repeats: true) { _ in }
                never.fireDate = .distantFuture
                await withCheckedContinuation { continuation in
                    scheduled(3600, repeats: false) { _ in continuation.resume() }
                }
                #expect(world.now == .seconds(3600))
                try await Task.sleep(for: .seconds(10))
                #expect(world.now == .seconds(3610))
                never.invalidate()
            }
        }

        /// Apple's page: run loops fire timers; the thread of a queue runs none.
        @Test func `A timer of another queue's thread does not fire`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                DispatchQueue(label: "other").async {
                    _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in calls.note() }
                }
                await world.run(for: .seconds(100))
                #expect(calls.times.isEmpty)
            }
        }

        @Test func `A timer of real time does not fire in a scenario, and one of a scenario ends with it`() async throws
        {
            let outside = scheduled(1, repeats: true) { _ in Issue.record("fired") }
            try await withScenario("resting") { world in
                await world.run(for: .seconds(100))
                scheduled(1, repeats: true) { _ in
                    if world.now > .seconds(110) { Issue.record("fired") }
                }
                await world.run(for: .seconds(10))
            }
            try await withScenario("resting") { world in
                #expect(world.timerCount == 0)
                await world.run(for: .seconds(5))
            }
            outside.invalidate()
        }

        @Test func `1,000 timers leave nothing`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                let timers = (0..<1000).map { number in
                    scheduled(1, repeats: number % 2 == 0) { _ in calls.note() }
                }
                await world.run(for: .milliseconds(2500))
                #expect(calls.times.count == 1500)
                #expect(world.timerCount == 500)
                for timer in timers { timer.invalidate() }
                #expect(world.timerCount == 0)
            }
        }

        @Test func `The same timers give the same events`() async throws {
            func events() async throws -> String {
                try await withScenario("recovery/lossy_air") { world in
                    let central = Central.explorer()
                    // Foundation for Linux never releases the block of a timer.
                    let timer = scheduled(0.7, repeats: true) { [weak central] _ in
                        MainActor.assumeIsolated {
                            guard let central, let peripheral = central.peripheral else { return }
                            central.manager.cancelPeripheralConnection(peripheral)
                            central.manager.connect(peripheral)
                        }
                    }
                    await world.run(for: .seconds(120))
                    timer.invalidate()
                    return world.events
                }
            }
            let first = try await events()
            #expect(first.split(separator: "\n").count > 100)
            let second = try await events()
            #expect(first == second)
        }
    }
}
