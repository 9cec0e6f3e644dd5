import Basics
import Bluetooth
import HCI
import LEHost

// Scanning and connecting.
extension SharedCentral {
    /// Lets the host do what the programs wait for.
    ///
    /// A host connects to one peer at a time, and does not scan meanwhile.  If a program scans, or waits for several
    /// peripherals, the service therefore scans, and connects to a peripheral that it receives.
    mutating func arrange(into outbox: inout [Output]) {
        guard state == .on else { return }
        let waiting = attempts.filter { attempt in !links.contains { $0.peer == attempt.peer } }
        let mustScan = !scanners.isEmpty || waiting.count > 1
        if let connecting {
            let isWanted = waiting.contains { $0.peer == connecting }
            guard !isCancelling, !isWanted || mustScan && !isConnectingBriefly else { return }
            isCancelling = true
            return outbox.append(.command(.cancelConnecting))
        }
        if !mustScan, let attempt = waiting.first {
            connect(to: attempt.peer, for: nil, into: &outbox)
        } else if mustScan != wantsHostScan {
            wantsHostScan = mustScan
            outbox.append(.command(mustScan ? .scan(Self.scanParameters, filterDuplicates: false) : .stopScanning))
        }
    }

    private static let scanParameters = ScanParameters(isActive: true, interval: 0x30, window: 0x30)

    /// 30 ms, without latency, and a supervision timeout of 720 ms.
    private static let connectionParameters = ConnectionParameters(
        minimumInterval: 0x18, maximumInterval: 0x18, latency: 0, supervisionTimeout: 0x48)

    /// How long the service connects to a peripheral that it has just received.
    private static let briefly = Duration.seconds(2)

    private mutating func connect(to peer: DeviceAddress, for limit: Duration?, into outbox: inout [Output]) {
        if wantsHostScan, scanners.isEmpty, limit == nil {
            wantsHostScan = false
            outbox.append(.command(.stopScanning))
        }
        (connecting, isConnectingBriefly) = (peer, limit != nil)
        let creation = ConnectionCreation(to: present(peer), parameters: Self.connectionParameters)
        outbox.append(.command(.connect(creation, timeout: limit)))
    }

    // MARK: Advertisements

    /// Apple's advertisement data contains that of the scan response, so a report waits for it until the next
    /// advertisement of the peripheral.
    mutating func receive(_ report: AdvertisingReport, into outbox: inout [Output]) {
        switch report.kind {
        case .undirected, .scannable:
            if let earlier = unanswered[report.address] { publish(earlier, nil, into: &outbox) }
            if unanswered.count >= Self.maximumPeripherals { unanswered.removeAll() }
            unanswered[report.address] = report
        case .scanResponse:
            guard let earlier = unanswered.removeValue(forKey: report.address) else { return }
            publish(earlier, report, into: &outbox)
        case .directed, .nonConnectable: publish(report, nil, into: &outbox)
        }
    }

    private mutating func publish(
        _ report: AdvertisingReport, _ response: AdvertisingReport?, into outbox: inout [Output]
    ) {
        let peer = known(report.address)
        var advertisement = Advertisement(isConnectable: report.kind == .undirected || report.kind == .directed)
        advertisement.add(report.data)
        if let response { advertisement.add(response.data) }
        if let name = advertisement.name, names.count < Self.maximumPeripherals { names[peer] = name }
        for index in scanners.indices where scanners[index].options.admits(advertisement) {
            guard scanners[index].options.allowsDuplicates || !scanners[index].reported.contains(peer) else { continue }
            if scanners[index].reported.count >= Self.maximumPeripherals { scanners[index].reported.removeAll() }
            scanners[index].reported.insert(peer)
            outbox.append(.event(scanners[index].program, .discovered(peer, advertisement, rssi: report.rssi)))
        }
        guard advertisement.isConnectable, connecting == nil, attempts.contains(where: { $0.peer == peer }),
            !links.contains(where: { $0.peer == peer })
        else { return }
        connect(to: peer, for: Self.briefly, into: &outbox)
    }

    // MARK: Connecting

