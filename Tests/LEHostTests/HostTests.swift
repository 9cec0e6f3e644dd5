import Bluetooth
import GATT
import HCI
import LEHost
import Mutations
import Octets
import Simulation
import Testing

@Suite struct HostTests {
    static let advertising = Host.Command.advertise(
        AdvertisingParameters(minimumInterval: 0xA0, maximumInterval: 0xA0), data: [2, 1, 6], scanResponse: [])
    static let connecting = Host.Command.connect(
        ConnectionCreation(
            to: Desk.strap,
            parameters: ConnectionParameters(
                minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x2A)),
        timeout: .seconds(5))
    static let id = ConnectionID(number: 1)
    static let subscribe: [UInt8] = [0x40, 0x20, 9, 0, 5, 0, 4, 0, 0x12, 4, 0, 1, 0]
    static let credit: [UInt8] = [0x13, 5, 1, 0x40, 0, 1, 0]

    private func started() throws -> Desk {
        var desk = try Desk()
        desk.start()
        _ = (desk.takeSent(), desk.takeTold())
        return desk
    }

    private func connected(role: UInt8) throws -> Desk {
        var desk = try started()
        if role == 0 {
            desk.step(.command(Self.connecting))
            desk.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        }
        desk.connected(role: role)
        _ = (desk.takeSent(), desk.takeTold())
        return desk
    }

