public import Octets

/// Puts the fragments of one connection together to frames.  Core 6.0, Vol 3, Part A, section 7.2.2.
///
/// Total: whatever fragments come, it holds at most one packet and gives back the others.  A frame that came in one
/// fragment is that fragment: nothing is copied.
public struct Reassembler: Sendable {
    /// What a fragment led to.
    public enum Outcome: Hashable, Sendable {
        /// The frame goes on.
        case incomplete
        /// The payload of a whole frame; it belongs to the caller now.
        case frame(Channel, Packet)
        /// The fragment, and the frame it belongs to, are lost.
        case discarded(Fault)
    }

    /// What can be wrong with a fragment.
    public enum Fault: Hashable, Sendable {
        /// It goes on with a frame that has not begun, or was discarded.
        case withoutBeginning
        /// More octets than the frame's header says.
        case surplus
        /// The header says a length above the limit.
        case aboveLimit(length: Int)
    }

    private let limit: Int
    private var frame: Packet?

    /// For payloads of `limit` octets at most; a packet holds no more than 540.
    public init(limit: Int = PacketPool.capacity - PacketPool.l2capHeaderCount) {
        self.limit = min(limit, PacketPool.capacity - PacketPool.l2capHeaderCount)
    }

    /// Takes a fragment without its ACL header, and with it the duty to release it.  A fragment that begins a frame
    /// discards one that is not complete yet.
    public mutating func receive(_ fragment: Packet, begins: Bool, pool: inout PacketPool) -> Outcome {
        if begins {
            reset(pool: &pool)
            let outcome = check(fragment, pool: &pool)
            if outcome == .incomplete {
                frame = pool.copy(fragment)  // at the front of its slot, so that all of the frame has room there
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

    /// Forgets a frame that is not complete: the connection is over.
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
