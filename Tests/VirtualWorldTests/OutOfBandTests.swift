import Basics
import Bluetooth
import Cryptography
import ScenarioModel
import SecurityManager
import Testing
import VirtualWorld

/// The data that devices of a scenario give away out of band.
@Suite struct OutOfBandTests {
    private static let address = DeviceAddress(0xC0FF_EE00_0001, .random)

    private static func world(_ security: String, seed: UInt64 = 1) throws -> World {
        let scenario = TestScenario(
            security,
            """
            {"lubdub": 1, "name": "x", "devices": [
              {"id": "strap", "address": "C0:FF:EE:00:00:01/random", "security": {\(security)},
               "services": [{"service": "heart_rate", "value": 72}]}]}
            """)
        return try World(scenario.scenario, seed: seed)
    }

    private static func types(_ octets: [UInt8]?) throws -> [UInt8]? {
        try octets.map { try AdvertisingData(octets: $0, limit: .extended).structures.map(\.type.number) }
    }

    @Test(arguments: [
        ("off", [UInt8](arrayLiteral: 0x1B, 0x1C, 0x10)), ("preferred", [0x1B, 0x1C, 0x10, 0x22, 0x23]),
        ("required", [0x1B, 0x1C, 0x22, 0x23]),
    ])
    func `A device gives away data for the kinds of pairing that it supports`(preference: String, types: [UInt8]) throws
    {
        var world = try Self.world(#""oob": true, "secure_connections": "\#(preference)""#)
        #expect(try Self.types(world.giveOutOfBandData(of: 0, at: Self.address)) == types)
    }

    @Test func `The values are those that the device pairs with`() throws {
        var world = try Self.world(#""oob": true"#)
        let octets = world.giveOutOfBandData(of: 0, at: Self.address)
        let data = try AdvertisingData(octets: octets ?? [], limit: .extended)
        let used = try #require(world.securitySettings(of: 0)?.outOfBand)
        func value(_ type: ADType) -> UInt128? { data.data(type)?.reversed().reduce(0) { $0 << 8 | UInt128($1) } }
        #expect(data.data(.deviceAddress) == [1, 0, 0, 0xEE, 0xFF, 0xC0, 1])
        #expect(data.data(.leRole) == [0])
        #expect(value(.temporaryKey) == used.temporaryKey)
        let key = try #require(used.own?.keyPair.publicKey)
        let random = try #require(value(.randomValue))
        #expect(try value(.confirmationValue) == SecurityFunctions.f4(key.x, key.x, random, 0))
        #expect(used.peers == nil)
    }

    @Test func `The values come from the seed, except on a real radio`() throws {
        func octets(seed: UInt64, on radio: RadioKind = .virtual) throws -> [UInt8]? {
            var world = try Self.world(#""oob": true"#, seed: seed)
            world.placeDevices(on: radio)
            return world.giveOutOfBandData(of: 0, at: Self.address)
        }
        #expect(try octets(seed: 1) == octets(seed: 1))
        #expect(try octets(seed: 1) != octets(seed: 2))
        #expect(try octets(seed: 1, on: .controllers) != octets(seed: 1, on: .controllers))
        #expect(try octets(seed: 1, on: .bluetoothd) == nil)
    }

    @Test func `Nobody gives data away without oob`() throws {
        var world = try Self.world(#""io": "none""#)
        let before = world.securitySettings(of: 0)
        let client = try world.addClient(at: .start)
        for device in [-1, 0, 1, 2] { #expect(world.giveOutOfBandData(of: device, at: Self.address) == nil) }
        world.exchangeOutOfBand(withClient: client)
        world.exchangeOutOfBand(withClient: 7)
        #expect(world.securitySettings(of: 0) == before)
    }

    @Test(arguments: ["off", "preferred", "required"])
    func `The built-in client pairs with the data, and authenticates`(preference: String) throws {
        let scenario = TestScenario(
            preference,
            """
            {"lubdub": 1, "name": "x", "limit": "20 s", "devices": [
              {"id": "strap", "address": "C0:FF:EE:00:00:01/random",
               "security": {"oob": true, "mitm": "required", "secure_connections": "\(preference)", "privacy": true},
               "advertise": {"services": ["180D"]},
               "services": [{"service": "heart_rate", "permissions": ["authenticated"], "value": 72}]}]}
            """)
        let harness = try WorldHarness(scenario.scenario)
        #expect(harness.records(.paired).count == 1)
        #expect(harness.records(.pairingFailed).isEmpty)
        #expect(harness.records(.notified).count > 10)
    }
}
