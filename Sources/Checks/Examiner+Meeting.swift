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
    mutating func meet(as scope: Check.Scope) throws(Ending) {
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
    mutating func hear() throws(Ending) {
        if !isReady { _ = wait(atMost: .seconds(10)) { $0.isReady } }
        let always = ScanParameters(isActive: true, interval: 0x60, window: 0x60)
        command(.scan(always, filterDuplicates: false))
        let isHeard = wait(atMost: Self.hearing) { $0.advertisement != nil }
        if isHeard { _ = wait(atMost: .seconds(3)) { $0.scanResponse != nil } }
        command(.stopScanning)
        guard isHeard else { throw .inconclusive("\(address) was not heard within \(Self.hearing.inWords)") }
    }

    /// The longest advertising interval, and as much again.  Core 6.0, Vol 6, Part B, section 4.4.2.2.
    private static let hearing = Duration.seconds(21)

    /// Connects; tries again when the first packets got lost, as any host would.
    mutating func link() throws(Ending) {
        let parameters = ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x18, latency: 0, supervisionTimeout: 0x48)
        for _ in 0..<3 {
            beginConnecting(parameters, within: .seconds(30))
            _ = wait(atMost: .seconds(31)) { $0.connection != nil || $0.hasFailedToConnect }
            guard connection != nil else {
                throw .inconclusive("no connection with \(address) came about within 30 s")
            }
            // Six connection intervals of 30 ms without a packet, and it was none.  Core 6.0, Vol 6, Part B, section 4.5.2.
            guard wait(atMost: .milliseconds(200), until: { $0.connection == nil }) else { return }
            guard end == .failedToBeEstablished else { break }
        }
        throw .inconclusive("the connection ended as it began: \(end.map { "\($0)" } ?? "nobody says why")")
    }

    /// Connects, exchanges MTUs unless that is not wanted, and discovers everything.
    mutating func connect(exchangingMTU: Bool = true) throws(Ending) {
        try link()
        // A server need not know Exchange MTU: who does not stays at 23.
        if exchangingMTU { _ = ask(.exchangeMTU) }
        switch ask(.discoverEverything) {
        case .success(.services(let found))?: services = found
        case .failure(.refused(let error, let handle))?:
            let number = "0x\(handle.text(digits: 4, radix: 16))"
            throw .inconclusive("discovery was refused: \(error), handle \(number)")
        case .failure(.bearerLost)?: throw .inconclusive("a request of discovery was not answered within 30 s")
        case .failure(.disconnected)?, nil:
            throw .inconclusive("the connection ended during discovery: \(end.map { "\($0)" } ?? "nobody says why")")
        case let answer?: throw .inconclusive("what was discovered cannot be read: \(answer)")
        }
    }

    /// Ends the connection in good order.
    mutating func disconnect() {
        guard let connection else { return }
        command(.disconnect(connection, reason: .remoteUserTerminated))
        _ = wait(atMost: .seconds(5)) { $0.connection == nil }
    }

    /// Takes the peripheral out of range without a word, for longer than the link survives.
    mutating func loseLink(for duration: Duration) throws(Ending) {
        act(Action(.linkLoss, of: .device(device)), for: duration)
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
