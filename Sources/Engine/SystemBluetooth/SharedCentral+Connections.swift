import Basics
import Bluetooth
import HCI
import LEHost

// Connecting and disconnecting.
extension SharedCentral {
    mutating func connect(_ peer: DeviceAddress, _ client: Client, at now: Instant, into outbox: inout [Output]) {
        guard state == .on else {
            guard policy.audience == .everyone else { return }
            return outbox.append(.event(client.program, .failedToConnect(peer, .cancelled)))
        }
        let link = links.firstIndex { $0.peer == peer }
        if let link, links[link].isUsable {
            links[link].clients.removeAll { $0.program == client.program }
            links[link].clients.append(client)
            return outbox.append(.event(client.program, .connected(peer, mtu: links[link].mtu)))
        }
        let index = attempts.firstIndex { $0.peer == peer }
        guard policy.connecting.joinsAttempts || index == nil && link == nil else {
            return outbox.append(.event(client.program, .failedToConnect(peer, .inProgress)))
        }
        guard let index else {
            guard attempts.count < Self.maximumPeripherals else {
                return outbox.append(.event(client.program, .failedToConnect(peer, .connectionFailed)))
            }
            return attempt(peer, client, for: nil, at: now, into: &outbox)
        }
        attempts[index].programs.removeAll { $0.program == client.program }
        attempts[index].programs.append(client)
    }

    /// Waits for a peripheral, for a program that connects, or for one that pairs.
    mutating func attempt(
        _ peer: DeviceAddress, _ client: Client?, for pairing: ProgramID?, at now: Instant,
        into outbox: inout [Output]
    ) {
        let due = policy.connecting.limit.map { now.advanced(by: $0) } ?? .never
        attempts.append(Attempt(peer: peer, programs: client.map { [$0] } ?? [], pairing: pairing, due: due))
        peers.keep(peer)
        if due < .never { outbox.append(.wake(at: due)) }
        searchAgain(into: &outbox)
    }

    /// A program has ended.
    mutating func leaveAttempts(_ program: ProgramID) {
        for index in attempts.indices {
            attempts[index].programs.removeAll { $0.program == program }
            if attempts[index].pairing == program { attempts[index].pairing = nil }
        }
        if policy.audience == .program { attempts.removeAll { $0.programs.isEmpty && $0.pairing == nil } }
    }

    /// Ends the attempts whose time is over.
    mutating func endAttempts(at now: Instant, into outbox: inout [Output]) {
        while let index = attempts.firstIndex(where: { $0.due <= now }) { fail(index, .timedOut, into: &outbox) }
    }

    private mutating func fail(_ index: Int, _ failure: CentralFailure, into outbox: inout [Output]) {
        let attempt = attempts.remove(at: index)
        for client in attempt.programs {
            outbox.append(.event(client.program, .failedToConnect(attempt.peer, failure)))
        }
        guard let program = attempt.pairing else { return }
        outbox.append(.event(program, .paired(attempt.peer, failure == .cancelled ? .cancelled : .notConnected)))
    }

    mutating func cancel(
        _ peer: DeviceAddress, of program: ProgramID, at now: Instant, into outbox: inout [Output]
    ) {
        if let index = attempts.firstIndex(where: { $0.peer == peer }) { cancel(index, of: program, into: &outbox) }
        let ended = CentralEvent.disconnected(peer, nil, isReconnecting: false)
        guard let index = links.firstIndex(where: { $0.peer == peer && $0.isUsable }) else {
            let isOver = policy.audience == .everyone && !links.contains { $0.peer == peer }
            return isOver ? outbox.append(.event(program, ended)) : ()
        }
        if policy.audience == .program {
            guard links[index].clients.contains(where: { $0.program == program }) else { return }
            links[index].operations.removeAll { $0.program == program }
            guard links[index].clients.count == 1 else {
                leave(index, program, into: &outbox)
                return outbox.append(.event(program, ended))
            }
        }
        release(index, at: now, into: &outbox)
    }

    /// Ends a link that programs do not want any more.
    private mutating func release(_ index: Int, at now: Instant, into outbox: inout [Output]) {
        links[index].failure = nil
        end(index, after: policy.connecting.linger, at: now, into: &outbox)
        guard !links[index].isEnding else { return }
        tell(.disconnecting(links[index].peer), about: links[index], into: &outbox)
    }

    private mutating func cancel(_ index: Int, of program: ProgramID, into outbox: inout [Output]) {
        guard policy.audience == .program else { return fail(index, .cancelled, into: &outbox) }
        let (peer, count) = (attempts[index].peer, attempts[index].programs.count)
        attempts[index].programs.removeAll { $0.program == program }
        if attempts[index].programs.count < count {
            outbox.append(.event(program, .disconnected(peer, nil, isReconnecting: false)))
        }
        if attempts[index].programs.isEmpty, attempts[index].pairing == nil { attempts.remove(at: index) }
    }

    /// Ends a link after a while.
    mutating func end(_ index: Int, after linger: Duration, at now: Instant, into outbox: inout [Output]) {
        guard linger > .zero else { return end(index, into: &outbox) }
        links[index].endDue = now.advanced(by: linger)
        outbox.append(.wake(at: links[index].endDue))
    }

    /// Ends a link now.
    mutating func end(
        _ index: Int, reason: HCIStatus = .remoteUserTerminated, into outbox: inout [Output]
    ) {
        (links[index].isEnding, links[index].endDue) = (true, .never)
        outbox.append(.command(.disconnect(links[index].id, reason: reason)))
    }

    // MARK: What the host reports

