public import Basics

/// The header of an ACL packet: Core 6.0, Vol 4, Part E, section 5.4.2.
public struct ACLHeader: Hashable, Sendable {
    /// Whether an L2CAP frame begins or continues: `Packet_Boundary_Flag`.
    public enum Boundary: UInt8, Sendable {
        /// A frame of a host begins.
        case firstNonFlushable
        /// A frame continues.
        case continuing
        /// A frame of a controller begins.
        case first
        /// A complete frame; not used by LE.
        case complete
    }

    /// The connection.
    public var handle: UInt16
    /// The position in a frame.
    public var boundary: Boundary
}

// The packet path: no allocations.
extension PacketPool {
    /// Removes the header of an ACL packet.  Throws, and leaves the packet unchanged, when the header is incomplete,
    /// states another length than the packet has, or has a broadcast flag.
    ///
    /// | Octets | Field             | Meaning                                                       |
    /// |--------|-------------------|---------------------------------------------------------------|
    /// | 2      | Handle and flags  | bits 0–11 handle, 12–13 Packet_Boundary_Flag, 14–15 broadcast |
    /// | 2      | Data_Total_Length | number of octets that follow                                  |
    public func takeACLHeader(off packet: inout Packet) throws(Malformed) -> ACLHeader {
        guard let (word, length) = header(of: packet) else {
            throw packet.count < 2
                ? .tooShort(field: "Connection_Handle", at: 0, needs: 2, has: packet.count)
                : .tooShort(field: "Data_Total_Length", at: 2, needs: 2, has: packet.count - 2)
        }
        let has = packet.count - 4
        guard has >= Int(length) else { throw .tooShort(field: "Data", at: 4, needs: Int(length), has: has) }
        guard has == Int(length) else { throw .tooLong(at: 4 + Int(length), surplus: has - Int(length)) }
        guard word >> 14 == 0, let boundary = ACLHeader.Boundary(rawValue: UInt8(word >> 12 & 0b11)) else {
            throw .prohibited(field: "Broadcast_Flag", at: 0, value: Int(word >> 14), allowed: "0")
        }
        packet.dropFirst(4)
        return ACLHeader(handle: word & 0x0FFF, boundary: boundary)
    }

    /// Prepends the header to the data of an ACL packet.
    public mutating func prependACLHeader(
        handle: UInt16, boundary: ACLHeader.Boundary, to packet: inout Packet
    ) {
        let word = handle & 0x0FFF | UInt16(boundary.rawValue) << 12
        prepend(word, UInt16(clamping: packet.count), to: &packet)
    }

    /// Appends an HCI_Number_Of_Completed_Packets for one connection to an empty packet.
    public mutating func appendNumberOfCompletedPackets(handle: UInt16, count: UInt16, to packet: inout Packet) {
        let event: [7 of UInt8] = [
            0x13, 5, 1,  // Event_Code, Parameter_Total_Length, Num_Handles
            UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8),
            UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8),
        ]
        append(event.span, to: &packet)
    }

    /// The number of connections in a well-formed HCI_Number_Of_Completed_Packets; nil for any other event.
    public func countOfCompletedPackets(in packet: Packet) -> Int? {
        guard uint8(at: 0, of: packet) == 0x13, let length = uint8(at: 1, of: packet),
            let count = uint8(at: 2, of: packet), packet.count == 2 + Int(length), Int(length) == 1 + 4 * Int(count)
        else { return nil }
        return Int(count)
    }

    /// Entry `index` of such an event, from 0; nil after the last.
    public func completedPackets(_ index: Int, in packet: Packet) -> CompletedPackets? {
        guard index >= 0, let handle = uint16(at: 3 + 4 * index, of: packet),
            let count = uint16(at: 5 + 4 * index, of: packet)
        else { return nil }
        return CompletedPackets(handle: handle & 0x0FFF, count: count)
    }
}
