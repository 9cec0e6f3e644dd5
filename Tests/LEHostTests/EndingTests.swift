import Bluetooth
import HCI
import LEHost
import Octets
import Testing

/// Connections whose end is wanted, and a controller that does not tell it, or a peer that asks for too much.
@Suite struct EndingTests {
    static let id = ConnectionID(number: 1)
    static let end = Host.Command.disconnect(id, reason: .remoteUserTerminated)

    private func connected() throws -> Desk {
        var desk = try Desk()
        desk.start()
        desk.step(.command(ConnectingTests.connect))
        desk.connected(role: 0)
        desk.answerAll()
        _ = desk.takeTold()
        return desk
    }

    @Test func `A connection whose end is never told counts as ended after 40 seconds`() throws {
        var desk = try connected()
        desk.play(
            .host(Self.end), .sends(ConnectingTests.end), .begun(.disconnect),
            .wait(.milliseconds(39_999)),
            .wait(.milliseconds(1)), .tells(.disconnected(Self.id, Desk.strap, reason: .connectionTimeout)),
            .event(ConnectingTests.ended))
        #expect(desk.pool.taken == 0)
    }

    @Test func `A connection that the controller does not know has ended`() throws {
        var desk = try connected()
        desk.play(
            .host(Self.end), .sends(ConnectingTests.end), .begun(.disconnect, .unknownConnection),
            .tells(.disconnected(Self.id, Desk.strap, reason: .unspecified)))
    }

    @Test func `A connection that the controller does not end goes on`() throws {
        var desk = try connected()
        desk.play(
            .host(Self.end), .sends(ConnectingTests.end), .begun(.disconnect, .commandDisallowed),
            .tells(.refused(.disconnect, .commandDisallowed)),
            .wait(.seconds(100)),
            .host(Self.end), .sends(ConnectingTests.end))
    }

    @Test func `However often a peer wishes for another rhythm, one update waits`() throws {
        var desk = try connected()
        for latency in 0..<UInt8(200) {
            desk.acl([0x40, 0x20, 16, 0, 12, 0, 5, 0, 0x12, 3, 8, 0, 24, 0, 40, 0, latency, 0, 0x80, 0x0C])
            desk.event([0x13, 5, 1, 0x40, 0, 1, 0])
        }
        #expect(desk.takeTold().isEmpty)
        let updates = { (sent: [[UInt8]]) in sent.filter { $0[0] == 1 }.map { $0[10] } }
        #expect(updates(desk.takeSent()) == [0])
        desk.event([0x0F, 4, 0, 1, 0x13, 0x20])
        #expect(updates(desk.takeSent()) == [199])
        desk.event([0x0F, 4, 0, 1, 0x13, 0x20])
        #expect(desk.takeSent().isEmpty)
        #expect(desk.pool.taken == 0)
    }
}