    mutating func connect(_ peer: DeviceAddress, _ client: Client, into outbox: inout [Output]) {
        guard state == .on else { return }
        if let link = links.firstIndex(where: { $0.peer == peer && !$0.isEnding }) {
            links[link].clients.removeAll { $0.program == client.program }
            links[link].clients.append(client)
            return outbox.append(.event(client.program, .connected(peer, mtu: links[link].mtu)))
        }
        guard let index = attempts.firstIndex(where: { $0.peer == peer }) else {
            return attempts.append(Attempt(peer: peer, programs: [client]))
        }
        attempts[index].programs.removeAll { $0.program == client.program }
        attempts[index].programs.append(client)
    }

    mutating func cancel(_ peer: DeviceAddress, of program: ProgramID, into outbox: inout [Output]) {
        if let index = attempts.firstIndex(where: { $0.peer == peer }) {
            let count = attempts[index].programs.count
            attempts[index].programs.removeAll { $0.program == program }
            if attempts[index].programs.count < count {
                outbox.append(.event(program, .disconnected(peer, nil, isReconnecting: false)))
            }
            if attempts[index].programs.isEmpty { attempts.remove(at: index) }
        }
        guard let index = links.firstIndex(where: { $0.peer == peer && !$0.isEnding }),
            links[index].clients.contains(where: { $0.program == program })
        else { return }
        links[index].operations.removeAll { $0.program == program }
        guard links[index].clients.count == 1 else {
            leave(index, program, into: &outbox)
            return outbox.append(.event(program, .disconnected(peer, nil, isReconnecting: false)))
        }
        (links[index].isEnding, links[index].failure) = (true, nil)
        outbox.append(.command(.disconnect(links[index].id, reason: .remoteUserTerminated)))
    }

    mutating func connectionFailed(
        _ peer: DeviceAddress, _ failure: Host.ConnectionFailure, into outbox: inout [Output]
    ) {
        (connecting, isCancelling) = (nil, false)
        // The service's own time limit is over, or it has cancelled: programs still wait.
        // A controller that fails changes the state, which ends everything silently.
        guard case .status(let status) = failure, status != .hardwareFailure,
            let index = attempts.firstIndex(where: { $0.peer == peer })
        else { return }
        for client in attempts.remove(at: index).programs {
            outbox.append(.event(client.program, .failedToConnect(peer, .connectionFailed)))
        }
    }

    mutating func connected(_ id: ConnectionID, _ address: DeviceAddress, into outbox: inout [Output]) {
        let peer = known(address)
        (connecting, isCancelling) = (nil, false)
        guard let index = attempts.firstIndex(where: { $0.peer == peer }) else {
            return outbox.append(.command(.disconnect(id, reason: .remoteUserTerminated)))
        }
        links.append(Link(id: id, peer: peer, clients: attempts.remove(at: index).programs))
        let link = links.count - 1
        prepare(link, into: &outbox)
        for client in links[link].clients {
            outbox.append(.event(client.program, .connected(peer, mtu: links[link].mtu)))
        }
        report(link, into: &outbox) { watch in watch.peers.contains(peer) }
    }

    /// Reports a connection to the programs that watch the peripheral.
    mutating func report(_ link: Int, into outbox: inout [Output], where isWatched: (Watch) -> Bool) {
        let peer = links[link].peer
        for index in watches.indices where isWatched(watches[index]) && !watches[index].reported.contains(peer) {
            watches[index].reported.append(peer)
            outbox.append(.event(watches[index].program, .connection(peer, isConnected: true)))
        }
    }

    mutating func disconnected(_ id: ConnectionID, _ reason: HCIStatus, into outbox: inout [Output]) {
        // A controller that fails changes the state, which ends everything silently.
        guard reason != .hardwareFailure, let index = links.firstIndex(where: { $0.id == id }) else { return }
        let link = links.remove(at: index)
        for index in watches.indices where watches[index].reported.contains(link.peer) {
            watches[index].reported.removeAll { $0 == link.peer }
            outbox.append(.event(watches[index].program, .connection(link.peer, isConnected: false)))
        }
        let failure = link.isEnding ? link.failure : CentralFailure(endOfLink: reason)
        for client in link.clients {
            let reconnects = client.options.reconnects && failure != nil
            outbox.append(
                .event(client.program, .disconnected(link.peer, failure, isReconnecting: reconnects)))
            if reconnects { connect(link.peer, client, into: &outbox) }
        }
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
