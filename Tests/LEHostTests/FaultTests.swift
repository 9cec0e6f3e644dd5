import ATT
import Bluetooth
import GATT
import HCI
import L2CAP
import LEHost
import Octets
import Testing

/// What a script makes a host do wrong.
@Suite struct FaultTests {
    private static let credits: [UInt8] = [0x13, 5, 1, 0x40, 0, 2, 0]

    /// A frame on a channel of the link 0x0040, as the host takes it.
    private static func frame(_ channel: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = UInt8(payload.count)
        return [0x40, 0x20, count + 4, 0, count, 0, channel, 0] + payload
    }

    /// As it sends it.
    private static func sent(_ channel: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = UInt8(payload.count)
        return [2, 0x40, 0, count + 4, 0, count, 0, channel, 0] + payload
    }

    private func desk(_ properties: CharacteristicProperties = [.read, .notify]) throws -> Desk {
        var desk = try Desk(properties: properties)
        desk.start()
        desk.connected(role: 1)
        desk.answerAll()
        _ = (desk.takeSent(), desk.takeTold())
        return desk
    }

    private static let read: [UInt8] = [0x0A, 3, 0]
    private static let value: [UInt8] = [0x0B, 0x00, 72]

    @Test func `What clients ask during a stall is answered at its end, in order`() throws {
        var desk = try desk()
        desk.step(.command(.stall(true)))
        desk.acl(Self.frame(4, Self.read))
        desk.acl(Self.frame(4, [0x02, 100, 0]))
        // Signalling and security go on: an unknown signal, and a Pairing Request.
        desk.acl(Self.frame(5, [0x55, 1, 0, 0]))
        desk.acl(Self.frame(6, [0x01, 3, 0, 0, 16, 0, 0]))
        #expect(desk.takeSent() == [Self.sent(5, [0x01, 1, 2, 0, 0, 0]), Self.sent(6, [0x05, 0x05])])
        desk.event(Self.credits)
        desk.wait(.seconds(1))
        desk.step(.command(.stall(false)))
        #expect(desk.takeSent() == [])
        desk.wait(.zero)
        #expect(desk.takeSent() == [Self.sent(4, Self.value), Self.sent(4, [0x03, 247, 0])])
        desk.event(Self.credits)
        desk.acl(Self.frame(4, Self.read))
        #expect(desk.takeSent() == [Self.sent(4, Self.value)])
        #expect(desk.pool.taken == 0)
    }

    @Test func `A stall that follows at once goes on with the one before`() throws {
        var desk = try desk()
        desk.step(.command(.stall(true)))
        desk.acl(Self.frame(4, Self.read))
        desk.step(.command(.stall(false)))
        desk.step(.command(.stall(true)))
        desk.wait(.seconds(1))
        #expect(desk.takeSent() == [])
        desk.step(.command(.stall(false)))
        desk.acl(Self.frame(4, [0x02, 100, 0]))
        #expect(desk.takeSent() == [])
        desk.wait(.zero)
        #expect(desk.takeSent() == [Self.sent(4, Self.value), Self.sent(4, [0x03, 247, 0])])
    }

    @Test func `Only so many wait, and none is left when the link ends`() throws {
        var desk = try desk()
        desk.step(.command(.stall(true)))
        for _ in 0...Host.mostHeld { desk.acl(Self.frame(4, Self.read)) }
        #expect(desk.pool.taken == Host.mostHeld)
        desk.event([0x05, 4, 0, 0x40, 0, 0x13])
        #expect(desk.pool.taken == 0)
        desk.connected(role: 1)
        desk.acl(Self.frame(4, Self.read))
        desk.answerAll()
        #expect(desk.takeSent() == [])
        desk.step(.command(.stall(false)))
        desk.wait(.zero)
        #expect(desk.takeSent() == [Self.sent(4, Self.value)])
    }

    /// The first 64 are answered, of which the host's queue takes what two credits and the queue hold.
    @Test func `What comes first is answered`() throws {
        var desk = try desk()
        desk.step(.command(.stall(true)))
        for _ in 0..<Host.mostHeld { desk.acl(Self.frame(4, [0xFE])) }
        desk.acl(Self.frame(4, Self.read))
        desk.step(.command(.stall(false)))
        desk.wait(.zero)
        var answers: [[UInt8]] = []
        while true {
            let sent = desk.takeSent()
            if sent.isEmpty { break }
            answers += sent
            desk.event(Self.credits)
        }
        // 0xFE is a command, which is not answered: what waited behind it was lost.
        #expect(answers == [])
        #expect(desk.pool.taken == 0)
    }

    @Test func `A confirmation waits too`() throws {
        var desk = try desk([.read, .indicate])
        desk.acl(IndicationTests.wanted)
        desk.event(Self.credits)
        desk.step(.command(.notify(handle: 3, [0, 72])))
        desk.step(.command(.stall(true)))
        _ = desk.takeTold()
        desk.acl(IndicationTests.confirmation)
        #expect(desk.takeTold() == [])
        desk.step(.command(.stall(false)))
        desk.wait(.zero)
        #expect(desk.takeTold() == [.server(HostTests.id, .confirmed(handle: 3))])
    }

