import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import Mutations
import Testing

@Suite struct HostTests {
    static let advertising = Host.Command.advertise(
        AdvertisingParameters(minimumInterval: 0xA0, maximumInterval: 0xA0), data: [2, 1, 6], scanResponse: [])
    static let connecting = Host.Command.connect(
        ConnectionCreation(
            to: HostHarness.strap,
            parameters: ConnectionParameters(
                minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x2A)),
        timeout: .seconds(5))
    static let id = ConnectionID(number: 1)
    static let subscribe: [UInt8] = [0x40, 0x20, 9, 0, 5, 0, 4, 0, 0x12, 4, 0, 1, 0]
    static let credit: [UInt8] = [0x13, 5, 1, 0x40, 0, 1, 0]

    private func started() throws -> HostHarness {
        var harness = try HostHarness()
        harness.start()
        _ = (harness.takeSent(), harness.takeOutputs())
        return harness
    }

    private func connected(role: UInt8) throws -> HostHarness {
        var harness = try started()
        if role == 0 {
            harness.step(.command(Self.connecting))
            harness.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        }
        harness.connected(role: role)
        _ = (harness.takeSent(), harness.takeOutputs())
        return harness
    }

    @Test func `The start skips commands that the controller does not support`() throws {
        var harness = try HostHarness()
        harness.start()
        #expect(
            harness.takeSent().map { Opcode(ofCommand: Array($0.dropFirst())) }
                == opcodes(
                    Command.reset, Command.readLocalVersionInformation, Command.readLocalSupportedCommands,
                    Command.leReadBufferSize, Command.setEventMask,
                    Command.leSetEventMask, Command.readBDADDR))
        guard case .started(let address, let facts) = harness.takeOutputs().last else {
            Issue.record("not started")
            return
        }
        #expect(address == DeviceAddress(0xF5F4_F3F2_F1F0, .public))
        #expect((facts.bufferLength, facts.bufferCount) == (27, 2))
        #expect(harness.pool.taken == 0)
    }

    @Test func `A controller that does not answer fails after 10 seconds, and can be started again`() throws {
        var harness = try HostHarness()
        harness.step(.command(.start))
        harness.wait(.milliseconds(9_999))
        #expect(harness.takeOutputs().isEmpty)
        harness.wait(.milliseconds(1))
        #expect(harness.takeOutputs() == [.failed(.noAnswer(Command.reset.opcode))])
        harness.start()
        #expect(harness.takeOutputs().count == 1)
    }

    @Test func `A controller that accepts no commands fails after 10 seconds, unless it accepts some again`() throws {
        var harness = try HostHarness()
        harness.step(.command(.start))
        harness.event([0x0E, 4, 0, 0x03, 0x0C, 0])
        harness.wait(.milliseconds(9_999))
        #expect(harness.takeOutputs().isEmpty)
        #expect(harness.takeSent().count == 1)
        harness.event([0x0E, 3, 1, 0, 0])
        #expect(harness.takeSent() == [[1, 0x01, 0x10, 0]])
        harness.event([0x0E, 12, 0] + HostHarness.version[3...])
        harness.wait(.seconds(10))
        #expect(harness.takeOutputs() == [.failed(.takesNoCommands)])
        harness.start()
        #expect(harness.takeOutputs().count == 1)
    }

    @Test func `A start that the controller refuses fails with its status`() throws {
        var harness = try HostHarness()
        harness.step(.command(.start))
        harness.event([0x0E, 4, 1, 0x03, 0x0C, 0x03])
        #expect(harness.takeOutputs() == [.failed(.startRefused(Command.reset.opcode, .hardwareFailure))])
        harness.step(.command(.start))
        harness.event([0x0E, 4, 1, 0x03, 0x0C, 0])
        harness.event([0x0E, 5, 1, 0x01, 0x10, 0, 9])
        guard case .failed(.startMalformed(Command.readLocalVersionInformation.opcode, _)) = harness.takeOutputs().last
        else {
            Issue.record("not failed")
            return
        }
    }

    @Test func `A peripheral advertises, and again after a disconnection`() throws {
        var harness = try started()
        harness.step(.command(Self.advertising))
        harness.answerAll()
        #expect(harness.takeOutputs() == [.advertising(true)])
        harness.connected(role: 1)
        #expect(harness.takeOutputs().first == .advertising(false))
        harness.event([0x05, 4, 0, 0x40, 0, 0x13])
        #expect(harness.takeOutputs() == [.disconnected(Self.id, HostHarness.strap, reason: .remoteUserTerminated)])
        harness.answerAll()
        #expect(harness.takeOutputs() == [.advertising(true)])
        harness.step(.command(.stopAdvertising))
        harness.answerAll()
        #expect(harness.takeOutputs() == [.advertising(false)])
        #expect(harness.pool.taken == 0)
    }

    @Test func `A peripheral changes its data without an interruption, and only while it advertises`() throws {
        var harness = try started()
        harness.step(.command(Self.advertising))
        harness.answerAll()
        #expect(harness.takeSent().isEmpty && harness.takeOutputs() == [.advertising(true)])
        // LE Set Advertising Data, 0x2008, and LE Set Scan Response Data, 0x2009: the length, and 31 octets.
        harness.step(.command(.changeAdvertisingData([4, 0xFF, 0x6B, 0, 72], scanResponse: [2, 9, 0x42])))
        #expect(harness.takeSent().map { $0.prefix(10) } == [[1, 0x08, 0x20, 32, 5, 4, 0xFF, 0x6B, 0, 72]])
        harness.event([0x0E, 4, 1, 0x08, 0x20, 0])
        #expect(harness.takeSent().map { $0.prefix(8) } == [[1, 0x09, 0x20, 32, 3, 2, 9, 0x42]])
        harness.event([0x0E, 4, 1, 0x09, 0x20, 0])
        #expect(harness.takeOutputs().isEmpty)
        harness.step(.command(.changeAdvertisingData([4, 0xFF, 0x6B, 0, 72], scanResponse: [2, 9, 0x42])))
        #expect(harness.takeSent().isEmpty)
        harness.step(.command(.stopAdvertising))
        harness.answerAll()
        harness.step(.command(.changeAdvertisingData([2, 1, 6], scanResponse: [])))
        #expect(harness.takeSent().isEmpty)
    }

    @Test func `A subscriber is notified`() throws {
        var harness = try connected(role: 1)
        harness.acl(Self.subscribe)
        #expect(harness.takeSent() == [[2, 0x40, 0, 5, 0, 1, 0, 4, 0, 0x13]])
        harness.step(.command(.notify(handle: 3, [0, 72])))
        #expect(harness.takeSent() == [[2, 0x40, 0, 9, 0, 5, 0, 4, 0, 0x1B, 3, 0, 0, 72]])
        #expect(harness.takeOutputs().contains(.server(Self.id, .subscribed(handle: 3))))
        #expect(harness.pool.taken == 0)
    }

    @Test func `The host sends no more packets than the controller has buffers`() throws {
        var harness = try connected(role: 1)
        harness.acl(Self.subscribe)
        for beat in 0..<3 { harness.step(.command(.notify(handle: 3, [0, UInt8(beat)]))) }
        #expect(harness.takeSent().count == 2)
        harness.event([0x13, 5, 1, 0x41, 0, 9, 0])
        #expect(harness.takeSent().isEmpty)
        harness.event(Self.credit)
        #expect(harness.takeSent().map(\.last) == [1])
        harness.event([0x13, 5, 1, 0x40, 0, 0xFF, 0xFF])
        #expect(harness.takeSent().map(\.last) == [2])
        for beat in 3..<6 { harness.step(.command(.notify(handle: 3, [0, UInt8(beat)]))) }
        #expect(harness.takeSent().count == 1)
        #expect(harness.pool.taken == 2)
        harness.event([0x05, 4, 0, 0x40, 0, 0x08])
        #expect(harness.pool.taken == 0)
        harness.connected(role: 1, handle: 0x41)
        harness.acl([0x41, 0x20] + Self.subscribe.dropFirst(2))
        harness.step(.command(.notify(handle: 3, [0, 9])))
        #expect(harness.takeSent().count == 2)
    }

    @Test func `A PDU that the controller does not accept is dropped whole, and reported`() throws {
        var harness = try connected(role: 1)
        harness.acl(Self.subscribe)
        for _ in 0..<200 { harness.step(.command(.notify(handle: 3, [0, 72]))) }
        #expect(harness.takeOutputs().filter { $0 == .dropped(Self.id) }.count == 201 - 2 - 128)
        harness.event([0x05, 4, 0, 0x40, 0, 0x08])
        #expect(harness.pool.taken == 0)
    }

    @Test func `A central connects, reads in fragments, and is notified`() throws {
        var harness = try started()
        harness.step(.command(Self.connecting))
        #expect(
            harness.takeSent().map { Opcode(ofCommand: Array($0.dropFirst())) } == opcodes(Command.leCreateConnection))
        harness.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        harness.connected(role: 0)
        #expect(harness.takeOutputs().count == 1)
        harness.step(.command(.procedure(Self.id, .read(handle: 3), id: 7)))
        #expect(harness.takeSent() == [[2, 0x40, 0, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0]])
        harness.acl([0x40, 0x20, 3, 0, 3, 0, 4])
        harness.acl([0x40, 0x10, 4, 0, 0, 0x0B, 0, 72])
        #expect(harness.takeOutputs() == [.finished(Self.id, id: 7, .success(.value([0, 72])))])
        harness.acl([0x40, 0x20, 9, 0, 5, 0, 4, 0, 0x1B, 3, 0, 0, 73])
        #expect(harness.notified == [[0, 73]])
        harness.step(.command(.procedure(Self.id, .read(handle: 3), id: 8)))
        harness.event([0x05, 4, 0, 0x40, 0, 0x08])
        #expect(
            harness.takeOutputs() == [
                .finished(Self.id, id: 8, .failure(.disconnected)),
                .disconnected(Self.id, HostHarness.strap, reason: .connectionTimeout),
            ])
        harness.step(.command(.procedure(Self.id, .read(handle: 3), id: 9)))
        #expect(harness.takeOutputs() == [.finished(Self.id, id: 9, .failure(.disconnected))])
        #expect(harness.pool.taken == 0)
    }

    @Test func `Connecting ends in time, even if the controller never confirms`() throws {
        var harness = try started()
        harness.step(.command(Self.connecting))
        harness.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        harness.wait(.seconds(5))
        #expect(harness.takeSent().last == [1, 0x0E, 0x20, 0])
        harness.answerAll()
        harness.event([0x0E, 4, 1, 0x0E, 0x20, 0])
        harness.wait(.seconds(10))
        #expect(harness.takeOutputs() == [.connectionFailed(HostHarness.strap, .timedOut)])
        harness.step(.command(Self.connecting))
        harness.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        harness.step(.command(.cancelConnecting))
        harness.event([0x0E, 4, 1, 0x0E, 0x20, 0])
        harness.event([0x3E, 19, 1, 2] + [UInt8](repeating: 0, count: 17))
        #expect(harness.takeOutputs() == [.connectionFailed(HostHarness.strap, .cancelled)])
        harness.step(.command(Self.connecting))
        harness.event([0x0F, 4, 0x0C, 1, 0x0D, 0x20])
        #expect(harness.takeOutputs() == [.connectionFailed(HostHarness.strap, .status(.commandDisallowed))])
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
        var harness = try connected(role: role)
        harness.acl(octets)
        #expect(harness.takeSent() == sent, "\(what)")
        #expect(harness.pool.taken == 0)
    }

    @Test func `A key request is refused`() throws {
        var harness = try connected(role: 1)
        harness.event([0x3E, 13, 5, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(harness.takeSent() == [[1, 0x1B, 0x20, 2, 0x40, 0]])
        harness.event([0x3E, 13, 5, 0x41, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(harness.takeSent().isEmpty)
    }

    @Test func `A reused handle is another connection`() throws {
        var harness = try connected(role: 1)
        harness.acl(Self.subscribe)
        harness.connected(role: 1)
        let told = harness.takeOutputs()
        #expect(told.contains(.disconnected(Self.id, HostHarness.strap, reason: .unspecified)))
        _ = harness.takeSent()
        harness.step(.command(.notify(handle: 3, [0, 72])))
        #expect(harness.takeSent().isEmpty)
        #expect(harness.pool.taken == 0)
    }

    @Test func `A hardware error ends everything`() throws {
        var harness = try connected(role: 0)
        harness.step(.command(.procedure(Self.id, .read(handle: 3), id: 7)))
        harness.event([0x10, 1, 9])
        #expect(
            harness.takeOutputs() == [
                .finished(Self.id, id: 7, .failure(.disconnected)),
                .disconnected(Self.id, HostHarness.strap, reason: .hardwareFailure), .failed(.hardware(9)),
            ])
        #expect(harness.pool.taken == 0)
    }

    @Test func `No event and no data trap or leak`() throws {
        let events: [[UInt8]] = [
            [0x05, 4, 0, 0x40, 0, 0x13], Self.credit, [0x0E, 4, 1, 0x03, 0x0C, 0], HostHarness.buffers,
            [0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, 0x28, 0, 0, 0, 0x2A, 0, 1],
            [0x3E, 15, 2, 1, 0, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, 3, 2, 1, 6, 0xC4],
            [0x3E, 11, 6, 0x40, 0, 6, 0, 7, 0, 8, 0, 9, 0],
        ]
        let ready = try connected(role: 1)
        for octets in events.flatMap(\.mutations) {
            var harness = ready
            harness.event(octets)
            harness.event([0x10, 1, 9])
            #expect(harness.pool.taken == 0, "\(octets.hex)")
        }
        for octets in (Self.answers.map(\.2) + [Self.subscribe]).flatMap(\.mutations) {
            var harness = ready
            harness.acl(octets)
            harness.event([0x10, 1, 9])
            #expect(harness.pool.taken == 0, "\(octets.hex)")
        }
    }
}
