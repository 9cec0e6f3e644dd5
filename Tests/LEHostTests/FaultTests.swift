import ATT
import Basics
import Bluetooth
import GATT
import HCI
import L2CAP
import LEHost
import Testing

/// Faults that a script injects into a host.
@Suite struct FaultTests {
    private static let credits: [UInt8] = [0x13, 5, 1, 0x40, 0, 2, 0]

    /// A frame on a channel of connection 0x0040, as the host receives it.
    private static func frame(_ channel: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = UInt8(payload.count)
        return [0x40, 0x20, count + 4, 0, count, 0, channel, 0] + payload
    }

    /// The same frame, as the host sends it.
    private static func sent(_ channel: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = UInt8(payload.count)
        return [2, 0x40, 0, count + 4, 0, count, 0, channel, 0] + payload
    }

    private func harness(_ properties: CharacteristicProperties = [.read, .notify]) throws -> HostHarness {
        var harness = try HostHarness(properties: properties)
        harness.start()
        harness.connected(role: 1)
        harness.answerAll()
        _ = (harness.takeSent(), harness.takeOutputs())
        return harness
    }

    private static let read: [UInt8] = [0x0A, 3, 0]
    private static let value: [UInt8] = [0x0B, 0x00, 72]

    @Test func `Requests during a stall are answered after it, in order`() throws {
        var harness = try harness()
        harness.step(.fault(.stall(.all)))
        harness.acl(Self.frame(4, Self.read))
        harness.acl(Self.frame(4, [0x02, 100, 0]))
        // Signaling and security continue: an unknown signal, and a Pairing Request.
        harness.acl(Self.frame(5, [0x55, 1, 0, 0]))
        harness.acl(Self.frame(6, [0x01, 3, 0, 0, 16, 0, 0]))
        #expect(harness.takeSent() == [Self.sent(5, [0x01, 1, 2, 0, 0, 0]), Self.sent(6, [0x05, 0x05])])
        harness.event(Self.credits)
        harness.wait(.seconds(1))
        harness.step(.fault(.stall([])))
        #expect(harness.takeSent() == [])
        harness.wait(.zero)
        #expect(harness.takeSent() == [Self.sent(4, Self.value), Self.sent(4, [0x03, 247, 0])])
        harness.event(Self.credits)
        harness.acl(Self.frame(4, Self.read))
        #expect(harness.takeSent() == [Self.sent(4, Self.value)])
        #expect(harness.pool.taken == 0)
    }

    /// The kind that waits, and whether a read, an Exchange MTU, a subscription, a write, and two searches wait.
    @Test(
        arguments: [
            (.exchangeMTU, [false, true, false, false, false, false]),
            (.read, [true, false, false, false, false, true]),
            (.subscribe, [false, false, true, false, false, false]),
            (.write, [false, false, false, true, false, false]),
            (.discover, [false, false, false, false, true, false]), (.all, [true, true, true, true, true, true]),
        ] as [(ErrorInjection.Requests, [Bool])])
    func `Only the requests of a kind wait, and others are answered`(
        kind: ErrorInjection.Requests, waits: [Bool]
    ) throws {
        let requests: [[UInt8]] = [
            Self.read, [0x02, 100, 0], [0x12, 4, 0, 1, 0], [0x12, 3, 0, 1], [0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28],
            [0x08, 1, 0, 0xFF, 0xFF, 0x37, 0x2A],
        ]
        for (request, waits) in zip(requests, waits) {
            var harness = try harness()
            harness.step(.fault(.stall(kind)))
            harness.acl(Self.frame(4, request))
            #expect(harness.takeSent().isEmpty == waits, "\(request.hex)")
            harness.step(.fault(.stall([])))
            harness.wait(.zero)
            #expect(harness.takeSent().isEmpty != waits)
            #expect(harness.pool.taken == 0)
        }
    }

    @Test func `A stall that follows at once continues the previous one`() throws {
        var harness = try harness()
        harness.step(.fault(.stall(.all)))
        harness.acl(Self.frame(4, Self.read))
        harness.step(.fault(.stall([])))
        harness.step(.fault(.stall(.all)))
        harness.wait(.seconds(1))
        #expect(harness.takeSent() == [])
        harness.step(.fault(.stall([])))
        harness.acl(Self.frame(4, [0x02, 100, 0]))
        #expect(harness.takeSent() == [])
        harness.wait(.zero)
        #expect(harness.takeSent() == [Self.sent(4, Self.value), Self.sent(4, [0x03, 247, 0])])
    }

