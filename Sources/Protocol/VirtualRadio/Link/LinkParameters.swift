/// The parameters of a connection.  Core 6.0, Vol 6, Part B, section 4.5.1, in the units of HCI: Vol 4, Part E, section
/// 7.8.12.
public struct LinkParameters: Hashable, Sendable {
    /// Between connection events, in 1.25 ms: 6 to 3200.
    public var interval: UInt16
    /// The number of events that a peripheral may skip: 0 to 499.
    public var latency: UInt16
    /// The time without a packet after which the link is lost, in 10 ms: 10 to 3200.
    public var timeout: UInt16

    /// In the units of HCI.
    public init(interval: UInt16, latency: UInt16, timeout: UInt16) {
        (self.interval, self.latency, self.timeout) = (interval, latency, timeout)
    }

    /// Whether each value is in its range, and the timeout is more than twice the time that a peripheral may skip.
    public var isValid: Bool {
        (6...3200).contains(interval) && latency <= 499 && (10...3200).contains(timeout)
            && Int(timeout) * 8 > (1 + Int(latency)) * Int(interval) * 2
    }

    /// Between connection events, in nanoseconds.
    public var intervalNanoseconds: Int64 { Int64(interval) * AirTime.connectionUnit }
    /// The supervision timeout, in nanoseconds.
    public var timeoutNanoseconds: Int64 { Int64(timeout) * 10_000_000 }
}

/// The two ends of a link.
public enum LinkEnd: UInt8, BitwiseCopyable, Sendable {
    /// Sends first in each connection event.
    case central = 0
    /// Responds.
    case peripheral = 1

    /// The place of the end in an array of both.
    var index: Int { Int(rawValue) }
    /// The opposite end.
    public var other: LinkEnd { self == .central ? .peripheral : .central }
}
