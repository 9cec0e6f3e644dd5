import Basics
import HCI

// The state of a link between packets.
extension Link {
    enum Phase: Hashable {
        case asleep, anchor, toPeripheral(Flight), toCentral(Flight)
    }

    /// A packet on the air.
    struct Flight: Hashable {
        var number: Bool  // SN
        var expects: Bool  // NESN
        var hasMore: Bool  // MD
        var carries: Bool  // false: an empty PDU
    }

    /// The PDU that an end sends until it is acknowledged; `first`: this many octets of the first PDU in the queue.
    enum Sending: Hashable { case nothing, empty, first(octets: Int) }

    struct End {
        var queue: [LinkPDU] = []
        var number = false
        var expects = false
        var sending = Sending.nothing
        var maximumPayload = Int(DataLength.minimum.octetCount)  // of a data PDU
        var isOpen = true
        // Closes after it has sent once more, to acknowledge LL_TERMINATE_IND.
        var isLeaving = false
        var isEstablished = false
        var cipher: LinkCipher?  // nil: encryption has never been started
        var supervised: Instant?  // when `supervise` will be called
        var lastReceived: Instant

        init(lastReceived: Instant) { self.lastReceived = lastReceived }

        /// The payload of the next packet.
        var next: Int {
            switch queue.first {
            case .data(let packet, _): min(packet.count, maximumPayload)
            case let pdu: pdu?.payload ?? 0
            }
        }

        /// The octets that a MIC adds to the next packet.
        var micCount: Int { cipher?.sending == nil ? 0 : LinkCipher.micCount }

        /// The octets that the packet which is sent adds to `payload`: its MIC.
        func onAir(_ payload: Int) -> Int { cipher?.packet == nil ? payload : payload + LinkCipher.micCount }

        /// Sends the unacknowledged packet again; or as much of the first PDU in the queue as fits; or an empty PDU.
        mutating func launch() -> Flight {
            if sending == .nothing {
                sending = queue.isEmpty ? .empty : .first(octets: next)
                if cipher != nil, let first = queue.first { cipher?.launched(first) }
            }
            guard case .first(let octets) = sending, let first = queue.first else {
                return Flight(number: number, expects: expects, hasMore: !queue.isEmpty, carries: false)
            }
            return Flight(
                number: number, expects: expects, hasMore: queue.count > 1 || octets < first.payload, carries: true)
        }

        /// An expected SN means new data, and a changed NESN an acknowledgement: section 4.5.9.
        mutating func receive(_ flight: Flight, at now: Instant) -> (isAcknowledged: Bool, isNew: Bool) {
            (lastReceived, isEstablished) = (now, true)
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
