import EventLog
public import GATT
import LEHost
import Scenarios
import Simulation
public import VirtualWorld

extension Check {
    /// Asks one peripheral of a world that has not started, in a case of its own.
    ///
    /// - Parameters:
    ///   - device: The peripheral, by its place in the scenario.
    ///   - world: With the sinks of its logs; what has been logged is flushed to them at the end.
    ///   - isStrict: Whether what is only recommended is asked too.
    /// - Returns: What came of it, and the world as it was then.
    /// - Throws: When the examiner finds no room for its own attributes.
    public func ask(
        of device: Int, in world: World, isStrict: Bool = false
    ) throws(AttributeTable.DefinitionError) -> (outcome: Outcome, world: World) {
        var examiner = try Examiner(in: world, of: device)
        let outcome = examine(&examiner, isStrict)
        guard var host = examiner.host as? VirtualTimeHost else { return (outcome, world) }
        host.flush()
        return (outcome, host.world)
    }

    /// Asks a peripheral, in a connection of its own, which has ended when this returns.  If the host is over by then, the
    /// outcome is not valid.
    public func ask(of peer: Peer, by host: any ExaminerHost, isStrict: Bool = false) -> Outcome {
        var examiner = Examiner(by: host, of: peer)
        return examine(&examiner, isStrict)
    }

    private func examine(_ examiner: inout Examiner, _ isStrict: Bool) -> Outcome {
        let begin = examiner.now
        let ending = ask(&examiner, isStrict)
        examiner.disconnect()
        return Outcome(
            self, ending, took: begin.duration(to: examiner.now), standstill: examiner.standstill)
    }

    private func ask(_ examiner: inout Examiner, _ isStrict: Bool) -> CheckExit? {
        if let reason = whyUnasked(isStrict: isStrict) ?? unsupportedReason(examiner.host) { return .skipped(reason) }
        do throws(CheckExit) {
            try examiner.meet(as: scope)
            try judge(&examiner)
            return nil
        } catch { return error }
    }

    /// Why it is not asked, whatever the peripheral is; nil when it is.
    func whyUnasked(isStrict: Bool) -> String? {
        switch weight {
        case .recommended where !isStrict: return "only recommended: --strict asks it"
        case .robustness where !isStrict: return "about robustness: --strict asks it"
        default: break
        }
        for case .nothing(let obstacle) in claims { return obstacle.rawValue }
        return nil
    }

    /// Why a host cannot run this check on any peripheral; nil if it can on some.
    private func unsupportedReason(_ host: any ExaminerHost) -> String? {
        let services = claims.compactMap(\.service).map(CentralCapability.service)
        return (services + [scope.capability].compactMap(\.self)).lazy.compactMap(host.unsupportedReason(for:)).first
    }

    /// Asks a peripheral that has been met as the scope has it.
    func judge(_ examiner: inout Examiner) throws(CheckExit) {
        for claim in claims {
            if let reason = claim.unsupportedReason(examiner) { throw .skipped(reason) }
        }
        try body(&examiner)
    }
}
