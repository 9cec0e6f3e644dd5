import Basics
import Bluetooth
package import GATT
import LEHost
import ScenarioModel
import SecurityManager
package import VirtualWorld

extension Check {
    /// Runs the check against a device of a world that has not started.
    ///
    /// - Parameters:
    ///   - device: The index of the device in the scenario.
    ///   - world: Its logs are flushed at the end.
    ///   - isStrict: Whether to run recommended and robustness checks too.
    /// - Returns: The outcome, and the world after the check.
    /// - Throws: If the examiner's own attributes do not fit into its table.
    package func run(
        on device: Int, in world: World, isStrict: Bool = false
    ) throws(AttributeTable.DefinitionError) -> (outcome: Outcome, world: World) {
        var absence: String?
        return try run(on: device, in: world, isStrict: isStrict, knowing: &absence)
    }

    /// The same.  From check to check goes only why the peripheral cannot be connected to a second time.
    package func run(
        on device: Int, in world: World, isStrict: Bool, knowing absence: inout String?
    ) throws(AttributeTable.DefinitionError) -> (outcome: Outcome, world: World) {
        var examiner = try Examiner(in: world, of: device)
        examiner.noteAbsence(absence)
        let outcome = examine(&examiner, isStrict)
        absence = examiner.knowledge.absence
        guard var host = examiner.host as? VirtualTimeHost else { return (outcome, world) }
        host.flush()
        return (outcome, host.world)
    }

    /// Runs the check over a host, in a separate connection, which has ended on return.  If `host.isOver` then, the
    /// outcome does not count.  `knowledge` goes from check to check.
    package func run(
        on peer: Peer, over host: any ExaminerHost, isStrict: Bool = false, knowing knowledge: inout Knowledge
    ) -> Outcome {
        var examiner = Examiner(by: host, of: peer, knowing: knowledge)
        defer { knowledge = examiner.knowledge }
        return examine(&examiner, isStrict)
    }

    private func examine(_ examiner: inout Examiner, _ isStrict: Bool) -> Outcome {
        let outcome = outcome(&examiner, isStrict) { examiner throws(CheckExit) in
            try examiner.prepare(as: scope, avoidingBond: avoidsBond)
        }
        examiner.disconnect()
        return outcome
    }

    /// The outcome of the check after `prepare` has brought the examiner into the state of the scope.
    func outcome(
        _ examiner: inout Examiner, _ isStrict: Bool, _ prepare: (inout Examiner) throws(CheckExit) -> Void
    ) -> Outcome {
        let begin = examiner.now
        let exit = exit(&examiner, isStrict, prepare)
        let isForegone = examiner.knowledge.reason.map { exit == .inconclusive($0) } ?? false
        let recorded = recording == nil ? .zero : examiner.recording?.stall ?? .zero
        return Outcome(
            self, exit, took: begin.duration(to: examiner.now), at: isForegone ? nil : examiner.now,
            stall: max(examiner.stall, recorded))
    }

    private func exit(
        _ examiner: inout Examiner, _ isStrict: Bool, _ prepare: (inout Examiner) throws(CheckExit) -> Void
    ) -> CheckExit? {
        if let reason = skipReason(isStrict: isStrict) ?? unsupportedReason(for: examiner.host) {
            return .skipped(reason)
        }
        do throws(CheckExit) {
            try prepare(&examiner)
            try evaluate(&examiner)
            return nil
        } catch { return error }
    }

    /// Why the peripheral does not meet a prerequisite; nil if it does.
    func prerequisiteReason(_ examiner: Examiner) -> String? {
        prerequisites.lazy.compactMap { $0.unsupportedReason(examiner) }.first
    }

    /// Why the check is skipped for every peripheral; nil if it is not.
    func skipReason(isStrict: Bool) -> String? {
        switch weight {
        case .recommended where !isStrict: return "only recommended: add --strict to run it"
        case .robustness where !isStrict: return "tests robustness: add --strict to run it"
        default: break
        }
        for case .impossible(let limitation) in prerequisites { return limitation.rawValue }
        return nil
    }

    /// Why the check cannot be run over a host; nil if it may be.
    func unsupportedReason(for host: any ExaminerHost) -> String? {
        let services = prerequisites.compactMap(\.service).map(CentralCapability.service)
        let pairing = prerequisites.contains(.pairing) ? [CentralCapability.pairing] : []
        return (services + pairing + [scope.capability].compactMap(\.self)).lazy.compactMap(
            host.unsupportedReason(for:)
        ).first
    }

    /// Runs the body, after the examiner has been prepared for the scope.
    func evaluate(_ examiner: inout Examiner) throws(CheckExit) {
        if let reason = prerequisiteReason(examiner) { throw .skipped(reason) }
        try body(&examiner)
    }
}

/// A central host in a world in virtual time.
struct VirtualTimeHost: ExaminerHost {
    var world: World
    private let central: Int
    private let device: Int

    /// Adds a central to a world that has not started, which reaches one of its devices.
    init(_ world: World, device: Int) throws(AttributeTable.DefinitionError) {
        (self.world, self.device) = (world, device)
        central = try self.world.addClient(at: .start)
    }

    var pool: PacketPool {
        get { world.pool }
        _modify { yield &world.pool }
    }
    var now: Instant { world.now }
    var simulated: (scenario: Scenario, device: Int)? { (world.scenario, device) }
    var isOver: Bool { false }

    func isSimulatedPeer(_ address: DeviceAddress) -> Bool? { world.device(at: address) == device }

    mutating func start() {
        world.start()
        perform(.start)
    }

    mutating func perform(_ command: Host.Command) { world.perform(command) }

    mutating func inject(_ fault: Host.Fault) { world.inject(fault) }

    mutating func drain(_ handle: (Host.Output, inout PacketPool) -> Void) { world.drain(handle) }

    mutating func play(until limit: Instant) -> Bool {
        while world.outbox.isEmpty {
            guard world.runNext(until: limit) else {
                world.run(until: limit)
                return false
            }
        }
        return true
    }

    func stall(since begin: Instant) -> Duration { .zero }

    mutating func act(_ action: Action, for duration: Duration?) -> Bool {
        world.act(action, as: "examiner", for: duration.map { .after($0) }, at: now)
    }

    func ineffectiveReason(for action: Action) -> String? { world.ineffectiveReason(for: action)?.reason }

    var secrets: HostSecurity.Secrets { .stream(world.secrets(named: "security of the examiner")) }

    func displayedPasskey() -> UInt32? { world.passkey(displayedBy: device) }

    mutating func enter(passkey: UInt32, _ connection: ConnectionID) -> Bool {
        world.show(passkey: passkey, number: nil, on: central, connection, toUserOf: device)
        return true
    }

    mutating func compare(number: UInt32, _ connection: ConnectionID) -> Bool {
        world.show(passkey: nil, number: number, on: central, connection, toUserOf: device)
        return true
    }

    mutating func requestSecurity() -> Bool { world.requestSecurity(by: device) }

    mutating func exchangeOutOfBand(_ data: OutOfBandData) -> OutOfBandData.Commitment? {
        world.exchangeOutOfBand(data, with: device)
    }

    mutating func flush() {
        world.packets.flush()
        world.journal.flush()
    }
}
