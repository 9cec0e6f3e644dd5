import Basics
import HCI
import Testing

@testable import LEHost

/// Core 6.0, Vol 4, Part E, section 4.1.1, and how connections share the buffers.
@Suite struct SendQueueTests {
    private var pool = PacketPool()
    private var queue = SendQueue(fragmentLength: 27, count: 8)

    /// Adds frames of one octet, and returns the packets that the controller then receives.
    private mutating func send(_ frames: [(handle: UInt16, octet: UInt8)]) -> [[UInt8]] {
        for frame in frames { #expect(queue.add(pool.take([frame.octet]), to: frame.handle, pool: &pool)) }
        return drain()
    }

    private mutating func drain() -> [[UInt8]] {
        var sent: [[UInt8]] = []
        while let packet = queue.next(pool: &pool) {
            let octets = pool.octets(of: packet)
            sent.append([octets[0], octets[4]])
            pool.release(packet)
        }
        return sent
    }

    @Test mutating func `A single connection uses all buffers, and no more`() {
        let sent = send((0..<10).map { (1, $0) })
        #expect(sent == (0..<8).map { [1, $0] })
        queue.completed(CompletedPackets(handle: 1, count: 1))
        #expect(drain() == [[1, 8]])
        queue.completed(CompletedPackets(handle: 1, count: 100))
        #expect(drain() == [[1, 9]])
        #expect(pool.taken == 0)
    }

    @Test mutating func `Frames are sent in order, for whatever connection`() {
        #expect(send([(1, 0), (2, 1), (1, 2), (2, 3)]) == [[1, 0], [2, 1], [1, 2], [2, 3]])
    }

    @Test mutating func `A connection that frees no buffers does not block others`() {
        _ = send([(2, 0)])
        let sent = send((0..<20).map { (1, $0) } + [(2, 20)])
        #expect(sent == (0..<4).map { [1, $0] } + [[2, 20]])
        for octet in 21..<100 as Range<UInt8> {
            queue.completed(CompletedPackets(handle: 2, count: 1))
            #expect(send([(2, octet)]) == [[2, octet]])
        }
        queue.remove(1, pool: &pool)
        queue.remove(2, pool: &pool)
        #expect(pool.taken == 0)
        #expect(send((0..<10).map { (3, $0) }).count == 8)
    }

    @Test mutating func `Frames above the limit are dropped for that connection only`() {
        var taken = 0
        while queue.add(pool.take([0]), to: 1, pool: &pool) { taken += 1 }
        #expect(taken == SendQueue.maximumWaiting)
        #expect(queue.waitingCount(of: 1) == SendQueue.maximumWaiting && queue.waitingCount(of: 2) == 0)
        _ = queue.next(pool: &pool)
        #expect(queue.waitingCount(of: 1) == SendQueue.maximumWaiting - 1)
        #expect(queue.add(pool.take([1]), to: 2, pool: &pool))
    }
}
