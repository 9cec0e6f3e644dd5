public import Basics

/// Recombines the ACL fragments of one connection into L2CAP frames.  Core 6.0, Vol 3, Part A, section 7.2.2.
///
/// It holds at most one packet, whatever fragments it receives.  A frame in a single fragment is not copied.
public struct Reassembler: Sendable {
    /// The result of receiving a fragment.
    public enum Outcome: Hashable, Sendable {
        /// The frame needs further fragments.
        case incomplete
        /// The payload of a complete frame; the caller must release the packet.
        case frame(Channel, Packet)
        /// The fragment and its frame were discarded.
        case discarded(Fault)
    }

    /// A fault in a fragment.
    public enum Fault: Hashable, Sendable {
        /// It continues a frame that has not begun, or was discarded.
        case withoutBeginning
        /// The frame has more octets than its header gives.
        case surplus
        /// The header gives a length above the limit, in octets.
        case aboveLimit(length: Int)
    }

    private let limit: Int
    private var frame: Packet?

    /// A reassembler for payloads of at most `limit` octets; 540 is the maximum.
    public init(limit: Int = PacketPool.capacity - PacketPool.l2capHeaderCount) {
        self.limit = min(limit, PacketPool.capacity - PacketPool.l2capHeaderCount)
    }

    /// Adds a fragment without its ACL header, and takes ownership of the packet.  A fragment with `begins` discards an
    /// incomplete frame.
    public mutating func receive(_ fragment: Packet, begins: Bool, pool: inout PacketPool) -> Outcome {
        if begins {
            reset(pool: &pool)
            let outcome = check(fragment, pool: &pool)
            if outcome == .incomplete {
                frame = pool.copy(fragment)  // at the front of its slot, to leave room for the whole frame
                pool.release(fragment)
            }
            return outcome
        }
        guard var frame else {
            pool.release(fragment)
            return .discarded(.withoutBeginning)
        }
        self.frame = nil
        guard frame.count + fragment.count <= PacketPool.capacity else {
            pool.release(frame)
            pool.release(fragment)
            return .discarded(.surplus)
        }
        pool.append(fragment, to: &frame)
        pool.release(fragment)
        return check(frame, pool: &pool)
    }

    /// Discards an incomplete frame; call it when the connection ends.
    public mutating func reset(pool: inout PacketPool) {
        if let frame { pool.release(frame) }
        frame = nil
    }

    private mutating func check(_ frame: Packet, pool: inout PacketPool) -> Outcome {
        var frame = frame
        if let length = pool.uint16(at: 0, of: frame) {
            let has = frame.count - PacketPool.l2capHeaderCount
            guard length <= limit, has <= Int(length) else {
                pool.release(frame)
                return .discarded(length <= limit ? .surplus : .aboveLimit(length: Int(length)))
            }
            if has == Int(length), let channel = pool.uint16(at: 2, of: frame) {
                frame.dropFirst(PacketPool.l2capHeaderCount)
                return .frame(Channel(rawValue: channel), frame)
            }
        }
        self.frame = frame
        return .incomplete
    }
}
