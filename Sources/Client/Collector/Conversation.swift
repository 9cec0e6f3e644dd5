import Bluetooth
import Characteristics
import GATT
import LEHost
import Octets
import Services
import Simulation

/// What is asked and answered over one connection: MTU, discovery, and what `SupportedCharacteristic` says of each characteristic that
/// is found.  It begins again when the server says that its attributes have changed.
struct Conversation: Sendable {
    /// What a procedure that is under way is for.
    enum Purpose: Equatable, Sendable {
        case mtu
        case discovery
        /// Whether everything is where it was.
        case check
        /// Of a row of `SupportedCharacteristic.all`.
        case read(Int)
        /// To a row of `SupportedCharacteristic.all`.
        case subscription(Int)
        case features
        case energy
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
    /// Whether the device has advertised what the client is there for.
    let isPromising: Bool
    var underWay: [(number: UInt32, purpose: Purpose)] = []
    var targets: [Target] = []
    private var mustDiscoverAgain = false
    private(set) var isSubscribed = false
    private var asksAgainAt = Instant.never
    /// When subscriptions are written again that were refused.
    private var subscribesAgainAt = Instant.never
    static let patience = Duration.seconds(5)
    /// When to look whether everything is where it was.
    var checksAt = Instant.never
    /// When a stream of Polar's that has been asked for will not come any more.
    private var polarDeadline = Instant.never
    /// As long as a server has for an answer by ATT.
    private static let answerTimeout = Duration.seconds(30)
    /// Of what is displayed until it is too old: rows of `SupportedCharacteristic.all`.
    var freshness: [(row: Int, of: Freshness)] = []
    /// Whether the server has been asked to count the energy anew, and has not begun to.
    var hasResetEnergy = false
    /// Whether it has been said that the heart rate is too old, and none has come since.
    var hasCleared = false
    /// How often the server has said Database Out Of Sync since it last did what it was asked for.
    private var timesOutOfSync = 0
    private static let mostTimesOutOfSync = 3

    /// Robust Caching, and Multiple Handle Value Notifications.  Core 6.0, Vol 3, Part G, section 7.2.
    private static let supportedFeatures: [UInt8] = [0x05]

    /// Before the first procedure.
    init(
        _ id: ConnectionID, with peer: SensorCollector.Peer, isPromising: Bool, _ settings: SensorCollector.Settings,
        after lastProcedure: UInt32
    ) {
        (self.id, self.peer, self.settings, self.lastProcedure) = (id, peer, settings, lastProcedure)
        self.isPromising = isPromising
    }

    // MARK: Asking

    mutating func begin(into outbox: inout [Output]) {
        if settings.exchangesMTU { ask(.exchangeMTU, for: .mtu, into: &outbox) }
        ask(.discoverEverything, for: .discovery, into: &outbox)
    }

    mutating func ask(_ procedure: Procedure, for purpose: Purpose, into outbox: inout [Output]) {
        lastProcedure &+= 1
        underWay.append((lastProcedure, purpose))
        outbox.append(.command(.procedure(id, procedure, id: lastProcedure)))
    }

    /// Asks for all that is known of these services; fails when that is nothing.
    mutating func discovered(
        _ services: [DiscoveredService], _ decoder: inout ValueDecoder, at now: Instant, into outbox: inout [Output]
    ) -> Progress {
        if mustDiscoverAgain {
            mustDiscoverAgain = false
            ask(.discoverEverything, for: .discovery, into: &outbox)
            return .goesOn
        }
        var mute: [SupportedCharacteristic] = []
        targets = self.targets(in: services, mute: &mute)
        for characteristic in mute {
            say(.error("\(peer) cannot notify its \(characteristic.name)"), into: &outbox)
        }
        guard targets.contains(where: \.isHope) else { return .failed("\(peer) has nothing that this client knows") }
        isSubscribed = false
        decoder.hasMeasurements = target(.heartRates) != nil
        decoder.polar = PolarStream()
        // First what tells of attributes that change, since they may while all others are asked for.
        for target in targets where target.characteristic.service == .genericAttribute { follow(target, into: &outbox) }
        for target in targets where target.ways.contains(.read) { read(target, into: &outbox) }
        for target in targets where target.characteristic.service != .genericAttribute && target.configuration != nil {
            subscribe(to: target, into: &outbox)
        }
        askAgainLater(at: now, into: &outbox)
        if isDoubtful { checkLater(at: now, into: &outbox) }
        return .goesOn
    }

