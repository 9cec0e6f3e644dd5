import Basics
import CVirtualTime
import Causes
import Conformance
import CoreBluetooth
import Documents
import Expectations
import Foundation
import ScenarioLanguage
import ScenarioModel
import Synchronization
@_exported public import Testing

/// What an app under test shows, and thus what expectations can be about.
public enum ShownValues: Sendable {
    /// Everything that the contract of clients has.
    case everything
    /// The heart rate in beats per minute, and nothing else: other expectations are skipped.
    case bpm
}

/// Runs a test with the devices of a scenario.
///
/// While the test runs, each manager that the app creates uses the simulated radio, and the test is in virtual time,
/// with all work on dispatch queues and in Swift tasks that it causes.  Only one scenario is open at a time; another test waits.
///
/// After `body`, the scenario is played to its end (keep the app until then with `SimulatedWorld.runToEnd`), and each
/// expectation that is not met is recorded as an issue, in the words of `lubdub run`.
///
/// - Parameters:
///   - name: The scenario: a file, or its path in Lubdub's folder `scenarios`, without `.json`.
///   - seed: The seed of all random numbers; nil: the scenario's.
///   - shown: What the app shows with `SimulatedWorld.show`; nil: nothing, so that expectations are not judged.
///   - sourceLocation: Where issues are recorded.
///   - body: The test.
/// - Returns: The result of `body`.
/// - Throws: `ScenarioProblem` if the scenario cannot be read or the caller is not a test of Swift Testing, or what `body` throws.
@discardableResult
public nonisolated(nonsending) func withScenario<Result>(
    _ name: String, seed: UInt64? = nil, showing shown: ShownValues? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) (SimulatedWorld) async throws -> Result
) async throws -> Result {
    guard Test.current != nil else {
        throw ScenarioProblem(
            description:
                "withScenario records failures as issues of Swift Testing, which XCTest and detached tasks lose: "
                + "call it in a function with @Test")
    }
    let scenario = try read(name)
    let terms = shown.map { Judge.Terms(judgesInventions: true, shown: $0 == .bpm ? .heartRate : .all) }
    let turn = await Turns.take()
    defer { turn.end() }
    let simulation = try WorldSimulation(scenario, seed: seed ?? scenario.seed, judging: terms)
    unsafe virtual_time_begin(946_684_800 + Int64(scenario.begins.secondsSince2000)) { timer in
        if let timer = unsafe timer { unsafe Unmanaged<Timer>.fromOpaque(timer).takeUnretainedValue().fire() }
    }
    Managers.use(simulation)
    defer {
        Managers.use(nil)
        virtual_time_end()
        simulation.close()
    }
    await VirtualTime.enter()
    simulation.watch()
    let world = SimulatedWorld(scenario, simulation)
    let result = try await body(world)
    guard terms != nil else { return result }
    await world.runToEnd()
    for text in failures(simulation, scenario) { Issue.record("\(text)", sourceLocation: sourceLocation) }
    return result
}

/// The number of events before a verdict that an issue has.
private let shownEvents = 8

/// The expectations that did not pass, each with its likely cause, the packets that show it, the last events before the verdict,
/// and the scenario's note.
private func failures(_ simulation: WorldSimulation, _ scenario: Scenario) -> [String] {
    let (rulings, explainer) = simulation.finish()
    let events = simulation.events.split(separator: "\n")
    return rulings.compactMap { ruling in
        let expectation = scenario.expectation(of: ruling)
        let judged = explainer.judged(ruling, of: expectation)
        guard judged.verdict != .pass, judged.verdict != .skip, !expectation.isRecommendation else { return nil }
        let finding = explainer.finding(judged, of: expectation, requirement: expectation.requirement)
        let last = events.prefix { event in time(of: event).map { $0 <= judged.at } ?? true }.suffix(shownEvents)
        let lines =
            ["\(judged.verdict.rawValue)  \(finding.line)"] + finding.trace.map { "  \($0)" }
            + (last.isEmpty ? [] : ["the last events:"] + last.map { "  \($0)" })
            + (scenario.note.map { ["note: \($0)"] } ?? [])
        return lines.joined(separator: "\n")
    }
}

/// When an event of the log occurred: its first member, `{"t": 4.046108`.
private func time(of event: Substring) -> Instant? {
    let number = event.dropFirst(#"{"t": "#.count).prefix { $0 != "," }
    return Double(number).map { Instant(nanoseconds: Int64(($0 * 1e9).rounded())) }
}

/// Why a scenario cannot be played.
public struct ScenarioProblem: Error, CustomStringConvertible {
    /// All problems, one per line.
    public let description: String
}

private func read(_ name: String) throws -> Scenario {
    let file = name.hasSuffix(".json") ? name : name + ".json"
    // This file is in Sources/Tool/LubdubTesting.
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let places = [file, "/\(root)/scenarios/\(file)"]
    guard let path = places.first(where: { FileManager.default.isReadableFile(atPath: $0) }) else {
        throw ScenarioProblem(description: "there is no scenario \(name)")
    }
    let reading = ScenarioFile.read(path) { path in FileManager.default.contents(atPath: path).map { Array($0) } }
    guard reading.problems.isEmpty, let scenario = reading.scenario else {
        let lines = reading.problems.flatMap(\.lines)
        throw ScenarioProblem(description: lines.isEmpty ? "\(name) is a suite" : lines.joined(separator: "\n"))
    }
    return scenario
}

/// The virtual time of threads.
enum VirtualTime {
    /// Runs code on a new thread that is in virtual time.
    static func detach(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            virtual_time_enter()
            body()
            virtual_time_leave()
        }
        thread.start()
    }

    /// Continues the task in virtual time.
    static func enter() async {
        // The work of a task that yields may end before the task has suspended, which then stays where it is.
        while !virtual_time_follows() {
            virtual_time_adopt()
            await Task.yield()
        }
    }
}

/// Lets one scenario be open at a time.
private enum Turns {
    struct Turn {
        func end() {
            let next = waiting.withLock { waiting in
                if waiting.queue.isEmpty { waiting.isTaken = false }
                return waiting.queue.isEmpty ? nil : waiting.queue.removeFirst()
            }
            next?.resume()
        }
    }

    private struct Waiting {
        var isTaken = false
        var queue: [CheckedContinuation<Void, Never>] = []
    }

    private static let waiting = Mutex(Waiting())

    static func take() async -> Turn {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                defer { waiting.isTaken = true }
                if waiting.isTaken { waiting.queue.append(continuation) }
                return !waiting.isTaken
            }
            if isFree { continuation.resume() }
        }
        return Turn()
    }
}
