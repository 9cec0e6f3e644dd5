import Basics
import Bluetooth
import HCI
import LEHost
import Testing

/// Disconnecting with a controller that does not report it, or with a peer that requests too much.
@Suite struct EndingTests {
    static let id = ConnectionID(number: 1)
    static let end = Host.Command.disconnect(id, reason: .remoteUserTerminated)

    private func connected() throws -> HostHarness {
        var harness = try HostHarness()
        harness.start()
        harness.step(.command(ConnectingTests.connect))
        harness.connected(role: 0)
        harness.answerAll()
        _ = harness.takeOutputs()
        return harness
    }

    @Test func `A connection without a disconnection event counts as ended after 40 seconds`() throws {
        var harness = try connected()
        harness.play(
            .host(Self.end), .sends(ConnectingTests.end), .begun(Command.disconnect),
            .wait(.milliseconds(39_999)),
            .wait(.milliseconds(1)), .tells(.disconnected(Self.id, HostHarness.strap, reason: .connectionTimeout)),
            .event(ConnectingTests.ended))
        #expect(harness.pool.taken == 0)
    }

    @Test func `A connection that is unknown to the controller has ended`() throws {
        var harness = try connected()
        harness.play(
            .host(Self.end), .sends(ConnectingTests.end), .begun(Command.disconnect, .unknownConnection),
            .tells(.disconnected(Self.id, HostHarness.strap, reason: .unspecified)))
    }

    @Test func `A connection that the controller does not end continues`() throws {
        var harness = try connected()
        harness.play(
            .host(Self.end), .sends(ConnectingTests.end), .begun(Command.disconnect, .commandDisallowed),
            .tells(.refused(Command.disconnect.opcode, .commandDisallowed)),
            .wait(.seconds(100)),
            .host(Self.end), .sends(ConnectingTests.end))
    }

    @Test func `However often a peer requests other parameters, one update waits`() throws {
        var harness = try connected()
        for latency in 0..<UInt8(200) {
            harness.acl([0x40, 0x20, 16, 0, 12, 0, 5, 0, 0x12, 3, 8, 0, 24, 0, 40, 0, latency, 0, 0x80, 0x0C])
            harness.event([0x13, 5, 1, 0x40, 0, 1, 0])
        }
        #expect(harness.takeOutputs().isEmpty)
        let updates = { (sent: [[UInt8]]) in sent.filter { $0[0] == 1 }.map { $0[10] } }
        #expect(updates(harness.takeSent()) == [0])
        harness.event([0x0F, 4, 0, 1, 0x13, 0x20])
        #expect(updates(harness.takeSent()) == [199])
        harness.event([0x0F, 4, 0, 1, 0x13, 0x20])
        #expect(harness.takeSent().isEmpty)
        #expect(harness.pool.taken == 0)
    }
}