    @Test func `What is refused is refused of all connections, also of new ones`() throws {
        var errorInjection = ErrorInjection()
        errorInjection.add(.read, in: .all, with: .unlikelyError)
        var desk = try desk()
        desk.step(.command(.injectErrors(errorInjection)))
        let refused = Self.sent(4, [0x01, 0x0A, 3, 0, 0x0E])
        for _ in 0..<2 {
            desk.acl(Self.frame(4, Self.read))
            #expect(desk.takeSent() == [refused])
            desk.event([0x05, 4, 0, 0x40, 0, 0x13])
            desk.connected(role: 1)
            desk.answerAll()
        }
        desk.step(.command(.injectErrors(ErrorInjection())))
        desk.acl(Self.frame(4, Self.read))
        #expect(desk.takeSent() == [Self.sent(4, Self.value)])
    }

    @Test func `An MTU that is offered is told from then on, and what is agreed stays`() throws {
        var desk = try desk()
        desk.step(.command(.offer(mtu: 517)))
        desk.acl(Self.frame(4, [0x02, 0, 2]))
        #expect(desk.takeSent() == [Self.sent(4, [0x03, 5, 2])])
        desk.event(Self.credits)
        desk.step(.command(.offer(mtu: 23)))
        // As long as is agreed: a Write Request of 33 octets for a value that cannot be written.
        desk.acl(Self.frame(4, [0x12, 3, 0] + [UInt8](repeating: 0, count: 30)))
        #expect(desk.takeSent() == [Self.sent(4, [0x01, 0x12, 3, 0, 0x03])])
        desk.event([0x05, 4, 0, 0x40, 0, 0x13])
        desk.connected(role: 1)
        desk.answerAll()
        desk.acl(Self.frame(4, [0x02, 0, 2]))
        #expect(desk.takeSent() == [Self.sent(4, [0x03, 23, 0])])
    }

    @Test func `A client that confirms nothing hears all the same`() throws {
        var desk = try desk()
        let indication: [UInt8] = [0x1D, 3, 0, 0, 72]
        desk.step(.command(.confirmIndications(false)))
        desk.acl(Self.frame(4, indication))
        #expect(desk.takeSent() == [] && desk.notified == [[0, 72]])
        // The one that waits is confirmed, once.
        desk.step(.command(.confirmIndications(true)))
        #expect(desk.takeSent() == [Self.sent(4, [0x1E])])
        desk.step(.command(.confirmIndications(true)))
        #expect(desk.takeSent() == [])
        desk.acl(Self.frame(4, indication))
        #expect(desk.takeSent() == [Self.sent(4, [0x1E])])
        desk.step(.command(.confirmIndications(false)))
        desk.event([0x05, 4, 0, 0x40, 0, 0x13])
        desk.connected(role: 1)
        desk.answerAll()
        desk.acl(Self.frame(4, indication))
        #expect(desk.takeSent() == [])
        #expect(desk.pool.taken == 0)
    }

    @Test(arguments: [(.attribute, 4), (.signalling, 5), (.security, 6)] as [(Channel, UInt8)])
    func `Octets are sent as they are, to everybody`(channel: Channel, number: UInt8) throws {
        var desk = try desk()
        desk.connected(role: 1, handle: 0x41)
        desk.answerAll()
        desk.step(.command(.sendRaw(channel, [0xFF, 1, 2])))
        var other = Self.sent(number, [0xFF, 1, 2])
        other[1] = 0x41
        #expect(desk.takeSent() == [Self.sent(number, [0xFF, 1, 2]), other])
        desk.event(Self.credits)
        desk.step(.command(.sendRaw(channel, [])))
        #expect(desk.takeSent().first == Self.sent(number, []))
        desk.event([0x05, 4, 0, 0x41, 0, 0x13])
        desk.event(Self.credits)
        desk.step(.command(.sendRaw(channel, [UInt8](repeating: 7, count: 9999))))
        // 540 octets behind a header of 4, in packets of 27.
        #expect(desk.sent.first?.starts(with: [2, 0x40, 0, 27, 0, 0x1C, 2, number, 0, 7]) == true)
    }

    @Test func `What a server answers is overheard by who wants that, and what it tells is not`() throws {
        var desk = try desk()
        func overheard() -> [[UInt8]] {
            desk.takeTold().compactMap { if case .overheard(_, let octets) = $0 { octets } else { nil } }
        }
        let answers: [[UInt8]] = [[0x0B, 1, 2], [0x01, 0x3F, 0, 0, 6], [0x7F]]
        let others: [[UInt8]] = [[0x1B, 3, 0, 1], [0x1D, 3, 0, 1], [0x23, 3, 0, 0, 0, 4, 0, 0, 0], Self.read]
        for octets in answers + others { desk.acl(Self.frame(4, octets)) }
        #expect(overheard() == [])
        desk.step(.command(.overhear(true)))
        for octets in answers + others { desk.acl(Self.frame(4, octets)) }
        #expect(overheard() == [[0x0B, 1, 2], [0x01, 0x3F, 0, 0, 6]])
        desk.step(.command(.overhear(false)))
        for octets in answers { desk.acl(Self.frame(4, octets)) }
        #expect(overheard() == [])
    }

    @Test func `A connection without a time limit is waited for`() throws {
        var desk = try Desk()
        desk.start()
        _ = desk.takeSent()
        let creation = ConnectionCreation(
            to: Desk.strap,
            parameters: ConnectionParameters(
                minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 72))
        desk.step(.command(.connect(creation, timeout: nil)))
        desk.answerAll()
        desk.wait(.seconds(1_000_000))
        #expect(desk.takeTold().isEmpty == false)
        #expect(desk.takeSent() == [])
        desk.connected(role: 0)
        #expect(desk.takeTold().contains { if case .connected = $0 { true } else { false } })
    }
}