    @Test func `The start skips what the controller does not offer`() throws {
        var desk = try Desk()
        desk.start()
        #expect(
            desk.takeSent().map { Opcode(ofCommand: Array($0.dropFirst())) } == [
                .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .leReadBufferSize, .setEventMask,
                .leSetEventMask, .readBDADDR,
            ])
        guard case .started(let address, let facts) = desk.takeTold().last else {
            Issue.record("not started")
            return
        }
        #expect(address == DeviceAddress(0xF5F4_F3F2_F1F0, .public))
        #expect((facts.bufferLength, facts.bufferCount) == (27, 2))
        #expect(desk.pool.taken == 0)
    }

    @Test func `A controller that does not answer is given up after 10 seconds, and can be started again`() throws {
        var desk = try Desk()
        desk.step(.command(.start))
        desk.wait(.milliseconds(9_999))
        #expect(desk.takeTold().isEmpty)
        desk.wait(.milliseconds(1))
        #expect(desk.takeTold() == [.failed(.noAnswer(.reset))])
        desk.start()
        #expect(desk.takeTold().count == 1)
    }

    @Test func `A controller that takes no commands is given up after 10 seconds, unless it takes some again`() throws {
        var desk = try Desk()
        desk.step(.command(.start))
        desk.event([0x0E, 4, 0, 0x03, 0x0C, 0])
        desk.wait(.milliseconds(9_999))
        #expect(desk.takeTold().isEmpty)
        #expect(desk.takeSent().count == 1)
        desk.event([0x0E, 3, 1, 0, 0])
        #expect(desk.takeSent() == [[1, 0x01, 0x10, 0]])
        desk.event([0x0E, 12, 0] + Desk.version[3...])
        desk.wait(.seconds(10))
        #expect(desk.takeTold() == [.failed(.takesNoCommands)])
        desk.start()
        #expect(desk.takeTold().count == 1)
    }

    @Test func `A start that the controller refuses fails with its words`() throws {
        var desk = try Desk()
        desk.step(.command(.start))
        desk.event([0x0E, 4, 1, 0x03, 0x0C, 0x03])
        #expect(desk.takeTold() == [.failed(.startRefused(.reset, .hardwareFailure))])
        desk.step(.command(.start))
        desk.event([0x0E, 4, 1, 0x03, 0x0C, 0])
        desk.event([0x0E, 5, 1, 0x01, 0x10, 0, 9])
        guard case .failed(.startMalformed(.readLocalVersionInformation, _)) = desk.takeTold().last else {
            Issue.record("not failed")
            return
        }
    }

    @Test func `A peripheral advertises, and again after a disconnection`() throws {
        var desk = try started()
        desk.step(.command(Self.advertising))
        desk.answerAll()
        #expect(desk.takeTold() == [.advertising(true)])
        desk.connected(role: 1)
        #expect(desk.takeTold().first == .advertising(false))
        desk.event([0x05, 4, 0, 0x40, 0, 0x13])
        #expect(desk.takeTold() == [.disconnected(Self.id, Desk.strap, reason: .remoteUserTerminated)])
        desk.answerAll()
        #expect(desk.takeTold() == [.advertising(true)])
        desk.step(.command(.stopAdvertising))
        desk.answerAll()
        #expect(desk.takeTold() == [.advertising(false)])
        #expect(desk.pool.taken == 0)
    }

    @Test func `A subscriber is notified`() throws {
        var desk = try connected(role: 1)
        desk.acl(Self.subscribe)
        #expect(desk.takeSent() == [[2, 0x40, 0, 5, 0, 1, 0, 4, 0, 0x13]])
        desk.step(.command(.notify(handle: 3, [0, 72])))
        #expect(desk.takeSent() == [[2, 0x40, 0, 9, 0, 5, 0, 4, 0, 0x1B, 3, 0, 0, 72]])
        #expect(desk.takeTold().contains(.server(Self.id, .subscribed(handle: 3))))
        #expect(desk.pool.taken == 0)
    }

    @Test func `No more packets are on the way than the controller has buffers`() throws {
        var desk = try connected(role: 1)
        desk.acl(Self.subscribe)
        for beat in 0..<3 { desk.step(.command(.notify(handle: 3, [0, UInt8(beat)]))) }
        #expect(desk.takeSent().count == 2)
        desk.event([0x13, 5, 1, 0x41, 0, 9, 0])
        #expect(desk.takeSent().isEmpty)
        desk.event(Self.credit)
        #expect(desk.takeSent().map(\.last) == [1])
        desk.event([0x13, 5, 1, 0x40, 0, 0xFF, 0xFF])
        #expect(desk.takeSent().map(\.last) == [2])
        for beat in 3..<6 { desk.step(.command(.notify(handle: 3, [0, UInt8(beat)]))) }
        #expect(desk.takeSent().count == 1)
        #expect(desk.pool.taken == 2)
        desk.event([0x05, 4, 0, 0x40, 0, 0x08])
        #expect(desk.pool.taken == 0)
        desk.connected(role: 1, handle: 0x41)
        desk.acl([0x41, 0x20] + Self.subscribe.dropFirst(2))
        desk.step(.command(.notify(handle: 3, [0, 9])))
        #expect(desk.takeSent().count == 2)
    }

    @Test func `What the controller does not take is dropped whole, and told`() throws {
        var desk = try connected(role: 1)
        desk.acl(Self.subscribe)
        for _ in 0..<200 { desk.step(.command(.notify(handle: 3, [0, 72]))) }
        #expect(desk.takeTold().filter { $0 == .dropped(Self.id) }.count == 201 - 2 - 128)
        desk.event([0x05, 4, 0, 0x40, 0, 0x08])
        #expect(desk.pool.taken == 0)
    }

    @Test func `A central connects, reads in fragments, and is notified`() throws {
        var desk = try started()
        desk.step(.command(Self.connecting))
        #expect(desk.takeSent().map { Opcode(ofCommand: Array($0.dropFirst())) } == [.leCreateConnection])
        desk.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        desk.connected(role: 0)
        #expect(desk.takeTold().count == 1)
        desk.step(.command(.procedure(Self.id, .read(handle: 3), id: 7)))
        #expect(desk.takeSent() == [[2, 0x40, 0, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0]])
        desk.acl([0x40, 0x20, 3, 0, 3, 0, 4])
        desk.acl([0x40, 0x10, 4, 0, 0, 0x0B, 0, 72])
        #expect(desk.takeTold() == [.finished(Self.id, id: 7, .success(.value([0, 72])))])
        desk.acl([0x40, 0x20, 9, 0, 5, 0, 4, 0, 0x1B, 3, 0, 0, 73])
        #expect(desk.notified == [[0, 73]])
        desk.step(.command(.procedure(Self.id, .read(handle: 3), id: 8)))
        desk.event([0x05, 4, 0, 0x40, 0, 0x08])
        #expect(
            desk.takeTold() == [
                .finished(Self.id, id: 8, .failure(.disconnected)),
                .disconnected(Self.id, Desk.strap, reason: .connectionTimeout),
            ])
        desk.step(.command(.procedure(Self.id, .read(handle: 3), id: 9)))
        #expect(desk.takeTold() == [.finished(Self.id, id: 9, .failure(.disconnected))])
        #expect(desk.pool.taken == 0)
    }

    @Test func `Connecting ends in time, even if the controller never agrees`() throws {
        var desk = try started()
        desk.step(.command(Self.connecting))
        desk.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        desk.wait(.seconds(5))
        #expect(desk.takeSent().last == [1, 0x0E, 0x20, 0])
        desk.answerAll()
        desk.event([0x0E, 4, 1, 0x0E, 0x20, 0])
        desk.wait(.seconds(10))
        #expect(desk.takeTold() == [.connectionFailed(Desk.strap, .timedOut)])
        desk.step(.command(Self.connecting))
        desk.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        desk.step(.command(.cancelConnecting))
        desk.event([0x0E, 4, 1, 0x0E, 0x20, 0])
        desk.event([0x3E, 19, 1, 2] + [UInt8](repeating: 0, count: 17))
        #expect(desk.takeTold() == [.connectionFailed(Desk.strap, .cancelled)])
        desk.step(.command(Self.connecting))
        desk.event([0x0F, 4, 0x0C, 1, 0x0D, 0x20])
        #expect(desk.takeTold() == [.connectionFailed(Desk.strap, .status(.commandDisallowed))])
    }

    static let answers: [(String, UInt8, [UInt8], [[UInt8]])] = [
        (
            "a Pairing Request", 1, [0x40, 0x20, 11, 0, 7, 0, 6, 0, 1, 3, 0, 1, 16, 0, 0],
            [[2, 0x40, 0, 6, 0, 2, 0, 6, 0, 5, 5]]
        ),
        ("another PDU of the Security Manager", 1, [0x40, 0x20, 6, 0, 2, 0, 6, 0, 5, 5], []),
        (
            "a peripheral's wish, by a central", 0,
            [0x40, 0x20, 16, 0, 12, 0, 5, 0, 0x12, 3, 8, 0, 24, 0, 40, 0, 0, 0, 42, 0],
            [
                [1, 0x13, 0x20, 14, 0x40, 0, 24, 0, 40, 0, 0, 0, 42, 0, 0, 0, 0, 0],
                [2, 0x40, 0, 10, 0, 6, 0, 5, 0, 0x13, 3, 2, 0, 0, 0],
            ]
        ),
        ("an unknown channel", 1, [0x40, 0x20, 5, 0, 1, 0, 0x3F, 0, 1], []),
        ("a handle that is not connected", 1, [0x41, 0x20, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0], []),
        ("a header without data", 1, [0x40, 0x20, 9, 0], []),
        (
            "an unknown request", 1, [0x40, 0x20, 5, 0, 1, 0, 4, 0, 0x3F],
            [[2, 0x40, 0, 9, 0, 5, 0, 4, 0, 1, 0x3F, 0, 0, 6]]
        ),
    ]

    @Test(arguments: answers)
    func `Data are answered`(what: String, role: UInt8, octets: [UInt8], sent: [[UInt8]]) throws {
        var desk = try connected(role: role)
        desk.acl(octets)
        #expect(desk.takeSent() == sent, "\(what)")
        #expect(desk.pool.taken == 0)
    }

    @Test func `A key that is asked for is denied`() throws {
        var desk = try connected(role: 1)
        desk.event([0x3E, 13, 5, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(desk.takeSent() == [[1, 0x1B, 0x20, 2, 0x40, 0]])
        desk.event([0x3E, 13, 5, 0x41, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(desk.takeSent().isEmpty)
    }

    @Test func `A handle that is used again is another connection`() throws {
        var desk = try connected(role: 1)
        desk.acl(Self.subscribe)
        desk.connected(role: 1)
        let told = desk.takeTold()
        #expect(told.contains(.disconnected(Self.id, Desk.strap, reason: .unspecified)))
        _ = desk.takeSent()
        desk.step(.command(.notify(handle: 3, [0, 72])))
        #expect(desk.takeSent().isEmpty)
        #expect(desk.pool.taken == 0)
    }

    @Test func `A broken controller ends everything`() throws {
        var desk = try connected(role: 0)
        desk.step(.command(.procedure(Self.id, .read(handle: 3), id: 7)))
        desk.event([0x10, 1, 9])
        #expect(
            desk.takeTold() == [
                .finished(Self.id, id: 7, .failure(.disconnected)),
                .disconnected(Self.id, Desk.strap, reason: .hardwareFailure), .failed(.hardware(9)),
            ])
        #expect(desk.pool.taken == 0)
    }

    @Test func `No event and no data trap or leak`() throws {
        let events: [[UInt8]] = [
            [0x05, 4, 0, 0x40, 0, 0x13], Self.credit, [0x0E, 4, 1, 0x03, 0x0C, 0], Desk.buffers,
            [0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, 0x28, 0, 0, 0, 0x2A, 0, 1],
            [0x3E, 15, 2, 1, 0, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, 3, 2, 1, 6, 0xC4],
            [0x3E, 11, 6, 0x40, 0, 6, 0, 7, 0, 8, 0, 9, 0],
        ]
        let ready = try connected(role: 1)
        for octets in events.flatMap(\.mutations) {
            var desk = ready
            desk.event(octets)
            desk.event([0x10, 1, 9])
            #expect(desk.pool.taken == 0, "\(octets.hex)")
        }
        for octets in (Self.answers.map(\.2) + [Self.subscribe]).flatMap(\.mutations) {
            var desk = ready
            desk.acl(octets)
            desk.event([0x10, 1, 9])
            #expect(desk.pool.taken == 0, "\(octets.hex)")
        }
    }
}
