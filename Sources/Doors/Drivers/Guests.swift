import HCI
import Sockets

/// An external host above one of a world's virtual controllers.
struct Guest: Sendable {
    let number: Int  // in order of arrival; the world uses the numbers of controllers again
    let controller: Int
    let transport: H4Transport
    let isKernel: Bool
    fileprivate var hasBeenCongested = false
}

/// The external hosts of a world, and the octets that wait for those that read too slowly.
struct Guests: Sendable {
    /// The number of octets that may wait for a host; beyond it, its controller drops advertising reports.
    static let reportLimit = 1 << 14
    /// The number of octets that may wait for all hosts together.
    static let totalLimit = 128 << 20
    /// The number of octets that may wait for each host, however many there are.
    static let minimumShare = 1 << 16

    /// How a packet has changed the state of its host.
    enum Effect: Equatable {
        case none
        /// The host has become slow; `isFirst`: for the first time.
        case congested(isFirst: Bool)
        /// More octets wait than the host's share of the limit.
        case overflowed(limit: Int)
    }

    private var guests: [Int: Guest] = [:]  // by controller
    private var congested: Set<Int> = []
    private var arrivals = 0

    var isEmpty: Bool { guests.isEmpty }

    /// The maximum number of octets that may wait for one host.
    private var share: Int {
        min(StreamConnection.defaultLimit, max(Self.minimumShare, Self.totalLimit / max(guests.count, 1)))
    }

    mutating func add(_ transport: H4Transport, on controller: Int, isKernel: Bool) -> Guest {
        arrivals += 1
        let guest = Guest(number: arrivals, controller: controller, transport: transport, isKernel: isKernel)
        guests[controller] = guest
        return guest
    }

    /// The guest of this number; nil if it has left.
    func guest(_ number: Int, on controller: Int) -> Guest? {
        guests[controller].flatMap { $0.number == number ? $0 : nil }
    }

    func guest(on controller: Int) -> Guest? { guests[controller] }

    mutating func remove(_ guest: Guest) {
        guests[guest.controller] = nil
        congested.remove(guest.controller)
    }

    /// Sends a packet to the host of a controller.
    mutating func send(_ kind: PacketKind, _ octets: [UInt8], to controller: Int) -> Effect {
        guard let guest = guests[controller] else { return .none }
        guest.transport.send(kind, octets)
        let queued = guest.transport.queued
        if queued > share { return .overflowed(limit: share) }
        guard queued > Self.reportLimit, congested.insert(controller).inserted else { return .none }
        guests[controller]?.hasBeenCongested = true
        return .congested(isFirst: !guest.hasBeenCongested)
    }

    /// The controllers whose hosts have read enough since they became slow, in order.
    mutating func takeRelieved() -> [Int] {
        guard !congested.isEmpty else { return [] }
        let relieved = congested.filter { (guests[$0]?.transport.queued ?? 0) <= Self.reportLimit / 2 }.sorted()
        congested.subtract(relieved)
        return relieved
    }

    /// Closes all connections.
    mutating func close() {
        for guest in guests.values { guest.transport.close() }
        (guests, congested) = ([:], [])
    }
}
