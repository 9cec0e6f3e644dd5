import Basics
import Bluetooth
import Cryptography

/// The devices whose private addresses a controller resolves, and the private addresses that it uses with them.
/// Core 6.0, Vol 6, Part B, section 6.
struct ResolvingList: Hashable, Sendable {
    /// A device.
    struct Entry: Hashable, Sendable {
        let identity: DeviceAddress
        /// The IRK of the device, the most significant octet first; nil: it uses no private addresses.
        let peerKey: [UInt8]?
        /// The IRK of this controller's host for the device; nil: the identity address is used.
        let localKey: [UInt8]?
        /// Device privacy mode: the device may also use its identity address.
        var acceptsIdentity = false
        /// The private address that this controller uses with the device.
        fileprivate(set) var local: DeviceAddress?
        /// The private address that the device used last.
        fileprivate(set) var peer: DeviceAddress?
    }

    private(set) var entries: [Entry] = []
    /// Whether the controller resolves addresses; whether it uses private ones does not depend on this.
    var isEnabled = false

    func index(of identity: DeviceAddress) -> Int? { entries.firstIndex { $0.identity == identity } }

    /// Adds a device; false if it is in the list, or another one with its IRK.
    mutating func add(_ entry: Entry) -> Bool {
        let isKnown = entries.contains { known in
            known.identity == entry.identity || known.peerKey != nil && known.peerKey == entry.peerKey
        }
        if !isKnown { entries.append(entry) }
        return !isKnown
    }

    mutating func remove(at index: Int) { entries.remove(at: index) }

    mutating func removeAll() { entries.removeAll() }

    mutating func setMode(at index: Int, acceptsIdentity: Bool) { entries[index].acceptsIdentity = acceptsIdentity }

    // MARK: Peers

    /// The sender with an address: the identity address of a device on the list, or the address itself; nil for a packet to
    /// ignore, since the device must use private addresses (network privacy mode).
    func sender(at address: DeviceAddress) -> DeviceAddress? {
        guard isEnabled, !entries.isEmpty else { return address }
        if address.isResolvable {
            return entries.first { $0.peerKey.map { address.isResolved(by: $0) } ?? false }?.identity ?? address
        }
        guard let index = index(of: address), entries[index].peerKey != nil else { return address }
        return entries[index].acceptsIdentity ? address : nil
    }

    /// Whether this is a private address of this controller for any device.
    func isOwn(_ address: DeviceAddress) -> Bool {
        isEnabled && address.isResolvable
            && entries.contains { $0.localKey.map { address.isResolved(by: $0) } ?? false }
    }

    /// Keeps the private address that a device uses.
    mutating func note(_ address: DeviceAddress, of identity: DeviceAddress) {
        guard address != identity, let index = index(of: identity) else { return }
        entries[index].peer = address
    }

    // MARK: Own addresses

    /// The private address to use with a device; nil: the identity address.
    func local(for identity: DeviceAddress) -> DeviceAddress? { index(of: identity).flatMap { entries[$0].local } }

    /// Generates the private addresses of this controller anew.
    mutating func rotate(using chance: inout RandomStream) {
        for index in entries.indices { rotate(index, using: &chance) }
    }

    /// Generates the private addresses that do not exist yet.
    mutating func generateMissing(using chance: inout RandomStream) {
        for index in entries.indices where entries[index].local == nil { rotate(index, using: &chance) }
    }

    private mutating func rotate(_ index: Int, using chance: inout RandomStream) {
        entries[index].local = entries[index].localKey.flatMap { DeviceAddress(key: $0, using: &chance) }
    }

    /// A private address of a device, as the target of directed advertising; nil: its identity address.
    func target(_ identity: DeviceAddress, using chance: inout RandomStream) -> DeviceAddress? {
        guard isEnabled, let key = index(of: identity).flatMap({ entries[$0].peerKey }) else { return nil }
        return DeviceAddress(key: key, using: &chance)
    }
}

extension DeviceAddress {
    /// nil: libcrypto has failed.
    fileprivate init?(key: [UInt8], using chance: inout RandomStream) {
        guard let number = try? ResolvableAddress.number(key: key, using: &chance) else { return nil }
        self.init(number, .random)
    }

    fileprivate func isResolved(by key: [UInt8]) -> Bool {
        kind == .random && (try? ResolvableAddress.isResolved(number, key: key)) == true
    }
}
