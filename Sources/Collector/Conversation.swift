import Bluetooth
import Characteristics
import GATT
import LEHost
import Octets
import Simulation

/// What is asked and answered over one connection: MTU, discovery, and what `Known` says of each characteristic that
/// is found.  It begins again when the server says that its attributes have changed.
struct Conversation: Sendable {
    /// What a procedure that is under way is for.
    fileprivate enum Purpose: Equatable, Sendable {
        case mtu
        case discovery
        /// Of a row of `Known.all`.
        case read(Int)
        /// To a row of `Known.all`.
        case subscription(Int)
        case features
        case polar
    }

    /// What has become of the connection.
    enum Progress: Equatable, Sendable {
        case goesOn
        /// What the client is there for comes from now on.
        case subscribed
        /// There is no use in it: why.
        case failed(String)
    }

    typealias Output = SensorCollector.Output

    let id: ConnectionID
    let peer: SensorCollector.Peer
    /// The number of the procedure that was asked for last, over all connections.
    private(set) var lastProcedure: UInt32

    private let settings: SensorCollector.Settings
    private var underWay: [(number: UInt32, purpose: Purpose)] = []
    private var targets: [Target] = []
    private var mustDiscoverAgain = false
    private var isSubscribed = false
    private var asksAgainAt = Instant.never
    /// How often the server has said Database Out Of Sync since it last did what it was asked for.
    private var timesOutOfSync = 0
    private static let mostTimesOutOfSync = 3

    /// Robust Caching, and Multiple Handle Value Notifications.  Core 6.0, Vol 3, Part G, section 7.2.
    private static let supportedFeatures: [UInt8] = [0x05]

    /// Before the first procedure.
    init(
        _ id: ConnectionID, with peer: SensorCollector.Peer, _ settings: SensorCollector.Settings,
        after lastProcedure: UInt32
    ) {
        (self.id, self.peer, self.settings, self.lastProcedure) = (id, peer, settings, lastProcedure)
    }

    // MARK: Asking

    mutating func begin(into outbox: inout [Output]) {
        if settings.exchangesMTU { ask(.exchangeMTU, for: .mtu, into: &outbox) }
        ask(.discoverEverything, for: .discovery, into: &outbox)
    }

    private mutating func ask(_ procedure: Procedure, for purpose: Purpose, into outbox: inout [Output]) {
        lastProcedure &+= 1
        underWay.append((lastProcedure, purpose))
        outbox.append(.command(.procedure(id, procedure, id: lastProcedure)))
    }

    /// Asks for all that is known of these services; fails when that is nothing.
    private mutating func discovered(
        _ services: [DiscoveredService], _ values: inout Values, at now: Instant, into outbox: inout [Output]
    ) -> Progress {
        if mustDiscoverAgain {
            mustDiscoverAgain = false
            ask(.discoverEverything, for: .discovery, into: &outbox)
            return .goesOn
        }
        var mute: [Known] = []
        targets = Target.all(in: services, mute: &mute).filter {
            settings.readsDeviceInformation || $0.known.service != .deviceInformation
        }
        for known in mute { say(.error("\(peer) cannot notify its \(known.name)"), into: &outbox) }
        guard targets.contains(where: \.isHope) else { return .failed("\(peer) has nothing that this client knows") }
        isSubscribed = false
        values.hasMeasurements = target(.heartRates) != nil
        values.polar = PolarStream()
        for target in targets where target.ways.contains(.read) { read(target, into: &outbox) }
        for target in targets {
            if let configuration = target.configuration {
                let procedure = Procedure.subscribe(handle: configuration, to: target.subscription)
                ask(procedure, for: .subscription(target.row), into: &outbox)
            } else if case .clientFeatures = target.known.meaning {
                ask(.write(handle: target.handle, value: Self.supportedFeatures), for: .features, into: &outbox)
            }
        }
        askAgainLater(at: now, into: &outbox)
        return .goesOn
    }

    private mutating func read(_ target: Target, into outbox: inout [Output]) {
        let isLong = target.known.uses.contains(.long)
        let procedure = isLong ? Procedure.readLong(handle: target.handle) : .read(handle: target.handle)
        ask(procedure, for: .read(target.row), into: &outbox)
    }

    private mutating func askAgainLater(at now: Instant, into outbox: inout [Output]) {
        guard let every = settings.asksOnDemand, targets.contains(where: \.isAskedAgain) else { return }
        asksAgainAt = now.advanced(by: max(every, .milliseconds(10)))
        outbox.append(.wake(at: asksAgainAt))
    }

