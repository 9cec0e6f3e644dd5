import Bluetooth
import GATT
import HCI
import LEHost
import Octets
import Testing

@Suite struct IndicationTests {
    static let wanted: [UInt8] = [0x40, 0x20, 9, 0, 5, 0, 4, 0, 0x12, 4, 0, 2, 0]
    static let confirmation: [UInt8] = [0x40, 0x20, 5, 0, 1, 0, 4, 0, 0x1E]
    static let credit: [UInt8] = [0x13, 5, 1, 0x40, 0, 1, 0]

    /// A client is there, and has asked for indications of value 0x0003.
    private func subscribed() throws -> Desk {
        var desk = try Desk(properties: [.read, .notify, .indicate])
        desk.start()
        desk.connected(role: 1)
        desk.acl(Self.wanted)
        desk.event(Self.credit)
        _ = (desk.takeSent(), desk.takeTold())
        return desk
    }

    private func indication(_ value: UInt8) -> [UInt8] { [2, 0x40, 0, 9, 0, 5, 0, 4, 0, 0x1D, 3, 0, 0, value] }

    @Test func `Who wants indications gets them one by one`() throws {
        var desk = try subscribed()
        for beat: UInt8 in [72, 73] { desk.step(.command(.notify(handle: 3, [0, beat]))) }
        #expect(desk.takeSent() == [indication(72)])
        #expect(desk.takeTold() == [.server(HostTests.id, .indicated(handle: 3, [0, 72]))])
        desk.acl(Self.confirmation)
        #expect(desk.takeSent() == [indication(73)])
        let told: [Host.Output] = [
            .server(HostTests.id, .confirmed(handle: 3)), .server(HostTests.id, .indicated(handle: 3, [0, 73])),
        ]
        #expect(desk.takeTold() == told)
        #expect(desk.pool.taken == 0)
    }

    @Test func `A client that does not confirm within 30 s is disconnected`() throws {
        var desk = try subscribed()
        desk.step(.command(.notify(handle: 3, [0, 72])))
        _ = (desk.takeSent(), desk.takeTold())
        desk.wait(.milliseconds(29_999))
        #expect(desk.takeSent() == [] && desk.takeTold() == [])
        desk.wait(.milliseconds(1))
        #expect(desk.takeSent() == [[1, 0x06, 0x04, 3, 0x40, 0, 0x13]])
        #expect(desk.takeTold() == [.server(HostTests.id, .bearerLost)])
    }

    @Test func `What a client had asked for ends with the attribute`() throws {
        var desk = try subscribed()
        desk.step(.command(.changeAttributes(try Desk.table([.read, .indicate]), isAnnounced: true)))
        #expect(desk.takeTold() == [.server(HostTests.id, .orphaned(handle: 3))])
        #expect(desk.host.table == (try Desk.table([.read, .indicate])))
        desk.step(.command(.notify(handle: 3, [0, 72])))
        #expect(desk.takeSent() == [])
    }
}
