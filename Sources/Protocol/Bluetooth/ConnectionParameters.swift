public import Basics

/// The parameters of a connection that a host requests.
///
/// | Octets | Field        | Unit and range                                               |
/// |--------|--------------|--------------------------------------------------------------|
/// | 2      | Interval Min | 1.25 ms; 6 to 3200                                           |
/// | 2      | Interval Max | 1.25 ms; Interval Min to 3200                                |
/// | 2      | Latency      | connection events; 0 to 499                                  |
/// | 2      | Timeout      | 10 ms; 10 to 3200, and more than (1 + Latency) · 2 intervals |
///
/// HCI (Core 6.0, Vol 4, Part E, section 7.8.18) and L2CAP (Vol 3, Part A, section 4.20) use the same eight octets.
public struct ConnectionParameters: OctetCodable, Hashable, Sendable {
    /// The shortest acceptable interval between connection events, in units of 1.25 ms.
    public var minimumInterval: UInt16
    /// The longest acceptable interval, in units of 1.25 ms.
    public var maximumInterval: UInt16
    /// The number of consecutive connection events that the peripheral may skip.
    public var latency: UInt16
    /// The silence that ends the connection, in units of 10 ms: `connSupervisionTimeout`.
    public var supervisionTimeout: UInt16

    /// Parameters, valid or not.
    public init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// Whether each field is in its range.
    public var isValid: Bool {
        let range: ClosedRange<UInt16> = 6...3200
        guard range.contains(minimumInterval), range.contains(maximumInterval), minimumInterval <= maximumInterval,
            latency <= 499, (10...3200).contains(supervisionTimeout)
        else { return false }
        // 10 ms · timeout > (1 + latency) · 2 · 1.25 ms · interval
        return 4 * Int(supervisionTimeout) > (1 + Int(latency)) * Int(maximumInterval)
    }

    /// Reads eight octets; throws if there are fewer.
    public init(from reader: inout OctetReader) throws(Malformed) {
        minimumInterval = try reader.uint16("Interval Min")
        maximumInterval = try reader.uint16("Interval Max")
        latency = try reader.uint16("Latency")
        supervisionTimeout = try reader.uint16("Timeout")
    }

    /// Appends eight octets.
    public func append(to octets: inout [UInt8]) {
        for field in [minimumInterval, maximumInterval, latency, supervisionTimeout] { octets.append(field) }
    }
}
