import Basics
public import Bluetooth
import HCI
import SecurityManager

/// The private addresses of a host and of its bonded peers.
struct PrivateAddresses: Sendable {
    /// The host's; nil without privacy, or before the start.
    fileprivate(set) var own: DeviceAddress?
    /// When the host generates the next one.
    fileprivate(set) var due = Instant.never
    /// The random address that the controller has confirmed.
    var confirmed: DeviceAddress?
    /// Those with which bonded peers were reported last.
    private var peers: [(identity: DeviceAddress, address: DeviceAddress)] = []

    /// The address with which a peer advertises.
    func address(of identity: DeviceAddress) -> DeviceAddress {
        peers.first { $0.identity == identity }?.address ?? identity
    }

    fileprivate func identity(at address: DeviceAddress) -> DeviceAddress? {
        peers.first { $0.address == address }?.identity
    }

    fileprivate mutating func note(_ address: DeviceAddress, of identity: DeviceAddress) {
        forget(identity)
        peers.append((identity, address))
    }

    mutating func forget(_ identity: DeviceAddress) { peers.removeAll { $0.identity == identity } }
}

// Privacy: Core 6.0, Vol 3, Part C, section 10.7.  The host generates and resolves private addresses itself, which works on
// every controller, and lets a script choose when an address changes.
extension Host {
    /// The address that bonded peers keep.
    public var identityAddress: DeviceAddress { randomAddress ?? publicAddress }

    var identity: Identity { Identity(identityAddress, resolvingKey: security.resolvingKey) }

    /// The random address with which the host advertises, scans and connects; nil: the controller's public one.
    var usedRandomAddress: DeviceAddress? { privateAddresses.own ?? randomAddress }

    // MARK: Own addresses

    /// Generates the next private address, if the host has privacy.
    mutating func generateAddress(at now: Instant, into outbox: inout [Output]) {
        guard let lifetime = security.privateAddressLifetime else { return }
        privateAddresses.own = try? DeviceAddress(resolvingKey: security.resolvingKey, using: &security.secrets)
        privateAddresses.due = now.advanced(by: lifetime)
        outbox.append(.wake(at: privateAddresses.due))
    }

    /// Uses the next private address, or waits for the end of connecting.
    mutating func rotateAddress(at now: Instant, into outbox: inout [Output]) {
        guard privateAddresses.due < .never else { return }
        guard connecting == nil else {
            privateAddresses.due = min(privateAddresses.due, now)
            return
        }
        generateAddress(at: now, into: &outbox)
        useAddress()
    }

    mutating func noteRandomAddress(_ command: HCI.Command) {
        privateAddresses.confirmed = try? HCI.Command.leSetRandomAddress.parameters(of: command)
    }

    /// The addresses with which a connection was made.
    func addresses(of complete: EnhancedConnectionComplete) -> (own: DeviceAddress, peer: DeviceAddress) {
        let (local, peer) = (complete.localPrivateAddress, complete.peerPrivateAddress)
        let own = usedRandomAddress == nil ? publicAddress : privateAddresses.confirmed ?? address
        return (local.isResolvable ? local : own, peer.isResolvable ? peer : complete.connection.peer)
    }

    // MARK: Peers

    /// The report with the identity address of a bonded advertiser.
    mutating func resolved(_ report: AdvertisingReport) -> AdvertisingReport {
        guard let identity = identity(of: report.address) else {
            privateAddresses.forget(report.address)  // it may use its identity address now
            return report
        }
        privateAddresses.note(report.address, of: identity)
        var report = report
        (report.address, report.isResolved) = (identity, true)
        return report
    }

    /// Puts the bonded peers on the controller's accept list, while it does not advertise; it recognizes their private
    /// addresses, too.  Core 6.0, Vol 4, Part E, sections 7.8.16, 7.8.38 and 7.8.77.
    mutating func acceptBondedPeers() {
        let bonds = security.bonds.suffix(Self.maximumAcceptedPeers)
        commands.add(.leClearFilterAcceptList())
        for bond in bonds { commands.add(.leAddDeviceToFilterAcceptList(bond.peer)) }
        let keys = bonds.compactMap { bond in bond.peerResolvingKey.map { (bond.peer, $0) } }.filter { $0.1 != 0 }
        guard !keys.isEmpty else { return }
        commands.add(.leSetAddressResolutionEnable(false))
        commands.add(.leClearResolvingList())
        for (peer, key) in keys {
            commands.add(.leAddDeviceToResolvingList(peer, key.leastSignificantFirst, [UInt8](repeating: 0, count: 16)))
            commands.add(.leSetPrivacyMode(peer, true))  // it may also use its identity address
        }
        commands.add(.leSetAddressResolutionEnable(true))
    }

    /// Controllers have room for some peers.
    private static let maximumAcceptedPeers = 8

    /// The connection with the identity address of a bonded peer.
    func resolved(_ complete: ConnectionComplete) -> ConnectionComplete {
        guard let identity = identity(of: complete.peer) else { return complete }
        var complete = complete
        (complete.peer, complete.isPeerResolved) = (identity, true)
        return complete
    }

    /// The identity address of the bonded peer that uses a private address; nil for other addresses.
    private func identity(of address: DeviceAddress) -> DeviceAddress? {
        guard address.isResolvable else { return nil }
        let identity = privateAddresses.identity(at: address) ?? security.bond(with: address)?.peer
        return identity == address ? nil : identity  // a peer that has distributed no identity
    }
}

extension UInt128 {
    /// As HCI has it.
    fileprivate var leastSignificantFirst: [UInt8] {
        var octets: [UInt8] = []
        octets.append(UInt64(truncatingIfNeeded: self))
        octets.append(UInt64(truncatingIfNeeded: self >> 64))
        return octets
    }
}
