import Basics
package import Bluetooth
import GATT
import LEHost
package import SecurityManager

/// What a program requests about pairing with any device.
package enum PairingRequest: Sendable {
    /// The program is an agent: it shows and asks its user what pairing needs.  The first agent is everyone's.
    case becomeAgent(IOCapability)
    case stopBeingAgent
    /// The program is everyone's agent.
    case becomeDefaultAgent
    /// Answers a question: with the passkey, or nil.
    case passkey(UInt32?, DeviceAddress)
    /// Answers a question: whether the numbers are equal.
    case compared(Bool, DeviceAddress)
    /// Answers a question: whether to pair.
    case authorized(Bool, DeviceAddress)
}

/// The questions of pairing to an agent, and the results of its requests.
package enum PairingEvent: Equatable, Sendable {
    /// `becomeAgent`, `becomeDefaultAgent` or `stopBeingAgent` had an effect: else the program was an agent, or was none.
    case changedAgent(Bool)
    case requestedPasskey(DeviceAddress)
    case requestedComparison(DeviceAddress, UInt32)
    /// A device pairs that no program has asked to, and nobody authenticates it.
    case requestedAuthorization(DeviceAddress)
    case displayed(DeviceAddress, passkey: UInt32)
    /// The question, or what is displayed, is obsolete.
    case ended(DeviceAddress)
}

/// The user of the machine, when it pairs and no program is an agent.
package struct PairingUser: Hashable, Sendable {
    /// The passkey that the peripheral displays, or that is printed on it; nil: the user enters none.
    package var passkey: UInt32?
    /// Whether the user confirms that both devices display the same number.
    package var confirmsNumbers = true

    package init() {}
}

/// Asks agents of programs, or else the user of the machine, for what pairing needs, and shows it to them.
///
/// A program that requests pairing is asked by its own agent; else everyone's is.
struct PairingDesk: Sendable {
    enum Output: Sendable {
        indirect case command(Host.Command)
        case event(ProgramID, PairingEvent)
    }

    private struct Agent: Sendable {
        let program: ProgramID
        let capability: IOCapability
    }

    /// A question to an agent, or a passkey that it displays.
    private struct Question: Sendable {
        let id: ConnectionID
        let peer: DeviceAddress
        let agent: ProgramID
        /// The answer of an agent that has gone; nil: it needs no answer.
        var refusal: LinkSecurityManager.Input?
    }

    private let settings: SecuritySettings
    private let user: PairingUser
    /// Everyone's is the first.
    private var agents: [Agent] = []
    /// The peers with which programs have requested pairing.
    private var requests: [DeviceAddress: ProgramID] = [:]
    private var questions: [Question] = []

    /// A desk without agents.
    ///
    /// - Parameters:
    ///   - settings: How the system pairs without an agent.
    ///   - user: Who answers then.
    init(_ settings: SecuritySettings, user: PairingUser) { (self.settings, self.user) = (settings, user) }

    // MARK: Programs

    mutating func perform(_ request: PairingRequest, of program: ProgramID, into outbox: inout [Output]) {
        switch request {
        case .becomeAgent(let capability):
            let isNew = !agents.contains { $0.program == program }
            if isNew { agents.append(Agent(program: program, capability: capability)) }
            changed(isNew, program, into: &outbox)
        case .stopBeingAgent:
            let count = agents.count
            remove(program, into: &outbox)
            changed(agents.count < count, program, into: &outbox)
        case .becomeDefaultAgent:
            let index = agents.firstIndex { $0.program == program }
            if let index { agents.insert(agents.remove(at: index), at: 0) }
            changed(index != nil, program, into: &outbox)
        case .passkey(let passkey, let peer): answer(.passkey(passkey), peer, program, into: &outbox)
        case .compared(let areEqual, let peer):
            answer(.compared(areEqual: areEqual), peer, program, into: &outbox)
        case .authorized(let isAuthorized, let peer):
            answer(.authorized(isAuthorized), peer, program, into: &outbox)
        }
    }

    /// A program has ended: its questions have no answer.
    mutating func close(_ program: ProgramID, into outbox: inout [Output]) {
        let count = agents.count
        remove(program, into: &outbox)
        requests = requests.filter { $0.value != program }
        if agents.count < count { use(agents.first, into: &outbox) }
    }