    /// Reads again what is to be read every so often, if that is due; what has not been answered yet is not asked again.
    mutating func timePassed(at now: Instant, into outbox: inout [Output]) {
        guard asksAgainAt <= now else { return }
        for target in targets
        where target.isAskedAgain && !underWay.contains(where: { $0.purpose == .read(target.row) }) {
            read(target, into: &outbox)
        }
        asksAgainAt = .never
        askAgainLater(at: now, into: &outbox)
    }

    // MARK: Answers

    /// Takes the end of a procedure.  Only the loss of all that the client is there for ends the connection.
    mutating func finished(
        _ number: UInt32, _ result: Result<Procedure.Outcome, Procedure.Failure>, _ values: inout Values,
        at now: Instant, into outbox: inout [Output]
    ) -> Progress {
        guard let index = underWay.firstIndex(where: { $0.number == number }) else { return .goesOn }
        let purpose = underWay.remove(at: index).purpose
        switch result {
        case .success(let outcome): return succeeded(purpose, outcome, &values, at: now, into: &outbox)
        case .failure(let failure): return failed(purpose, failure, &values, into: &outbox)
        }
    }

    private mutating func succeeded(
        _ purpose: Purpose, _ outcome: Procedure.Outcome, _ values: inout Values, at now: Instant,
        into outbox: inout [Output]
    ) -> Progress {
        if purpose != .discovery, purpose != .mtu { timesOutOfSync = 0 }
        switch (purpose, outcome) {
        case (.discovery, .services(let services)): return discovered(services, &values, at: now, into: &outbox)
        case (.read(let row), .value(let octets)):
            guard let index = targets.firstIndex(where: { $0.row == row }) else { return .goesOn }
            targets[index].ways.insert(.read)
            return take(octets[...], of: index, by: .read, &values, at: now, into: &outbox)
        case (.subscription(let row), _):
            guard let index = targets.firstIndex(where: { $0.row == row }) else { return .goesOn }
            targets[index].isSubscribed = true
            startPolar(&values, into: &outbox)
            guard targets[index].isHope, !isSubscribed else { return .goesOn }
            isSubscribed = true
            say(.state(.subscribed), into: &outbox)
            return .subscribed
        default: return .goesOn
        }
    }

    private mutating func failed(
        _ purpose: Purpose, _ failure: Procedure.Failure, _ values: inout Values, into outbox: inout [Output]
    ) -> Progress {
        let why = "\(purpose.words) failed: \(failure.words)"
        switch (purpose, failure) {
        case (_, .disconnected): return .goesOn  // the host tells of that next
        case (_, .bearerLost), (.discovery, _): return .failed(why)
        case (.mtu, .refused): return .goesOn  // a server does not have to know it
        case (_, .refused(.databaseOutOfSync, _)) where timesOutOfSync < Self.mostTimesOutOfSync:
            timesOutOfSync += 1
            discoverAgain(.everything, into: &outbox)
            return .goesOn
        case (.read(let row), _): return lost(.read, of: row, why, &values, into: &outbox)
        case (.subscription(let row), _): return lost(.listen, of: row, why, &values, into: &outbox)
        case (.polar, _): return lostPolar(why, &values, into: &outbox)
        case (.mtu, _), (.features, _):
            say(.error(why), into: &outbox)
            return .goesOn
        }
    }

    /// A value will not come in one of its ways.
    private mutating func lost(
        _ way: Known.Uses, of row: Int, _ why: String, _ values: inout Values, into outbox: inout [Output]
    ) -> Progress {
        guard let index = targets.firstIndex(where: { $0.row == row }) else { return .goesOn }
        targets[index].ways.remove(way)
        if targets[index].known.uuid == .heartRates { values.hasMeasurements = false }
        guard targets.contains(where: { $0.isHope && !$0.ways.isEmpty }) else { return .failed(why) }
        complain(of: index, by: way, why, into: &outbox)
        return .goesOn
    }

    /// Says that a value did not come, or was malformed, unless the one before was so too.
    private mutating func complain(
        of index: Int, by way: Known.Uses, _ why: @autoclosure () -> String, into outbox: inout [Output]
    ) {
        guard !targets[index].faults.contains(way) else { return }
        targets[index].faults.insert(way)
        say(.error(why()), into: &outbox)
    }

    // MARK: Values

    /// Takes a value that the peer notified or indicated, be the subscription answered or not.
    mutating func heard(
        _ handle: UInt16, _ octets: ArraySlice<UInt8>, isIndicated: Bool, _ values: inout Values, at now: Instant,
        into outbox: inout [Output]
    ) -> Progress {
        let index = targets.firstIndex { target in
            target.handle == handle && target.configuration != nil
                && isIndicated == (target.subscription == .indication)
        }
        guard let index else { return .goesOn }
        return take(octets, of: index, by: .listen, &values, at: now, into: &outbox)
    }

