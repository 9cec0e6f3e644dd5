import Bluetooth
import HCI
import LEHost
import Octets
import Simulation
import Testing

/// What a host asks for once it has a connection: longer packets, and as a peripheral the rhythm that it prefers.
@Suite struct RhythmTests {
    static let id = ConnectionID(number: 1)
    static let preferred = ConnectionParameters(
        minimumInterval: 8, maximumInterval: 16, latency: 4, supervisionTimeout: 400)
    static let timing = ConnectionTiming(interval: 16, latency: 4, supervisionTimeout: 400)
    static let update = Command.leConnectionUpdate(ConnectionUpdate(handle: 0x40, parameters: preferred))
    /// Connection Parameter Update Request, section 4.20.
    static let request: [UInt8] = [
        2, 0x40, 0, 16, 0, 12, 0, 5, 0, 0x12, 1, 8, 0, 8, 0, 16, 0, 4, 0, 0x90, 0x01,
    ]

    private func connected(
        role: UInt8 = 1, features: LEFeatures = [], preferring preferred: ConnectionParameters? = preferred
    ) throws -> Desk {
        var desk = try Desk(preferring: preferred)
        desk.start(features: features)
        if role == 0 {
            desk.step(.command(HostTests.connecting))
            desk.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        }
        desk.connected(role: role)
        _ = (desk.takeSent(), desk.takeTold())
        return desk
    }

    // MARK: Connection parameters

    /// The answers to the request, each without its ACL header; none at all is one of them.
    static let answers: [(test: String, answer: [UInt8])] = [
        ("GAP/CONN/CPUP/BV-01-C, L2CAP/LE/CPU/BV-01-C: accepted", [6, 0, 5, 0, 0x13, 1, 2, 0, 0, 0]),
        ("GAP/CONN/CPUP/BV-02-C: not answered", []),
        ("GAP/CONN/CPUP/BV-03-C: refused", [6, 0, 5, 0, 0x13, 1, 2, 0, 1, 0]),
        ("rejected: the central knows no such request", [6, 0, 5, 0, 0x01, 1, 2, 0, 0, 0]),
        ("an answer that is none", [6, 0, 5, 0, 0x13, 1, 2, 0, 9, 0]),
        ("an answer to something else", [6, 0, 5, 0, 0x13, 7, 2, 0, 0, 0]),
    ]

    @Test(arguments: answers)
    func `A peripheral asks once, 5 seconds after the beginning, and lives with every answer`(
        test: String, answer: [UInt8]
    ) throws {
        var desk = try connected()
        desk.wait(.milliseconds(4_999))
        #expect(desk.takeSent() == [])
        desk.wait(.milliseconds(1))
        #expect(desk.takeSent() == [Self.request])
        if !answer.isEmpty { desk.acl([0x40, 0x20, UInt8(answer.count), 0] + answer) }
        desk.wait(.seconds(100))
        #expect(desk.takeSent() == [], "\(test)")
        #expect(desk.takeTold() == [])
        desk.event([0x3E, 10, 3, 0, 0x40, 0, 16, 0, 4, 0, 0x90, 0x01])
        #expect(desk.takeTold() == [.timing(Self.id, Self.timing)])
        #expect(desk.pool.taken == 0)
    }

    @Test func `A central does not ask, nor who has no wish`() throws {
        for var desk in [try connected(role: 0), try connected(preferring: nil)] {
            desk.wait(.seconds(100))
            #expect(desk.takeSent() == [])
        }
    }

    /// LE Connection Update Complete, and what is left of the wish.
    @Test(arguments: [
        (8, 4, 400, true), (16, 4, 400, true), (7, 4, 400, false), (17, 4, 400, false), (8, 3, 400, false),
        (8, 4, 401, false),
    ])
    func `What is as it should be is not asked for`(
        interval: UInt16, latency: UInt16, timeout: UInt16, fits: Bool
    ) throws {
        var desk = try connected()
        let timing = ConnectionTiming(interval: interval, latency: latency, supervisionTimeout: timeout)
        desk.event(Event.leConnectionUpdateComplete(.success, handle: 0x40, timing).octets)
        desk.wait(.seconds(5))
        #expect(desk.takeSent() == (fits ? [] : [Self.request]))
    }

    @Test func `A connection that is over asks for nothing`() throws {
        var desk = try connected()
        desk.wait(.seconds(4))
        desk.event([0x05, 4, 0, 0x40, 0, 0x13])
        desk.wait(.seconds(1))
        #expect(desk.takeSent() == [])
    }

    @Test func `Each connection asks for itself`() throws {
        var desk = try connected()
        desk.wait(.seconds(1))
        desk.connected(role: 1, handle: 0x41)
        desk.wait(.seconds(4))
        #expect(desk.takeSent() == [Self.request])
        desk.wait(.seconds(1))
        #expect(desk.takeSent().map { $0[1] } == [0x41])
    }

