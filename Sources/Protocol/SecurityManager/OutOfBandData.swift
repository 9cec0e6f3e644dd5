public import Bluetooth
public import Cryptography

/// Data that two devices have exchanged another way than by Bluetooth.  Core 6.0, Vol 3, Part H, sections 2.3.5.4, 2.3.5.6.4.
public struct OutOfBandData: Hashable, Sendable {
    /// A value and a commitment to a public key: what a device gives away for LE Secure Connections.
    public struct Commitment: Hashable, Sendable {
        /// The value r.
        public var random: UInt128
        /// f4 of the device's public key and r.
        public var confirm: UInt128

        /// A commitment that was received.
        public init(random: UInt128, confirm: UInt128) { (self.random, self.confirm) = (random, confirm) }

        /// The commitment to a key with the random value r.
        public init(random: UInt128, to key: P256PublicKey) throws(CryptographyFailure) {
            self.init(random: random, confirm: try SecurityFunctions.f4(key.x, key.x, random, 0))
        }
    }

    /// A key pair and the value r of a commitment to it.
    public struct Own: Hashable, Sendable {
        /// The key pair that pairing has to use.
        public var keyPair: P256KeyPair
        /// The value r.
        public var random: UInt128

        /// The origin of a commitment.
        public init(_ keyPair: P256KeyPair, random: UInt128) { (self.keyPair, self.random) = (keyPair, random) }

        /// A random key pair and value; throws Unspecified Reason if libcrypto cannot compute the public key.
        public init(using generator: inout some RandomNumberGenerator) throws(PairingFailedReason) {
            self.init(try P256KeyPair(using: &generator), random: UInt128(using: &generator))
        }

        /// What the device gives away.
        public var commitment: Commitment {
            get throws(CryptographyFailure) { try Commitment(random: random, to: keyPair.publicKey) }
        }
    }

    /// The Temporary Key of LE legacy pairing, which both devices know.
    public var temporaryKey: UInt128?
    /// The peer's commitment, which this device has received.
    public var peers: Commitment?
    /// The origin of the commitment that this device has given away.
    public var own: Own?

    /// No data.
    public init() {}

    /// Whether there is what the flags of both devices promise.  Without it a peer could claim an authentication that never
    /// happened.
    func isSufficient(for exchange: FeatureExchange) -> Bool {
        guard exchange.isSecureConnections else { return temporaryKey != nil }
        return (!exchange.own.hasOutOfBandData || peers != nil) && (!exchange.peer.hasOutOfBandData || own != nil)
    }
}

// What a device gives away.
extension OutOfBandData {
    /// As AD structures: the device's address, its role, and the Temporary Key and the commitment if it has them.  Core
    /// Specification Supplement 12, Part A, sections 1.6, 1.8, 1.16 and 1.17.
    ///
    /// | AD Type | Octets | Data                                                                       |
    /// |---------|--------|----------------------------------------------------------------------------|
    /// | 0x1B    | 7      | LE Bluetooth Device Address, the least significant octet first; 1: random  |
    /// | 0x1C    | 1      | LE Role; 0: only Peripheral                                                |
    /// | 0x10    | 16     | Security Manager TK Value, the least significant octet first               |
    /// | 0x22    | 16     | LE Secure Connections Confirmation Value, in the same order                |
    /// | 0x23    | 16     | LE Secure Connections Random Value, in the same order                      |
    ///
    /// - Parameter address: The address of the device.
    /// - Returns: The structures.
    /// - Throws: `CryptographyFailure` if libcrypto cannot compute the commitment.
    public func structures(givenBy address: DeviceAddress) throws(CryptographyFailure) -> [AdvertisingData.Structure] {
        typealias Structure = AdvertisingData.Structure
        var structures = [
            Structure(.deviceAddress, address.octets + [address.kind == .random ? 1 : 0]), Structure(.leRole, [0]),
        ]
        if let temporaryKey { structures.append(Structure(.temporaryKey, temporaryKey.littleEndianOctets)) }
        if let commitment = try own?.commitment {
            structures.append(Structure(.confirmationValue, commitment.confirm.littleEndianOctets))
            structures.append(Structure(.randomValue, commitment.random.littleEndianOctets))
        }
        return structures
    }
}
