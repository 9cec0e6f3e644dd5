import ATT
import Basics
import Bluetooth
import Fuzzing
import GATT

extension Reader {
    /// The first octet selects the procedure, and whether the client exchanges the MTU before. An empty PDU: 31 s pass.
    /// A PDU of one octet from 0xF0 to 0xF4 is an `Action`.
    static let client = Reader(
        "client", "PDUs of a GATT server: a procedure ends once or sends one request, and no packet is kept"
    ) { octets throws(Broken) in
        let choice = octets.first ?? 0
        var tested = TestedClient()
        if choice & 0x80 != 0 { try tested.start(.exchangeMTU) }
        try tested.start(procedures[Int(choice & 0x7F) % procedures.count])
        for pdu in Conversation(octets.dropFirst()).prefix(512) {
            if pdu.isEmpty {
                try tested.pass(.seconds(31))
            } else if pdu.count == 1, let action = TestedClient.Action(rawValue: pdu[0]) {
                try tested.act(action)
            } else {
                try tested.receive(pdu)
            }
        }
        try tested.step(.disconnected)
        try require(tested.ended == tested.started, "\(tested.started) procedures have \(tested.ended) ends")
    }

    private static let inside = HandleRange(0x0006, 0x000D)
    private static let long = [UInt8](0..<40)
    private static let procedures: [Procedure] = [
        .discoverPrimaryServices, .findPrimaryServices(UUID(0x180D)), .findIncludedServices(inside),
        .discoverCharacteristics(inside), .discoverDescriptors(inside), .discoverEverything, .read(handle: 3),
        .readByUUID(UUID(0x2A38), .all), .readLong(handle: 3), .readMultiple(handles: [3, 11]),
        .readMultipleVariable(handles: [3, 11]), .writeCommand(handle: 3, value: [1]), .write(handle: 3, value: [1]),
        .writeLong(handle: 3, value: long), .writeReliably([AttributeData(3, [1]), AttributeData(5, long)]),
        .subscribe(handle: 9, to: .notification), .exchangeMTU, .writeReliably([]), .write(handle: 3, value: long),
        .writeLong(handle: 3, value: [UInt8](repeating: 1, count: 600)), .readMultiple(handles: [3]),
    ]
}

/// A client with its pool.
private struct TestedClient {
    /// The steps of the caller between the server's PDUs.
    enum Action: UInt8 {
        case withholdConfirmations = 0xF0, confirm
        /// One more procedure is started.
        case start
        case disconnect
        /// A second passes.
        case wait
    }

    private(set) var (started, ended) = (0, 0)
    private var client = Client(receives: 247)
    private var pool = PacketPool()
    private var now = Instant.start

    /// Returns the PDUs that are sent.
    @discardableResult mutating func step(_ input: Client.Input) throws(Broken) -> [[UInt8]] {
        var (outbox, sent): ([Client.Output], [[UInt8]]) = ([], [])
        client.step(input, at: now, pool: &pool, into: &outbox)
        for output in outbox {
            switch output {
            case .send(let packet):
                sent.append(pool.octets(of: packet))
                pool.release(packet)
            case .notified(_, let packet), .indicated(_, let packet): pool.release(packet)
            case .finished, .failed: ended += 1
            default: break
            }
        }
        try require(pool.taken == 0, "\(pool.taken) packets are kept")
        for pdu in sent {
            try require(pdu.count <= client.mtu, "a PDU has \(pdu.count) octets")
            try require((try? PDU(pdu[...])) != nil, "the client sends \(pdu.hex)")
        }
        return sent
    }

    mutating func start(_ procedure: Procedure) throws(Broken) {
        started += 1
        try step(.start(procedure, id: UInt32(started)))
    }

    mutating func act(_ action: Action) throws(Broken) {
        switch action {
        case .withholdConfirmations, .confirm: try step(.confirmIndications(action == .confirm))
        case .start: try start(.read(handle: 3))
        case .disconnect: try step(.disconnected)
        case .wait: try pass(.seconds(1))
        }
    }

    mutating func receive(_ pdu: [UInt8]) throws(Broken) {
        let before = ended
        let sent = try step(.receive(pool.take(pdu)))
        // The end of a procedure starts the next one.
        try require(sent.count <= 1 + ended - before, "\(pdu.hex) causes \(sent.count) PDUs")
        try require(ended - before <= started, "\(pdu.hex) ends \(ended - before) procedures")
    }

    mutating func pass(_ duration: Duration) throws(Broken) {
        now = now.advanced(by: duration)
        try require(try step(.timePassed).count <= 1, "more than one PDU is sent")
    }
}
