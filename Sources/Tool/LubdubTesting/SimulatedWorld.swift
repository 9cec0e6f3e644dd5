import Basics
import CVirtualTime
import Conformance
import CoreBluetooth
import Documents
import Expectations
import Foundation
import ScenarioLanguage
import ScenarioModel
import Synchronization
import SystemBluetooth
public import Testing
import VirtualWorld

/// The devices of a scenario, in the same process as the app under test, in virtual time.
///
/// Time passes only while the test waits, in `run` or for anything else: whenever the app has nothing to do, it jumps to the
/// next event of the devices or of the app's timers.
public final class SimulatedWorld: Sendable {
    let simulation: WorldSimulation
    private let reader: InstructionReader
    private let scenario: Scenario
    private let actions = Mutex(0)

    init(_ scenario: Scenario, _ simulation: WorldSimulation) {
        (self.scenario, self.simulation, reader) = (scenario, simulation, InstructionReader(scenario))
    }

    /// The time since the start of the scenario.
    public var now: Duration { simulation.now.sinceStart }

    // MARK: Time

    /// Lets time pass.
    public func run(for duration: Duration) async {
        _ = await simulation.run(until: simulation.now.advanced(by: duration), stopping: .never)
    }

    /// Lets time pass until a condition holds, and records an issue if it does not within the limit.
    ///
    /// - Parameters:
    ///   - condition: Called whenever the app has done something.
    ///   - limit: The maximum time.
    ///   - sourceLocation: Where an issue is recorded.
    /// - Returns: Whether the condition holds.
    @discardableResult
    public nonisolated(nonsending) func run(
        until condition: () async -> Bool, within limit: Duration,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Bool {
        let deadline = simulation.now.advanced(by: limit)
        while !(await condition()) {
            guard await simulation.run(until: deadline, stopping: .afterWork) else {
                if await condition() { return true }
                Issue.record(
                    "at \(simulation.now) s: the condition does not hold after \(limit)",
                    sourceLocation: sourceLocation)
                return false
            }
        }
        return true
    }

    /// Lets time pass until the scenario's expectations are decided, or to its limit.
    public func runToEnd() async {
        if let end = simulation.end { _ = await simulation.run(until: end, stopping: .whenDecided) }
    }

    // MARK: Actions

    /// Performs an action of the scenario language now, for example a fault of a device.
    ///
    ///     try world.do("link_loss", of: "strap", for: .seconds(8))
    ///
    /// - Parameters:
    ///   - action: The name of the action: `lubdub explain` lists them.
    ///   - entity: The device, service or value; nil: the action has none.
    ///   - duration: How long it lasts; nil: permanently, or until the next action of the kind.
    /// - Throws: `ActionProblem` if there is no such action or entity.
    public func `do`(_ action: String, of entity: String? = nil, for duration: Duration? = nil) throws {
        try perform(action, entity.map { ["\"of\": \($0.quoted)"] } ?? [], for: duration)
    }

    /// Sets a value of a device, for example a heart rate.
    ///
    ///     try world.set("strap/heart_rate", to: 300)
    ///
    /// - Throws: `ActionProblem` if there is no such value.
    public func set(_ entity: String, to number: Double, for duration: Duration? = nil) throws {
        try perform("set", ["\"of\": \(entity.quoted)", "\"to\": \(number)"], for: duration)
    }

    private func perform(_ action: String, _ arguments: [String], for duration: Duration?) throws {
        let time = duration.map { ["\"for\": \"\($0.inNanoseconds / 1_000_000) ms\""] } ?? []
        let members = ["\"do\": \(action.quoted)"] + arguments + time
        try perform("{\(members.joined(separator: ", "))}")
    }

    /// Performs the action of a line of Lubdub's control socket, with any arguments.
    ///
    ///     try world.perform(#"{"do": "distance", "of": "strap", "to": "12 m"}"#)
    ///
    /// - Throws: `ActionProblem` if the line has a mistake.
    public func perform(_ line: String) throws {
        let rule = try rule(line)
        let name = actions.withLock { count in
            count += 1
            return "test \(count)"
        }
        if let reason = simulation.act(rule, as: name) { throw ActionProblem(description: "\(line): \(reason)") }
    }

    private func rule(_ line: String) throws -> Rule {
        let instruction: Instruction
        do throws(Problem) { instruction = try reader.read(Array(line.utf8), at: simulation.now) } catch {
            throw ActionProblem(description: "\(line): \(error.summary)")
        }
        guard case .act(let rule) = instruction else { throw ActionProblem(description: "\(line) is not an action") }
        return rule
    }

    // MARK: Phones

    /// Creates managers on another phone, for example an app that plays a sensor for the app under test.
    ///
    ///     let sensor = world.onAnotherPhone { HeartRateSensor() }
    ///
    /// Each call adds a phone; managers that are created after `body` are on the first one again.
    public func onAnotherPhone<Result>(_ body: () throws -> Result) rethrows -> Result {
        let before = Managers.present
        Managers.use(OtherPhone(in: simulation))
        defer { Managers.use(before) }
        return try body()
    }

    // MARK: The app's display

    /// Reports what the app shows, as a line of the contract of clients, so that the scenario's expectations judge it.
    ///
    ///     world.show(#"{"heart_rate": {"bpm": 62, "contact": true}}"#)
    public func show(_ line: String) { simulation.add(.line(line)) }

    /// Reports that the app shows this heart rate, or none.
    public func show(bpm: Int?) {
        show("{\"heart_rate\": \(bpm.map { "{\"bpm\": \($0)}" } ?? "null")}")
    }

    // MARK: Results

    /// The warnings that Apple's framework would print, such as `API MISUSE: Cancelling connection for unused peripheral`.
    public var warnings: [String] { simulation.warnings }

    /// The number of managers of the process that have not been released.
    public var managerCount: Int { Managers.count }

    /// The number of timers of Foundation that may fire.
    var timerCount: Int { Int(virtual_time_timers()) }

    /// The event log, one JSON object per line: the same for the same app, scenario and seed.
    public var events: String { simulation.events }
}

/// A mistake in an action of a test.
public struct ActionProblem: Error, CustomStringConvertible {
    /// What is wrong.
    public let description: String
}
