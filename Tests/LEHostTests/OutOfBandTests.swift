import Bluetooth
import HCI
import LEHost
import SecurityManager
import Testing

/// Data that a host has exchanged out of band with single peers.
@Suite struct OutOfBandTests {
    private static let connection = ConnectionID(number: 1)
    private static let other = DeviceAddress(0xC0FF_EE00_0002, .random)

    private static func data(_ temporaryKey: UInt128) -> OutOfBandData {
        var data = OutOfBandData()
        data.temporaryKey = temporaryKey
        return data
    }

    private static func legacy() -> HostSecurity {
        var settings = SecuritySettings()
        settings.secureConnections = .off
        return HostSecurity(settings)
    }

    /// A host that has connected to the strap as a central.
    private static func central(
        _ security: HostSecurity = legacy(), after commands: [Host.Command] = []
    ) throws -> HostHarness {
        var harness = try HostHarness(security: security)
        harness.start()
        for command in commands { harness.step(.command(command)) }
        let parameters = ConnectionParameters(
            minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 72)
        harness.step(
            .command(.connect(ConnectionCreation(to: HostHarness.strap, parameters: parameters), timeout: nil)))
        harness.answerAll()
        harness.connected(role: 0)
        harness.answerAll()
        _ = (harness.takeSent(), harness.takeOutputs())
        return harness
    }

    /// The first PDU of the Security Manager since the last call.
    private static func sent(_ harness: inout HostHarness) -> [UInt8]? {
        harness.takeSent().first { $0[0] == 2 && $0[7] == 6 }.map { Array($0.dropFirst(9)) }
    }

    private static func requestsWithData(_ harness: inout HostHarness) -> Bool? {
        harness.step(.command(.security(connection, .pair)))
        return sent(&harness).flatMap { $0.first == 0x01 ? $0[2] == 1 : nil }
    }

    @Test func `Data count for the peer with this address, and for no other`() throws {
        var harness = try Self.central(after: [.exchangeOutOfBand(Self.data(1), with: HostHarness.strap)])
        #expect(Self.requestsWithData(&harness) == true)
        harness = try Self.central(after: [
            .exchangeOutOfBand(Self.data(1), with: Self.other),
            .exchangeOutOfBand(Self.data(1), with: DeviceAddress(HostHarness.strap.number, .public)),
        ])
        #expect(Self.requestsWithData(&harness) == false)
    }

    @Test func `Data replace those of the settings until they are removed`() throws {
        var security = Self.legacy()
        security.settings?.outOfBand = Self.data(1)
        var harness = try Self.central(
            security, after: [.exchangeOutOfBand(OutOfBandData(), with: HostHarness.strap)])
        #expect(Self.requestsWithData(&harness) == false)
        harness = try Self.central(
            security,
            after: [
                .exchangeOutOfBand(OutOfBandData(), with: HostHarness.strap),
                .exchangeOutOfBand(nil, with: HostHarness.strap), .exchangeOutOfBand(nil, with: Self.other),
            ])
        #expect(Self.requestsWithData(&harness) == true)
    }

    @Test func `Data that come during a connection count in its next pairing`() throws {
        var harness = try Self.central()
        harness.step(.command(.exchangeOutOfBand(Self.data(1), with: HostHarness.strap)))
        #expect(harness.takeSent() == [] && harness.takeOutputs() == [])
        #expect(Self.requestsWithData(&harness) == true)
        _ = harness.takeOutputs()
        harness.step(.command(.exchangeOutOfBand(nil, with: HostHarness.strap)))
        // The strap has the flag, too: the present pairing goes on out of band, with the Temporary Key at hand.
        harness.acl([0x40, 0x20, 11, 0, 7, 0, 6, 0, 0x02, 3, 1, 1, 16, 0, 0])
        #expect(Self.sent(&harness)?.first == 0x03)
        #expect(harness.takeOutputs() == [])
        harness.acl([0x40, 0x20, 6, 0, 2, 0, 6, 0, 0x05, 0x08])
        #expect(Self.requestsWithData(&harness) == nil)  // too soon after a failure
        harness.event([0x13, 5, 1, 0x40, 0, 2, 0])  // both packets have left the controller
        harness.wait(.seconds(2))
        #expect(Self.requestsWithData(&harness) == false)
    }

    @Test func `Data survive other settings, and do not let a host pair that does not`() throws {
        var harness = try Self.central(
            .none, after: [.exchangeOutOfBand(Self.data(1), with: HostHarness.strap)])
        #expect(Self.requestsWithData(&harness) == nil)
        #expect(harness.takeOutputs() == [.security(Self.connection, .failed(.failed(.pairingNotSupported)))])
        harness.step(.command(.changeSecurity(Self.legacy().settings)))
        #expect(Self.requestsWithData(&harness) == true)
    }
}
