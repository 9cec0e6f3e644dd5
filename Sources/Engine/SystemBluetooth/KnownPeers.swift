import Basics
import Bluetooth
import GATT

/// What the service knows about peripherals, connected or not.
struct KnownPeers: Sendable {
    /// The attributes that the service has kept of a peripheral.
    struct Attributes: Sendable {
        var services: [DiscoveredService] = []
        var hash: [UInt8]?
        var subscriptions: Subscriptions
    }

    private let memory: Duration?
    private var names: [DeviceAddress: String] = [:]
    /// The addresses by which bonded peripherals were known before, by identity address; all differ.
    private var aliases: [DeviceAddress: DeviceAddress] = [:]
    private var attributes: [DeviceAddress: Attributes] = [:]
    /// When peripherals were received last that are forgotten after a while.
    private var heard: [DeviceAddress: Instant] = [:]
    /// Peripherals that are not forgotten.
    private var kept: Set<DeviceAddress> = []
    /// When one of those has to be forgotten.
    private(set) var forgetDue = Instant.never
    private var bonded: Set<DeviceAddress> = []

    /// Nothing is known, but bonds.
    ///
    /// - Parameters:
    ///   - memory: How long a peripheral is known that is only received; nil: forever.
    ///   - bonds: The identity addresses of bonded peripherals.
    init(memory: Duration?, bonds: [DeviceAddress]) {
        (self.memory, bonded, kept) = (memory, Set(bonds), Set(bonds))
    }

    // MARK: Names and addresses

    func name(of peer: DeviceAddress) -> String? { names[peer] }

    /// Notes a name; false if it is known.
    mutating func rename(_ peer: DeviceAddress, _ name: String) -> Bool {
        guard names[peer] != name else { return false }
        if names[peer] != nil || names.count < SharedCentral.maximumPeripherals { names[peer] = name }
        return true
    }

    /// The address by which programs know a peripheral: the first one, although a bond has revealed another.
    func known(_ peer: DeviceAddress) -> DeviceAddress { aliases[peer] ?? peer }

    /// Remembers by which address programs know a bonded peripheral.
    mutating func addAlias(of identity: DeviceAddress, for peer: DeviceAddress) {
        guard identity != peer else { return }
        aliases = aliases.filter { $0.value != peer }
        aliases[identity] = peer
    }

    /// The address to connect to.
    func present(_ peer: DeviceAddress) -> DeviceAddress { aliases.first { $0.value == peer }?.key ?? peer }

    // MARK: Bonds

    func isBonded(_ peer: DeviceAddress) -> Bool { bonded.contains(peer) }

    /// Notes whether there is a bond; false if that is known.
    mutating func setBonded(_ peer: DeviceAddress, _ isBonded: Bool) -> Bool {
        isBonded ? bonded.insert(peer).inserted : bonded.remove(peer) != nil
    }

    // MARK: Memory

    /// A peripheral was received; returns when to forget peripherals, if that is new.
    mutating func hear(_ peer: DeviceAddress, at now: Instant) -> Instant? {
        guard let memory, !kept.contains(peer) else { return nil }
        guard heard[peer] != nil || heard.count < SharedCentral.maximumPeripherals else { return nil }
        heard[peer] = now
        guard forgetDue == .never else { return nil }
        forgetDue = now.advanced(by: memory)
        return forgetDue
    }

    /// A peripheral stays known.
    mutating func keep(_ peer: DeviceAddress) {
        guard memory != nil, kept.count < SharedCentral.maximumPeripherals else { return }
        heard[peer] = nil
        kept.insert(peer)
    }

    /// A peripheral is forgotten unless it is received; returns when, if that is new.
    mutating func unkeep(_ peer: DeviceAddress, at now: Instant) -> Instant? {
        kept.remove(peer)
        return hear(peer, at: now)
    }

    /// Forgets the peripherals that have not been received for long, or, if `isOff`, all that were only received.
    mutating func forgetSilent(at now: Instant, isOff: Bool = false) -> [DeviceAddress] {
        guard let memory, isOff || forgetDue <= now else { return [] }
        let forgotten = heard.filter { isOff || $0.value.advanced(by: memory) <= now }.keys
        for peer in forgotten { forget(peer) }
        forgetDue = heard.values.min()?.advanced(by: memory) ?? .never
        return forgotten.sorted { $0.number < $1.number }
    }

    /// Forgets everything about a peripheral.
    mutating func forget(_ peer: DeviceAddress) {
        (names[peer], attributes[peer], heard[peer]) = (nil, nil, nil)
        kept.remove(peer)
        bonded.remove(peer)
        aliases = aliases.filter { $0.value != peer }
    }

    // MARK: Attributes

    /// What is kept of a peripheral's attributes.
    subscript(peer: DeviceAddress) -> Attributes? {
        get { attributes[peer] }
        set {
            guard newValue == nil || attributes[peer] != nil || attributes.count < SharedCentral.maximumPeripherals
            else { return }
            attributes[peer] = newValue
        }
    }

    /// Forgets the attributes of all peripherals.
    mutating func forgetAttributes() { attributes = [:] }

    /// A program has ended: nothing is sent to it any more.
    mutating func leave(_ program: ProgramID) {
        for peer in attributes.keys { _ = attributes[peer]?.subscriptions.leave(program) }
    }
}