    private mutating func take(
        _ octets: ArraySlice<UInt8>, of index: Int, by way: Known.Uses, _ values: inout Values, at now: Instant,
        into outbox: inout [Output]
    ) -> Progress {
        let row = targets[index].row
        var progress = Progress.goesOn
        do throws(Malformed) {
            switch Known.all[row].meaning {
            case .serviceChanged:
                discoverAgain(try ServiceChanged(octets: Array(octets)), into: &outbox)
                return .goesOn
            case .polarControlPoint: progress = try polarSaid(Array(octets), by: way, &values, into: &outbox)
            case let meaning: try values.take(octets, as: meaning, at: now, into: &outbox)
            }
            if targets[index].faults.contains(way) { targets[index].faults.remove(way) }
        } catch {
            complain(of: index, by: way, Known.all[row].words(for: octets, error), into: &outbox)
        }
        return progress
    }

    /// Forgets what has these handles, and what is under way, and asks for everything again.
    private mutating func discoverAgain(_ change: ServiceChanged, into outbox: inout [Output]) {
        targets.removeAll { change.handles.contains($0.handle) }
        underWay.removeAll { $0.purpose != .mtu && $0.purpose != .discovery }
        if underWay.contains(where: { $0.purpose == .discovery }) {
            mustDiscoverAgain = true
        } else {
            ask(.discoverEverything, for: .discovery, into: &outbox)
        }
    }

    // MARK: Polar's electrocardiogram

    /// Asks for it when everything is subscribed to, unless there is another.
    private mutating func startPolar(_ values: inout Values, into outbox: inout [Output]) {
        let isReady = [UUID.polarControlPoint, .polarData].allSatisfy { target($0)?.isSubscribed == true }
        guard isReady, target(.ecgSamples) == nil, let request = values.polar.start() else { return }
        self.request(request, into: &outbox)
    }

    private mutating func request(_ request: PMD.Request, into outbox: inout [Output]) {
        guard let handle = target(.polarControlPoint)?.handle else { return }
        ask(.write(handle: handle, value: request.octets), for: .polar, into: &outbox)
    }

    private mutating func polarSaid(
        _ octets: [UInt8], by way: Known.Uses, _ values: inout Values, into outbox: inout [Output]
    ) throws(Malformed) -> Progress {
        if way == .read {
            values.polar.offers(try PMD.Features(octets: octets))
            return .goesOn
        }
        switch values.polar.answered(try PMD.Response(octets: octets)) {
        case .nothing: return .goesOn
        case .write(let request):
            self.request(request, into: &outbox)
            return .goesOn
        case .refused(let status):
            let why = "\(Purpose.polar.words) failed: status \(status.rawValue)"
            return lostPolar(why, &values, into: &outbox)
        }
    }

    private mutating func lostPolar(
        _ why: String, _ values: inout Values, into outbox: inout [Output]
    ) -> Progress {
        guard let row = target(.polarData)?.row else { return .goesOn }
        return lost(.listen, of: row, why, &values, into: &outbox)
    }

    private func target(_ uuid: UUID) -> Target? { targets.first { $0.known.uuid == uuid } }

    private func say(_ content: SensorCollector.Content, into outbox: inout [Output]) {
        outbox.append(.said(SensorCollector.Saying(content, of: peer)))
    }
}

extension Conversation.Purpose {
    /// What is done.
    fileprivate var words: String {
        switch self {
        case .mtu: "exchanging the MTU"
        case .discovery: "discovering the services"
        case .read(let row): "reading \(Known.all[row].name)"
        case .subscription(let row): "subscribing to \(Known.all[row].name)"
        case .features: "writing Client Supported Features"
        case .polar: "starting the PMD stream"
        }
    }
}

extension Procedure.Failure {
    /// For people.
    fileprivate var words: String {
        switch self {
        case .refused(let error, let handle): "\(error) for handle \(handle)"
        case .malformed(let malformed): "the response is malformed: \(malformed)"
        case .unexpected(let opcode): "the answer is another PDU, opcode \(opcode)"
        case .handleOutOfOrder(let handle): "handle \(handle) is out of order"
        case .tooMuch: "there is more than can be remembered"
        case .valueTooLong(let count): "\(count) octets do not fit into one PDU"
        case .handleCount(let count): "\(count) handles are too few or too many for one PDU"
        case .echoDiffers(let handle): "the server repeated a part for handle \(handle) wrongly"
        case .bearerLost: "no answer within 30 s"
        case .disconnected: "disconnected"
        }
    }
}
