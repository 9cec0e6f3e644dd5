import Basics
import Bluetooth
import Expectations
import ScenarioModel

/// What the clients of a run did in each connection with a device: explains one that stops on the way, forgets its
/// subscriptions, or goes on after something went wrong.
///
/// The connections of other centrals of the scenario do not count.
struct ConnectionHistory: Sendable {
    struct Refusal: Sendable {
        let entity: String?
        let error: String
        let at: Instant
    }

    struct Link: Sendable {
        let begin: Instant
        var end = Instant.never
        var reason: String?
        /// When the client began to discover attributes.
        var discovering: Instant?
        /// When the client has read, written, subscribed to or received a value first, by path.
        var used: [String: Instant] = [:]
        /// When values arrived, by path.
        var arrivals: [String: [Instant]] = [:]
        /// When values were indicated, by path, and when the client confirmed any.
        var indications: [String: [Instant]] = [:]
        var confirmations: [Instant] = []
        /// The values, and when they were subscribed to.
        var subscriptions: [(name: String, at: Instant)] = []
        /// The last value that the client wrote.
        var lastWrite: (entity: String, at: Instant)?
        var refusals: [Refusal] = []
        var pairingFailures: [(at: Instant, reason: String)] = []
        /// When it paired or encrypted.
        var security: [(at: Instant, isPairing: Bool)] = []
        /// When the device's attributes changed last, of which it has told.
        var change: Instant?
    }

    private static let maximumLinks = 256
    private static let maximumEntries = 256

    /// By device, in order.
    private(set) var links: [String: [Link]] = [:]
    /// When the client printed a key of its lines last, and a few times before.
    private var shown: [String: [Instant]] = [:]
    /// The rules that act, or have acted.
    private var actions: [(name: String, begin: Instant, end: Instant)] = []
    /// The devices whose attributes rules change, by the rules' names.
    private var changes: [String: String] = [:]
    /// The rules that make the device's part of a pairing wrong.
    private let pairingFaults: [String]
    private let otherCentrals: [DeviceAddress]

    init(_ scenario: Scenario) {
        otherCentrals = scenario.devices.filter { $0.role == .central }.map(\.address)
        let rules = scenario.script.enumerated().map { ($0.element.id ?? "rule \($0.offset + 1)", $0.element.action) }
        pairingFaults = rules.filter { [.alterPairing, .wrongKey].contains($0.1.kind) }.map(\.0)
        for (name, action) in rules where action.operation.announcesChange {
            guard let device = action.entity?.device else { continue }
            changes[name] = scenario.devices[device].id
        }
    }

    static func isOfInterest(_ event: EventName) -> Bool {
        switch event {
        case .connected, .disconnected, .discovering, .subscribed, .read, .written, .refused, .paired, .encrypted,
            .pairingFailed, .encryptionFailed, .confirmed, .began, .ended:
            true
        default: false
        }
    }

    static func isArrival(_ event: EventName) -> Bool { [.delivered, .indicated, .read].contains(event) }

    // MARK: Events

    mutating func takeArrival(of entity: String, at now: Instant) {
        guard let device = EventRecord.device(of: entity) else { return }
        change(device, at: now) { link in
            link.used[entity] = link.used[entity] ?? now
            link.arrivals[entity, default: []].append(now, ofAtMost: Self.maximumEntries)
        }
    }

    mutating func takeIndication(of entity: String, at now: Instant) {
        guard let device = EventRecord.device(of: entity) else { return }
        change(device, at: now) { $0.indications[entity, default: []].append(now, ofAtMost: Self.maximumEntries) }
    }

    mutating func take(_ record: EventRecord) {
        let now = record.instant
        if record.event == .began || record.event == .ended { return takeAction(record) }
        guard let entity = record.entity, let device = record.device,
            !(record.peer.map(otherCentrals.contains) ?? false)
        else { return }
        switch record.event {
        case .connected:
            change(device, at: now) { if $0.end == .never { $0.end = now } }
            links[device, default: []].append(Link(begin: now), ofAtMost: Self.maximumLinks)
        case .disconnected:
            change(device, at: now) { if $0.end == .never { ($0.end, $0.reason) = (now, record.reason) } }
        case .discovering: change(device, at: now) { $0.discovering = $0.discovering ?? now }
        case .subscribed:
            change(device, at: now) { link in
                link.used[entity] = link.used[entity] ?? now
                if link.subscriptions.count < Self.maximumEntries { link.subscriptions.append((entity, now)) }
            }
        case .confirmed: change(device, at: now) { $0.confirmations.append(now, ofAtMost: Self.maximumEntries) }
        case .read, .written:
            change(device, at: now) { link in
                link.used[entity] = link.used[entity] ?? now
                if record.event == .written, entity != device { link.lastWrite = (entity, now) }
            }
        case .refused:
            let refusal = Refusal(entity: entity, error: record.error ?? "an error", at: now)
            change(device, at: now) { if $0.refusals.count < Self.maximumEntries { $0.refusals.append(refusal) } }
        case .pairingFailed, .encryptionFailed:
            let failure = (at: now, reason: record.reason ?? "unknown")
            change(device, at: now) {
                if $0.pairingFailures.count < Self.maximumEntries { $0.pairingFailures.append(failure) }
            }
        case .paired, .encrypted:
            let entry = (at: now, isPairing: record.event == .paired)
            change(device, at: now) { if $0.security.count < Self.maximumEntries { $0.security.append(entry) } }
        default: break
        }
    }

    private mutating func takeAction(_ record: EventRecord) {
        guard let name = record.rule ?? record.entity else { return }
        if record.event == .ended {
            if let place = actions.lastIndex(where: { $0.name == name && $0.end == .never }) {
                actions[place].end = record.instant
            }
            return
        }
        actions.append((name, record.instant, .never), ofAtMost: Self.maximumEntries)
        if let device = changes[name] { change(device, at: record.instant) { $0.change = record.instant } }
    }

    /// Changes the latest link with a device at an instant, if there is one; arrivals come after later records of a chunk.
    private mutating func change(_ device: String, at now: Instant, _ body: (inout Link) -> Void) {
        guard let last = links[device]?.lastIndex(where: { $0.begin <= now }), var link = links[device]?[last] else {
            return
        }
        // Not copied while it changes.
        links[device]?[last] = Link(begin: now)
        body(&link)
        links[device]?[last] = link
    }

    /// Takes a line of the client, as JSON.
    mutating func take(line: ArraySlice<UInt8>, at now: Instant) {
        guard case .object(let members)? = Datum(json: line) else { return }
        for key in members.map(\.key) where shown[key] != nil || shown.count < Self.maximumEntries {
            shown[key, default: []].append(now, ofAtMost: Self.maximumEntries)
        }
    }

    // MARK: Answers

    /// Whether the client printed a key in a span of time.
    func hasShown(_ key: String, in span: ClosedRange<Instant>) -> Bool {
        shown[key]?.contains(where: span.contains) ?? false
    }

    /// The rules that act at an instant, and make the device's part of a pairing wrong.
    func pairingFaults(at instant: Instant) -> [String] {
        actions.filter { $0.begin <= instant && instant <= $0.end && pairingFaults.contains($0.name) }.map(\.name)
    }
}

extension Action.Operation {
    /// Whether it changes attributes in a way that ends subscriptions, and tells clients of it.
    fileprivate var announcesChange: Bool {
        switch self {
        case .moveHandles(_, announce: true), .changeServices(_, _, announce: true): true
        default: false
        }
    }
}
