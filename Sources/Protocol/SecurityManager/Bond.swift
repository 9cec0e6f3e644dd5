public import Bluetooth

/// A key that encrypts a link.  Core 6.0, Vol 3, Part H, section 2.4.1.
public struct LongTermKey: Hashable, Sendable {
    /// The key; beyond `size` octets its most significant octets are 0.
    public var value: UInt128
    /// Encrypted Diversifier, which identifies a key of LE legacy pairing; else 0.
    public var ediv: UInt16
    /// Random Number, which identifies a key of LE legacy pairing; else 0.
    public var rand: UInt64
    /// The length in octets: 7 to 16.
    public var size: UInt8
    /// Whether pairing has authenticated the peer.
    public var isAuthenticated: Bool
    /// Whether LE Secure Connections has generated it.
    public var isSecureConnections: Bool

    /// A key; its octets beyond `size` become 0.
    public init(
        _ value: UInt128, ediv: UInt16 = 0, rand: UInt64 = 0, size: UInt8 = 16, isAuthenticated: Bool = false,
        isSecureConnections: Bool = false
    ) {
        let size = min(max(size, 7), 16)
        self.value = value & (UInt128.max >> UInt128(128 - 8 * Int(size)))
        (self.ediv, self.rand, self.size) = (ediv, rand, size)
        (self.isAuthenticated, self.isSecureConnections) = (isAuthenticated, isSecureConnections)
    }

    /// Whether a controller that asks with these two numbers means this key.
    public func answers(ediv: UInt16, rand: UInt64) -> Bool { (self.ediv, self.rand) == (ediv, rand) }
}

/// The keys that two devices have exchanged, and keep if they are bonded.  Core 6.0, Vol 3, Part H, section 3.6.1.
public struct Bond: Hashable, Sendable {
    /// The peer's identity address, or its address in the connection if it distributed none.
    public var peer: DeviceAddress
    /// The peer's IRK.
    public var peerResolvingKey: UInt128?
    /// The key that encrypts the link while this device is the central.
    public var keyAsCentral: LongTermKey?
    /// The key that encrypts the link while this device is the peripheral.
    public var keyAsPeripheral: LongTermKey?
    /// The peer's CSRK.
    public var peerSigningKey: UInt128?
    /// The CSRK that this device has distributed.
    public var signingKey: UInt128?

    /// A bond without any key.
    public init(with peer: DeviceAddress) { self.peer = peer }

    /// The keys that encrypt the link, in either role.
    var keys: [LongTermKey] { [keyAsCentral, keyAsPeripheral].compactMap(\.self) }

    /// Whether one of its keys is longer than another key, or has a security that the other lacks.
    func isStronger(than key: LongTermKey) -> Bool {
        keys.contains { own in
            own.size > key.size || (own.isAuthenticated && !key.isAuthenticated)
                || (own.isSecureConnections && !key.isSecureConnections)
        }
    }

    /// The key in a role of this device.
    public func key(as role: PairingRole) -> LongTermKey? { role == .initiator ? keyAsCentral : keyAsPeripheral }
}