    /// A program requests pairing: its agent decides how.
    mutating func pair(_ peer: DeviceAddress, _ program: ProgramID, into outbox: inout [Output]) {
        requests[peer] = program
        if let agent = agents.first(where: { $0.program == program }) { use(agent, into: &outbox) }
    }

    private mutating func remove(_ program: ProgramID, into outbox: inout [Output]) {
        agents.removeAll { $0.program == program }
        for question in questions where question.agent == program {
            if let refusal = question.refusal { outbox.append(.command(.security(question.id, refusal))) }
        }
        questions.removeAll { $0.agent == program }
    }

    private mutating func changed(_ hasEffect: Bool, _ program: ProgramID, into outbox: inout [Output]) {
        outbox.append(.event(program, .changedAgent(hasEffect)))
        if hasEffect { use(agents.first, into: &outbox) }
    }

    /// Pairs from now on as an agent can.
    private func use(_ agent: Agent?, into outbox: inout [Output]) {
        var settings = settings
        if let agent {
            settings.ioCapability = agent.capability
            settings.authentication = agent.capability == .noInputNoOutput ? .off : .preferred
        }
        outbox.append(.command(.changeSecurity(settings)))
    }

    private mutating func answer(
        _ answer: LinkSecurityManager.Input, _ peer: DeviceAddress, _ program: ProgramID,
        into outbox: inout [Output]
    ) {
        guard
            let index = questions.firstIndex(where: { $0.peer == peer && $0.agent == program && $0.refusal != nil })
        else { return }
        outbox.append(.command(.security(questions.remove(at: index).id, answer)))
    }

    // MARK: Pairing

    /// Handles an event of the security of a connection.
    mutating func handle(
        _ output: LinkSecurityManager.Output, _ id: ConnectionID, _ peer: DeviceAddress,
        into outbox: inout [Output]
    ) {
        switch output {
        case .requestPasskey:
            guard let agent = agent(for: peer) else {
                return outbox.append(.command(.security(id, .passkey(user.passkey))))
            }
            questions.append(Question(id: id, peer: peer, agent: agent, refusal: .passkey(nil)))
            outbox.append(.event(agent, .requestedPasskey(peer)))
        case .compare(let number):
            guard let agent = agent(for: peer) else {
                return outbox.append(.command(.security(id, .compared(areEqual: user.confirmsNumbers))))
            }
            questions.append(Question(id: id, peer: peer, agent: agent, refusal: .compared(areEqual: false)))
            outbox.append(.event(agent, .requestedComparison(peer, number)))
        case .authorize:
            // A program that pairs has agreed by that: device_confirm_passkey in src/device.c of BlueZ.
            guard requests[peer] == nil, let agent = agents.first?.program else {
                return outbox.append(.command(.security(id, .authorized(true))))
            }
            questions.append(Question(id: id, peer: peer, agent: agent, refusal: .authorized(false)))
            outbox.append(.event(agent, .requestedAuthorization(peer)))
        case .display(let passkey):
            guard let agent = agent(for: peer) else { return }
            questions.append(Question(id: id, peer: peer, agent: agent))
            outbox.append(.event(agent, .displayed(peer, passkey: passkey)))
        case .completed, .failed: finish(peer, into: &outbox)
        default: break
        }
    }

    private func agent(for peer: DeviceAddress) -> ProgramID? {
        (agents.first { $0.program == requests[peer] } ?? agents.first)?.program
    }

    /// A connection has ended.
    mutating func disconnected(_ id: ConnectionID, into outbox: inout [Output]) {
        end(into: &outbox) { $0.id == id }
    }

    private mutating func end(into outbox: inout [Output], where isOver: (Question) -> Bool) {
        for question in questions where isOver(question) {
            outbox.append(.event(question.agent, .ended(question.peer)))
        }
        questions.removeAll(where: isOver)
    }

    /// Pairing with a peer has ended.
    mutating func finish(_ peer: DeviceAddress, into outbox: inout [Output]) {
        end(into: &outbox) { $0.peer == peer }
        let program = requests.removeValue(forKey: peer)
        if agents.contains(where: { $0.program == program }) { use(agents.first, into: &outbox) }
    }
}
