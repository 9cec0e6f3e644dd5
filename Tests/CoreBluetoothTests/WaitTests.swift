import CoreBluetooth
import Dispatch
import Foundation
import LubdubTesting
import Synchronization
import Testing

extension CoreBluetoothTests {
    /// Threads that wait in a scenario: time passes meanwhile.
    @Suite struct WaitTests {
        private let worker = DispatchQueue(label: "worker")

        /// Runs `body` on another queue; its result, and when it has ended.
        private func waited(_ body: @escaping @Sendable () -> Bool) async throws -> (result: Bool?, at: Duration?) {
            let found = Mutex<(result: Bool?, at: Duration?)>((nil, nil))
            try await withScenario("resting") { world in
                worker.async {
                    let result = body()
                    found.withLock { $0 = (result, world.now) }
                }
                await world.run(for: .seconds(60))
            }
            return found.withLock { $0 }
        }

        /// Apple's page of `DispatchSemaphore.wait(timeout:)`.
        @Test(
            arguments: [(2, 5, true, 2), (5, 2, false, 2), (2, 2, true, 2), (0, 5, true, 0)])
        func `A semaphore waits until it is signalled, or for its time limit`(
            signal: Int, limit: Int, isSignalled: Bool, end: Int
        ) async throws {
            let (result, at) = try await waited {
                let semaphore = DispatchSemaphore(value: 0)
                DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(signal)) { semaphore.signal() }
                return semaphore.wait(timeout: .now() + .seconds(limit)) == .success
            }
            #expect(result == isSignalled)
            #expect(at == .seconds(end))
        }

        /// Apple's page of `DispatchSemaphore.wait()`.
        @Test func `A semaphore may be waited for without a limit`() async throws {
            let (result, at) = try await waited {
                let semaphore = DispatchSemaphore(value: 0)
                semaphore.signal()
                semaphore.wait()
                DispatchQueue.main.asyncAfter(deadline: .now() + 7) { semaphore.signal() }
                semaphore.wait()
                return semaphore.wait(timeout: .now()) == .timedOut
            }
            #expect(result == true)
            #expect(at == .seconds(7))
        }

        /// Apple's page of `DispatchSemaphore.wait(wallTimeout:)`.
        @Test
        func `Of several threads, each has its time limit`() async throws {
            let marks = Mutex<[Int: Duration]>([:])
            try await withScenario("resting") { world in
                let semaphore = DispatchSemaphore(value: 0)
                for limit in [4, 2, 6] {
                    DispatchQueue(label: "\(limit)").async {
                        guard semaphore.wait(wallTimeout: .now() + .seconds(limit)) == .timedOut else { return }
                        marks.withLock { $0[limit] = world.now }
                    }
                }
                DispatchQueue.main.asyncAfter(deadline: .now() + 3) { semaphore.signal() }
                await world.run(for: .seconds(60))
            }
            // The signal is for one of the two that still wait.
            let ended = marks.withLock { $0 }
            #expect(ended[2] == .seconds(2))
            #expect(ended.count == 2 && ended.allSatisfy { .seconds($0) == $1 }, "\(ended)")
        }

        /// Apple's page of `DispatchGroup.wait(timeout:)`.
        @Test(
            arguments: [(2, 5, true, 2), (5, 2, false, 2), (0, 5, true, 0)])
        func `A group is waited for until it is empty, or for the time limit`(
            work: Int, limit: Int, isEmpty: Bool, end: Int
        ) async throws {
            let (result, at) = try await waited {
                let group = DispatchGroup()
                group.enter()
                DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(work)) { group.leave() }
                return group.wait(timeout: .now() + .seconds(limit)) == .success
            }
            #expect(result == isEmpty)
            #expect(at == .seconds(end))
        }

        @Test func `A wait that has not ended ends with the scenario's virtual time, or goes on in real time`()
            async throws
        {
            let (ended, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let results = Mutex<[Bool]>([])
            try await withScenario("resting") { world in
                worker.async {
                    let result = ended.wait(timeout: .now() + 3600) == .success
                    results.withLock { $0.append(result) }
                    goesOn.wait()
                    results.withLock { $0.append(true) }
                    ended.signal()
                }
                await world.run(for: .seconds(1))
            }
            goesOn.signal()
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    ended.wait()
                    continuation.resume()
                }
            }
            #expect(results.withLock { $0 } == [false, true])
        }

        /// Apple's page of `Thread.isMainThread`.
        @Test func `The main queue is the main thread`() async throws {
            let found = Mutex<[Bool]>([])
            try await withScenario("resting") { world in
                DispatchQueue.main.async { found.withLock { $0.append(Thread.isMainThread) } }
                await world.run(for: .seconds(1))
                worker.async { found.withLock { $0.append(Thread.isMainThread) } }
                await world.run(for: .seconds(1))
            }
            #expect(found.withLock { $0 } == [true, false])
        }

        @Test func `A test outside of Swift Testing is refused, since its failures would be lost`() async {
            let failure = await Task.detached {
                await #expect(throws: ScenarioProblem.self) {
                    try await withScenario("resting") { world in await world.run(for: .seconds(1)) }
                }
            }.value
            #expect(failure?.description.contains("@Test") == true)
        }

        /// Apple's page of `DispatchSerialQueue`.
        @Test func `A serial queue can be the executor of an actor`() async throws {
            actor Worker {
                let queue = DispatchSerialQueue(label: "executor")
                nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
                var ended: Duration?

                func work(in world: SimulatedWorld) async throws {
                    dispatchPrecondition(condition: .onQueue(queue))
                    try await Task.sleep(for: .seconds(3))
                    assertIsolated()
                    ended = world.now
                }
            }
            try await withScenario("resting") { world in
                let worker = Worker()
                try await worker.work(in: world)
                #expect(await worker.ended == .seconds(3))
            }
        }
    }
}
