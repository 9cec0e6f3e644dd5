import Basics
import Bluetooth
import LEHost
import ScenarioModel
package import SecurityManager

/// What a device displays, and asks its user, while it pairs.
struct PairingScreen: Sendable {
    let connection: ConnectionID
    /// The addresses of the device and of its peer in this connection.
    let own: DeviceAddress
    let peer: DeviceAddress
    /// The passkey that the device displays.
    var passkey: UInt32?
    /// The number that the device displays for comparison.
    var number: UInt32?
    /// Whether the user is to compare it.
    var isComparing = false
    /// Whether the device asks for a passkey.
    var isAsking = false
}

/// The answer of a user, on its way to the device.
struct PairingAnswer: Sendable {
    let connection: ConnectionID
    let input: LinkSecurityManager.Input
}

/// The user of a device or of the built-in client.
struct PairingUser: Sendable {
    /// The screen of the device or client, while it pairs.
    var screen: PairingScreen?
    /// The next answers, the oldest first.
    private var answers: [PairingAnswer] = []
    /// The passkey that the user has entered last.
    private var entered: UInt32?

    /// The passkey that the user enters; nil to cancel.
    mutating func entry(of passkey: UInt32, _ behaviour: Action.Answer?) -> UInt32? {
        let earlier = entered ?? passkey
        let entry =
            switch behaviour {
            case .wrong: (passkey + 1) % 1_000_000
            case .earlier: earlier
            default: passkey
            }
        entered = entry
        return behaviour == .cancel ? nil : entry
    }

    mutating func prepare(_ answer: PairingAnswer) { answers.append(answer) }

    mutating func takeAnswer() -> PairingAnswer? { answers.isEmpty ? nil : answers.removeFirst() }
}

// The users of the devices and of the built-in client, who see both screens.
extension World {
    /// From a question to a user's answer.
    static let userReaction = Duration.seconds(2)

    mutating func attendPairing(_ output: LinkSecurityManager.Output, _ connection: ConnectionID, of node: Int) {
        guard let (own, peer) = nodes[node].host.addresses(of: connection) else {
            nodes[node].user.screen = nil
            return
        }
        switch output {
        case .began:
            nodes[node].user.screen = PairingScreen(connection: connection, own: own, peer: peer)
            // The peer has not displayed anything for this pairing yet.
            if let other = self.node(connectedAs: peer, to: own) {
                nodes[other].user.screen?.passkey = nil
                nodes[other].user.screen?.number = nil
            }
        case .display(let passkey): nodes[node].user.screen?.passkey = passkey
        case .compare(let number):
            nodes[node].user.screen?.number = number
            nodes[node].user.screen?.isComparing = true
        case .requestPasskey: nodes[node].user.screen?.isAsking = true
        case .completed, .failed:
            nodes[node].user.screen = nil
            clients.passkey = nil
            return
        default: return
        }
        answerQuestions(of: node)
        if let other = self.node(connectedAs: peer, to: own) { answerQuestions(of: other) }
    }

    /// How the host of a device or client pairs; nil: it does not.
    package func securitySettings(of node: Int) -> SecuritySettings? { nodes[node].host.security.settings }

    /// The user of a device reads what an external client reports that it displays: `{"passkey": {"displayed": 123456}}`.
    mutating func readPasskey(_ line: Datum) {
        guard case .number(let number)? = line["passkey"]?["displayed"], let passkey = UInt32(exactly: number) else {
            return
        }
        clients.passkey = passkey
        for node in nodes.indices where !nodes[node].isClient { answerQuestions(of: node) }
    }

