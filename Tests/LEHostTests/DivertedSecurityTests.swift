import Bluetooth
import HCI
import LEHost
import SecurityManager
import Testing

/// A caller that pairs in place of the host.
@Suite struct DivertedSecurityTests {
    private static func frame(_ octets: [UInt8]) -> [UInt8] {
        [0x40, 0x20, UInt8(octets.count + 4), 0, UInt8(octets.count), 0, 6, 0] + octets
    }

    private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x00, 0x10, 0x00, 0x00]
    private static let notSupported: [UInt8] = [0x05, 0x05]

    private static func sent(_ harness: inout HostHarness) -> [[UInt8]] {
        harness.takeSent().filter { $0[0] == 2 }.map { Array($0.dropFirst(9)) }
    }

    @Test func `Diverted PDUs are reported, and not answered`() throws {
        var harness = try HostHarness()
        harness.start()
        harness.connected(role: 1)
        harness.answerAll()
        _ = (harness.takeSent(), harness.takeOutputs())
        harness.acl(Self.frame(Self.request))
        #expect(Self.sent(&harness) == [Self.notSupported])
        harness.step(.fault(.divertSecurity(true)))
        harness.acl(Self.frame(Self.request))
        #expect(harness.takeOutputs() == [.securityPDU(ConnectionID(number: 1), Self.request)])
        #expect(Self.sent(&harness) == [])
        harness.step(.fault(.divertSecurity(false)))
        harness.acl(Self.frame(Self.request))
        #expect(harness.takeOutputs() == [])
    }

    @Test func `The central encrypts with the caller's key`() throws {
        var harness = try HostHarness()
        harness.start()
        let parameters = ConnectionParameters(
            minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 72)
        harness.step(
            .command(.connect(ConnectionCreation(to: HostHarness.strap, parameters: parameters), timeout: nil)))
        harness.answerAll()
        harness.connected(role: 0)
        harness.answerAll()
        _ = (harness.takeSent(), harness.takeOutputs())
        let (id, key) = (ConnectionID(number: 1), LongTermKey(0x0102, ediv: 0x0304, rand: 0x0506))
        harness.step(.command(.security(id, .encrypt(key))))
        let command: [UInt8] =
            [0x01, 0x19, 0x20, 28, 0x40, 0, 0x06, 0x05, 0, 0, 0, 0, 0, 0, 0x04, 0x03, 0x02, 0x01]
            + [UInt8](repeating: 0, count: 14)
        #expect(harness.takeSent() == [command])
        harness.event([0x0F, 4, 0, 1, 0x19, 0x20])
        harness.event([0x08, 4, 0, 0x40, 0, 1])
        #expect(harness.takeOutputs() == [.security(id, .encrypted(key, isNew: false))])
    }
}
