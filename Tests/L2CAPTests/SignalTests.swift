import Basics
import Bluetooth
import L2CAP
import Mutations
import Testing

@Suite struct SignalTests {
    static let rhythm = ConnectionParameters(
        minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 42)
    static let channel = Signal.CreditBasedChannel(
        channel: Channel(rawValue: 0x40), mtu: 23, mps: 24, credits: 2)

    static let table: [(Signal, [UInt8])] = [
        (Signal(1, .commandReject(.notUnderstood)), [1, 1, 2, 0, 0, 0]),
        (Signal(1, .commandReject(.mtuExceeded(actual: 23))), [1, 1, 4, 0, 1, 0, 23, 0]),
        (
            Signal(2, .commandReject(.invalidChannel(local: Channel(rawValue: 0x40), remote: Channel(rawValue: 0x41)))),
            [1, 2, 6, 0, 2, 0, 0x40, 0, 0x41, 0]
        ),
        (
            Signal(2, .disconnectionRequest(destination: Channel(rawValue: 0x40), source: Channel(rawValue: 0x41))),
            [6, 2, 4, 0, 0x40, 0, 0x41, 0]
        ),
        (
            Signal(2, .disconnectionResponse(destination: Channel(rawValue: 0x40), source: Channel(rawValue: 0x41))),
            [7, 2, 4, 0, 0x40, 0, 0x41, 0]
        ),
        (
            Signal(3, .connectionParameterUpdateRequest(rhythm)),
            [0x12, 3, 8, 0, 24, 0, 40, 0, 0, 0, 42, 0]
        ),
        (Signal(3, .connectionParameterUpdateResponse(isAccepted: true)), [0x13, 3, 2, 0, 0, 0]),
        (Signal(3, .connectionParameterUpdateResponse(isAccepted: false)), [0x13, 3, 2, 0, 1, 0]),
        (
            Signal(4, .creditBasedConnectionRequest(channel, spsm: 0x25)),
            [0x14, 4, 10, 0, 0x25, 0, 0x40, 0, 23, 0, 24, 0, 2, 0]
        ),
        (
            Signal(4, .creditBasedConnectionResponse(channel, result: 2)),
            [0x15, 4, 10, 0, 0x40, 0, 23, 0, 24, 0, 2, 0, 2, 0]
        ),
        (Signal(5, .flowControlCredit(Channel(rawValue: 0x40), count: 3)), [0x16, 5, 4, 0, 0x40, 0, 3, 0]),
        (Signal(6, .unknown(code: 0x7F, [1])), [0x7F, 6, 1, 0, 1]),
    ]

    @Test(arguments: table)
    func `A PDU is encoded and decoded`(signal: Signal, octets: [UInt8]) throws {
        #expect(signal.octets == octets)
        #expect(try Signal(octets: octets) == signal)
    }

    @Test(arguments: table)
    func `No octets trap`(signal: Signal, octets: [UInt8]) {
        for mutation in octets.mutations {
            _ = SignallingResponder(.central).answer(to: mutation)
            guard let read = try? Signal(octets: mutation) else { continue }
            #expect((try? Signal(octets: read.octets)) == read)
        }
    }

    static let request: [UInt8] = [0x12, 3, 8, 0, 24, 0, 40, 0, 0, 0, 42, 0]
    static let tooSlow: [UInt8] = [0x12, 3, 8, 0, 24, 0, 40, 0, 4, 0, 42, 0]

    static let answers: [(String, SignallingResponder.Role, [UInt8], [UInt8]?)] = [
        ("L2CAP/LE/CPU/BV-02-C: a central accepts a valid rhythm", .central, request, [0x13, 3, 2, 0, 0, 0]),
        (
            "L2CAP/LE/CPU/BI-01-C: a central rejects a timeout that is too short", .central, tooSlow,
            [0x13, 3, 2, 0, 1, 0]
        ),
        (
            "L2CAP/LE/CPU/BI-02-C: a peripheral does not understand a request for another rhythm", .peripheral, request,
            [1, 3, 2, 0, 0, 0]
        ),
        (
            "nobody listens to an SPSM", .peripheral, [0x14, 4, 10, 0, 0x25, 0, 0x40, 0, 23, 0, 24, 0, 2, 0],
            [0x15, 4, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
        ),
        (
            "no bearer of EATT, whose SPSM is 0x27", .peripheral,
            [0x14, 4, 10, 0, 0x27, 0, 0x40, 0, 64, 0, 64, 0, 2, 0],
            [0x15, 4, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
        ),
        (
            "nor by an enhanced request: section 4.25 is unknown", .peripheral,
            [0x17, 4, 10, 0, 0x27, 0, 64, 0, 64, 0, 2, 0, 0x40, 0], [1, 4, 2, 0, 0, 0]
        ),
        (
            "there is no channel to end", .central, [6, 2, 4, 0, 0x40, 0, 0x41, 0],
            [1, 2, 6, 0, 2, 0, 0x40, 0, 0x41, 0]
        ),
        ("an unknown request is rejected", .central, [0x17, 9, 0, 0], [1, 9, 2, 0, 0, 0]),
        ("a request with a wrong length is rejected", .central, [0x12, 3, 7, 0, 1], [1, 3, 2, 0, 0, 0]),
        ("a rejection is not answered", .central, [1, 1, 2, 0, 0, 0], nil),
        ("a broken rejection is not answered", .central, [1, 1, 2, 0], nil),
        ("an unknown response is not answered", .central, [0x18, 1, 0, 0], nil),
        ("identifier 0 is not answered", .central, [0x12, 0, 8, 0, 24, 0, 40, 0, 0, 0, 42, 0], nil),
        ("nothing is not answered", .central, [], nil),
    ]

    @Test(arguments: answers)
    func `A PDU is answered`(why: String, role: SignallingResponder.Role, octets: [UInt8], reply: [UInt8]?) {
        let answer = SignallingResponder(role).answer(to: octets)
        #expect(answer.reply == reply, "\(why)")
        #expect(answer.update == (reply == [0x13, 3, 2, 0, 0, 0] ? Self.rhythm : nil), "\(why)")
    }
}
