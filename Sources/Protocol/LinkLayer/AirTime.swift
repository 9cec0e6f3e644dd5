/// How long things take on the air at 1 Mbit/s, in nanoseconds.  Core 6.0, Vol 6, Part B, sections 2.1 and 4.1.
public enum AirTime {
    /// Between the end of one packet and the start of the next on the same channel: T_IFS.
    public static let interFrameSpace: Int64 = 150_000
    /// From a CONNECT_IND to the transmit window: transmitWindowDelay.
    public static let transmitWindowDelay: Int64 = 1_250_000
    /// What intervals of connections are counted in.
    public static let connectionUnit: Int64 = 1_250_000
    /// What intervals of advertising and scanning are counted in.
    public static let advertisingUnit: Int64 = 625_000
    /// The most that is added to an advertising interval by chance: advDelay.
    public static let advertisingDelay: Int64 = 10_000_000
    /// How long directed advertising at high duty may last; Core 6.0, Vol 6, Part B, section 4.4.2.4.3.
    public static let highDutyTimeout: Int64 = 1_280_000_000
    /// The payload of an ADV_IND with so much data, in octets: the address comes before it.
    public static func advertisingPayload(data count: Int) -> Int { 6 + count }
    /// The payload of an ADV_DIRECT_IND, in octets: two addresses.
    public static let directedPayload = 12
    /// The payload of a CONNECT_IND, in octets.
    public static let connectPayload = 34
    /// The payload of a SCAN_REQ, in octets.
    public static let scanRequestPayload = 12

    /// A packet with a payload of so many octets: preamble 1, access address 4, header 2, CRC 3, each octet 8 µs.
    public static func packet(payload count: Int) -> Int64 { Int64(count + 10) * 8_000 }

    /// How many octets of payload a packet has at most that may take so long; a MIC, which we never send, takes 4 octets.
    static func payload(microseconds: Int) -> Int { microseconds / 8 - 14 }
}