    func targets(in services: [DiscoveredService], mute: inout [SupportedCharacteristic]) -> [Target] {
        Target.all(in: services, mute: &mute).filter {
            settings.readsDeviceInformation || $0.characteristic.service != .deviceInformation
        }
    }

    /// Asks to be told of attributes that change.  Core 6.0, Vol 3, Part G, sections 2.5.2 and 7.1 to 7.3.
    private mutating func follow(_ target: Target, into outbox: inout [Output]) {
        if target.configuration != nil {
            subscribe(to: target, into: &outbox)
        } else if target.characteristic.use == .clientSupportedFeatures {
            ask(.write(handle: target.handle, value: Self.supportedFeatures), for: .features, into: &outbox)
        }
    }

    private mutating func read(_ target: Target, into outbox: inout [Output]) {
        let isLong = target.characteristic.access.contains(.long)
        let procedure = isLong ? Procedure.readLong(handle: target.handle) : .read(handle: target.handle)
        ask(procedure, for: .read(target.row), into: &outbox)
    }

    private mutating func askAgainLater(at now: Instant, into outbox: inout [Output]) {
        guard let every = settings.asksOnDemand, targets.contains(where: \.isAskedAgain) else { return }
        asksAgainAt = now.advanced(by: max(every, .milliseconds(10)))
        outbox.append(.wake(at: asksAgainAt))
    }

    /// Does what is due: clears what is too old, and reads what is to be read every so often.
    mutating func timePassed(
        at now: Instant, _ decoder: inout ValueDecoder, into outbox: inout [Output]
    ) -> Progress {
        clearWhatIsOver(at: now, into: &outbox)
        readAgain(at: now, into: &outbox)
        subscribeAgain(at: now, into: &outbox)
        check(at: now, into: &outbox)
        guard polarDeadline <= now else { return .goesOn }
        polarDeadline = .never
        guard decoder.polar.isAsking else { return .goesOn }
        let why = "\(Purpose.polar.words) failed: \(Procedure.Failure.bearerLost.words)"
        return lostPolar(why, &decoder, into: &outbox)
    }

    /// Tries again, once all that was refused at about this time can be asked for together.
    private mutating func subscribeLater(_ row: Int, at now: Instant, into outbox: inout [Output]) {
        guard let index = targets.firstIndex(where: { $0.row == row }), targets[index].isHope else { return }
        targets[index].mustSubscribe = true
        guard subscribesAgainAt == .never else { return }
        subscribesAgainAt = now.advanced(by: Self.patience)
        outbox.append(.wake(at: subscribesAgainAt))
    }

    private mutating func subscribeAgain(at now: Instant, into outbox: inout [Output]) {
        guard subscribesAgainAt <= now else { return }
        subscribesAgainAt = .never
        for index in targets.indices where targets[index].mustSubscribe {
            targets[index].mustSubscribe = false
            subscribe(to: targets[index], into: &outbox)
        }
    }

    private mutating func subscribe(to target: Target, into outbox: inout [Output]) {
        guard let configuration = target.configuration else { return }
        let procedure = Procedure.subscribe(handle: configuration, to: target.subscription)
        ask(procedure, for: .subscription(target.row), into: &outbox)
    }

    /// What has not been answered yet is not asked again.
    private mutating func readAgain(at now: Instant, into outbox: inout [Output]) {
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
        _ number: UInt32, _ result: Result<Procedure.Outcome, Procedure.Failure>, _ decoder: inout ValueDecoder,
        at now: Instant, into outbox: inout [Output]
    ) -> Progress {
        guard let index = underWay.firstIndex(where: { $0.number == number }) else { return .goesOn }
        let purpose = underWay.remove(at: index).purpose
        switch result {
        case .success(let outcome): return succeeded(purpose, outcome, &decoder, at: now, into: &outbox)
        case .failure(let failure): return failed(purpose, failure, &decoder, at: now, into: &outbox)
        }
    }

