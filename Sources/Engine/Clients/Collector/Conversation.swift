import Basics
import Bluetooth
import Characteristics
import Devices
import GATT
import LEHost
import SecurityManager

/// The requests and answers of one connection: MTU, discovery, then the reads and subscriptions that
/// `SupportedCharacteristic` lists for each characteristic found. Discovery begins again after Service Changed.
struct Conversation: Sendable {
    /// The purpose of a procedure in progress.
    enum Purpose: Equatable, Sendable {
        case mtu
        case discovery
        /// Whether all attributes still have the same handles.
        case check
        /// Reads a row of `SupportedCharacteristic.all`.
        case read(Int)
        /// Subscribes to a row of `SupportedCharacteristic.all`.
        case subscription(Int)
        case features
        case energy
        case polar
        /// A step of the survey.
        case survey
    }

    /// The state of the connection after a step.
    enum Progress: Equatable, Sendable {
        case goesOn
        /// All important values are subscribed to.
        case subscribed
        /// The connection is useless, for this reason.
        case failed(String)
    }

    typealias Output = SensorCollector.Output

    let id: ConnectionID
    let peer: SensorCollector.Peer
    /// The number of the last procedure, over all connections.
    private(set) var lastProcedure: UInt32

    let settings: SensorCollector.Settings
    var security = Security()
    /// Whether the device advertises a service that the client looks for.
    let isPromising: Bool
    var underWay: [(number: UInt32, purpose: Purpose)] = []
    var targets: [Target] = []
    /// The reads and subscriptions on a device that has nothing that the client knows.
    private var survey: Survey?
    private var mustDiscoverAgain = false
    private(set) var isSubscribed = false
    private var asksAgainAt = Instant.never
    /// When to retry subscriptions that were refused.
    private var subscribesAgainAt = Instant.never
    static let patience = Duration.seconds(5)
    /// When to check whether all attributes still have the same handles.
    var checksAt = Instant.never
    private var polarDeadline = Instant.never
    private static let answerTimeout = Duration.seconds(30)
    /// Deadlines of displayed values: rows of `SupportedCharacteristic.all`.
    var freshness: [(row: Int, of: Freshness)] = []
    /// Whether the client has asked the server to reset Energy Expended, and it has not done so yet.
    var hasResetEnergy = false
    /// Whether the heart rate was reported as out of date, and no other has come since.
    var hasCleared = false
    /// The number of Database Out Of Sync errors since the last successful procedure.
    private var timesOutOfSync = 0
    private static let mostTimesOutOfSync = 3

    /// Robust Caching, and Multiple Handle Value Notifications.  Core 6.0, Vol 3, Part G, section 7.2.
    private static let supportedFeatures: [UInt8] = [0x05]

    /// The state before the first procedure.
    init(
        _ id: ConnectionID, with peer: SensorCollector.Peer, isPromising: Bool, _ settings: SensorCollector.Settings,
        after lastProcedure: UInt32
    ) {
        (self.id, self.peer, self.settings, self.lastProcedure) = (id, peer, settings, lastProcedure)
        self.isPromising = isPromising
    }

    // MARK: Requests

    /// With `trustsBond`, the link is encrypted with the keys of a bond before the first request.
    mutating func begin(trustingBond trustsBond: Bool, into outbox: inout [Output]) {
        if settings.pairs { beginSecurely(trustingBond: trustsBond, into: &outbox) }
        if settings.exchangesMTU { ask(.exchangeMTU, for: .mtu, into: &outbox) }
        ask(.discoverEverything, for: .discovery, into: &outbox)
    }

    mutating func ask(_ procedure: Procedure, for purpose: Purpose, into outbox: inout [Output]) {
        lastProcedure &+= 1
        underWay.append((lastProcedure, purpose))
        outbox.append(.command(.procedure(id, procedure, id: lastProcedure)))
    }

