import ATT
import Bluetooth
import GATT
import Octets
import Simulation

extension Reader {
    /// The first octet selects the procedure, and whether the client exchanges the MTU before. An empty PDU: 31 s pass.
    static let client = Reader(
        "client", "PDUs of a GATT server: a procedure ends once or sends one request, and no packet is kept"
    ) { octets throws(Broken) in
        let choice = octets.first ?? 0
        var tested = TestedClient()
        var count = 1
        if choice & 0x80 != 0 {
            try tested.step(.start(.exchangeMTU, id: 1))
            count += 1
        }
        try tested.step(.start(procedures[Int(choice & 0x7F) % procedures.count], id: 7))
        for pdu in Conversation(octets.dropFirst()).prefix(512) {
            try pdu.isEmpty ? tested.passTime() : tested.receive(pdu)
        }
        try tested.step(.disconnected)
        try require(tested.ended == count, "\(count) procedures have \(tested.ended) ends")
    }

    private static let inside = HandleRange(0x0006, 0x000D)
    private static let long = [UInt8](0..<40)
    private static let procedures: [Procedure] = [
        .discoverPrimaryServices, .findPrimaryServices(UUID(0x180D)), .findIncludedServices(inside),
        .discoverCharacteristics(inside), .discoverDescriptors(inside), .discoverEverything, .read(handle: 3),
        .readByUUID(UUID(0x2A38), .all), .readLong(handle: 3), .readMultiple(handles: [3, 11]),
        .readMultipleVariable(handles: [3, 11]), .writeCommand(handle: 3, value: [1]), .write(handle: 3, value: [1]),
        .writeLong(handle: 3, value: long), .writeReliably([AttributeData(3, [1]), AttributeData(5, long)]),
        .subscribe(handle: 9, to: .notification), .exchangeMTU,
    ]
}

/// A client with its pool.
private struct TestedClient {
    private(set) var ended = 0
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

    mutating func receive(_ pdu: [UInt8]) throws(Broken) {
        let before = ended
        let sent = try step(.receive(pool.take(pdu)))
        // The end of the MTU exchange starts the second procedure.
        try require(sent.count <= 1 + ended - before, "\(pdu.hex) causes \(sent.count) PDUs")
        try require(ended - before <= 2, "\(pdu.hex) ends \(ended - before) procedures")
    }

    mutating func passTime() throws(Broken) {
        now = now.advanced(by: .seconds(31))
        try require(try step(.timePassed).count <= 1, "more than one PDU is sent")
    }
}