    // MARK: A link layer that negotiates by itself

    private func asking() throws -> Desk {
        var desk = try connected(features: .connectionParametersRequest)
        desk.play(.wait(.seconds(5)), .sends(Self.update))
        return desk
    }

    @Test func `A link layer that can is asked first`() throws {
        var desk = try asking()
        desk.play(
            .begun(.leConnectionUpdate), .event(.leConnectionUpdateComplete(.success, handle: 0x40, Self.timing)),
            .tells(.timing(Self.id, Self.timing)),
            // What others come to later is not this wish any more.
            .event(.leConnectionUpdateComplete(.unsupportedRemoteFeature, handle: 0x40, Self.timing)),
            .wait(.seconds(100)))
    }

    @Test func `Where the other link layer cannot, L2CAP does`() throws {
        var desk = try asking()
        desk.play(.begun(.leConnectionUpdate))
        desk.event(Event.leConnectionUpdateComplete(.unsupportedRemoteFeature, handle: 0x40, Self.timing).octets)
        #expect(desk.takeSent() == [Self.request])
        desk.event(Event.leConnectionUpdateComplete(.unsupportedRemoteFeature, handle: 0x40, Self.timing).octets)
        desk.event(Event.leConnectionUpdateComplete(.unsupportedRemoteFeature, handle: 0x99, Self.timing).octets)
        #expect(desk.takeSent() == [], "once")
        #expect(desk.takeTold() == [])
    }

    @Test func `Where the controller refuses the command, L2CAP does`() throws {
        var desk = try asking()
        desk.event(Event.commandStatus(.unsupportedRemoteFeature, allowed: 1, .leConnectionUpdate).octets)
        #expect(desk.takeSent() == [Self.request])
        #expect(desk.takeTold() == [])
    }

    // MARK: Data length

    @Test(arguments: [0, 1] as [UInt8]) func `The longest data PDUs are asked for`(role: UInt8) throws {
        var desk = try Desk()
        desk.start(features: .dataPacketLengthExtension)
        if role == 0 {
            desk.step(.command(HostTests.connecting))
            desk.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        }
        _ = desk.takeSent()
        desk.connected(role: role)
        #expect(desk.takeSent() == [[1, 0x22, 0x20, 6, 0x40, 0, 0xFB, 0, 0x48, 0x08]])
        _ = desk.takeTold()
        // A controller that does not do it after all, and says what it does instead.
        desk.event([0x0E, 6, 1, 0x22, 0x20, 0x01, 0x40, 0])
        desk.event([0x3E, 11, 7, 0x40, 0, 27, 0, 0x48, 1, 27, 0, 0x48, 1])
        #expect(desk.takeSent() == [])
        #expect(desk.takeTold() == [])
    }

    // MARK: Who asks without end

    /// LE Long Term Key Request, LE Remote Connection Parameter Request, and a peripheral's wish by L2CAP.
    static let questions: [(role: UInt8, question: [UInt8], isData: Bool, answer: Opcode)] = [
        (1, [0x3E, 13, 5, 0x40] + [UInt8](repeating: 0, count: 11), false, .leLongTermKeyRequestNegativeReply),
        (1, [0x3E, 11, 6, 0x40, 0, 6, 0, 7, 0, 0, 0, 100, 0], false, .leRemoteConnectionParameterRequestReply),
        (1, [0x3E, 11, 6, 0x40, 0, 5, 0, 7, 0, 0, 0, 100, 0], false, .leRemoteConnectionParameterRequestNegativeReply),
        (0, [0x40, 0x20, 16, 0, 12, 0, 5, 0, 0x12, 3, 8, 0, 24, 0, 40, 0, 0, 0, 42, 0], true, .leConnectionUpdate),
    ]

    @Test(arguments: questions)
    func `Who asks without end is answered as fast as the controller takes it`(
        role: UInt8, question: [UInt8], isData: Bool, answer: Opcode
    ) throws {
        var desk = try connected(role: role)
        for _ in 0..<1000 { if isData { desk.acl(question) } else { desk.event(question) } }
        #expect(desk.takeTold().allSatisfy { $0 == .dropped(Self.id) }, "the host goes on")
        let commands = desk.takeSent().filter { $0[0] == 1 }
        #expect(commands.map { Opcode(ofCommand: Array($0.dropFirst())) } == [answer])
        desk.event(Event.complete(answer).octets)
        #expect(desk.takeSent().count == 1)
        desk.event(Event.complete(answer).octets)
        #expect(desk.takeSent().count == 0)
    }
}
