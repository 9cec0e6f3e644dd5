import Foundation

/// A Heart Rate Measurement.  Heart Rate Service 1.0, section 3.1.
///
/// | Octets | Field                                                              |
/// |--------|--------------------------------------------------------------------|
/// | 1      | Flags: bit 0: two octets; bit 1: contact; bit 2: contact supported |
/// | 1 or 2 | Heart rate in beats per minute, the least significant octet first  |
/// | 0 or 2 | Energy Expended, with bit 3                                        |
/// | 0, 2 … | RR-Intervals, with bit 4                                           |
public struct HeartRateMeasurement: Equatable, Sendable {
    /// Beats per minute.
    public let bpm: Int
    /// Whether the strap touches the skin; nil if the strap does not detect that.
    public let hasContact: Bool?

    /// Decodes a value; nil if it is too short.
    public init?(_ data: Data) {
        let octets = Array(data)
        guard let flags = octets.first else { return nil }
        let size = flags & 1 == 0 ? 1 : 2
        let others = (flags & 8 == 0 ? 0 : 2) + (flags & 16 == 0 ? 0 : 2)
        guard octets.count >= 1 + size + others else { return nil }
        bpm = size == 1 ? Int(octets[1]) : Int(octets[1]) | Int(octets[2]) << 8
        hasContact = flags & 4 == 0 ? nil : flags & 2 != 0
    }
}