    /// Requests every supported characteristic of these services; fails when there is none.
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
        survey = nil
        if !targets.contains(where: \.isHope) {
            if settings.surveysUnknownDevices, !isPromising { survey = Survey(services) }
            if survey == nil { return .failed("\(peer) has nothing that this client knows") }
        }
        isSubscribed = false
        decoder.hasMeasurements = target(.heartRates) != nil
        decoder.polar = PolarStream()
        // Subscribe to Service Changed first, since attributes may change during the other requests.
        for target in targets where target.characteristic.service == .genericAttribute { follow(target, into: &outbox) }
        for target in targets where target.ways.contains(.read) { read(target, into: &outbox) }
        for target in targets where target.characteristic.service != .genericAttribute && target.configuration != nil {
            subscribe(to: target, into: &outbox)
        }
        askAgainLater(at: now, into: &outbox)
        askNextOfSurvey(into: &outbox)
        if isDoubtful { checkLater(at: now, into: &outbox) }
        return .goesOn
    }

    private mutating func askNextOfSurvey(into outbox: inout [Output]) {
        if let procedure = survey?.procedure { ask(procedure, for: .survey, into: &outbox) }
    }

    func targets(in services: [DiscoveredService], mute: inout [SupportedCharacteristic]) -> [Target] {
        Target.all(in: services, mute: &mute).filter {
            settings.readsDeviceInformation || $0.characteristic.service != .deviceInformation
        }
    }

    /// Subscribes to changes of attributes. Core 6.0, Vol 3, Part G, sections 2.5.2 and 7.1 to 7.3.
    private mutating func follow(_ target: Target, into outbox: inout [Output]) {
        if target.configuration != nil {
            subscribe(to: target, into: &outbox)
        } else if target.characteristic.use == .clientSupportedFeatures {
            ask(.write(handle: target.handle, value: Self.supportedFeatures), for: .features, into: &outbox)
        }
    }

    /// Repeats a procedure that was refused.
    mutating func repeatProcedure(for purpose: Purpose, into outbox: inout [Output]) {
        switch purpose {
        case .discovery, .check: ask(.discoverEverything, for: purpose, into: &outbox)
        case .read(let row): if let target = targets.first(where: { $0.row == row }) { read(target, into: &outbox) }
        case .subscription(let row):
            if let target = targets.first(where: { $0.row == row }) { subscribe(to: target, into: &outbox) }
        case .survey: askNextOfSurvey(into: &outbox)
        case .mtu, .features, .energy, .polar: break
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

    /// Clears values that are out of date, and reads polled values that are due.
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

    /// Retries the refused subscription, together with others that were refused at about this time.
    private mutating func subscribeLater(_ row: Int, at now: Instant, into outbox: inout [Output]) {
        guard let index = targets.firstIndex(where: { $0.row == row }) else { return }
        guard targets[index].isHope || targets[index].characteristic.uuid == .serviceChanged else { return }
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

    /// Repeats the polled reads, except those that are still in progress.
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

    /// Handles the end of a procedure. The connection ends only when all important values are unavailable.
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
            return becomeSubscribed(into: &outbox)
        case (.survey, let outcome):
            if let value = survey?.advance(after: outcome) { say(.surveyed(value), into: &outbox) }
            askNextOfSurvey(into: &outbox)
            guard case .written = outcome, !isSubscribed else { return .goesOn }
            return becomeSubscribed(into: &outbox)
        default: return .goesOn
        }
    }

    private mutating func becomeSubscribed(into outbox: inout [Output]) -> Progress {
        isSubscribed = true
        say(.state(.subscribed), into: &outbox)
        return .subscribed
    }

    mutating func failed(
        _ purpose: Purpose, _ failure: Procedure.Failure, _ decoder: inout ValueDecoder, at now: Instant,
        into outbox: inout [Output]
    ) -> Progress {
        if secures(purpose, after: failure, into: &outbox) { return .goesOn }
        let words = purpose == .survey ? survey?.words : nil
        let why = "\(words ?? purpose.words) failed: \(failure.words)"
        switch (purpose, failure) {
        case (_, .disconnected): return .goesOn  // the host outputs that next
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
        case (.survey, _):
            say(.error(why), into: &outbox)
            _ = survey?.advance()
            askNextOfSurvey(into: &outbox)
            return .goesOn
        case (.mtu, _), (.features, _), (.energy, _):
            say(.error(why), into: &outbox)
            return .goesOn
        }
    }

    /// Removes one of the ways in which a value can be received.
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

    /// Reports that a value is missing or malformed, unless the previous one was so too.
    private mutating func complain(
        of index: Int, by way: SupportedCharacteristic.Access, _ why: @autoclosure () -> String,
        into outbox: inout [Output]
    ) {
        guard !targets[index].faults.contains(way) else { return }
        targets[index].faults.insert(way)
        say(.error(why()), into: &outbox)
    }

    // MARK: Values

    /// Handles a value that the peer notified or indicated, whether or not the subscription was answered.
    mutating func received(
        _ handle: UInt16, _ octets: ArraySlice<UInt8>, isIndicated: Bool, _ decoder: inout ValueDecoder,
        at now: Instant,
        into outbox: inout [Output]
    ) -> Progress {
        let index = targets.firstIndex { target in
            target.handle == handle && target.configuration != nil
                && isIndicated == (target.subscription == .indication)
        }
        guard let index else {
            if let value = survey?.value(handle, Array(octets)) { say(.surveyed(value), into: &outbox) }
            return .goesOn
        }
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
            if SupportedCharacteristic.all[row].role == .heartRate {
                resetEnergy(isFull: decoder.energyIsFull, into: &outbox)
            }
        } catch {
            complain(of: index, by: way, SupportedCharacteristic.all[row].words(for: octets, error), into: &outbox)
        }
        return progress
    }

    /// Assumes that all handles have changed.
    mutating func attributesChanged(into outbox: inout [Output]) { discoverAgain(.everything, into: &outbox) }

    /// Forgets the attributes with these handles and the procedures in progress, and discovers everything again.
    ///
    /// Service Changed stays subscribed to, since attributes may change again meanwhile.
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

    /// Starts the Polar stream when everything is subscribed to, unless the device has another ECG.
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
        outbox.append(.update(SensorCollector.Update(content, of: peer)))
    }
}