    @Test func `The response to a subscription comes after what is due at that instant`() throws {
        var harness = try harness()
        harness.step(.fault(.respondToSubscribersLate(true)))
        harness.acl(Self.frame(4, [0x12, 4, 0, 1, 0]))
        let id = ConnectionID(number: 1)
        #expect(harness.takeSent() == [] && harness.host.owesResponse(to: id))
        harness.step(.command(.notify(handle: 3, [0, 72])))
        harness.wait(.zero)
        #expect(harness.takeSent() == [Self.sent(4, [0x1B, 3, 0, 0, 72]), Self.sent(4, [0x13])])
        harness.event(Self.credits)
        // Other responses do not wait, and a connection that ends takes its response along.
        harness.acl(Self.frame(4, Self.read))
        #expect(harness.takeSent() == [Self.sent(4, Self.value)])
        harness.acl(Self.frame(4, [0x12, 4, 0, 1, 0]))
        harness.event([0x05, 4, 0, 0x40, 0, 0x13])
        #expect(harness.pool.taken == 0)
    }

    @Test func `A limited number of requests waits, and none after the connection`() throws {
        var harness = try harness()
        harness.step(.fault(.stall(.all)))
        for _ in 0...Host.maximumHeldPDUs { harness.acl(Self.frame(4, Self.read)) }
        #expect(harness.pool.taken == Host.maximumHeldPDUs)
        harness.event([0x05, 4, 0, 0x40, 0, 0x13])
        #expect(harness.pool.taken == 0)
        harness.connected(role: 1)
        harness.acl(Self.frame(4, Self.read))
        harness.answerAll()
        #expect(harness.takeSent() == [])
        harness.step(.fault(.stall([])))
        harness.wait(.zero)
        #expect(harness.takeSent() == [Self.sent(4, Self.value)])
    }

    /// The first 64 requests are handled, and further ones dropped.
    @Test func `The first requests are handled`() throws {
        var harness = try harness()
        harness.step(.fault(.stall(.all)))
        for _ in 0..<Host.maximumHeldPDUs { harness.acl(Self.frame(4, [0xFE])) }
        harness.acl(Self.frame(4, Self.read))
        harness.step(.fault(.stall([])))
        harness.wait(.zero)
        var answers: [[UInt8]] = []
        while true {
            let sent = harness.takeSent()
            if sent.isEmpty { break }
            answers += sent
            harness.event(Self.credits)
        }
        // 0xFE is a command, which is not answered; the read after 64 of them was dropped.
        #expect(answers == [])
        #expect(harness.pool.taken == 0)
    }

    @Test func `A confirmation waits too`() throws {
        var harness = try harness([.read, .indicate])
        harness.acl(IndicationTests.wanted)
        harness.event(Self.credits)
        harness.step(.command(.notify(handle: 3, [0, 72])))
        harness.step(.fault(.stall(.all)))
        _ = harness.takeOutputs()
        harness.acl(IndicationTests.confirmation)
        #expect(harness.takeOutputs() == [])
        harness.step(.fault(.stall([])))
        harness.wait(.zero)
        #expect(harness.takeOutputs() == [.server(HostTests.id, .confirmed(handle: 3))])
    }

    @Test func `An injected error applies to all connections, including new ones`() throws {
        var injection = ErrorInjection()
        injection.add(.read, in: .all, with: .unlikelyError)
        var harness = try harness()
        harness.step(.fault(.injectErrors(injection)))
        let refused = Self.sent(4, [0x01, 0x0A, 3, 0, 0x0E])
        for _ in 0..<2 {
            harness.acl(Self.frame(4, Self.read))
            #expect(harness.takeSent() == [refused])
            harness.event([0x05, 4, 0, 0x40, 0, 0x13])
            harness.connected(role: 1)
            harness.answerAll()
        }
        harness.step(.fault(.injectErrors(ErrorInjection())))
        harness.acl(Self.frame(4, Self.read))
        #expect(harness.takeSent() == [Self.sent(4, Self.value)])
    }

