import HCI
import L2CAP
import Octets

/// The frames that wait for room in the controller, first in, first out over all connections.
/// Core 6.0, Vol 4, Part E, section 4.1.1: a host never has more packets on the way than the controller has buffers.
struct SendQueue: Sendable {
    /// How many fragments wait at most; a frame that comes then is not taken.
    static let most = 128

    private struct Fragment {
        let handle: UInt16
        let packet: Packet
        let begins: Bool
    }

    private struct OnTheWay {
        let handle: UInt16
        var count: Int
    }

    private let fragmentLength: Int
    private var free: Int
    private var waiting: [Fragment] = []
    private var taken = 0
    private var onTheWay: [OnTheWay] = []

    /// For a controller that holds `count` packets with so many octets of data.
    init(fragmentLength: Int, count: Int) { (self.fragmentLength, free) = (fragmentLength, count) }

    /// Takes a frame, and cuts it as the controller wants it; or releases it and returns false when it is full.
    mutating func add(_ frame: Packet, to handle: UInt16, pool: inout PacketPool) -> Bool {
        guard waiting.count - taken < Self.most else {
            pool.release(frame)
            return false
        }
        var rest = frame
        var begins = true
        while let fragment = pool.takeFragment(off: &rest, limit: fragmentLength) {
            waiting.append(Fragment(handle: handle, packet: fragment, begins: begins))
            begins = false
        }
        waiting.append(Fragment(handle: handle, packet: rest, begins: begins))
        return true
    }

    /// The ACL packet to send now; nil when there is none, or no room for it in the controller.
    mutating func next(pool: inout PacketPool) -> Packet? {
        guard taken < waiting.count else {
            waiting.removeAll(keepingCapacity: true)
            taken = 0
            return nil
        }
        guard free > 0 else { return nil }
        let fragment = waiting[taken]
        taken += 1
        if taken > Self.most {
            waiting.removeFirst(taken)
            taken = 0
        }
        count(fragment.handle)
        var packet = fragment.packet
        let boundary: ACLHeader.Boundary = fragment.begins ? .firstNonFlushable : .continuing
        pool.prependACLHeader(handle: fragment.handle, boundary: boundary, to: &packet)
        return packet
    }

    /// The controller has done with packets; more than there are on the way are not believed.
    mutating func completed(_ completed: CompletedPackets) {
        for index in onTheWay.indices where onTheWay[index].handle == completed.handle {
            let count = min(Int(completed.count), onTheWay[index].count)
            onTheWay[index].count -= count
            free += count
        }
    }

    /// A connection is over: what waits for it is released, and the controller has forgotten what was on its way.
    mutating func remove(_ handle: UInt16, pool: inout PacketPool) {
        completed(CompletedPackets(handle: handle, count: .max))
        onTheWay.removeAll { $0.handle == handle }
        for fragment in waiting[taken...] where fragment.handle == handle { pool.release(fragment.packet) }
        waiting = waiting[taken...].filter { $0.handle != handle }
        taken = 0
    }

    private mutating func count(_ handle: UInt16) {
        free -= 1
        for index in onTheWay.indices where onTheWay[index].handle == handle {
            onTheWay[index].count += 1
            return
        }
        onTheWay.append(OnTheWay(handle: handle, count: 1))
    }
}