    private mutating func succeeded(
        _ purpose: Purpose, _ outcome: Procedure.Outcome, _ decoder: inout ValueDecoder, at now: Instant,
        into outbox: inout [Output]
    ) -> Progress {
        if purpose != .discovery, purpose != .mtu { timesOutOfSync = 0 }
        switch (purpose, outcome) {
        case (.discovery, .services(let services)): return discovered(services, &decoder, at: now, into: &outbox)
        case (.check, .services(let services)): return checked(services, &decoder, at: now, into: &outbox)
        case (.discovery, _), (.check, _): return .failed("\(purpose.words) failed: the host found none")
        case (.read(let row), .value(let octets)):
            guard let index = targets.firstIndex(where: { $0.row == row }) else { return .goesOn }
            targets[index].ways.insert(.read)
            return take(octets[...], of: index, by: .read, &decoder, at: now, into: &outbox)
        case (.subscription(let row), _):
            guard let index = targets.firstIndex(where: { $0.row == row }) else { return .goesOn }
            targets[index].isSubscribed = true
            targets[index].ways.insert(.subscribe)
            if targets[index].characteristic.role == .heartRates { decoder.hasMeasurements = true }
            startPolar(&decoder, at: now, into: &outbox)
            guard targets[index].isHope, !isSubscribed else { return .goesOn }
            isSubscribed = true
            say(.state(.subscribed), into: &outbox)
            return .subscribed
        default: return .goesOn
        }
    }

    private mutating func failed(
        _ purpose: Purpose, _ failure: Procedure.Failure, _ decoder: inout ValueDecoder, at now: Instant,
        into outbox: inout [Output]
    ) -> Progress {
        let why = "\(purpose.words) failed: \(failure.words)"
        switch (purpose, failure) {
        case (_, .disconnected): return .goesOn  // the host tells of that next
        case (_, .bearerLost): return .failed(why)
        case (.mtu, .refused): return .goesOn  // a server does not have to know it
        case (_, .refused(.databaseOutOfSync, _)) where timesOutOfSync < Self.mostTimesOutOfSync:
            timesOutOfSync += 1
            discoverAgain(.everything, into: &outbox)
            return .goesOn
        case (.discovery, _), (.check, _): return .failed(why)
        case (.read(let row), _): return lost(.read, of: row, why, &decoder, into: &outbox)
        case (.subscription(let row), _):
            let progress = lost(.subscribe, of: row, why, &decoder, into: &outbox)
            if case .goesOn = progress { subscribeLater(row, at: now, into: &outbox) }
            return progress
        case (.polar, _): return lostPolar(why, &decoder, into: &outbox)
        case (.mtu, _), (.features, _), (.energy, _):
            say(.error(why), into: &outbox)
            return .goesOn
        }
    }

    /// A value will not come in one of its ways.
    private mutating func lost(
        _ way: SupportedCharacteristic.Access, of row: Int, _ why: String, _ decoder: inout ValueDecoder,
        into outbox: inout [Output]
    ) -> Progress {
        guard let index = targets.firstIndex(where: { $0.row == row }) else { return .goesOn }
        targets[index].ways.remove(way)
        if targets[index].characteristic.role == .heartRates { decoder.hasMeasurements = false }
        guard targets.contains(where: { $0.isHope && !$0.ways.isEmpty }) else { return .failed(why) }
        complain(of: index, by: way, why, into: &outbox)
        return .goesOn
    }

    /// Says that a value did not come, or was malformed, unless the one before was so too.
    private mutating func complain(
        of index: Int, by way: SupportedCharacteristic.Access, _ why: @autoclosure () -> String,
        into outbox: inout [Output]
    ) {
        guard !targets[index].faults.contains(way) else { return }
        targets[index].faults.insert(way)
        say(.error(why()), into: &outbox)
    }

    // MARK: Values

    /// Takes a value that the peer notified or indicated, be the subscription answered or not.
    mutating func heard(
        _ handle: UInt16, _ octets: ArraySlice<UInt8>, isIndicated: Bool, _ decoder: inout ValueDecoder,
        at now: Instant,
        into outbox: inout [Output]
    ) -> Progress {
        let index = targets.firstIndex { target in
            target.handle == handle && target.configuration != nil
                && isIndicated == (target.subscription == .indication)
        }
        guard let index else { return .goesOn }
        return take(octets, of: index, by: .subscribe, &decoder, at: now, into: &outbox)
    }