    /// Schedules what a user enters, if the user can know it and the script does not decide otherwise.
    mutating func answerQuestions(of node: Int) {
        guard let screen = nodes[node].user.screen else { return }
        let (other, behaviour) = (self.node(connectedAs: screen.peer, to: screen.own), behaviour(ofUserOf: node))
        guard behaviour != .never else { return }
        if screen.isAsking, let passkey = passkey(for: node, with: other) {
            nodes[node].user.screen?.isAsking = false
            let entry = nodes[node].user.entry(of: passkey, behaviour)
            answer(.passkey(entry), of: node, screen.connection)
        }
        if screen.isComparing, let number = screen.number, let areEqual = areEqual(number, on: other) {
            nodes[node].user.screen?.isComparing = false
            answer(
                .compared(areEqual: areEqual && (behaviour == nil || behaviour == .earlier)), of: node,
                screen.connection)
        }
    }

    /// What the script lets a user do; nil: what is right.
    private func behaviour(ofUserOf node: Int) -> Action.Answer? {
        let conditions = nodes[node].isClient ? clients.lasting : nodes[node].conditions
        guard case .user(let answer)? = conditions.last(.user) else { return nil }
        return answer
    }

    private mutating func answer(_ input: LinkSecurityManager.Input, of node: Int, _ connection: ConnectionID) {
        nodes[node].user.prepare(PairingAnswer(connection: connection, input: input))
        schedule(.userAnswer(node: node), due: now.advanced(by: Self.userReaction))
    }

    /// Gives a device the oldest answer of its user.
    mutating func passAnswer(of node: Int) {
        guard let answer = nodes[node].user.takeAnswer() else { return }
        command(.security(answer.connection, answer.input), of: node)
    }

    /// The passkey on the other screen; that of an external client is what it reports, or the scenario's.  If both devices
    /// ask, the scenario's, or 0.
    private func passkey(for node: Int, with other: Int?) -> UInt32? {
        guard let other else { return clients.passkey ?? fixedPasskey(of: node) }
        if let passkey = nodes[other].user.screen?.passkey { return passkey }
        guard nodes[other].user.screen?.isAsking == true else { return nil }
        return [node, other].lazy.compactMap { fixedPasskey(of: $0) }.first ?? 0
    }

    private func fixedPasskey(of node: Int) -> UInt32? {
        guard scenario.devices.indices.contains(node) else { return nil }
        return scenario.devices[node].security?.passkey.map { UInt32(clamping: $0) }
    }

    /// Whether the other screen has the same number; nil while it has none.  A screen outside of the world has it.
    private func areEqual(_ number: UInt32, on other: Int?) -> Bool? {
        guard let other else { return true }
        return nodes[other].user.screen?.number.map { $0 == number }
    }

    /// The other end of a connection; its device may have another address by now.
    private func node(connectedAs own: DeviceAddress, to peer: DeviceAddress) -> Int? {
        nodes.firstIndex { $0.host.isConnected(as: own, to: peer) }
    }
}

extension HostSecurity {
    /// The security of a device; without, it rejects pairing.
    init(_ security: Security?, _ stream: RandomStream) {
        var keys = stream.stream("resolving key")
        let key = security?.privacy == nil ? 0 : UInt128(keys.next()) << 64 | UInt128(keys.next())
        self.init(
            security.map { SecuritySettings($0) }, resolvingKey: key, privateAddressLifetime: security?.privacy,
            maximumBonds: security?.bonds ?? 255, secrets: .stream(stream))
    }
}

extension SecuritySettings {
    /// The built-in client is like a phone.
    static let client: SecuritySettings = {
        var settings = SecuritySettings()
        settings.ioCapability = .keyboardDisplay
        settings.authentication = .preferred
        return settings
    }()

    fileprivate init(_ security: Security) {
        self.init()
        ioCapability = security.io
        isBonding = security.isBonding
        authentication = security.mitmProtection
        secureConnections = security.secureConnections
        keySizes = UInt8(clamping: security.keySizes.lowerBound)...UInt8(clamping: security.keySizes.upperBound)
        passkey = security.passkey.map { UInt32(clamping: $0) }
        if security.hasSigningKey { distributes.insert(.signingKey) }
    }
}
