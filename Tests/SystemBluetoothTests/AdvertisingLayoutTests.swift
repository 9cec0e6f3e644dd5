import Bluetooth
import Testing

@testable import SystemBluetooth

/// What fits next to the flags, and into the scan response.
@Suite struct AdvertisingLayoutTests {
    private let long = UUID("7d1c0001-5b0e-4c43-9a57-2f6b8e1d9c30") ?? UUID(0)

    private func layout(name: String?, services: [UUID], _ rules: AdvertisingRules = .apple) throws -> AdvertisingLayout
    {
        var content = LocalAdvertisement()
        (content.name, content.services) = (name, services)
        return try AdvertisingLayout(content, rules)
    }

    private func types(_ octets: [UInt8]) throws -> [UInt8] {
        try AdvertisingData(octets: octets).structures.map(\.type.number)
    }

    @Test func `A name that fits is complete`() throws {
        let layout = try layout(name: "Sensor", services: [UUID(0x180D)])
        #expect(try types(layout.data) == [0x01, 0x03, 0x09] && layout.scanResponse.isEmpty)
    }

    @Test func `A name of 10 octets is complete in the scan response`() throws {
        let layout = try layout(name: "0123456789", services: [long])
        #expect(try types(layout.data) == [0x01, 0x07])
        #expect(layout.scanResponse == [11, 0x09] + Array("0123456789".utf8))
    }

    @Test func `A longer name is cut between characters`() throws {
        let layout = try layout(name: "012345678é", services: [long])
        #expect(layout.scanResponse == [10, 0x08] + Array("012345678".utf8))
    }

    @Test func `Services without room are left out`() throws {
        let layout = try layout(name: nil, services: (0..<20).map { UUID(0x1800 + $0) } + [long])
        #expect(try types(layout.data) == [0x01, 0x02])
        #expect(try AdvertisingData(octets: layout.data).services.count == 13)
    }

    @Test func `Nothing to advertise leaves the flags`() throws {
        let layout = try layout(name: nil, services: [])
        #expect(layout.data == [2, 1, 6] && layout.scanResponse.isEmpty)
    }

    @Test func `With bluetoothd, the name is in the scan response, and all must fit`() throws {
        let whole = try layout(name: String(repeating: "n", count: 29), services: [UUID(0x180D)], .linux)
        #expect(try types(whole.data) == [0x01, 0x03])
        #expect(try types(whole.scanResponse) == [0x09])
        #expect(throws: AdvertisingData.Overflow.self) {
            try layout(name: String(repeating: "n", count: 30), services: [], .linux)
        }
        #expect(throws: AdvertisingData.Overflow.self) { try layout(name: nil, services: [long, long], .linux) }
    }
}
