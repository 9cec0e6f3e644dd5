import ATT
public import Bluetooth
public import Octets
public import Simulation

/// The server of one connection: answers each request before it takes the next, and notifies.
/// Core 6.0, Vol 3, Part F, section 3.4, and Part G, section 4.
///
/// It keeps what belongs to the connection: the MTU, and what the client has asked to be notified of.  The attributes
/// are the device's, and come as arguments.  Signed writes are not played: they are ignored, as all are whose signature
/// is wrong.
public struct Server: Sendable {
    /// What there is to do, or to know.  An answer stands before the event that it leads to.
    public enum Output: Hashable, Sendable {
        /// A PDU for the client.
        case send(Packet)
        /// From now on PDUs in both directions have so many octets at most; the connection's client has to adopt it.
        case exchangedMTU(Int)
        /// The client has begun to search for primary services.
        case discovering
        /// The client's search for primary services is at its end.
        case discovered
        /// The client has set bits of a Client Characteristic Configuration; `handle` is that of the value.
        case subscribed(handle: UInt16)
        /// The client has cleared a Client Characteristic Configuration; `handle` is that of the value.
        case unsubscribed(handle: UInt16)
        /// A value that the client had subscribed to is not there any more, and so is its configuration.
        case orphaned(handle: UInt16)
        /// The client has been told these octets of a value.
        case read(handle: UInt16, [UInt8])
        /// The client has written this value; also by a command, and also a Client Characteristic Configuration.
        case written(handle: UInt16, [UInt8])
        /// These octets of a value have been indicated.
        case indicated(handle: UInt16, [UInt8])
        /// The client has confirmed what was indicated last.
        case confirmed(handle: UInt16)
        /// The client has confirmed what was indicated last, of a value that is not there any more.
        case confirmedOrphan(handle: UInt16)
        /// A value is not indicated: `Server.mostIndications` wait already, or handles mean something else to the client.
        case dropped(handle: UInt16)
        /// `timePassed` is to be said then.
        case wake(at: Instant)
        /// An indication was not confirmed within 30 s: nothing is sent any more, and the link has to be closed.
        case bearerLost
        /// A request was refused, or a command came to nothing; but a search that found no more is not told.
        case refused(opcode: UInt8, handle: UInt16, ATTError)
    }

    /// The MTU before any exchange, and the least there is.  Core 6.0, Vol 3, Part G, section 5.2.1.
    public static let defaultMTU = 23
    /// The largest MTU of use: a value of 512 octets, and the 5 octets around it in a prepared write.
    public static let largestMTU = 517

    /// How many prepared writes wait for a client's Execute Write at most; a value of 512 octets takes 29 of them at
    /// the least MTU.
    public static let mostPrepared = 64
    /// How many octets of values prepared writes keep at most.
    public static let mostPreparedOctets = 2048

    /// How many indications wait for the confirmation of another at most.
    public static let mostIndications = 16

    /// How well the link is protected now.
    public var security: LinkSecurity = []
    /// What is refused whatever the attributes allow.
    public var refusals = Refusals()
    /// The most octets that a PDU can have on this bearer.
    public private(set) var mtu = Server.defaultMTU

    private struct Configuration: Sendable {
        let valueHandle: UInt16
        var value: ClientConfiguration
    }

    private(set) var receives: Int
    var hasExchangedMTU = false
    var prepared = PreparedWrites()
    var awareness = Awareness()
    private var indications = Indications()
    var events: [Output] = []  // that the answer to a request leads to
    var isSearched = false  // for primary services, and the client has not been told all of them
    /// Only those that are not 0000; a client has a few of them, so they are walked.
    private var configurations: [Configuration] = []

    /// For a new connection; `mtu` is the largest PDU that we take, in octets, and counts as 23 to 517.
    public init(receives mtu: Int) { receives = min(max(mtu, Self.defaultMTU), Self.largestMTU) }

    /// From now on the client is told that we take PDUs of so many octets at most, 23 to 517.  What has been exchanged stays.
    public mutating func offer(mtu: Int) { receives = min(max(mtu, Self.defaultMTU), Self.largestMTU) }

