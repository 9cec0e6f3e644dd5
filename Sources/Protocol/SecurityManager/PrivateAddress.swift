public import Bluetooth
public import Cryptography

/// Resolvable private addresses: `ResolvableAddress`.
extension DeviceAddress {
    /// A new resolvable private address of the device with this IRK.
    public init(
        resolvingKey: UInt128, using generator: inout some RandomNumberGenerator
    ) throws(CryptographyFailure) {
        let number = try ResolvableAddress.number(key: resolvingKey.mostSignificantFirst, using: &generator)
        self.init(number, .random)
    }

    /// Whether the device with this IRK has generated this address.
    public func isResolved(by resolvingKey: UInt128) throws(CryptographyFailure) -> Bool {
        guard isResolvable else { return false }
        return try ResolvableAddress.isResolved(number, key: resolvingKey.mostSignificantFirst)
    }
}
