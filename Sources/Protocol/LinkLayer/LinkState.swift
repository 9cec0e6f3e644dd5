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
        var longest = Int(PDULength.minimum.octets)  // payload of a data PDU
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

        /// Sends what was not acknowledged again, else the first of the queue, or as much of that as one PDU holds, else
        /// an empty PDU.
        mutating func launch() -> Flight {
            if sending == .nothing { sending = queue.isEmpty ? .empty : .first(octets: next) }
            guard case .first(let octets) = sending, let first = queue.first else {
                return Flight(number: number, expects: expects, hasMore: !queue.isEmpty, carries: false)
            }
            return Flight(
                number: number, expects: expects, hasMore: queue.count > 1 || octets < first.payload, carries: true)
        }

        /// A number that is expected is new, and a number that is no longer expected is acknowledged: section 4.5.9.
        mutating func hear(_ flight: Flight, at now: Instant) -> (isAcknowledged: Bool, isNew: Bool) {
            (heard, isEstablished) = (now, true)
            let (isAcknowledged, isNew) = (flight.expects != number, flight.number == expects)
            if isAcknowledged {
                number.toggle()
                sending = .nothing
            }
            if isNew { expects.toggle() }
            return (isAcknowledged, isNew)
        }
    }
}
