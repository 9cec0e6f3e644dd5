import Basics
package import Bluetooth

/// The UUIDs by which programs know peripherals: Apple's framework hides their addresses.
///
/// A UUID depends on the seed and the address only, so it is the same in every process, as if the system had stored it.  It
/// contains the address, encrypted, so that a process also knows the peripherals of earlier ones.
///
/// | Octets | Content                                                        |
/// |--------|----------------------------------------------------------------|
/// | 0 to 5 | the address, exclusive or with octets of the seed's stream     |
/// | 6      | 0x4, the version of random UUIDs, and 4 bits of the check      |
/// | 7      | check                                                          |
/// | 8      | 0b10, their variant, and 6 bits of the check                   |
/// | 9 to 15| check: octets of a stream of the seed and the address          |
package struct PeripheralIdentifiers: Sendable {
    private let seed: RandomStream

    package init(seed: UInt64) { self.seed = RandomStream(seed: seed).stream("identifiers") }

    /// The 16 octets of a peripheral's UUID.
    package func octets(of address: DeviceAddress) -> [UInt8] {
        var check = seed.stream("\(address)")
        var (key, low, high) = (seed.stream("key"), check.next(), check.next())
        let mask = key.next()
        var octets = (0..<6).map { UInt8(truncatingIfNeeded: (address.number ^ mask) >> (8 * $0)) }
        for _ in 0..<10 {
            octets.append(UInt8(truncatingIfNeeded: low))
            (low, high) = (low >> 8 | high << 56, high >> 8)
        }
        octets[6] = octets[6] & 0x0F | 0x40
        octets[8] = octets[8] & 0x3F | 0x80
        return octets
    }

    /// The peripheral whose UUID has these octets; nil if it is not a peripheral's.
    package func address(of octets: [UInt8]) -> DeviceAddress? {
        guard octets.count == 16 else { return nil }
        var key = seed.stream("key")
        let number = (0..<6).reduce(0 as UInt64) { $0 | UInt64(octets[$1]) << (8 * $1) } ^ key.next()
        return [DeviceAddress.Kind.random, .public].map { DeviceAddress(number, $0) }
            .first { self.octets(of: $0) == octets }
    }
}
