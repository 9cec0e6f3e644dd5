import Basics
import Bluetooth
import HCI
import LEHost

// The radio: scanning, and what is received.
extension SharedCentral {
    /// Lets the host do what the programs wait for.
    ///
    /// A host connects to one peer at a time, and does not scan meanwhile.  If a program scans, or waits for several
    /// peripherals, the service therefore scans, and connects to a peripheral that it receives.
    mutating func arrange(at now: Instant, into outbox: inout [Output]) {
        guard state == .on else { return }
        resolveLate(at: now, into: &outbox)
        let waiting = attempts.filter { attempt in !links.contains { $0.peer == attempt.peer } }
        let wanted = wantedScan(for: waiting.count)
        if let connecting {
            let isWanted = waiting.contains { $0.peer == connecting }
            guard !isCancelling, !isWanted || wanted != nil && !isConnectingBriefly else { return }
            isCancelling = true
            return outbox.append(.command(.cancelConnecting))
        }
        if wanted == nil, let attempt = waiting.first {
            connect(to: attempt.peer, for: nil, into: &outbox)
        } else if wanted != hostScan {
            hostScan = wanted
            wanted == nil ? stopScanning(at: now, into: &outbox) : scan(at: now, into: &outbox)
        }
    }

    /// How the host must scan while programs wait for a number of peripherals.
    private func wantedScan(for count: Int) -> HostScan? {
        if scanning.isWanted { return .programs }
        if monitors.isWanted { return .monitors }
        guard policy.connecting.background == nil else { return count > 0 ? .background : nil }
        return count > 1 ? .programs : nil
    }

    /// A program begins to scan.  A scan that runs, and reports each advertiser once, begins anew if the program's differs.
    ///
    /// Without power, there is nothing that would begin later.
    mutating func scan(_ options: ScanOptions, of program: ProgramID, at now: Instant, into outbox: inout [Output]) {
        guard state == .on else { return }
        let isNew = scanning.begin(options, of: program)
        if isNew, hostScan == .programs, policy.scanning.filtersDuplicates { scan(at: now, into: &outbox) }
    }

    private mutating func scan(at now: Instant, into outbox: inout [Output]) {
        var parameters = scanning.parameters
        if hostScan != .programs, let window = policy.connecting.background {
            parameters = ScanParameters(isActive: false, interval: window.interval, window: window.length)
        }
        // hci_passive_scan_sync in net/bluetooth/hci_sync.c: monitors need each advertisement.
        let filtersDuplicates = policy.scanning.filtersDuplicates && hostScan != .monitors
        hostScan == .monitors ? scanning.endPeriod() : scanning.beginPeriod(at: now)
        if scanning.periodEnd < .never { outbox.append(.wake(at: scanning.periodEnd)) }
        outbox.append(.command(.scan(parameters, filterDuplicates: filtersDuplicates)))
    }

    /// Lets a controller that scans for programs report each advertiser again, since programs wait for one: the kernel connects at
    /// the next advertisement.
    mutating func searchAgain(into outbox: inout [Output]) {
        guard hostScan == .programs, policy.connecting.background != nil, policy.scanning.filtersDuplicates else {
            return
        }
        outbox.append(.command(.scan(scanning.parameters, filterDuplicates: true)))
    }

    private mutating func stopScanning(at now: Instant, into outbox: inout [Output]) {
        publishUnanswered(before: nil, at: now, into: &outbox)
        scanning.endPeriod()
        outbox.append(.command(.stopScanning))
    }

    /// Begins the next period of a scan, in which the controller reports all advertisers again.
    mutating func endPeriod(at now: Instant, into outbox: inout [Output]) {
        guard scanning.periodEnd <= now else { return }
        publishUnanswered(before: nil, at: now, into: &outbox)
        scan(at: now, into: &outbox)
    }

    /// How long the service connects to a peripheral that it has just received.
    private static let briefly = Duration.seconds(2)

    private mutating func connect(to peer: DeviceAddress, for limit: Duration?, into outbox: inout [Output]) {
        if hostScan == .background || hostScan != nil && !scanning.isWanted && limit == nil {
            hostScan = nil
            scanning.endPeriod()
            outbox.append(.command(.stopScanning))
        }
        (connecting, isConnectingBriefly) = (peer, limit != nil)
        let creation = ConnectionCreation(to: peers.present(peer), parameters: policy.connecting.parameters)
        outbox.append(.command(.connect(creation, timeout: limit)))
    }

    // MARK: Advertisements

    mutating func receive(_ report: AdvertisingReport, at now: Instant, into outbox: inout [Output]) {
        publishUnanswered(before: report, at: now, into: &outbox)
        if policy.connecting.background != nil, report.kind.isConnectable {
            connectIfAwaited(peers.known(report.address), into: &outbox)
        }
        guard hostScan != .monitors else { return publish(report, nil, at: now, into: &outbox) }
        guard let received = scanning.receive(report) else { return }
        publish(received.report, received.response, at: now, into: &outbox)
    }

    private mutating func publishUnanswered(
        before report: AdvertisingReport?, at now: Instant, into outbox: inout [Output]
    ) {
        for report in scanning.takeUnanswered(before: report) { publish(report, nil, at: now, into: &outbox) }
    }

    private mutating func publish(
        _ report: AdvertisingReport, _ response: AdvertisingReport?, at now: Instant, into outbox: inout [Output]
    ) {
        let peer = peers.known(report.address)
        var advertisement = Advertisement(isConnectable: report.kind.isConnectable)
        advertisement.add(report.data)
        if let response { advertisement.add(response.data) }
        if let name = advertisement.name { _ = peers.rename(peer, name) }
        let isReported = scanning.report(
            advertisement, of: peer, named: peers.name(of: peer), rssi: report.rssi,
            to: policy.audience == .everyone ? programs : nil, into: &outbox)
        let monitoring = monitors.matching(report.data + (response?.data ?? []))
        if !isReported, !monitoring.isEmpty {
            tell(.discovered(peer, advertisement, rssi: report.rssi), into: &outbox)
        }
        for monitor in monitoring {
            outbox.append(.event(monitor.program, .monitored(id: monitor.id, peer, rssi: report.rssi)))
        }
        if isReported || !monitoring.isEmpty, let due = peers.hear(peer, at: now) { outbox.append(.wake(at: due)) }
        if advertisement.isConnectable { connectIfAwaited(peer, into: &outbox) }
    }

    /// Connects to a peripheral that was received, if programs wait for it.
    private mutating func connectIfAwaited(_ peer: DeviceAddress, into outbox: inout [Output]) {
        guard connecting == nil, attempts.contains(where: { $0.peer == peer }),
            !links.contains(where: { $0.peer == peer })
        else { return }
        connect(to: peer, for: Self.briefly, into: &outbox)
    }

    mutating func forgetSilent(at now: Instant, into outbox: inout [Output]) {
        guard peers.forgetDue <= now else { return }
        for peer in peers.forgetSilent(at: now) { tell(.forgotten(peer), into: &outbox) }
        if peers.forgetDue < .never { outbox.append(.wake(at: peers.forgetDue)) }
    }
}

extension AdvertisingReport.Kind {
    /// Whether a central may connect.
    fileprivate var isConnectable: Bool { self == .undirected || self == .directed }
}
