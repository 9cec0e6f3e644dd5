/// What an HCI packet is: inside the program it stands beside the packet, on a serial line before it.
///
/// The octets are the indicators of Core 6.0, Vol 4, Part A, section 2.
public enum PacketKind: UInt8, Sendable {
    /// From host to controller: Vol 4, Part E, section 5.4.1.
    case command = 1
    /// Data of a connection, both ways: section 5.4.2.
    case acl = 2
    /// Voice, which LE does not have: section 5.4.3.
    case synchronous = 3
    /// From controller to host: section 5.4.4.
    case event = 4
    /// Audio with a deadline: section 5.4.5.
    case isochronous = 5
}
