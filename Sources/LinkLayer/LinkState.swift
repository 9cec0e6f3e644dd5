import Octets
import Simulation

// What a link remembers from one packet to the next.
extension Link {
    enum Phase: Hashable {
        case asleep, anchor, toPeripheral(Flight), toCentral(Flight)
    }

    /// A packet on its way.
    struct Flight: Hashable {
        var number: Bool  // SN
        var expects: Bool  // NESN
        var hasMore: Bool  // MD
        var carries: Bool  // false: an empty PDU
    }

    /// What an end sends until it is acknowledged; of the first of its queue so many octets of payload.
    enum Sending: Hashable { case nothing, empty, first(octets: Int) }

    struct End {
        var queue: [LinkPDU] = []
        var number = false
        var expects = false
        var sending = Sending.nothing
        var longest = Int(PDULength.least.octets)  // payload of a data PDU
        var isOpen = true
        // Closes when it has sent once more, so that the other's LL_TERMINATE_IND is acknowledged.
        var isLeaving = false
        var isEstablished = false
        var supervised: Instant?  // when `supervise` is to be called
        var heard: Instant

        init(heard: Instant) { self.heard = heard }

        /// The payload of what is sent next.
        var next: Int {
            switch queue.first {
            case .data(let packet, _): min(packet.count, longest)
            case let pdu: pdu?.payload ?? 0
            }
        }

        /// A packet with the first of the queue, or with nothing.
        func flight(hasMore: Bool, carries: Bool) -> Flight {
            Flight(number: number, expects: expects, hasMore: hasMore, carries: carries)
        }
    }
}