    mutating func connectionFailed(
        _ peer: DeviceAddress, _ failure: Host.ConnectionFailure, into outbox: inout [Output]
    ) {
        (connecting, isCancelling) = (nil, false)
        // The service's own time limit is over, or it has cancelled: programs still wait.
        // A controller that fails changes the state, which ends everything silently.
        guard case .status(let status) = failure, status != .hardwareFailure,
            let index = attempts.firstIndex(where: { $0.peer == peer })
        else { return }
        fail(index, .connectionFailed, into: &outbox)
    }

    mutating func connected(
        _ id: ConnectionID, _ address: DeviceAddress, at now: Instant, into outbox: inout [Output]
    ) {
        let peer = peers.known(address)
        scanning.drop(address)
        (connecting, isCancelling) = (nil, false)
        let awaited = attempts.firstIndex { $0.peer == peer }
        guard let index = awaited, !troubles.takeAbort(of: peer) else {
            outbox.append(.command(.disconnect(id, reason: .remoteUserTerminated)))
            return awaited.map { fail($0, .aborted, into: &outbox) } ?? ()
        }
        let attempt = attempts.remove(at: index)
        links.append(
            Link(
                id: id, peer: peer, clients: attempt.programs,
                Subscriptions(separatesOwn: policy.attributes.separatesOwn)))
        let link = links.count - 1
        links[link].resolution = troubles.resolutions[peer]
        prepare(link, at: now, into: &outbox)
        tell(.connected(peer, mtu: links[link].mtu), about: links[link], into: &outbox)
        if links[link].resolution == .early { tell(.resolved(peer), about: links[link], into: &outbox) }
        report(link, into: &outbox) { watch in watch.peers.contains(peer) }
        if let program = attempt.pairing { pair(link, program, into: &outbox) }
    }

    /// Reports a connection to the programs that watch the peripheral.
    mutating func report(_ link: Int, into outbox: inout [Output], where isWatched: (Watch) -> Bool) {
        let peer = links[link].peer
        for index in watches.indices where isWatched(watches[index]) && !watches[index].reported.contains(peer) {
            watches[index].reported.append(peer)
            outbox.append(.event(watches[index].program, .connection(peer, isConnected: true)))
        }
    }

    mutating func disconnected(
        _ id: ConnectionID, _ reason: HCIStatus, at now: Instant, into outbox: inout [Output]
    ) {
        // A controller that fails changes the state, which ends everything.
        guard reason != .hardwareFailure, let index = links.firstIndex(where: { $0.id == id }) else { return }
        let link = links.remove(at: index)
        for index in watches.indices where watches[index].reported.contains(link.peer) {
            watches[index].reported.removeAll { $0 == link.peer }
            outbox.append(.event(watches[index].program, .connection(link.peer, isConnected: false)))
        }
        reportEnd(of: link, link.isEnding ? link.failure : CentralFailure(endOfLink: reason), at: now, into: &outbox)
        connectStranger(at: now, into: &outbox)
    }

    /// Reports the end of a link, and of what it interrupts.
    private mutating func reportEnd(
        of link: Link, _ failure: CentralFailure?, at now: Instant, into outbox: inout [Output]
    ) {
        let interrupted = interruptions(of: link)
        // A program that has cancelled the connection hears of its end first.
        let isLater = !interrupted.isEmpty || failure == nil
        if !isLater { keepAttributes(of: link, into: &outbox) }
        switch policy.audience {
        case .everyone: tell(.disconnected(link.peer, failure, isReconnecting: false), into: &outbox)
        case .program:
            for client in link.clients {
                let reconnects = client.options.reconnects && failure != nil
                outbox.append(
                    .event(client.program, .disconnected(link.peer, failure, isReconnecting: reconnects)))
                if reconnects { connect(link.peer, client, at: now, into: &outbox) }
            }
        }
        if let program = link.pairing { outbox.append(.event(program, .paired(link.peer, .disconnected))) }
        outbox += interrupted
        if isLater { keepAttributes(of: link, into: &outbox) }
        if link.isForgotten { forget(link.peer, into: &outbox) }
    }

    private mutating func forget(_ peer: DeviceAddress, into outbox: inout [Output]) {
        outbox.append(.command(.forget(peers.present(peer))))
        peers.forget(peer)
        tell(.forgotten(peer), into: &outbox)
    }

    /// Ends everything, because the radio is switched off.
    mutating func endAll(at now: Instant, into outbox: inout [Output]) {
        while !attempts.isEmpty { fail(0, .cancelled, into: &outbox) }
        while let link = links.popLast() { reportEnd(of: link, nil, at: now, into: &outbox) }
        for peer in peers.forgetSilent(at: now, isOff: true) { tell(.forgotten(peer), into: &outbox) }
    }

    /// Forgets a peripheral, as soon as it is not connected any more.
    mutating func forget(_ peer: DeviceAddress, at now: Instant, into outbox: inout [Output]) {
        if let index = attempts.firstIndex(where: { $0.peer == peer }) { fail(index, .cancelled, into: &outbox) }
        guard let link = links.firstIndex(where: { $0.peer == peer }) else { return forget(peer, into: &outbox) }
        links[link].isForgotten = true
        if links[link].isUsable { release(link, at: now, into: &outbox) }
    }
}

extension CentralFailure {
    /// Why a link ended that no program has cancelled.
    init(endOfLink reason: HCIStatus) {
        self =
            switch reason {
            case .connectionTimeout, .responseTimeout: .timedOut
            case .remoteUserTerminated, .remoteLowResources, .remotePowerOff: .disconnectedByPeripheral
            case .keyMissing: .bondLost
            default: .connectionFailed
            }
    }
}
