import Basics
import HCI
import L2CAP

/// The frames that wait for buffers of the controller.
///
/// They are sent in order, but no connection uses more than its share of the buffers: the buffers of a peer that is out
/// of range stay occupied until the supervision timeout, and other connections must not wait for that.  A host never
/// sends more packets than the controller has free buffers: Core 6.0, Vol 4, Part E, section 4.1.1.
struct SendQueue: Sendable {
    /// The maximum number of fragments that wait for one connection; a further frame is dropped.
    static let maximumWaiting = 128

    private struct Fragment {
        /// Its position among the fragments of all connections.
        let number: UInt64
        let packet: Packet
        let begins: Bool
    }

    /// The fragments of one connection.
    private struct Lane {
        let handle: UInt16
        var waiting: [Fragment] = []
        var taken = 0
        var inController = 0

        var first: Fragment? { taken < waiting.count ? waiting[taken] : nil }

        mutating func removeFirst() {
            taken += 1
            if taken == waiting.count {
                waiting.clear()
            } else if taken > SendQueue.maximumWaiting {
                waiting.removeFirst(taken)
            } else {
                return
            }
            taken = 0
        }
    }

    private let fragmentLength: Int
    private let buffers: Int
    private var free: Int
    private var lanes: [Lane] = []
    private var added: UInt64 = 0
    private var waiting = 0  // of all lanes
    /// The number of packets that the controller has completed, modulo 2^64.
    private(set) var completedCount: UInt64 = 0

    /// For a controller that can hold `count` packets with `fragmentLength` octets of data each.
    init(fragmentLength: Int, count: Int) {
        (self.fragmentLength, buffers, free) = (fragmentLength, count, count)
    }

    /// Takes ownership of a frame and fragments it for the controller; returns false if it was dropped instead.
    mutating func add(_ frame: Packet, to handle: UInt16, pool: inout PacketPool) -> Bool {
        let lane = lane(of: handle)
        guard lanes[lane].waiting.count - lanes[lane].taken < Self.maximumWaiting else {
            pool.release(frame)
            return false
        }
        var rest = frame
        var begins = true
        while let fragment = pool.takeFragment(off: &rest, limit: fragmentLength) {
            append(fragment, begins: begins, to: lane)
            begins = false
        }
        append(rest, begins: begins, to: lane)
        return true
    }

    private mutating func lane(of handle: UInt16) -> Int {
        if let lane = lanes.firstIndex(where: { $0.handle == handle }) { return lane }
        lanes.append(Lane(handle: handle))
        return lanes.count - 1
    }

    private mutating func append(_ packet: Packet, begins: Bool, to lane: Int) {
        lanes[lane].waiting.append(Fragment(number: added, packet: packet, begins: begins))
        added &+= 1
        waiting += 1
    }

    /// The ACL packet to send now; nil: none waits, or the controller has no free buffer for it.
    mutating func next(pool: inout PacketPool) -> Packet? {
        guard waiting > 0, free > 0, let (lane, fragment) = oldest() else { return nil }
        lanes[lane].removeFirst()
        waiting -= 1
        lanes[lane].inController += 1
        free -= 1
        var packet = fragment.packet
        let boundary: ACLHeader.Boundary = fragment.begins ? .firstNonFlushable : .continuing
        pool.prependACLHeader(handle: lanes[lane].handle, boundary: boundary, to: &packet)
        return packet
    }

    /// The number of fragments of a connection that have not been sent to the controller.
    func waitingCount(of handle: UInt16) -> Int {
        lanes.first { $0.handle == handle }.map { $0.waiting.count - $0.taken } ?? 0
    }

    private func oldest() -> (lane: Int, fragment: Fragment)? {
        let share = max(1, buffers / max(1, lanes.count))
        var oldest: (lane: Int, fragment: Fragment)?
        for lane in lanes.indices where lanes[lane].inController < share {
            guard let first = lanes[lane].first, first.number < oldest?.fragment.number ?? .max else { continue }
            oldest = (lane, first)
        }
        return oldest
    }

    /// Whether packets wait for buffers, after `next` has returned nil.
    var isBlocked: Bool { waiting > 0 }

    /// The controller must have completed all packets, without reporting it.
    mutating func reclaimBuffers() {
        for lane in lanes.indices {
            free += lanes[lane].inController
            lanes[lane].inController = 0
        }
    }

    /// The controller has completed packets; a count above the number it holds is reduced to that.
    mutating func completed(_ completed: CompletedPackets) {
        guard let lane = lanes.firstIndex(where: { $0.handle == completed.handle }) else { return }
        let count = min(Int(completed.count), lanes[lane].inController)
        lanes[lane].inController -= count
        free += count
        completedCount &+= UInt64(count)
    }

    /// A connection has ended: its waiting packets are released, and its buffers in the controller are free.
    mutating func remove(_ handle: UInt16, pool: inout PacketPool) {
        guard let index = lanes.firstIndex(where: { $0.handle == handle }) else { return }
        let lane = lanes.remove(at: index)
        free += lane.inController
        waiting -= lane.waiting.count - lane.taken
        for fragment in lane.waiting[lane.taken...] { pool.release(fragment.packet) }
    }
}
