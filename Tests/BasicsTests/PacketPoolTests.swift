import Basics
import Testing

@Suite struct PacketPoolTests {
    @Test func `Headers are prepended by writers and dropped by readers`() {
        var pool = PacketPool()
        var packet = pool.take([1, 2, 3])
        pool.prepend(0x0004 as UInt16, to: &packet)
        pool.prepend(0x0003 as UInt16, to: &packet)
        pool.append(0xBBAA as UInt16, to: &packet)
        #expect(pool.octets(of: packet) == [3, 0, 4, 0, 1, 2, 3, 0xAA, 0xBB])
        #expect(pool.uint16(at: 2, of: packet) == 4)
        packet.dropFirst(4)
        packet.truncate(to: 3)
        #expect(pool.octets(of: packet) == [1, 2, 3])
        #expect(pool.uint8(at: 2, of: packet) == 3)
        #expect(pool.uint8(at: 3, of: packet) == nil)
        #expect(pool.uint16(at: 2, of: packet) == nil)
        #expect(pool.uint8(at: -1, of: packet) == nil)
    }

    @Test func `A header of four octets is read at once, or not at all`() {
        var pool = PacketPool()
        var packet = pool.take()
        let octets: [5 of UInt8] = [0x34, 0x12, 0xCD, 0xAB, 9]
        pool.append(octets.span, to: &packet)
        #expect(pool.octets(of: packet) == [0x34, 0x12, 0xCD, 0xAB, 9])
        #expect(pool.header(of: packet).map { [$0.first, $0.second] } == [0x1234, 0xABCD])
        packet.dropFirst(1)
        #expect(pool.header(of: packet).map { [$0.first, $0.second] } == [0xCD12, 0x09AB])
        packet.dropFirst(1)
        #expect(pool.header(of: packet) == nil)
    }

    @Test func `A copy is independent, and released slots are reused`() {
        var pool = PacketPool()
        let packet = pool.take([1, 2, 3])
        var part = pool.copy(packet, from: 1, count: 9)
        pool.append(4 as UInt8, to: &part)
        #expect(pool.octets(of: packet) == [1, 2, 3])
        #expect(pool.octets(of: part) == [2, 3, 4])
        #expect(pool.taken == 2)
        pool.release(packet)
        pool.release(part)
        #expect(pool.taken == 0)
        let next = pool.take([7])
        #expect(pool.taken == 1)
        #expect(pool.octets(of: next) == [7])
    }

    @Test func `Dropping more octets than there are leaves an empty packet`() {
        var pool = PacketPool()
        var packet = pool.take([1, 2, 3])
        packet.dropFirst(4)
        #expect(packet.count == 0)
        #expect(pool.octets(of: packet) == [])
    }
}
