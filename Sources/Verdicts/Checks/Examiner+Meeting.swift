import Bluetooth
import GATT
import HCI
import LEHost
import Scenarios
import Simulation
import Spelling

// How the two come together and apart.
extension Examiner {
    /// What a peripheral advertises, in both of its packets.
    struct Advertised {
        /// Of the packet that is sent unasked; nil when it cannot be read.
        var data: AdvertisingData?
        /// Of the answer to a scanner; nil when there was none, or it cannot be read.
        var response: AdvertisingData?

        /// In both.
        var services: [UUID] { (data?.services ?? []) + (response?.services ?? []) }
        /// In either.
        var name: AdvertisingData.Structure? { structure(.completeLocalName) ?? structure(.shortenedLocalName) }

        /// The first of a type, in either.
        func structure(_ type: ADType) -> AdvertisingData.Structure? {
            [data, response].compactMap { $0?.structures.first { $0.type == type } }.first
        }
    }

    /// Starts, hears the peripheral, and comes as far with it as a check's scope has it.
    mutating func meet(as scope: Check.Scope) throws(CheckExit) {
        start()
        try hear()
        switch scope {
        case .advertising: return
        case .link: try link()
        case .narrow: try connect(exchangingMTU: false)
        case .connection: try connect()
        }
    }

    /// What it advertised when it was last heard.
    var advertised: Advertised {
        Advertised(
            data: advertisement.flatMap { try? AdvertisingData(octets: $0.data) },
            response: scanResponse.flatMap { try? AdvertisingData(octets: $0.data) })
    }

    /// The packet that it sends unasked.
    var advertisement: AdvertisingReport? { reports.last { $0.kind != .scanResponse } }

    /// The packet that it answers a scanner with.
    var scanResponse: AdvertisingReport? { reports.last { $0.kind == .scanResponse } }

    /// Listens until it has heard both packets of the peripheral, or one of them for long enough.
    mutating func hear() throws(CheckExit) {
        let isHeard = scan { examiner in
            guard examiner.wait(atMost: Self.hearing, until: { $0.advertisement != nil }) else { return false }
            // Else the answer to a scanner is among what was told.
            guard examiner.host.unsupportedReason(for: .advertisements) == nil else { return true }
            _ = examiner.wait(atMost: .seconds(3), due: Self.hearing) { $0.scanResponse != nil }
            return true
        }
        guard isHeard else { throw .inconclusive("\(peer) was not heard within \(Self.hearing.inWords)") }
    }

    /// Fails unless something is advertised; inconclusive when it could stand in a packet that was not heard.
    func expectAdvertised(_ isSo: Bool, _ expected: String, seen: @autoclosure () -> String) throws(CheckExit) {
        let answersScanners = advertisement?.kind == .undirected || advertisement?.kind == .scannable
        if !isSo, scanResponse == nil, answersScanners {
            throw .inconclusive("its answer to a scanner was not heard, where \(expected) could stand")
        }
        try expect(isSo, expected, seen: seen())
    }

    /// Scans while something else is done.
    mutating func scan<Answer>(_ action: (inout Examiner) -> Answer) -> Answer {
        if !isReady { _ = wait(atMost: .seconds(10), due: Self.hearing) { $0.isReady } }
        let always = ScanParameters(isActive: true, interval: 0x60, window: 0x60)
        command(.scan(always, filterDuplicates: false))
        defer { command(.stopScanning) }
        return action(&self)
    }

    /// The longest advertising interval, and as much again.  Core 6.0, Vol 6, Part B, section 4.4.2.2.
    private static let hearing = Duration.seconds(21)

    /// Connects; tries again when the first packets got lost, as any host would, or when somebody else's host could not.
    mutating func link() throws(CheckExit) {
        let parameters = ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x18, latency: 0, supervisionTimeout: 0x48)
        var failure: String?
        for _ in 0..<3 {
            beginConnecting(parameters, within: .seconds(30))
            _ = wait(atMost: .seconds(31)) { $0.connection != nil || $0.refusal != nil }
            guard connection != nil else {
                guard case .outside(let why)? = refusal else {
                    throw .inconclusive("no connection with \(peer) came about within 30 s")
                }
                failure = "no connection with \(peer) came about: \(why)"
                wait(.seconds(1))
                continue
            }
            // Six connection intervals of 30 ms without a packet, and it was none.  Core 6.0, Vol 6, Part B, section 4.5.2.
            guard wait(atMost: .milliseconds(200), due: .seconds(30), until: { $0.connection == nil }) else { return }
            failure = nil
            guard end == .failedToBeEstablished || end == .unspecified else { break }
        }
        throw .inconclusive(failure ?? "the connection ended as it began: \(endInWords)")
    }

    /// Connects, exchanges MTUs unless that is not wanted, and discovers everything.
    mutating func connect(exchangingMTU: Bool = true) throws(CheckExit) {
        try link()
        // A server need not know Exchange MTU: who does not stays at 23.
        if exchangingMTU { _ = ask(.exchangeMTU) }
        switch ask(.discoverEverything) {
        case .success(.services(let found))?:
            services = found.filter { host.unsupportedReason(for: .service($0.uuid)) == nil }
        case .failure(.unavailable(let why))?: throw .inconclusive("nothing was discovered: \(why)")
        case .failure(.refused(let error, let handle))?:
            let number = "0x\(handle.text(digits: 4, radix: 16))"
            throw .inconclusive("discovery was refused: \(error), handle \(number)")
        case .failure(.bearerLost)?: throw .inconclusive("a request of discovery was not answered within 30 s")
        case .failure(.disconnected)?, nil:
            throw .inconclusive("the connection ended during discovery: \(endInWords)")
        case let answer?: throw .inconclusive("what was discovered cannot be read: \(answer)")
        }
    }

    /// Ends the connection in good order.
    mutating func disconnect() {
        guard let connection else { return }
        command(.disconnect(connection, reason: .remoteUserTerminated))
        _ = wait(atMost: .seconds(5), due: Self.hearing) { $0.connection == nil }
    }

    /// Takes the peripheral out of range without a word, for longer than the link survives; where nobody can, its client.
    mutating func loseLink(for duration: Duration) throws(CheckExit) {
        guard let stage = host.stage else {
            try need(.lossOfLinks)
            try vanish()
            return wait(max(duration, supervisionTimeout + .seconds(1)))
        }
        try act(Action(.linkLoss, of: .device(stage.device)), for: duration)
        let isLost = wait(atMost: duration) { $0.connection == nil }
        guard isLost else {
            throw .inconclusive(
                "the link outlived \(duration.inWords) of silence; its supervision timeout was "
                    + supervisionTimeout.inWords)
        }
        wait(duration)
    }
}

extension Duration {
    /// `720 ms`, or `30 s` when it is whole.
    var inWords: String {
        let milliseconds = inNanoseconds / 1_000_000
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
