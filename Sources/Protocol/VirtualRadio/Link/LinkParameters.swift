import Bluetooth
import HCI

// The parameters of a link, in the units of HCI.  Core 6.0, Vol 6, Part B, section 4.5.1.
extension ConnectionTiming {
    /// The parameters that a host requests, with the maximum interval.
    init(_ parameters: ConnectionParameters) {
        self.init(
            interval: parameters.maximumInterval, latency: parameters.latency,
            supervisionTimeout: parameters.supervisionTimeout)
    }

    /// Between connection events, in nanoseconds.
    var intervalNanoseconds: Int64 { Int64(interval) * AirTime.connectionUnit }
    /// The supervision timeout, in nanoseconds.
    var timeoutNanoseconds: Int64 { Int64(supervisionTimeout) * 10_000_000 }
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
    var other: LinkEnd { self == .central ? .peripheral : .central }
}
