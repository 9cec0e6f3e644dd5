import ATT
import Basics
package import Bluetooth
import GATT
package import HCI
import LEHost
import ScenarioModel

// Scanning, connecting and disconnecting.
extension Examiner {
    /// The advertising and scan response data of a peripheral.
    package struct Advertised {
        /// Advertising data; nil if malformed.
        package var data: AdvertisingData?
        /// Scan response data; nil if absent or malformed.
        package var response: AdvertisingData?

        package var services: [UUID] { (data?.services ?? []) + (response?.services ?? []) }
        package var name: AdvertisingData.Structure? { structure(.completeLocalName) ?? structure(.shortenedLocalName) }

        /// The first AD structure of a type, in either.
        package func structure(_ type: ADType) -> AdvertisingData.Structure? {
            [data, response].compactMap { $0?.structures.first { $0.type == type } }.first
        }
    }

    /// Reaches the state that a scope requires: on the present connection if checks may share it, else on a new one.
    mutating func prepare(as scope: Check.Scope, avoidingBond avoids: Bool = false) throws(CheckExit) {
        if scope != .advertising { try expectAnswers() }
        avoidBond(avoids)
        if isShared(by: scope) { return }
        disconnect()
        try find()
        avoidBond(avoids)
        changeAddress(to: nil)
        switch scope {
        case .advertising: return
        case .link, .freshLink: try link()
        case .stranger:
            changeAddress(to: DeviceAddress(0xC000_0000_0000 | secrets.next() >> 18, .random))
            try link()
        case .narrow: try connect(exchangingMTU: false)
        case .connection, .freshConnection: try connect()
        }
        sharedScope = scope
    }

    /// Whether a check of this scope may use the present connection.
    func isShared(by scope: Check.Scope) -> Bool {
        connection != nil && scope.isShared && sharedScope == scope && hasUsualAddress
    }

    /// Whether other checks may use the present connection.
    var isShareable: Bool {
        connection != nil && sharedScope?.isShared == true && (configured.isEmpty || tape?.begin != nil)
    }

    /// Starts the host, and finds the peripheral if it has not been found.
    mutating func find() throws(CheckExit) {
        start()
        if advertisement == nil { try findAdvertiser() }
    }

    /// The peripheral's latest advertising.
    package var advertised: Advertised {
        Advertised(
            data: advertisement.flatMap { try? AdvertisingData(octets: $0.data, limit: .extended) },
            response: scanResponse.flatMap { try? AdvertisingData(octets: $0.data, limit: .extended) })
    }

    package var advertisement: AdvertisingReport? { reports.last { $0.kind != .scanResponse } }

    package var scanResponse: AdvertisingReport? { reports.last { $0.kind == .scanResponse } }

    /// Scans until both advertising and scan response data arrive, or the scan response is overdue; or without waiting for the
    /// response.
    package mutating func findAdvertiser(withResponse: Bool = true) throws(CheckExit) {
        let isFound = scan { examiner in
            guard examiner.awaitAdvertisement(within: Self.scanTime) else { return false }
            // Other hosts report both in one.
            guard withResponse, examiner.host.unsupportedReason(for: .advertisements) == nil else { return true }
            guard examiner.answersScanners else { return true }
            _ = examiner.wait(atMost: .seconds(3), due: Self.scanTime) { $0.scanResponse != nil }
            return true
        }
        guard isFound else { throw .inconclusive("no advertising from \(peer) within \(Self.scanTime.formatted)") }
    }

    /// Whether the peripheral can send a scan response.  Extended advertising is connectable or scannable, but not both.
    /// Core 6.0, Vol 6, Part B, section 2.3.1.
    private var answersScanners: Bool {
        switch advertisement?.kind {
        case .scannable: true
        case .undirected: advertisement?.isExtended == false
        default: false
        }
    }

    /// Fails unless the condition holds; inconclusive if scan response data is missing, which could change that.
    package func expectAdvertised(_ isSo: Bool, _ expected: String, seen: @autoclosure () -> String) throws(CheckExit) {
        if !isSo, scanResponse == nil, answersScanners {
            throw .inconclusive("the scan response, which could have \(expected), was not received")
        }
        try expect(isSo, expected, seen: seen())
    }

    /// Scans while `action` runs.
    mutating func scan<Answer>(_ action: (inout Examiner) -> Answer) -> Answer {
        if !isReady { _ = wait(atMost: .seconds(10), due: Self.scanTime) { $0.isReady } }
        let always = ScanParameters(isActive: true, interval: 0x60, window: 0x60)
        command(.scan(always, filterDuplicates: false))
        defer { command(.stopScanning) }
        return action(&self)
    }

    /// Twice the longest interval of legacy advertising.  Core 6.0, Vol 6, Part B, section 4.4.2.2.
    static let scanTime = Duration.seconds(21)

    /// Connects; tries up to three times if the first packets are lost or another host fails.
    mutating func link() throws(CheckExit) {
        try skipIfAbsent()
        let interval = host.connectionInterval
        let parameters = ConnectionParameters(
            minimumInterval: interval, maximumInterval: interval, latency: 0, supervisionTimeout: 0x48)
        var failure: String?
        var (attempts, moves) = (0, 0)
        while attempts < 3 {
            beginConnecting(parameters, within: .seconds(30))
            _ = wait(atMost: .seconds(31)) { $0.connection != nil || $0.latestLink.refusal != nil }
            guard connection != nil else {
                guard case .outside(let why)? = latestLink.refusal else {
                    guard case .name = peer, moves < Self.mostMoves else {
                        throw .inconclusive("could not connect to \(peer) within 30 s")
                    }
                    moves += 1
                    forgetReports()
                    try findAdvertiser(withResponse: false)
                    continue
                }
                attempts += 1
                failure = "could not connect to \(peer): \(why)"
                wait(.seconds(1))
                continue
            }
            // Six connection intervals without a packet end it.  Core 6.0, Vol 6, Part B, section 4.5.2.
            let begun = Duration.milliseconds(Int(interval) * 8)
            if let connection { command(.readRemoteFeatures(connection)) }
            _ = wait(atMost: begun, due: .seconds(30)) { $0.connection == nil || $0.latestLink.isEstablished }
            if connection != nil {
                // Only in a simulation does the next check begin with a peripheral that was never connected.
                if isReal { knowledge.absence = nil }
                return
            }
            attempts += 1
            failure = nil
            guard latestLink.end == .failedToBeEstablished || latestLink.end == .unspecified else { break }
        }
        throw .inconclusive(failure ?? "the connection ended immediately: \(endReason)")
    }