    /// Takes over the MTU that this device's own client has exchanged on the same bearer.
    public mutating func adopt(mtu: Int) { self.mtu = min(max(mtu, Self.defaultMTU), Self.largestMTU) }

    /// What the client has asked for, for the characteristic with this handle of the value.
    public func configuration(ofValue handle: UInt16) -> ClientConfiguration {
        for entry in configurations where entry.valueHandle == handle { return entry.value }
        return []
    }

    mutating func configure(_ value: ClientConfiguration, ofValue handle: UInt16) {
        configurations.removeAll { $0.valueHandle == handle }
        if !value.isEmpty { configurations.append(Configuration(valueHandle: handle, value: value)) }
        if !value.contains(.indication) { indications.drop(handle) }
    }

    /// Sends a notification of a value if the client has asked for that, and says whether it has.  No more than
    /// MTU − 3 octets are sent; the client can read the rest.  Core 6.0, Vol 3, Part G, section 4.10.1.
    ///
    /// `value` stays the caller's.
    @discardableResult
    public mutating func notify(
        _ handle: UInt16, _ value: Packet, pool: inout PacketPool, into outbox: inout [Output]
    ) -> Bool {
        guard configuration(ofValue: handle).contains(.notification), !indications.isLost, !awareness.isOutOfSync else {
            return false
        }
        var packet = pool.copy(value, from: 0, count: min(mtu - 3, AttributeTable.longestValue))
        pool.prepend(handle, to: &packet)
        pool.prepend(Opcode.handleValueNotification.rawValue, to: &packet)
        outbox.append(.send(packet))
        return true
    }

    /// Indicates a value if the client has asked for that, and says whether it has: at once, or when those before it are
    /// confirmed.  No more than MTU − 3 octets are sent.  Core 6.0, Vol 3, Part G, section 4.11.1.
    @discardableResult
    public mutating func indicate(
        _ handle: UInt16, _ value: [UInt8], at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) -> Bool {
        guard configuration(ofValue: handle).contains(.indication), !indications.isLost else { return false }
        guard !awareness.isOutOfSync else {
            outbox.append(.dropped(handle: handle))
            return false
        }
        add(Indications.Indication(handle: handle, value: value), at: now, pool: &pool, into: &outbox)
        return true
    }

    private mutating func add(
        _ indication: Indications.Indication, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard !indications.isFull else { return outbox.append(.dropped(handle: indication.handle)) }
        indications.add(indication)
        indicateNext(at: now, pool: &pool, into: &outbox)
    }

    private mutating func indicateNext(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        guard let (indication, deadline) = indications.next(at: now) else { return }
        let (handle, value) = (
            indication.handle, indication.value.cut(to: min(mtu - 3, AttributeTable.longestValue))
        )
        outbox.append(.send(pool.take(.handleValueIndication(handle: handle, value: value))))
        outbox.append(.indicated(handle: handle, value))
        outbox.append(.wake(at: deadline))
    }

    /// An instant for which `.wake` asked has come, or any other.
    public mutating func timePassed(at now: Instant, into outbox: inout [Output]) {
        guard indications.timePassed(at: now) else { return }
        prepared = PreparedWrites()
        outbox.append(.bearerLost)
    }

    /// The device has the attributes of another table from now on.  What the client had configured for values that are not
    /// where they were is gone, and what waits to be indicated of them.  With `isAnnounced` the client is told by Service
    /// Changed, if it has asked for that, and has to learn of it before it is change-aware again.  Core 6.0, Vol 3, Part G,
    /// sections 2.5.2, 2.5.2.1 and 7.1.
    ///
    /// Without, the server keeps it to itself, against the specification, as firmware does whose author forgot: clients
    /// stay change-aware, and only the Database Hash says what they could know.
    public mutating func attributesChanged(
        from old: AttributeTable, to table: AttributeTable, isAnnounced: Bool = true, at now: Instant,
        pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let range = table.changes(since: old) else { return }
        for handle in configurations.map(\.valueHandle) where !table.keeps(handle, of: old) {
            configurations.removeAll { $0.valueHandle == handle }
            indications.drop(handle)
            outbox.append(.orphaned(handle: handle))
        }
        if let handle = indications.underWay, !table.keeps(handle, of: old) { indications.orphan() }
        guard isAnnounced else { return }
        awareness.databaseChanged()
        prepared.databaseChanged()
        indications.databaseChanged()
        let handle = table.handle(ofFirst: .serviceChanged)
        let untold = handle.map { indications.take($0) } ?? []
        if awareness.isOutOfSync {
            for indication in indications.take() { outbox.append(.dropped(handle: indication.handle)) }
        }
        guard let handle, !indications.isLost, configuration(ofValue: handle).contains(.indication) else { return }
        let value = untold.reduce(range) { $0.joined(with: HandleRange(serviceChanged: $1.value)) }.octets
        indications.addFirst(Indications.Indication(handle: handle, value: value))
        indicateNext(at: now, pool: &pool, into: &outbox)
    }