    private mutating func take(
        _ octets: ArraySlice<UInt8>, of index: Int, by way: SupportedCharacteristic.Access,
        _ decoder: inout ValueDecoder, at now: Instant,
        into outbox: inout [Output]
    ) -> Progress {
        let row = targets[index].row
        var progress = Progress.goesOn
        do throws(Malformed) {
            switch SupportedCharacteristic.all[row].use {
            case .serviceChanged:
                discoverAgain(try ServiceChanged(octets: Array(octets)), into: &outbox)
                return .goesOn
            case .value(_, .pmdControlPoint):
                progress = try polarSaid(Array(octets), by: way, &decoder, at: now, into: &outbox)
            case .value(let id, let role): try decoder.take(octets, of: id, role, at: now, into: &outbox)
            case .clientSupportedFeatures: break
            }
            if targets[index].faults.contains(way) { targets[index].faults.remove(way) }
            if way == .subscribe { refresh(row, at: now, into: &outbox) }
            if SupportedCharacteristic.all[row].role == .heartRate { resetEnergy(decoder, into: &outbox) }
        } catch {
            complain(of: index, by: way, SupportedCharacteristic.all[row].words(for: octets, error), into: &outbox)
        }
        return progress
    }

    /// Takes it that nothing is where it was.
    mutating func attributesChanged(into outbox: inout [Output]) { discoverAgain(.everything, into: &outbox) }

    /// Forgets what has these handles, and what is under way, and asks for everything again.
    ///
    /// What tells of changes is listened to all the same, since they may go on meanwhile.
    private mutating func discoverAgain(_ change: ServiceChanged, into outbox: inout [Output]) {
        targets.removeAll { change.handles.contains($0.handle) && $0.characteristic.uuid != .serviceChanged }
        underWay.removeAll { $0.purpose != .mtu && $0.purpose != .discovery }
        if underWay.contains(where: { $0.purpose == .discovery }) {
            mustDiscoverAgain = true
        } else {
            ask(.discoverEverything, for: .discovery, into: &outbox)
        }
    }

    // MARK: Polar's electrocardiogram

    /// Asks for it when everything is subscribed to, unless there is another.
    private mutating func startPolar(_ decoder: inout ValueDecoder, at now: Instant, into outbox: inout [Output]) {
        let isReady = [ClientUse.Role.pmdControlPoint, .pmdSamples].allSatisfy { target($0)?.isSubscribed == true }
        guard isReady, target(.ecgSamples) == nil, let request = decoder.polar.start() else { return }
        self.request(request, at: now, into: &outbox)
    }

    private mutating func request(_ request: PMD.Request, at now: Instant, into outbox: inout [Output]) {
        guard let handle = target(.pmdControlPoint)?.handle else { return }
        ask(.write(handle: handle, value: request.octets), for: .polar, into: &outbox)
        polarDeadline = now.advanced(by: Self.answerTimeout)
        outbox.append(.wake(at: polarDeadline))
    }

    private mutating func polarSaid(
        _ octets: [UInt8], by way: SupportedCharacteristic.Access, _ decoder: inout ValueDecoder, at now: Instant,
        into outbox: inout [Output]
    ) throws(Malformed) -> Progress {
        if way == .read {
            decoder.polar.offers(try PMD.Features(octets: octets))
            return .goesOn
        }
        switch decoder.polar.answered(try PMD.Response(octets: octets)) {
        case .nothing: return .goesOn
        case .write(let request):
            self.request(request, at: now, into: &outbox)
            return .goesOn
        case .refused(let status):
            let why = "\(Purpose.polar.words) failed: status \(status.rawValue)"
            return lostPolar(why, &decoder, into: &outbox)
        }
    }

    private mutating func lostPolar(
        _ why: String, _ decoder: inout ValueDecoder, into outbox: inout [Output]
    ) -> Progress {
        decoder.polar.giveUp()
        guard let row = target(.pmdSamples)?.row else { return .goesOn }
        return lost(.subscribe, of: row, why, &decoder, into: &outbox)
    }

    func target(_ role: ClientUse.Role) -> Target? { targets.first { $0.characteristic.role == role } }

    func say(_ content: SensorCollector.Content, into outbox: inout [Output]) {
        outbox.append(.said(SensorCollector.Saying(content, of: peer)))
    }
}
