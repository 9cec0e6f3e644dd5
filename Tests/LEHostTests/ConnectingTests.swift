import Basics
import Bluetooth
import HCI
import LEHost
import Testing

/// Connecting: how scanning pauses, and how late connections end.
@Suite struct ConnectingTests {
    static let creation = ExtendedTests.creation
    static let connect = Host.Command.connect(creation, timeout: .seconds(5))
    static let end = Command.disconnect(0x40, .remoteUserTerminated)
    static let complete = Event.leConnectionComplete(.success, ExtendedTests.complete(.central))
    static let ended = Event.disconnectionComplete(.success, 0x40, .localHostTerminated)
    static let parameters = Command.leSetScanParameters(ExtendedTests.scan)

    private func started() throws -> HostHarness {
        var harness = try HostHarness()
        harness.start()
        _ = (harness.takeSent(), harness.takeOutputs())
        return harness
    }

    @Test func `Scanning pauses, and continues after a failure`() throws {
        var harness = try started()
        harness.play(
            .host(ExtendedTests.scanning), .sends(Self.parameters), .done(Command.leSetScanParameters),
            .sends(.leSetScanEnable(true, false)),
            .done(Command.leSetScanEnable), .tells(.scanning(true)),
            .host(Self.connect), .sends(.leSetScanEnable(false, false)),
            .done(Command.leSetScanEnable), .sends(.leCreateConnection(Self.creation)), .tells(.scanning(false)),
            .begun(Command.leCreateConnection),
            .host(ExtendedTests.scanning),
            .event(.leConnectionComplete(.failedToBeEstablished, ExtendedTests.complete(.central))),
            .sends(Self.parameters), .tells(.connectionFailed(HostHarness.strap, .status(.failedToBeEstablished))),
            .done(Command.leSetScanParameters), .sends(.leSetScanEnable(true, false)),
            .done(Command.leSetScanEnable), .tells(.scanning(true)))
    }

    @Test func `Scanning that was stopped meanwhile does not continue`() throws {
        var harness = try started()
        harness.step(.command(ExtendedTests.scanning))
        harness.answerAll()
        _ = harness.takeOutputs()
        harness.play(
            .host(Self.connect), .sends(.leSetScanEnable(false, false)),
            .host(.stopScanning),
            .done(Command.leSetScanEnable), .sends(.leCreateConnection(Self.creation)), .tells(.scanning(false)),
            .begun(Command.leCreateConnection), .sends(.leSetScanEnable(false, false)),
            .done(Command.leSetScanEnable),
            .event(Self.complete),
            .tells(.connected(ConnectionID(number: 1), ExtendedTests.complete(.central))))
    }

    @Test func `A connection after the cancellation is disconnected, and then reported as failed`() throws {
        var harness = try started()
        harness.play(
            .host(Self.connect), .sends(.leCreateConnection(Self.creation)), .begun(Command.leCreateConnection),
            .host(.cancelConnecting), .sends(.leCreateConnectionCancel()),
            .event(Self.complete),
            .done(Command.leCreateConnectionCancel, .commandDisallowed), .sends(Self.end),
            .host(Self.connect), .tells(.connectionFailed(HostHarness.strap, .notNow)),
            .begun(Command.disconnect),
            .event(Self.ended), .tells(.connectionFailed(HostHarness.strap, .cancelled)),
            .host(Self.connect), .sends(.leCreateConnection(Self.creation)))
    }

    @Test func `So is a connection after the timeout`() throws {
        var harness = try started()
        harness.play(
            .host(Self.connect), .sends(.leCreateConnection(Self.creation)), .begun(Command.leCreateConnection),
            .wait(.seconds(5)), .sends(.leCreateConnectionCancel()),
            .done(Command.leCreateConnectionCancel),
            .event(Self.complete), .sends(Self.end),
            .begun(Command.disconnect, .unknownConnection), .tells(.connectionFailed(HostHarness.strap, .timedOut)))
    }

    @Test func `A late connection without a disconnection event counts as ended after 10 seconds`() throws {
        var harness = try started()
        harness.play(
            .host(Self.connect), .sends(.leCreateConnection(Self.creation)), .begun(Command.leCreateConnection),
            .host(.cancelConnecting), .sends(.leCreateConnectionCancel()),
            .event(Self.complete),
            .done(Command.leCreateConnectionCancel, .commandDisallowed), .sends(Self.end), .begun(Command.disconnect),
            .wait(.milliseconds(9_999)),
            .wait(.milliseconds(1)), .tells(.connectionFailed(HostHarness.strap, .cancelled)))
    }

    @Test func `An unwanted connection is disconnected without a report`() throws {
        var harness = try started()
        harness.play(.event(Self.complete), .sends(Self.end), .begun(Command.disconnect), .event(Self.ended))
        #expect(harness.pool.taken == 0)
    }

    @Test func `A connection above the maximum is disconnected`() throws {
        var harness = try started()
        for handle in 0..<UInt8(Host.maximumConnections) { harness.connected(role: 1, handle: handle) }
        _ = (harness.takeSent(), harness.takeOutputs())
        let further = ExtendedTests.complete(.peripheral, handle: 0x80)
        let made = ExtendedTests.complete(.central, handle: 0x81)
        let reason = HCIStatus.remoteLowResources
        harness.play(
            .host(Self.connect), .sends(.leCreateConnection(Self.creation)), .begun(Command.leCreateConnection),
            .event(.leConnectionComplete(.success, further)), .sends(.disconnect(0x80, reason)),
            .begun(Command.disconnect),
            .event(.disconnectionComplete(.success, 0x80, .localHostTerminated)),
            .event(.leConnectionComplete(.success, made)), .sends(.disconnect(0x81, reason)),
            .begun(Command.disconnect),
            .event(.disconnectionComplete(.success, 0x81, .localHostTerminated)),
            .tells(.connectionFailed(HostHarness.strap, .status(.connectionLimitExceeded))))
    }
}
