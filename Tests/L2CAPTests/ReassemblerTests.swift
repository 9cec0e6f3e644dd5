import Basics
import L2CAP
import Mutations
import Testing

@Suite struct ReassemblerTests {
    static let frame: [UInt8] = [9, 0, 4, 0] + Array(1...9)

    /// The frames recombined from fragments; `|` precedes a fragment that begins a frame.
    private func payloads(_ fragments: [(begins: Bool, octets: [UInt8])], limit: Int = 540) -> [[UInt8]] {
        var pool = PacketPool()
        var reassembler = Reassembler(limit: limit)
        var payloads: [[UInt8]] = []
        for fragment in fragments {
            let packet = pool.take(fragment.octets)
            if case .frame(_, let payload) = reassembler.receive(packet, begins: fragment.begins, pool: &pool) {
                payloads.append(pool.octets(of: payload))
                pool.release(payload)
            }
        }
        reassembler.reset(pool: &pool)
        #expect(pool.taken == 0)
        return payloads
    }

    @Test(arguments: 1...13)
    func `A frame is fragmented and recombined`(size: Int) throws {
        var pool = PacketPool()
        var rest = pool.take(Self.frame)
        var fragments: [(begins: Bool, octets: [UInt8])] = []
        while let fragment = pool.takeFragment(off: &rest, limit: size) {
            fragments.append((fragments.isEmpty, pool.octets(of: fragment)))
            pool.release(fragment)
        }
        fragments.append((fragments.isEmpty, pool.octets(of: rest)))
        pool.release(rest)
        #expect(pool.taken == 0)
        #expect(fragments.dropLast().allSatisfy { $0.octets.count == size })
        #expect(payloads(fragments) == [Array(1...9)])
        #expect(payloads(fragments + fragments) == [Array(1...9), Array(1...9)])
    }

    @Test func `A first fragment discards an incomplete frame`() {
        #expect(payloads([(true, [9, 0, 4, 0, 1]), (true, Self.frame)]) == [Array(1...9)])
    }

    @Test func `Malformed frames are discarded`() {
        #expect(payloads([(false, Self.frame)]).isEmpty)
        #expect(payloads([(true, Self.frame + [10])]).isEmpty)
        #expect(payloads([(true, [9, 0, 4, 0]), (false, Array(1...10))]).isEmpty)
        #expect(payloads([(true, [9, 0, 4, 0]), (false, Array(1...10)), (false, [1])]).isEmpty)
        #expect(payloads([(true, Self.frame)], limit: 8).isEmpty)
        #expect(payloads([(true, [0xFF, 0xFF, 4, 0]), (false, Array(1...9))]).isEmpty)
        #expect(payloads([(true, [])]).isEmpty)
    }

    @Test func `The longest frame is accepted, one octet more is not`() {
        let long: [UInt8] = [0x1C, 0x02, 4, 0] + [UInt8](repeating: 7, count: 540)
        let pieces = [(true, Array(long[..<300])), (false, Array(long[300...]))]
        #expect(payloads(pieces).map(\.count) == [540])
        #expect(payloads(pieces + [(false, [7])]).map(\.count) == [540])
        let octets = [UInt8](repeating: 7, count: 400)
        #expect(payloads([(true, [0xFF]), (false, octets), (false, octets)]).isEmpty)
    }

    @Test func `No octets trap, in one fragment or two`() {
        for mutation in Self.frame.mutations {
            for cut in 0...mutation.count {
                let whole = payloads([(true, mutation)])
                let two = payloads([(true, Array(mutation[..<cut])), (false, Array(mutation[cut...]))])
                let isWholeBefore = !payloads([(true, Array(mutation[..<cut]))]).isEmpty
                if cut > 0, !isWholeBefore { #expect(two == whole, "\(mutation.hex), cut at \(cut)") }
            }
        }
    }

    @Test func `A header is decoded as it was encoded`() throws {
        var pool = PacketPool()
        var packet = pool.take([0x0A, 3, 0])
        pool.prependL2CAPHeader(.attribute, to: &packet)
        #expect(pool.octets(of: packet) == [3, 0, 4, 0, 0x0A, 3, 0])
        #expect(payloads([(true, pool.octets(of: packet))]) == [[0x0A, 3, 0]])
    }
}
