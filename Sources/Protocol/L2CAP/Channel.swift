public import Basics

/// An L2CAP channel.  Core 6.0, Vol 3, Part A, section 2.1.
public struct Channel: RawRepresentable, Hashable, Sendable {
    /// The channel identifier (CID) as it is sent.
    public let rawValue: UInt16

    /// The channel with this identifier, known or not.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 0x0004: the Attribute Protocol.
    public static let attribute = Channel(rawValue: 4)
    /// 0x0005: LE signalling.
    public static let signalling = Channel(rawValue: 5)
    /// 0x0006: the Security Manager Protocol.
    public static let security = Channel(rawValue: 6)
}

// Encodes and decodes frames without allocating.
extension PacketPool {
    /// The length of a frame's header, in octets.
    public static let l2capHeaderCount = 4

    /// Prepends the header of a basic frame (B-frame) to a payload.  Core 6.0, Vol 3, Part A, section 3.1.
    ///
    /// | Octets | Field      | Meaning        |
    /// |--------|------------|----------------|
    /// | 2      | PDU Length | of the payload |
    /// | 2      | Channel ID |                |
    public mutating func prependL2CAPHeader(_ channel: Channel, to payload: inout Packet) {
        prepend(UInt16(clamping: payload.count), channel.rawValue, to: &payload)
    }

    /// Moves the first `limit` octets of a longer frame into a new packet, which the caller must release; nil if the frame
    /// is not longer: then it is the last fragment itself.
    public mutating func takeFragment(off frame: inout Packet, limit: Int) -> Packet? {
        let limit = max(1, limit)
        guard frame.count > limit else { return nil }
        let fragment = copy(frame, from: 0, count: limit)
        frame.dropFirst(limit)
        return fragment
    }
}
