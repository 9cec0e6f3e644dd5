import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import Testing

/// Losing links by a reset, on controllers that lose them and on those that keep them.
@Suite struct ResetTests {
    private static let id = ConnectionID(number: 1)
    private static let end = Command.disconnect(0x40, .remotePowerOff)

    private func connected() throws -> HostHarness {
        var harness = try HostHarness()
        harness.start()
        harness.step(.command(ConnectingTests.connect))
        harness.connected(role: 0)
        harness.answerAll()
        _ = (harness.takeSent(), harness.takeOutputs())
        return harness
    }

    @Test func `A controller that ends its links with a reset does not know them afterwards`() throws {
        var harness = try connected()
        harness.play(
            .host(.stop), .sends(.reset()), .done(Command.reset), .sends(Self.end),
            .begun(Command.disconnect, .unknownConnection),
            .tells(.disconnected(Self.id, HostHarness.strap, reason: .connectionTimeout)),
            .host(.start), .sends(.reset()))
        #expect(harness.pool.taken == 0)
    }

    @Test func `A link that a reset does not end is ended, and reported`() throws {
        var harness = try connected()
        harness.play(
            .host(.stop), .sends(.reset()), .done(Command.reset), .sends(Self.end), .begun(Command.disconnect),
            .event(.disconnectionComplete(.success, 0x40, .localHostTerminated)),
            .tells(.keptThroughReset(Self.id)),
            .tells(.disconnected(Self.id, HostHarness.strap, reason: .localHostTerminated)))
        #expect(harness.pool.taken == 0)
    }

    @Test func `A controller that begins to end a link, and then does not know it, has lost it`() throws {
        var harness = try connected()
        harness.play(
            .host(.stop), .sends(.reset()), .done(Command.reset), .sends(Self.end), .begun(Command.disconnect),
            .event(.disconnectionComplete(.unknownConnection, 0x40, .success)),
            .tells(.disconnected(Self.id, HostHarness.strap, reason: .connectionTimeout)),
            .host(.start), .sends(.reset()))
        #expect(harness.pool.taken == 0)
    }

    @Test func `A link whose end the controller does not report after a reset is lost`() throws {
        var harness = try connected()
        harness.play(
            .host(.stop), .sends(.reset()), .done(Command.reset), .sends(Self.end), .begun(Command.disconnect),
            .wait(.seconds(40)),
            .tells(.disconnected(Self.id, HostHarness.strap, reason: .connectionTimeout)))
        #expect(harness.pool.taken == 0)
    }

    @Test(arguments: [HCIStatus.success, .unknownConnection])
    func `A start looks for the links of before, and then initializes`(status: HCIStatus) throws {
        var harness = try connected()
        harness.step(.command(.start))
        #expect(harness.takeOutputs() == [.disconnected(Self.id, HostHarness.strap, reason: .hardwareFailure)])
        #expect(harness.takeSent() == [H4Framer.octets(.command, Command.reset().octets)])
        harness.event(Event.complete(Command.reset.opcode).octets)
        #expect(harness.takeSent() == [H4Framer.octets(.command, Self.end.octets)])
        harness.event(Event.commandStatus(status, 1, Command.disconnect.opcode).octets)
        #expect(harness.takeOutputs().isEmpty)
        #expect(
            harness.takeSent() == [H4Framer.octets(.command, Command.readLocalVersionInformation().octets)])
    }

    @Test(arguments: [HCIStatus.success, .unknownConnection])
    func `A start reports a link of before only if the controller has really ended it`(status: HCIStatus) throws {
        var harness = try connected()
        harness.step(.command(.start))
        harness.event(Event.complete(Command.reset.opcode).octets)
        harness.event(Event.commandStatus(.success, 1, Command.disconnect.opcode).octets)
        _ = (harness.takeSent(), harness.takeOutputs())
        harness.event(Event.disconnectionComplete(status, 0x40, .localHostTerminated).octets)
        #expect(harness.takeOutputs() == (status == .success ? [.keptThroughReset(Self.id)] : []))
    }

    @Test func `A start before the answer to the reset ends the links as lost, and looks for them`() throws {
        var harness = try connected()
        harness.play(
            .host(.stop), .sends(.reset()), .host(.start), .sends(.reset()),
            .tells(.disconnected(Self.id, HostHarness.strap, reason: .connectionTimeout)),
            .done(Command.reset), .sends(Self.end))
    }

    @Test func `Between the reset and its answer nothing is received and nothing is sent`() throws {
        var harness = try connected()
        harness.step(.command(.stop))
        _ = harness.takeSent()
        harness.acl([0x40, 0x20, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0])  // Read Request
        harness.step(.command(.notify(handle: 3, [0, 72])))
        harness.step(.command(.procedure(Self.id, .read(handle: 3), id: 1)))
        #expect(harness.takeSent().isEmpty)
        harness.answerAll()
        harness.event(Event.complete(Command.reset.opcode).octets)
        harness.event(Event.commandStatus(.unknownConnection, 1, Command.disconnect.opcode).octets)
        #expect(harness.takeOutputs().contains(.finished(Self.id, id: 1, .failure(.disconnected))))
        #expect(harness.pool.taken == 0)
    }

    @Test func `A controller that does not answer the reset fails, and its links end`() throws {
        var harness = try connected()
        harness.play(
            .host(.stop), .sends(.reset()), .wait(.seconds(10)),
            .tells(.disconnected(Self.id, HostHarness.strap, reason: .hardwareFailure)),
            .tells(.failed(.noAnswer(Command.reset.opcode))))
    }
}
