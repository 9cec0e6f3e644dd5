import Bluetooth
import HCI
import LEHost
import Octets
import Simulation
import Testing

/// Making one connection: what it does to scanning, and what becomes of one that comes too late.
@Suite struct ConnectingTests {
    static let creation = ExtendedTests.creation
    static let connect = Host.Command.connect(creation, timeout: .seconds(5))
    static let end = Command.disconnect(handle: 0x40, reason: .remoteUserTerminated)
    static let complete = Event.leConnectionComplete(.success, ExtendedTests.complete(.central))
    static let ended = Event.disconnectionComplete(.success, handle: 0x40, reason: .localHostTerminated)
    static let parameters = Command.leSetScanParameters(ExtendedTests.scan)

    private func started() throws -> Desk {
        var desk = try Desk()
        desk.start()
        _ = (desk.takeSent(), desk.takeTold())
        return desk
    }

    @Test func `Scanning pauses, and goes on after a failure`() throws {
        var desk = try started()
        desk.play(
            .host(ExtendedTests.scanning), .sends(Self.parameters), .done(.leSetScanParameters),
            .sends(.leSetScanEnable(true, filterDuplicates: false)),
            .done(.leSetScanEnable), .tells(.scanning(true)),
            .host(Self.connect), .sends(.leSetScanEnable(false, filterDuplicates: false)),
            .done(.leSetScanEnable), .sends(.leCreateConnection(Self.creation)), .tells(.scanning(false)),
            .begun(.leCreateConnection),
            .host(ExtendedTests.scanning),
            .event(.leConnectionComplete(.failedToBeEstablished, ExtendedTests.complete(.central))),
            .sends(Self.parameters), .tells(.connectionFailed(Desk.strap, .status(.failedToBeEstablished))),
            .done(.leSetScanParameters), .sends(.leSetScanEnable(true, filterDuplicates: false)),
            .done(.leSetScanEnable), .tells(.scanning(true)))
    }

    @Test func `Scanning that was given up meanwhile does not go on`() throws {
        var desk = try started()
        desk.step(.command(ExtendedTests.scanning))
        desk.answerAll()
        _ = desk.takeTold()
        desk.play(
            .host(Self.connect), .sends(.leSetScanEnable(false, filterDuplicates: false)),
            .host(.stopScanning),
            .done(.leSetScanEnable), .sends(.leCreateConnection(Self.creation)), .tells(.scanning(false)),
            .begun(.leCreateConnection), .sends(.leSetScanEnable(false, filterDuplicates: false)),
            .done(.leSetScanEnable),
            .event(Self.complete),
            .tells(.connected(ConnectionID(number: 1), ExtendedTests.complete(.central))))
    }

    @Test func `A connection that comes after the cancel is ended, and then told to have failed`() throws {
        var desk = try started()
        desk.play(
            .host(Self.connect), .sends(.leCreateConnection(Self.creation)), .begun(.leCreateConnection),
            .host(.cancelConnecting), .sends(.leCreateConnectionCancel),
            .event(Self.complete),
            .done(.leCreateConnectionCancel, .commandDisallowed), .sends(Self.end),
            .host(Self.connect), .tells(.connectionFailed(Desk.strap, .notNow)),
            .begun(.disconnect),
            .event(Self.ended), .tells(.connectionFailed(Desk.strap, .cancelled)),
            .host(Self.connect), .sends(.leCreateConnection(Self.creation)))
    }

    @Test func `So is one that comes when its time is over`() throws {
        var desk = try started()
        desk.play(
            .host(Self.connect), .sends(.leCreateConnection(Self.creation)), .begun(.leCreateConnection),
            .wait(.seconds(5)), .sends(.leCreateConnectionCancel),
            .done(.leCreateConnectionCancel),
            .event(Self.complete), .sends(Self.end),
            .begun(.disconnect, .unknownConnection), .tells(.connectionFailed(Desk.strap, .timedOut)))
    }

    @Test func `A late connection whose end is never told counts as ended after 10 seconds`() throws {
        var desk = try started()
        desk.play(
            .host(Self.connect), .sends(.leCreateConnection(Self.creation)), .begun(.leCreateConnection),
            .host(.cancelConnecting), .sends(.leCreateConnectionCancel),
            .event(Self.complete),
            .done(.leCreateConnectionCancel, .commandDisallowed), .sends(Self.end), .begun(.disconnect),
            .wait(.milliseconds(9_999)),
            .wait(.milliseconds(1)), .tells(.connectionFailed(Desk.strap, .cancelled)))
    }

    @Test func `A connection that nobody wants any more is ended without a word`() throws {
        var desk = try started()
        desk.play(.event(Self.complete), .sends(Self.end), .begun(.disconnect), .event(Self.ended))
        #expect(desk.pool.taken == 0)
    }

    @Test func `One connection too many is ended`() throws {
        var desk = try started()
        for handle in 0..<UInt8(Host.mostConnections) { desk.connected(role: 1, handle: handle) }
        _ = (desk.takeSent(), desk.takeTold())
        let further = ExtendedTests.complete(.peripheral, handle: 0x80)
        let made = ExtendedTests.complete(.central, handle: 0x81)
        let reason = HCIStatus.remoteLowResources
        desk.play(
            .host(Self.connect), .sends(.leCreateConnection(Self.creation)), .begun(.leCreateConnection),
            .event(.leConnectionComplete(.success, further)), .sends(.disconnect(handle: 0x80, reason: reason)),
            .begun(.disconnect),
            .event(.disconnectionComplete(.success, handle: 0x80, reason: .localHostTerminated)),
            .event(.leConnectionComplete(.success, made)), .sends(.disconnect(handle: 0x81, reason: reason)),
            .begun(.disconnect),
            .event(.disconnectionComplete(.success, handle: 0x81, reason: .localHostTerminated)),
            .tells(.connectionFailed(Desk.strap, .status(.connectionLimitExceeded))))
    }
}
