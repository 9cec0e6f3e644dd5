import Bluetooth
import SystemBluetooth
import Testing

@Suite struct PeripheralIdentifierTests {
    private static let addresses = [
        "C0:FF:EE:00:00:01/random", "C0:FF:EE:00:00:01/public", "00:00:00:00:00:00/public", "FF:FF:FF:FF:FF:FF/random",
    ].compactMap { DeviceAddress($0) }

    @Test(arguments: addresses) func `A UUID is that of one address`(address: DeviceAddress) {
        let identifiers = PeripheralIdentifiers(seed: 1)
        let octets = identifiers.octets(of: address)
        #expect(octets.count == 16 && octets[6] >> 4 == 4 && octets[8] >> 6 == 0b10)
        #expect(identifiers.address(of: octets) == address)
        #expect(PeripheralIdentifiers(seed: 1).octets(of: address) == octets)
        #expect(PeripheralIdentifiers(seed: 2).octets(of: address) != octets)
        #expect(PeripheralIdentifiers(seed: 2).address(of: octets) == nil)
    }

    @Test func `Another UUID is not a peripheral's`() throws {
        let identifiers = PeripheralIdentifiers(seed: 1)
        let octets = identifiers.octets(of: try #require(Self.addresses.first))
        for bit in 0..<128 {
            var other = octets
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(identifiers.address(of: other) == nil, "bit \(bit)")
        }
        #expect(identifiers.address(of: []) == nil)
    }

    @Test func `The address cannot be read from the UUID`() throws {
        let address = try #require(Self.addresses.first)
        let octets = PeripheralIdentifiers(seed: 1).octets(of: address)
        #expect(Array(octets[..<6]) != address.octets && Array(octets[..<6]) != address.octets.reversed())
    }
}
