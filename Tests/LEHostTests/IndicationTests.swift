import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import Testing

@Suite struct IndicationTests {
    static let wanted: [UInt8] = [0x40, 0x20, 9, 0, 5, 0, 4, 0, 0x12, 4, 0, 2, 0]
    static let confirmation: [UInt8] = [0x40, 0x20, 5, 0, 1, 0, 4, 0, 0x1E]
    static let credit: [UInt8] = [0x13, 5, 1, 0x40, 0, 1, 0]

    /// A client is connected, and has enabled indications of value 0x0003.
    private func subscribed() throws -> HostHarness {
        var harness = try HostHarness(properties: [.read, .notify, .indicate])
        harness.start()
        harness.connected(role: 1)
        harness.acl(Self.wanted)
        harness.event(Self.credit)
        _ = (harness.takeSent(), harness.takeOutputs())
        return harness
    }

    private func indication(_ value: UInt8) -> [UInt8] { [2, 0x40, 0, 9, 0, 5, 0, 4, 0, 0x1D, 3, 0, 0, value] }

    @Test func `A client receives indications one by one`() throws {
        var harness = try subscribed()
        for beat: UInt8 in [72, 73] { harness.step(.command(.notify(handle: 3, [0, beat]))) }
        #expect(harness.takeSent() == [indication(72)])
        #expect(harness.takeOutputs() == [.server(HostTests.id, .indicated(handle: 3, [0, 72]))])
        harness.acl(Self.confirmation)
        #expect(harness.takeSent() == [indication(73)])
        let told: [Host.Output] = [
            .server(HostTests.id, .confirmed(handle: 3)), .server(HostTests.id, .indicated(handle: 3, [0, 73])),
        ]
        #expect(harness.takeOutputs() == told)
        #expect(harness.pool.taken == 0)
    }

    @Test func `A client that does not confirm within 30 s is disconnected`() throws {
        var harness = try subscribed()
        harness.step(.command(.notify(handle: 3, [0, 72])))
        _ = (harness.takeSent(), harness.takeOutputs())
        harness.wait(.milliseconds(29_999))
        #expect(harness.takeSent() == [] && harness.takeOutputs() == [])
        harness.wait(.milliseconds(1))
        #expect(harness.takeSent() == [[1, 0x06, 0x04, 3, 0x40, 0, 0x13]])
        #expect(harness.takeOutputs() == [.server(HostTests.id, .bearerLost)])
    }

    @Test func `A configuration ends with its attribute`() throws {
        var harness = try subscribed()
        harness.step(.command(.changeAttributes(try HostHarness.table([.read, .indicate]), isAnnounced: true)))
        #expect(harness.takeOutputs() == [.server(HostTests.id, .orphaned(handle: 3))])
        #expect(harness.host.table == (try HostHarness.table([.read, .indicate])))
        harness.step(.command(.notify(handle: 3, [0, 72])))
        #expect(harness.takeSent() == [])
    }
}