    /// How often to look for another private address of a peripheral that was found by its name, if it cannot be reached.
    private static let mostMoves = 5

    /// Connects, exchanges the MTU if `exchangingMTU`, and discovers all attributes.
    package mutating func connect(exchangingMTU: Bool = true) throws(CheckExit) {
        try expectAnswers()
        try link()
        secureIfRequested()
        if exchangingMTU, !knowledge.hasGivenUp(.exchangeMTU) { try exchangeMTU() }
        if hasEarlierServices() {
            (services, reusesAttributes) = (earlierServices, true)
        } else {
            try discover()
        }
        secureIfRequested()
    }

    /// Pairs if the peripheral has sent Security Request.  Core 6.0, Vol 3, Part H, section 2.4.6.
    private mutating func secureIfRequested() {
        guard security.request != nil, !security.isEncrypted, case .none = security.demand else { return }
        _ = secures(after: .insufficientAuthentication)
    }

    /// Whether the primary services are those of an earlier connection.
    private mutating func hasEarlierServices() -> Bool {
        guard !earlierServices.isEmpty, host.unsupportedReason(for: .packets) == nil,
            case .success(.services(let found))? = ask(.discoverPrimaryServices)
        else { return false }
        let earlier = earlierServices.filter(\.isPrimary)
        return found.map(\.uuid) == earlier.map(\.uuid) && found.map(\.range) == earlier.map(\.range)
    }

    /// Inconclusive if the peripheral has left requests unanswered.
    private func expectAnswers() throws(CheckExit) {
        if let reason = knowledge.reason { throw .inconclusive(reason) }
    }

    /// A server may reject Exchange MTU; the MTU stays 23.
    private mutating func exchangeMTU() throws(CheckExit) {
        switch ask(.exchangeMTU) {
        case .success?, .failure(.refused)?: knowledge.end(.exchangeMTU)
        case .failure(.bearerLost)?: throw unanswered(.exchangeMTU)
        default: break
        }
    }

    private mutating func unanswered(_ request: Knowledge.Request) -> CheckExit {
        knowledge.note(request)
        // Of discovery, only the first request is known by name here.
        let isFirst = answered.allSatisfy { $0.first == ATT.Opcode.exchangeMTUResponse.rawValue }
        let name = isFirst ? request.rawValue : "a request of discovery"
        return .inconclusive("the peripheral did not answer \(name) within 30 s")
    }

    /// Discovers all attributes.
    package mutating func discover() throws(CheckExit) {
        reusesAttributes = false
        let answer = ask(.discoverEverything)
        switch answer {
        case .failure(.bearerLost)?, .failure(.unavailable)?, .failure(.disconnected)?, nil: break
        default: knowledge.end(.discovery)
        }
        switch answer {
        case .success(.services(let found))?:
            services = found.filter { host.unsupportedReason(for: .service($0.uuid)) == nil }
        case .failure(.unavailable(let why))?: throw .inconclusive("discovery is not possible: \(why)")
        case .failure(.refused(let error, let handle))?:
            throw .inconclusive("the peripheral refused discovery: \(error), handle \(handle.inHex)")
        case .failure(.bearerLost)?: throw unanswered(.discovery)
        case .failure(.disconnected)?, nil:
            throw .inconclusive("the connection ended during discovery: \(endReason)")
        case .failure(.tooMuch)?: throw .inconclusive("discovery is not possible: \(Self.tooMany)")
        case let answer?: throw .inconclusive("the peripheral's answer to discovery is malformed: \(answer)")
        }
    }

    package mutating func disconnect() {
        disconnectKeepingAddress()
        changeAddress(to: nil)
    }

    mutating func disconnectKeepingAddress() {
        guard let connection else { return }
        if security.usesKeptBond { endSubscriptions() }
        command(.disconnect(connection, reason: .remoteUserTerminated))
        _ = wait(atMost: .seconds(5), due: Self.scanTime) { $0.connection == nil }
    }

    /// Loses the link: takes a simulated peripheral out of range, or resets the examiner's controller.
    package mutating func loseLink(for duration: Duration) throws(CheckExit) {
        guard let simulated = host.simulated else {
            try require(.lossOfLinks)
            try resetController()
            try require(.lossOfLinks)  // known by the reset
            return wait(max(duration, latestLink.supervisionTimeout + .seconds(1)))
        }
        try act(Action(.linkLoss, of: .device(simulated.device)), for: duration)
        let isLost = wait(atMost: duration) { $0.connection == nil }
        guard isLost else {
            throw .inconclusive(
                "the link survived \(duration.formatted) without packets; supervision timeout "
                    + latestLink.supervisionTimeout.formatted)
        }
        wait(duration)
    }
}

extension Duration {
    /// `720 ms`, or `30 s` for whole seconds.
    package var formatted: String {
        let milliseconds = inNanoseconds / 1_000_000
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
