public import Basics
public import Bluetooth

/// How long a device waits after a failed authentication before it pairs with the same peer again.
/// Core 6.0, Vol 3, Part H, section 2.3.6.
///
/// 1 s after the first failure, twice as long after each further one, at most 256 s.  A success, or as long again without an
/// attempt, ends it.
public struct PairingAttempts: Hashable, Sendable {
    private struct Failures: Hashable, Sendable {
        let peer: DeviceAddress
        var interval: Duration
        var end: Instant
    }

    /// The interval after the first failure, and the longest one.
    public static let intervals = Duration.seconds(1)...Duration.seconds(256)
    /// The maximum number of peers; a further one replaces the one that failed first.
    public static let maximumPeers = 64

    private var failures: [Failures] = []

    /// No failures yet.
    public init() {}

    /// Whether the device pairs with a peer.
    public func permits(_ peer: DeviceAddress, at now: Instant) -> Bool {
        !failures.contains { $0.peer == peer && now < $0.end }
    }

    /// Pairing with a peer has ended; nil: it succeeded.
    public mutating func ended(with peer: DeviceAddress, _ failure: Pairing.Failure?, at now: Instant) {
        guard failure.isAuthentication else {
            if failure == nil { failures.removeAll { $0.peer == peer } }
            return
        }
        failures.removeAll { $0.peer != peer && $0.end.advanced(by: $0.interval) <= now }
        let earlier = failures.firstIndex { $0.peer == peer }.map { failures.remove(at: $0) }
        var interval = Self.intervals.lowerBound
        if let earlier, now < earlier.end.advanced(by: earlier.interval) {
            interval = min(earlier.interval * 2, Self.intervals.upperBound)
        }
        failures.append(Failures(peer: peer, interval: interval, end: now.advanced(by: interval)))
        if failures.count > Self.maximumPeers { failures.removeFirst() }
    }
}

extension Pairing.Failure? {
    /// Whether a wrong or missing answer of a peer or a user is the cause, and no lack of support.
    fileprivate var isAuthentication: Bool {
        switch self?.reason {
        case .confirmValueFailed, .dhKeyCheckFailed, .numericComparisonFailed, .passkeyEntryFailed: true
        default: false
        }
    }
}
