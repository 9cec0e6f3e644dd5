import Basics
public import SecurityManager

/// Faults in how a host pairs, which a script injects.
public struct SecurityFaults: Hashable, Sendable {
    /// From a step on, a host sends no more than a peer that has crashed.
    public struct Stall: Hashable, Sendable {
        /// The first step that is late.
        public var step: PairingStep
        /// How late; nil: until the fault ends.
        public var delay: Duration?

        /// A pairing that stalls at this step.
        public init(at step: PairingStep, for delay: Duration? = nil) { (self.step, self.delay) = (step, delay) }
    }

    /// Why the host rejects each Pairing Request; nil: it does not.
    public var refusal: PairingFailedReason?
    /// Where each pairing and each encryption stalls; nil: nowhere.
    public var stall: Stall?
    /// What the host sends wrong in each pairing; nil: nothing.
    public var alteration: PairingAlteration?
    /// Whether the host gives its controller a key that its peers do not have.
    public var hasWrongKeys = false

    /// No faults.
    public init() {}

    /// The key that the controller gets.
    func key(_ key: LongTermKey) -> LongTermKey {
        var key = key
        if hasWrongKeys { key.value ^= 1 }
        return key
    }
}

/// The outputs of a Security Manager that wait because a script stalls them.
struct StalledSecurity: Sendable {
    var outputs: [LinkSecurityManager.Output] = []
    /// When they leave.
    var due: Instant
}

extension Host {
    mutating func inject(
        _ faults: SecurityFaults, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        let hasEnded = self.faults.security.stall != faults.stall
        self.faults.security = faults
        guard hasEnded else { return }
        for index in connections.indices { resumeSecurity(index, at: now, pool: &pool, into: &outbox) }
    }

    /// Keeps an output from the step on that the script stalls, up to `maximumHeldPDUs`; false if the output is to leave now.
    mutating func stalls(
        _ output: LinkSecurityManager.Output, _ index: Int, at now: Instant, into outbox: inout [Output]
    ) -> Bool {
        switch output {
        case .send, .encrypt, .answer: break
        case .failed:
            connections[index].stalledSecurity = nil
            return false
        default: return false
        }
        if connections[index].stalledSecurity == nil {
            guard let stall = faults.security.stall, PairingStep(output) == stall.step else { return false }
            let due = stall.delay.map { now.advanced(by: $0) } ?? .never
            connections[index].stalledSecurity = StalledSecurity(due: due)
            if due < .never { outbox.append(.wake(at: due)) }
        }
        if connections[index].stalledSecurity?.outputs.count ?? 0 < Self.maximumHeldPDUs {
            connections[index].stalledSecurity?.outputs.append(output)
        }
        return true
    }

    /// Performs what the script has stalled.
    mutating func resumeSecurity(
        _ index: Int, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        let outputs = connections[index].stalledSecurity?.outputs ?? []
        connections[index].stalledSecurity = nil
        for output in outputs { handle(output, index, at: now, pool: &pool, into: &outbox) }
    }
}
