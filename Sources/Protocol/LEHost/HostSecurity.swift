public import Basics
public import Bluetooth
import GATT
public import SecurityManager

/// How a host pairs, and its bonds.
public struct HostSecurity: Sendable {
    /// Where keys, random values and passkeys come from.
    public enum Secrets: RandomNumberGenerator, Sendable {
        /// A stream of a simulation: reproducible, so its keys protect nothing.
        case stream(RandomStream)
        /// The system's source.
        case system

        /// 64 random bits.
        public mutating func next() -> UInt64 {
            guard case .stream(var stream) = self else {
                var system = SystemRandomNumberGenerator()
                return system.next()
            }
            defer { self = .stream(stream) }
            return stream.next()
        }
    }

    /// What the host supports and requires; nil: it rejects pairing with Pairing Not Supported.
    public var settings: SecuritySettings?
    /// The IRK to distribute; 0 if the host does not use resolvable private addresses.
    public var resolvingKey: UInt128
    /// Whether the IRK is that of an earlier run.
    var hasRestoredResolvingKey = false
    /// How long the host uses a resolvable private address; nil: it uses its identity address.
    public let privateAddressLifetime: Duration?
    /// The bonds, the oldest first.
    public internal(set) var bonds: [Bond] = []
    /// The maximum number of bonds; a further one replaces the oldest.
    public let maximumBonds: Int
    /// Where keys, random values and passkeys come from.
    public internal(set) var secrets: Secrets
    /// The data that the host has exchanged out of band with single peers, by their addresses.
    var outOfBand: [DeviceAddress: OutOfBandData] = [:]
    var attempts = PairingAttempts()
    /// What the host's server keeps of bonded clients, by identity address.
    var clients: [DeviceAddress: BondedClient] = [:]

    /// A host without bonds.
    ///
    /// - Parameters:
    ///   - settings: What the host supports and requires.
    ///   - resolvingKey: The IRK to distribute.
    ///   - privateAddressLifetime: How long the host uses a resolvable private address, which needs an IRK; nil: it uses its
    ///     identity address.
    ///   - bonds: The bonds that exist, the oldest first.
    ///   - maximumBonds: The maximum number of bonds.
    ///   - secrets: Where keys come from.
    public init(
        _ settings: SecuritySettings?, resolvingKey: UInt128 = 0, privateAddressLifetime: Duration? = nil,
        bonds: [Bond] = [], maximumBonds: Int = 255, secrets: Secrets = .system
    ) {
        self.privateAddressLifetime = resolvingKey == 0 ? nil : privateAddressLifetime
        (self.settings, self.resolvingKey, self.secrets) = (settings, resolvingKey, secrets)
        (self.bonds, self.maximumBonds) = (bonds, max(0, maximumBonds))
    }

    /// A host that rejects pairing.
    public static let none = HostSecurity(nil)

    /// The bond with the device that uses this address: its identity address, or one that its IRK resolves.
    public func bond(with address: DeviceAddress) -> Bond? {
        bonds.first { $0.peer == address }
            ?? bonds.first { bond in
                guard let key = bond.peerResolvingKey, key != 0 else { return false }
                return (try? address.isResolved(by: key)) == true
            }
    }

    /// The settings for a peer, with the data that the devices have exchanged out of band.
    ///
    /// - Parameters:
    ///   - identity: The identity address of the peer if it is bonded.
    ///   - onAir: The address that the peer uses in the connection.
    /// - Returns: The settings; nil: the host does not pair.
    func settings(with identity: DeviceAddress, onAir: DeviceAddress) -> SecuritySettings? {
        guard let data = outOfBand[onAir] ?? outOfBand[identity], var result = settings else { return settings }
        result.outOfBand = data
        return result
    }

    /// Adds a bond, in place of an earlier one with the same peer.
    mutating func keep(_ bond: Bond) {
        forget(bond.peer)
        bonds.append(bond)
    }

    /// Whether there was a bond.
    @discardableResult mutating func forget(_ peer: DeviceAddress) -> Bool {
        let count = bonds.count
        bonds.removeAll { $0.peer == peer }
        clients[peer] = nil
        return bonds.count < count
    }
}