    @Test func `An offered MTU applies to later exchanges`() throws {
        var harness = try harness()
        harness.step(.fault(.offer(mtu: 517)))
        harness.acl(Self.frame(4, [0x02, 0, 2]))
        #expect(harness.takeSent() == [Self.sent(4, [0x03, 5, 2])])
        harness.event(Self.credits)
        harness.step(.fault(.offer(mtu: 23)))
        // As long as is agreed: a Write Request of 33 octets for a value that cannot be written.
        harness.acl(Self.frame(4, [0x12, 3, 0] + [UInt8](repeating: 0, count: 30)))
        #expect(harness.takeSent() == [Self.sent(4, [0x01, 0x12, 3, 0, 0x03])])
        harness.event([0x05, 4, 0, 0x40, 0, 0x13])
        harness.connected(role: 1)
        harness.answerAll()
        harness.acl(Self.frame(4, [0x02, 0, 2]))
        #expect(harness.takeSent() == [Self.sent(4, [0x03, 23, 0])])
    }

    @Test func `A client that does not confirm still receives indications`() throws {
        var harness = try harness()
        let indication: [UInt8] = [0x1D, 3, 0, 0, 72]
        harness.step(.fault(.confirmIndications(false)))
        harness.acl(Self.frame(4, indication))
        #expect(harness.takeSent() == [] && harness.notified == [[0, 72]])
        // The pending indication is confirmed, once.
        harness.step(.fault(.confirmIndications(true)))
        #expect(harness.takeSent() == [Self.sent(4, [0x1E])])
        harness.step(.fault(.confirmIndications(true)))
        #expect(harness.takeSent() == [])
        harness.acl(Self.frame(4, indication))
        #expect(harness.takeSent() == [Self.sent(4, [0x1E])])
        harness.step(.fault(.confirmIndications(false)))
        harness.event([0x05, 4, 0, 0x40, 0, 0x13])
        harness.connected(role: 1)
        harness.answerAll()
        harness.acl(Self.frame(4, indication))
        #expect(harness.takeSent() == [])
        #expect(harness.pool.taken == 0)
    }

    @Test(arguments: [(.attribute, 4), (.signalling, 5), (.security, 6)] as [(Channel, UInt8)])
    func `Raw octets are sent on every connection`(channel: Channel, number: UInt8) throws {
        var harness = try harness()
        harness.connected(role: 1, handle: 0x41)
        harness.answerAll()
        harness.step(.fault(.sendRaw(channel, [0xFF, 1, 2])))
        var other = Self.sent(number, [0xFF, 1, 2])
        other[1] = 0x41
        #expect(harness.takeSent() == [Self.sent(number, [0xFF, 1, 2]), other])
        harness.event(Self.credits)
        harness.step(.fault(.sendRaw(channel, [])))
        #expect(harness.takeSent().first == Self.sent(number, []))
        harness.event([0x05, 4, 0, 0x41, 0, 0x13])
        harness.event(Self.credits)
        harness.step(.fault(.sendRaw(channel, [UInt8](repeating: 7, count: 9999))))
        // 540 octets after a header of 4, in packets of 27.
        #expect(harness.sent.first?.starts(with: [2, 0x40, 0, 27, 0, 0x1C, 2, number, 0, 7]) == true)
    }

    @Test func `A server's responses are observed on request, notifications are not`() throws {
        var harness = try harness()
        func overheard() -> [[UInt8]] {
            harness.takeOutputs().compactMap { if case .overheard(_, let octets) = $0 { octets } else { nil } }
        }
        let answers: [[UInt8]] = [[0x0B, 1, 2], [0x01, 0x3F, 0, 0, 6], [0x7F]]
        let others: [[UInt8]] = [[0x1B, 3, 0, 1], [0x1D, 3, 0, 1], [0x23, 3, 0, 0, 0, 4, 0, 0, 0], Self.read]
        for octets in answers + others { harness.acl(Self.frame(4, octets)) }
        #expect(overheard() == [])
        harness.step(.fault(.overhear(true)))
        for octets in answers + others { harness.acl(Self.frame(4, octets)) }
        #expect(overheard() == [[0x0B, 1, 2], [0x01, 0x3F, 0, 0, 6]])
        harness.step(.fault(.overhear(false)))
        for octets in answers { harness.acl(Self.frame(4, octets)) }
        #expect(overheard() == [])
    }

    @Test func `Connecting without a timeout does not end`() throws {
        var harness = try HostHarness()
        harness.start()
        _ = harness.takeSent()
        let creation = ConnectionCreation(
            to: HostHarness.strap,
            parameters: ConnectionParameters(
                minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 72))
        harness.step(.command(.connect(creation, timeout: nil)))
        harness.answerAll()
        harness.wait(.seconds(1_000_000))
        #expect(harness.takeOutputs().isEmpty == false)
        #expect(harness.takeSent() == [])
        harness.connected(role: 0)
        #expect(harness.takeOutputs().contains { if case .connected = $0 { true } else { false } })
    }
}
