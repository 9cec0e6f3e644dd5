/// The kind of an HCI packet, which the H4 transport sends as an indicator octet in front of the packet.
///
/// The octets are the indicators of Core 6.0, Vol 4, Part A, section 2.
public enum PacketKind: UInt8, BitwiseCopyable, Sendable {
    /// From host to controller: Vol 4, Part E, section 5.4.1.
    case command = 1
    /// Data of a connection, in both directions: section 5.4.2.
    case acl = 2
    /// Voice, not used by LE: section 5.4.3.
    case synchronous = 3
    /// From controller to host: section 5.4.4.
    case event = 4
    /// LE Audio: section 5.4.5.
    case isochronous = 5
}
