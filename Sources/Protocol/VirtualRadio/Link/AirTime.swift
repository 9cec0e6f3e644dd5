/// Durations on the air at 1 Mbit/s, in nanoseconds.  Core 6.0, Vol 6, Part B, sections 2.1 and 4.1.
enum AirTime {
    /// Between the end of one packet and the start of the next on the same channel: T_IFS.
    static let interFrameSpace: Int64 = 150_000
    /// From a CONNECT_IND to the transmit window: transmitWindowDelay.
    static let transmitWindowDelay: Int64 = 1_250_000
    /// The unit of connection intervals.
    static let connectionUnit: Int64 = 1_250_000
    /// The unit of advertising and scan intervals.
    static let advertisingUnit: Int64 = 625_000
    /// The maximum random delay of an advertising event: advDelay.
    static let advertisingDelay: Int64 = 10_000_000
    /// The maximum duration of directed advertising at high duty cycle; Core 6.0, Vol 6, Part B, section 4.4.2.4.3.
    static let highDutyTimeout: Int64 = 1_280_000_000
    /// The payload of an ADV_IND with `count` octets of data: the address precedes them.
    static func advertisingPayload(data count: Int) -> Int { 6 + count }
    /// The payload of an ADV_DIRECT_IND, in octets: two addresses.
    static let directedPayload = 12
    /// The payload of a CONNECT_IND, in octets.
    static let connectPayload = 34
    /// The payload of a SCAN_REQ, in octets.
    static let scanRequestPayload = 12

    /// A packet with `count` octets of payload: preamble 1, access address 4, header 2, CRC 3, each octet 8 µs.
    static func packet(payload count: Int) -> Int64 { Int64(count + 10) * 8_000 }

    /// The maximum payload of a packet with this duration; 4 octets are reserved for a MIC.
    static func payload(microseconds: Int) -> Int { microseconds / 8 - 14 }
}
