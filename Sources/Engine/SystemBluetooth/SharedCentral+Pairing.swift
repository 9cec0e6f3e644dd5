import Basics
import Bluetooth
import LEHost
import SecurityManager

// Encryption and pairing.
extension SharedCentral {
    /// A program requests a bond.
    mutating func pair(
        _ peer: DeviceAddress, _ program: ProgramID, at now: Instant, into outbox: inout [Output]
    ) {
        if let failure = obstacle(toPairingWith: peer) {
            return outbox.append(.event(program, .paired(peer, failure)))
        }
        if let link = links.firstIndex(where: { $0.peer == peer }) { return pair(link, program, into: &outbox) }
        guard let attempt = attempts.firstIndex(where: { $0.peer == peer }) else {
            let client = policy.audience == .program ? Client(program: program) : nil
            return self.attempt(peer, client, for: program, at: now, into: &outbox)
        }
        attempts[attempt].pairing = program
    }

    /// Why a program cannot pair with a peripheral now; nil: it can.
    func obstacle(toPairingWith peer: DeviceAddress) -> PairingFailure? {
        if peers.isBonded(peer) { return .alreadyPaired }
        if let link = links.first(where: { $0.peer == peer }) {
            return link.pairing == nil && link.isUsable ? nil : .inProgress
        }
        if let attempt = attempts.first(where: { $0.peer == peer }) {
            return attempt.pairing == nil ? nil : .inProgress
        }
        return state == .on && attempts.count < Self.maximumPeripherals ? nil : .notConnected
    }

    /// Pairs on a link.
    mutating func pair(_ link: Int, _ program: ProgramID, into outbox: inout [Output]) {
        links[link].pairing = program
        peers.keep(links[link].peer)
        outbox.append(.command(.security(links[link].id, .pair)))
    }

    mutating func cancelPairing(_ peer: DeviceAddress, _ program: ProgramID, into outbox: inout [Output]) {
        if let attempt = attempts.firstIndex(where: { $0.peer == peer }), let waiting = attempts[attempt].pairing {
            attempts[attempt].pairing = nil
            if attempts[attempt].programs.isEmpty { attempts.remove(at: attempt) }
            return outbox.append(.event(waiting, .paired(peer, .cancelled)))
        }
        guard let link = links.firstIndex(where: { $0.peer == peer }), let waiting = links[link].pairing else {
            return outbox.append(.event(program, .paired(peer, PairingFailure.none)))
        }
        links[link].pairing = nil
        outbox.append(.event(waiting, .paired(peer, .cancelled)))
        if !links[link].isEnding { end(link, reason: .remoteUserTerminated, into: &outbox) }
    }

    /// The peripheral of a connection.
    func peer(of id: ConnectionID) -> DeviceAddress? { links.first { $0.id == id }?.peer }

    mutating func secured(
        _ output: LinkSecurityManager.Output, _ id: ConnectionID, at now: Instant, into outbox: inout [Output]
    ) {
        guard let link = links.firstIndex(where: { $0.id == id }) else { return }
        switch output {
        case .requested: outbox.append(.command(.security(id, .secure)))
        case .completed(let bond, let isBonded):
            let peer = links[link].peer
            if isBonded { peers.addAlias(of: bond.peer, for: peer) }
            retry(link, into: &outbox)
            if isBonded { bonded(peer, identity: bond.peer, into: &outbox) }
            finishPairing(link, nil, into: &outbox)
        case .encrypted(.some, isNew: false): retry(link, into: &outbox)
        case .failed(let failure): pairingFailed(link, failure, at: now, into: &outbox)
        case .notEncrypted:
            links[link].failure = .bondLost
            end(link, into: &outbox)
        default: break
        }
    }

    /// A bond has been made, or lost.
    mutating func bonded(_ peer: DeviceAddress, identity: DeviceAddress?, into outbox: inout [Output]) {
        guard peers.setBonded(peer, identity != nil) else { return }
        if identity != nil { peers.keep(peer) }
        if policy.audience == .everyone { tell(.bonded(peer, identity: identity), into: &outbox) }
    }

    /// A bond has been made with a central, which everyone sees if devices are everyone's.
    mutating func bondedAsPeripheral(
        _ peer: DeviceAddress, identity: DeviceAddress, into outbox: inout [Output]
    ) {
        if policy.audience == .everyone { bonded(peer, identity: identity, into: &outbox) }
    }

    private mutating func pairingFailed(
        _ link: Int, _ failure: Pairing.Failure, at now: Instant, into outbox: inout [Output]
    ) {
        finishPairing(link, .failed(failure), into: &outbox)
        // The agent has refused: nobody ends the link.
        guard !policy.pairing.endsLinkOnFailure || failure == .failed(.passkeyEntryFailed) else {
            if let due = peers.unkeep(links[link].peer, at: now) { outbox.append(.wake(at: due)) }
            links[link].failure = .connectionFailed
            return links[link].isEnding ? () : end(link, reason: .authenticationFailure, into: &outbox)
        }
        for ticket in links[link].unsecured {
            finish(ticket, link, .failure(.refused(.insufficientAuthentication)), into: &outbox)
        }
        links[link].unsecured.removeAll()
    }

    private mutating func finishPairing(_ link: Int, _ failure: PairingFailure?, into outbox: inout [Output]) {
        guard let program = links[link].pairing else { return }
        links[link].pairing = nil
        outbox.append(.event(program, .paired(links[link].peer, failure)))
    }

    private mutating func retry(_ link: Int, into outbox: inout [Output]) {
        let tickets = links[link].unsecured
        links[link].unsecured.removeAll()
        for var ticket in tickets {
            ticket.isRetry = true
            start(ticket, link, into: &outbox)
        }
    }
}
