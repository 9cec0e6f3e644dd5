import Basics
import HCI
import Mutations
import Testing

@Suite struct FramingTests {
    static let packets: [H4Framer.Framed] = [
        H4Framer.Framed(kind: .command, octets: [0x03, 0x0C, 0]),
        H4Framer.Framed(kind: .event, octets: [0x0E, 4, 1, 0x03, 0x0C, 0]),
        H4Framer.Framed(kind: .acl, octets: [0x40, 0x20, 5, 0, 1, 0, 4, 0, 0x0A]),
        H4Framer.Framed(kind: .synchronous, octets: [1, 0, 1, 0xFF]),
        H4Framer.Framed(kind: .isochronous, octets: [1, 0, 2, 0x40, 1, 2]),
        H4Framer.Framed(kind: .acl, octets: [0x40, 0x10, 0, 0]),
    ]
    static let stream: [UInt8] = packets.flatMap { H4Framer.octets($0.kind, $0.octets) }

    @Test(arguments: 1...7)
    func `A stream is split into its packets, whatever the chunks`(size: Int) throws {
        var framer = H4Framer()
        var found: [H4Framer.Framed] = []
        for begin in stride(from: 0, to: Self.stream.count, by: size) {
            framer.append(Array(Self.stream[begin..<min(begin + size, Self.stream.count)]))
            while let packet = try framer.next() { found.append(packet) }
        }
        #expect(found == Self.packets)
    }

    @Test func `No stream traps, and a failed framer returns no more packets`() {
        for mutation in Self.stream.mutations {
            var framer = H4Framer()
            framer.append(mutation)
            var count = 0
            do {
                while try framer.next() != nil { count += 1 }
            } catch {
                framer.append(Self.stream)
                #expect(throws: error) { try framer.next() }
            }
            #expect(count <= mutation.count)
        }
    }

    @Test func `An error names an unknown indicator and a packet above the limit`() {
        var framer = H4Framer()
        framer.append([0x2A])
        #expect(throws: H4Framer.Failure.unknownIndicator(0x2A)) { try framer.next() }
        for limit in [PacketPool.capacity, 1027] {
            framer = H4Framer(limit: limit)
            framer.append([2, 0x40, 0x20, 0xFF, 0xFF])
            #expect(throws: H4Framer.Failure.tooLong(.acl, count: 4 + 0xFFFF, limit: limit)) { try framer.next() }
        }
    }

    @Test func `A packet may be as long as the limit`() throws {
        let packet = H4Framer.Framed(kind: .acl, octets: [0x40, 0x20, 6, 0] + [UInt8](repeating: 7, count: 6))
        for (limit, isAllowed) in [(9, false), (10, true)] {
            var framer = H4Framer(limit: limit)
            framer.append(H4Framer.octets(packet.kind, packet.octets))
            #expect((try? framer.next()) == (isAllowed ? packet : nil))
        }
    }

    @Test func `An ACL header is read as it is written`() throws {
        var pool = PacketPool()
        var packet = pool.take([1, 2, 3])
        pool.prependACLHeader(handle: 0x0EFF, boundary: .continuing, to: &packet)
        #expect(pool.octets(of: packet) == [0xFF, 0x1E, 3, 0, 1, 2, 3])
        let header = try pool.takeACLHeader(off: &packet)
        #expect(header.handle == 0x0EFF && header.boundary == .continuing)
        #expect(pool.octets(of: packet) == [1, 2, 3])
        pool.release(packet)
        for mutation in [0xFF, 0x1E, 3, 0, 1, 2, 3].mutations as [[UInt8]] {
            var packet = pool.take(mutation)
            let isWhole = mutation.count == 7 && mutation[2] == 3 && mutation[3] == 0 && mutation[1] >> 6 == 0
            #expect(((try? pool.takeACLHeader(off: &packet)) != nil) == isWhole)
            #expect(packet.count == (isWhole ? 3 : mutation.count))
            pool.release(packet)
        }
        #expect(pool.taken == 0)
    }
}
