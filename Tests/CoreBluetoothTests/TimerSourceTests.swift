import CoreBluetooth
import Dispatch
import Foundation
import LubdubTesting
import Synchronization
import Testing

extension CoreBluetoothTests {
    /// Timer sources of Dispatch in a scenario.  Rules without another source are of Apple's page of dispatch_source_set_timer.
    @Suite struct TimerSourceTests {
        /// A timer that notes its calls; it is not active.
        private func timer(on queue: DispatchQueue? = .main, _ calls: Calls) -> any DispatchSourceTimer {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { calls.note() }
            return timer
        }

        @Test(arguments: [DispatchQueue.main, .global(), DispatchQueue(label: "timer"), nil])
        func `A repeating timer fires once per interval, and not more often`(queue: DispatchQueue?) async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                let timer = timer(on: queue, calls)
                timer.schedule(deadline: .now() + 1, repeating: 1)
                timer.activate()
                await world.run(for: .seconds(1000))
                #expect(calls.times == (1...1000).map(Double.init))
                timer.cancel()
                await world.run(for: .seconds(1000))
                #expect(calls.times.count == 1000)
            }
        }

        @Test func `Deadlines are of either clock, and in the past or never`() async throws {
            try await withScenario("resting") { world in
                await world.run(for: .seconds(10))
                let calls = (0..<6).map { _ in Calls(world) }
                let timers = calls.map { timer($0) }
                timers[0].schedule(deadline: .now() + .milliseconds(1500))
                timers[1].schedule(wallDeadline: .now() + 2, repeating: .seconds(3))
                timers[2].schedule(deadline: .now())
                timers[3].schedule(deadline: .now() - 5)
                timers[4].schedule(deadline: .distantFuture)
                timers[5].schedule(wallDeadline: .distantFuture, repeating: 1)
                for timer in timers { timer.resume() }
                await world.run(for: .seconds(9))
                #expect(calls.map(\.times) == [[11.5], [12, 15, 18], [10], [10], [], []])
                for timer in timers { timer.cancel() }
            }
        }

        @Test func `Time waits for a handler and for what it causes`() async throws {
            try await withScenario("resting") { world in
                let (calls, other) = (Calls(world), DispatchQueue(label: "other"))
                let timer = DispatchSource.makeTimerSource(queue: .global())
                timer.setEventHandler {
                    let sum = (0..<100_000).reduce(0, &+)
                    other.async { Task { @MainActor in if sum > 0 { calls.note() } } }
                }
                timer.schedule(deadline: .now() + 1, repeating: .milliseconds(250))
                timer.resume()
                await world.run(for: .seconds(2))
                #expect(calls.times == [1, 1.25, 1.5, 1.75, 2])
                timer.cancel()
            }
        }

        @Test func `A timer can be cancelled in its handler, and its cancellation handler is called`() async throws {
            try await withScenario("resting") { world in
                let (calls, ends) = (Calls(world), Calls(world))
                let timer = DispatchSource.makeTimerSource()
                timer.setEventHandler {
                    calls.note()
                    if calls.times.count == 3 { timer.cancel() }
                }
                timer.setCancelHandler { ends.note() }
                timer.schedule(deadline: .now(), repeating: 2)
                timer.resume()
                await world.run(for: .seconds(100))
                #expect(calls.times == [0, 2, 4])
                #expect(ends.times == [4])
                #expect(timer.isCancelled)
                timer.schedule(deadline: .now() + 1)
                timer.setEventHandler { calls.note() }
                await world.run(for: .seconds(100))
                #expect(calls.times.count == 3)
            }
        }

        @Test func `Scheduling again replaces the earlier time, also in the handler`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                let timer = DispatchSource.makeTimerSource(queue: .main)
                timer.setEventHandler {
                    calls.note()
                    timer.schedule(deadline: .now() + Double(calls.times.count))
                }
                timer.schedule(deadline: .now() + 50)
                timer.resume()
                await world.run(for: .seconds(5))
                timer.schedule(deadline: .now() + 1)
                await world.run(for: .seconds(7))
                #expect(calls.times == [6, 7, 9, 12])
                timer.cancel()
            }
        }

        /// The page of `dispatch_source_get_data`: the number of times that the timer has fired since the last call.
        @Test @MainActor func `A suspended timer does not stop time, and fires once when it is resumed`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                let counts = Mutex<[UInt]>([])
                let timer = DispatchSource.makeTimerSource(queue: .main)
                timer.setEventHandler {
                    calls.note()
                    counts.withLock { $0.append(timer.data) }
                }
                timer.schedule(deadline: .now() + 1, repeating: 1)
                timer.resume()
                await world.run(for: .seconds(2))
                timer.suspend()
                await world.run(for: .milliseconds(4500))
                #expect(world.now == .milliseconds(6500))
                timer.resume()
                await world.run(for: .milliseconds(1500))
                #expect(calls.times == [1, 2, 6.5, 7, 8])
                #expect(counts.withLock { $0 } == [1, 1, 4, 1, 1])
                timer.suspend()
                timer.suspend()
                await world.run(for: .seconds(10))
                timer.resume()
                await world.run(for: .seconds(10))
                #expect(calls.times.count == 5)
                timer.schedule(deadline: .now() + 1)
                timer.resume()
                await world.run(for: .seconds(10))
                #expect(calls.times.dropFirst(5) == [29])
                timer.cancel()
            }
        }

        @Test func `A timer that is not active fires when it is activated`() async throws {
            try await withScenario("resting") { world in
                let calls = Calls(world)
                let timer = timer(calls)
                timer.schedule(deadline: .now() + 1)
                await world.run(for: .seconds(5))
                #expect(calls.times.isEmpty)
                timer.activate()
                timer.activate()
                await world.run(for: .seconds(5))
                #expect(calls.times == [5])
            }
        }

        @Test @MainActor func `A timer that is cancelled while it is suspended ends when it is resumed`() async throws {
            try await withScenario("resting") { world in
                let (calls, ends) = (Calls(world), Calls(world))
                let timer = timer(calls)
                timer.setCancelHandler { ends.note() }
                timer.schedule(deadline: .now() + 1, repeating: 1)
                timer.resume()
                await world.run(for: .seconds(1))
                timer.suspend()
                timer.cancel()
                timer.cancel()
                await world.run(for: .seconds(1))
                #expect(ends.times.isEmpty)
                timer.resume()
                await world.run(for: .seconds(10))
                #expect(calls.times == [1])
                #expect(ends.times == [2])
            }
        }

        @Test func `The handler can be replaced and removed`() async throws {
            try await withScenario("resting") { world in
                let (calls, others) = (Calls(world), Calls(world))
                let timer = timer(calls)
                timer.schedule(deadline: .now() + 1, repeating: 1)
                timer.resume()
                await world.run(for: .seconds(1))
                let item = DispatchWorkItem { others.note() }
                timer.setEventHandler(handler: item)
                await world.run(for: .seconds(1))
                timer.setEventHandler(handler: nil)
                await world.run(for: .seconds(1))
                timer.setEventHandler(qos: .userInitiated) { calls.note() }
                await world.run(for: .seconds(1))
                #expect(calls.times == [1, 4])
                #expect(others.times == [2])
                timer.cancel()
            }
        }

        @Test func `A sleeping test waits for timers`() async throws {
            try await withScenario("resting") { world in
                let timer = DispatchSource.makeTimerSource(queue: .main)
                await withCheckedContinuation { continuation in
                    timer.setEventHandler { continuation.resume() }
                    timer.schedule(deadline: .now() + 3600)
                    timer.resume()
                }
                #expect(world.now == .seconds(3600))
                timer.cancel()
            }
        }

        @Test func `A timer of real time follows real time`() async throws {
            let hasFired = DispatchSemaphore(value: 0)
            let began = ContinuousClock.now
            let timer = DispatchSource.makeTimerSource()
            timer.setEventHandler { hasFired.signal() }
            timer.schedule(deadline: .now() + .milliseconds(200))
            timer.resume()
            try await withScenario("resting") { world in await world.run(for: .seconds(100)) }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    hasFired.wait()
                    continuation.resume()
                }
            }
            #expect(began.duration(to: .now) >= .milliseconds(200))
            timer.cancel()
        }

        @Test func `A timer ends with its scenario`() async throws {
            let count = Mutex(0)
            let timer = try await withScenario("resting") { world in
                let timer = DispatchSource.makeTimerSource(queue: .main)
                timer.setEventHandler { count.withLock { $0 += 1 } }
                timer.schedule(deadline: .now() + 1, repeating: 1)
                timer.resume()
                await world.run(for: .seconds(5))
                return timer
            }
            try await withScenario("resting") { world in await world.run(for: .seconds(5)) }
            #expect(count.withLock { $0 } == 5)
            timer.cancel()
        }

        @Test func `1,000 timers leave nothing, whether they are cancelled or only released`() async throws {
            final class Token: Sendable {
                static let count = Mutex(0)
                init() { Self.count.withLock { $0 += 1 } }
                deinit { Self.count.withLock { $0 -= 1 } }
            }
            try await withScenario("resting") { world in
                let fired = Mutex(0)
                for isCancelled in [true, false] {
                    var timers = (1...500).map { number in
                        let (timer, token) = (DispatchSource.makeTimerSource(), Token())
                        timer.setEventHandler { withExtendedLifetime(token) { fired.withLock { $0 += 1 } } }
                        timer.setCancelHandler { withExtendedLifetime(token) {} }
                        timer.schedule(deadline: .now() + .milliseconds(number), repeating: 10)
                        timer.resume()
                        return timer
                    }
                    await world.run(for: .seconds(25))
                    if isCancelled { for timer in timers { timer.cancel() } }
                    timers.removeAll()
                    await world.run(for: .seconds(25))
                }
                #expect(fired.withLock { $0 } == 1000 * 3)
            }
            // libdispatch releases a source that was not cancelled on its queue, for which nobody can wait.
            while Token.count.withLock({ $0 }) > 0 { await Task.yield() }
        }

        @Test func `Timers on all threads are counted and released`() async throws {
            try await withScenario("resting") { world in
                let calls = Mutex(0)
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            for number in 0..<48 {
                                let timer = DispatchSource.makeTimerSource()
                                timer.setEventHandler { calls.withLock { $0 += 1 } }
                                timer.schedule(deadline: .now() + 1)
                                timer.resume()
                                timer.suspend()
                                timer.resume()
                                try? await Task.sleep(for: .seconds(1.5))
                                switch number % 4 {
                                case 0: timer.cancel()
                                case 1:
                                    timer.suspend()
                                    timer.cancel()
                                    timer.resume()
                                case 2:
                                    timer.cancel()
                                    timer.schedule(deadline: .now())
                                default: break
                                }
                            }
                        }
                    }
                }
                #expect(calls.withLock { $0 } == 960)
                #expect(world.now == .seconds(72))
            }
        }

        @Test func `The same timers give the same events`() async throws {
            @MainActor func events() async throws -> String {
                try await withScenario("recovery/lossy_air") { world in
                    let central = Central { central, call in
                        guard call.hasPrefix("didDiscover Lubdub"), let peripheral = central.peripheral else { return }
                        central.manager.connect(peripheral)
                    }
                    let timer = DispatchSource.makeTimerSource(queue: .main)
                    timer.setEventHandler {
                        MainActor.assumeIsolated {
                            central.manager.isScanning
                                ? central.manager.stopScan() : central.manager.scanForPeripherals(withServices: nil)
                            central.peripheral?.readRSSI()
                        }
                    }
                    timer.schedule(deadline: .now() + 1, repeating: .milliseconds(700))
                    timer.resume()
                    await world.run(for: .seconds(120))
                    timer.cancel()
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