    /// Takes one PDU from the client, and releases it.  What servers are not sent (`isForServer`) is ignored, and so
    /// are unknown commands and malformed ones.
    public mutating func receive(
        _ packet: Packet, table: AttributeTable, values: inout some AttributeValues, at now: Instant,
        pool: inout PacketPool, into outbox: inout [Output]
    ) {
        defer { pool.release(packet) }
        guard let opcode = pool.uint8(at: 0, of: packet), isForServer(opcode), !indications.isLost else { return }
        if opcode == Opcode.handleValueConfirmation.rawValue {
            if packet.count == 1 { confirmed(table: table, at: now, pool: &pool, into: &outbox) }
            return
        }
        do throws(Refusal) {
            let access = Access(attributes: table.attributes, now: now)
            let response = try access.answer(pool.slice(of: packet), &self, &values)
            if let response { outbox.append(.send(pool.take(response))) }
            tellEvents(into: &outbox)
        } catch {
            let response = PDU.errorResponse(request: opcode, handle: error.handle, error.reason)
            if !isCommand(opcode) { outbox.append(.send(pool.take(response))) }
            tellEvents(into: &outbox)
            if !error.isEndOfSearch, Opcode(rawValue: opcode) != nil || !isCommand(opcode) {
                outbox.append(.refused(opcode: opcode, handle: error.handle, error.reason))
            }
        }
    }

    private mutating func tellEvents(into outbox: inout [Output]) {
        for event in events { outbox.append(event) }
        events.clear()
    }

    private mutating func confirmed(
        table: AttributeTable, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let (handle, age) = indications.confirm() else { return }
        outbox.append(age == .orphaned ? .confirmedOrphan(handle: handle) : .confirmed(handle: handle))
        if age == .current, handle == table.handle(ofFirst: .serviceChanged) { awareness.serviceChangedConfirmed() }
        indicateNext(at: now, pool: &pool, into: &outbox)
    }
}

// What Service Changed says.  Core 6.0, Vol 3, Part G, section 7.1.
extension HandleRange {
    /// Of a value that this server has made; nil for any other.
    fileprivate init?(serviceChanged value: [UInt8]) {
        guard value.count == 4 else { return nil }
        self.init(UInt16(value[0]) | UInt16(value[1]) << 8, UInt16(value[2]) | UInt16(value[3]) << 8)
    }

    fileprivate var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.append(first)
        octets.append(last)
        return octets
    }

    /// From the first to the last handle of both.
    fileprivate func joined(with other: HandleRange?) -> HandleRange {
        guard let other else { return self }
        return HandleRange(min(first, other.first), max(last, other.last))
    }
}

/// Why a request is refused: what becomes an Error Response.
struct Refusal: Error {
    /// Attribute Handle In Error: 0 when the request has none.
    let handle: UInt16
    let reason: ATTError
    /// Whether this is how a client learns that there is no more.
    var isEndOfSearch = false
    /// Whether it comes of `Refusals`.
    var isFault = false

    init(_ reason: ATTError, at handle: UInt16 = 0) { (self.reason, self.handle) = (reason, handle) }

    static func notFound(in range: HandleRange) -> Refusal {
        var refusal = Refusal(.attributeNotFound, at: range.first)
        refusal.isEndOfSearch = true
        return refusal
    }
}
