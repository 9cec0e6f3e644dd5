import HCI
import L2CAP
import Octets
import Simulation

/// The frames that wait for room in the controller.
///
/// They go in the order in which they came, but no connection has more than its share of the controller's buffers: a peer
/// that is out of reach gives none back before its link has timed out, and the others must not wait for that.
/// Core 6.0, Vol 4, Part E, section 4.1.1: a host never has more packets on the way than the controller has buffers.
struct SendQueue: Sendable {
    /// How many fragments wait at most for one connection; a frame that comes then is not taken.
    static let most = 128

    private struct Fragment {
        /// Its place in the order of all.
        let number: UInt64
        let packet: Packet
        let begins: Bool
    }

    /// What goes to one connection.
    private struct Lane {
        let handle: UInt16
        var waiting: [Fragment] = []
        var taken = 0
        var onTheWay = 0

        var first: Fragment? { taken < waiting.count ? waiting[taken] : nil }

        mutating func removeFirst() {
            taken += 1
            if taken == waiting.count {
                waiting.clear()
            } else if taken > SendQueue.most {
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

    /// For a controller that holds `count` packets with so many octets of data.
    init(fragmentLength: Int, count: Int) {
        (self.fragmentLength, buffers, free) = (fragmentLength, count, count)
    }

    /// Takes a frame, and cuts it as the controller wants it; or releases it and returns false when it is full.
    mutating func add(_ frame: Packet, to handle: UInt16, pool: inout PacketPool) -> Bool {
        let lane = lane(of: handle)
        guard lanes[lane].waiting.count - lanes[lane].taken < Self.most else {
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

    /// The ACL packet to send now; nil when there is none, or no room for it in the controller.
    mutating func next(pool: inout PacketPool) -> Packet? {
        guard waiting > 0, free > 0, let (lane, fragment) = oldest() else { return nil }
        lanes[lane].removeFirst()
        waiting -= 1
        lanes[lane].onTheWay += 1
        free -= 1
        var packet = fragment.packet
        let boundary: ACLHeader.Boundary = fragment.begins ? .firstNonFlushable : .continuing
        pool.prependACLHeader(handle: lanes[lane].handle, boundary: boundary, to: &packet)
        return packet
    }

    private func oldest() -> (lane: Int, fragment: Fragment)? {
        let share = max(1, buffers / max(1, lanes.count))
        var oldest: (lane: Int, fragment: Fragment)?
        for lane in lanes.indices where lanes[lane].onTheWay < share {
            guard let first = lanes[lane].first, first.number < oldest?.fragment.number ?? .max else { continue }
            oldest = (lane, first)
        }
        return oldest
    }

    /// The controller has done with packets; more than there are on the way are not believed.
    mutating func completed(_ completed: CompletedPackets) {
        guard let lane = lanes.firstIndex(where: { $0.handle == completed.handle }) else { return }
        let count = min(Int(completed.count), lanes[lane].onTheWay)
        lanes[lane].onTheWay -= count
        free += count
    }

    /// A connection is over: what waits for it is released, and the controller has forgotten what was on its way.
    mutating func remove(_ handle: UInt16, pool: inout PacketPool) {
        guard let index = lanes.firstIndex(where: { $0.handle == handle }) else { return }
        let lane = lanes.remove(at: index)
        free += lane.onTheWay
        waiting -= lane.waiting.count - lane.taken
        for fragment in lane.waiting[lane.taken...] { pool.release(fragment.packet) }
    }
}
