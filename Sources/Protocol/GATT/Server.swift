import ATT
public import Basics
public import Bluetooth

/// The GATT server of one connection: answers requests, notifies and indicates.
/// Core 6.0, Vol 3, Part F, section 3.4, and Part G, section 4.
///
/// It keeps the state of the connection: the MTU, the client's subscriptions, its prepared writes.  The attributes belong
/// to the device, and are arguments.  It ignores signed writes, as it would any with a wrong signature.
public struct Server: Sendable {
    /// Outputs, in order; a response precedes the events of its request.
    public enum Output: Hashable, Sendable {
        /// Send this ATT PDU to the client; the caller takes ownership of the packet.
        case send(Packet)
        /// The new ATT MTU in octets, for both directions: pass it to the `adopt(mtu:)` of the connection's client.
        case exchangedMTU(Int)
        /// The client started to discover services, or all attributes.
        case discovering
        /// The client finished that discovery.
        case discovered
        /// The client set bits of a Client Characteristic Configuration; `handle` is the value's.
        case subscribed(handle: UInt16)
        /// The client cleared a Client Characteristic Configuration; `handle` is the value's.
        case unsubscribed(handle: UInt16)
        /// The table changed and lacks a value that the client had subscribed to.
        case orphaned(handle: UInt16)
        /// The client read these octets of a value.
        case read(handle: UInt16, [UInt8])
        /// The client accesses values of `AttributeValue.requested`.  If this needs an answer, the client waits for
        /// `Server.answer`, which is one for all: they are parts of prepared writes.
        case requested([AccessRequest], needsAnswer: Bool)
        /// The client wrote this value, by a request or a command; also a Client Characteristic Configuration.
        case written(handle: UInt16, [UInt8])
        /// The server indicated these octets of a value.
        case indicated(handle: UInt16, [UInt8])
        /// The client confirmed the last indication.
        case confirmed(handle: UInt16)
        /// The client confirmed the last indication, whose value has left the table.
        case confirmedOrphan(handle: UInt16)
        /// The server dropped an indication: `Server.maximumPendingIndications` are queued, or the client is
        /// change-unaware.
        case dropped(handle: UInt16)
        /// Call `timePassed` at this instant.
        case wake(at: Instant)
        /// The client did not confirm an indication within 30 s: the server sends nothing more; disconnect.
        case bearerLost
        /// A request or command failed with this error; the end of a discovery is not reported.
        case refused(opcode: UInt8, handle: UInt16, ATTError)
    }

    /// The ATT MTU before any exchange, and its minimum.  Core 6.0, Vol 3, Part G, section 5.2.1.
    public static let defaultMTU = 23
    /// The largest useful MTU: a value of 512 octets, and the 5 octets before it in a prepared write.
    public static let maximumMTU = 517

    /// The maximum number of prepared writes; a value of 512 octets takes 29 of them with the default MTU.
    public static let maximumPreparedWrites = 64
    /// The maximum number of octets in prepared writes.
    public static let maximumPreparedOctets = 2048

    /// The maximum number of indications queued after the unconfirmed one.
    public static let maximumPendingIndications = 16

    /// The current security of the link.
    public var security: LinkSecurity = []
    /// Errors to send although the attributes allow the request.
    public var errorInjection = ErrorInjection()
    /// The current ATT MTU, in octets.
    public private(set) var mtu = Server.defaultMTU

    struct Configuration: Sendable {
        let valueHandle: UInt16
        var value: ClientConfiguration
    }

    private(set) var receives: Int
    var hasExchangedMTU = false
    var prepared = PreparedWrites()
    var awareness = ChangeAwareness()
    var indications = Indications()
    var events: [Output] = []  // of the current request
    var waiting: WaitingRequest?
    var discovery = Discovery()
    /// Only nonzero ones: a linear search through a few.
    private(set) var configurations: [Configuration] = []

    /// A server for a new connection.
    ///
    /// - Parameter mtu: the Server Rx MTU to offer, in octets; clamped to 23...517.
    public init(receives mtu: Int) { receives = min(max(mtu, Self.defaultMTU), Self.maximumMTU) }

    /// Changes the Server Rx MTU to offer, 23 to 517 octets; an MTU that was exchanged stays.
    public mutating func offer(mtu: Int) { receives = min(max(mtu, Self.defaultMTU), Self.maximumMTU) }

    /// Sets the MTU that the client of the same connection exchanged.
    public mutating func adopt(mtu: Int) { self.mtu = min(max(mtu, Self.defaultMTU), Self.maximumMTU) }

    /// The client's configuration of the characteristic with this value handle.
    public func configuration(ofValue handle: UInt16) -> ClientConfiguration {
        for entry in configurations where entry.valueHandle == handle { return entry.value }
        return []
    }

    mutating func configure(_ value: ClientConfiguration, ofValue handle: UInt16) {
        configurations.removeAll { $0.valueHandle == handle }
        if !value.isEmpty { configurations.append(Configuration(valueHandle: handle, value: value)) }
        if !value.contains(.indication) { indications.drop(handle) }
    }

    /// Notifies a value, truncated to MTU − 3 octets, if the client has subscribed to it.  Core 6.0, Vol 3, Part G,
    /// section 4.10.1.
    ///
    /// The caller keeps the packet of `value`.  Returns whether a notification was sent.
    @discardableResult
    public mutating func notify(
        _ handle: UInt16, _ value: Packet, pool: inout PacketPool, into outbox: inout [Output]
    ) -> Bool {
        guard configuration(ofValue: handle).contains(.notification), !indications.isLost, !awareness.isOutOfSync else {
            return false
        }
        var packet = pool.copy(value, from: 0, count: min(mtu - 3, AttributeTable.maximumValueLength))
        pool.prepend(handle, to: &packet)
        pool.prepend(Opcode.handleValueNotification.rawValue, to: &packet)
        outbox.append(.send(packet))
        return true
    }

    /// Indicates a value, truncated to MTU − 3 octets, if the client has subscribed to it: at once, or after earlier
    /// indications are confirmed.  Core 6.0, Vol 3, Part G, section 4.11.1.
    ///
    /// Returns whether the client has subscribed, and knows the current handles.
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
            indication.handle, indication.value.cut(to: min(mtu - 3, AttributeTable.maximumValueLength))
        )
        outbox.append(.send(pool.take(.handleValueIndication(handle: handle, value: value))))
        outbox.append(.indicated(handle: handle, value))
        outbox.append(.wake(at: deadline))
    }

    /// Checks the deadline of an indication; call it at the instants of `.wake`.
    public mutating func timePassed(at now: Instant, into outbox: inout [Output]) {
        guard indications.timePassed(at: now) else { return }
        prepared = PreparedWrites()
        outbox.append(.bearerLost)
    }

    /// Replaces the device's table.  Subscriptions and queued indications of values that moved or disappeared end.
    /// Core 6.0, Vol 3, Part G, sections 2.5.2, 2.5.2.1 and 7.1.
    ///
    /// With `isAnnounced` the server indicates Service Changed, if the client has subscribed to it, and treats the client as
    /// change-unaware.  Without, it hides the change, against the specification, as faulty firmware does; only the Database
    /// Hash reveals it.
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
        if let handle = indications.inFlight, !table.keeps(handle, of: old) { indications.orphan() }
        guard isAnnounced else { return }
        announceChange(of: range, in: table, at: now, pool: &pool, into: &outbox)
    }

    /// Treats the client as change-unaware, and indicates Service Changed if the client has subscribed to it.
    mutating func announceChange(
        of range: HandleRange, in table: AttributeTable, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        awareness.databaseChanged()
        prepared.databaseChanged()
        indications.databaseChanged()
        let handle = table.handle(ofFirst: .serviceChanged)
        let queued = handle.map { indications.take($0) } ?? []
        if awareness.isOutOfSync {
            for indication in indications.take() { outbox.append(.dropped(handle: indication.handle)) }
        }
        guard let handle, !indications.isLost, configuration(ofValue: handle).contains(.indication) else { return }
        let value = queued.reduce(range) { $0.joined(with: HandleRange(serviceChanged: $1.value)) }.octets
        indications.addFirst(Indications.Indication(handle: handle, value: value))
        indicateNext(at: now, pool: &pool, into: &outbox)
    }

    /// Handles one ATT PDU from the client, and releases its packet.  Ignores PDUs for clients (see `isForServer`), and
    /// unknown or malformed commands.
    ///
    /// `table` has the device's current attributes, `values` supplies their dynamic values, and `outbox` receives the
    /// response and the events.
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
        // A client sends no request before the response to the last one.  Core 6.0, Vol 3, Part F, section 3.3.2.
        guard waiting == nil || isCommand(opcode) else { return }
        let result = attempt(pool.slice(of: packet), table, &values, at: now)
        guard let unanswered = result.unanswered else {
            return respond(to: opcode, result, pool: &pool, into: &outbox)
        }
        wait(for: unanswered, pool.octets(of: packet), into: &outbox)
    }

    /// The response to a request; nil for a command.
    mutating func attempt(
        _ octets: ArraySlice<UInt8>, _ table: AttributeTable, _ values: inout some AttributeValues, at now: Instant
    ) -> Result<PDU?, ErrorResponse> {
        do throws(ErrorResponse) {
            return .success(try Access(table, at: now).answer(octets, &self, &values))
        } catch {
            if !error.unanswered.isEmpty { events.clear() }
            return .failure(error)
        }
    }

    /// Sends the response, and reports what happened.
    mutating func respond(
        to opcode: UInt8, _ result: Result<PDU?, ErrorResponse>, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        switch result {
        case .success(let response):
            if let response { outbox.append(.send(pool.take(response))) }
            flushEvents(into: &outbox)
        case .failure(let error):
            let response = PDU.errorResponse(request: opcode, handle: error.handle, error.reason)
            if !isCommand(opcode) { outbox.append(.send(pool.take(response))) }
            flushEvents(into: &outbox)
            if !error.isEndOfSearch, Opcode(rawValue: opcode) != nil || !isCommand(opcode) {
                outbox.append(.refused(opcode: opcode, handle: error.handle, error.reason))
            }
        }
    }

    mutating func flushEvents(into outbox: inout [Output]) {
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

// The value of Service Changed.  Core 6.0, Vol 3, Part G, section 7.1.
extension HandleRange {
    /// Nil unless there are 4 octets.
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

    /// The range that covers both.
    fileprivate func joined(with other: HandleRange?) -> HandleRange {
        guard let other else { return self }
        return HandleRange(min(first, other.first), max(last, other.last))
    }
}

/// The parameters of an Error Response.
struct ErrorResponse: Error {
    /// Attribute Handle In Error; 0 if the request has no handle.
    let handle: UInt16
    let reason: ATTError
    /// Attribute Not Found that ends a discovery, rather than a failure.
    var isEndOfSearch = false
    /// Whether `ErrorInjection` caused it.
    var isInjected = false
    /// The accesses that the caller has not answered yet: there is no response so far.
    var unanswered: [AccessRequest] = []

    init(_ reason: ATTError, at handle: UInt16 = 0) { (self.reason, self.handle) = (reason, handle) }

    static func notFound(in range: HandleRange) -> ErrorResponse {
        var error = ErrorResponse(.attributeNotFound, at: range.first)
        error.isEndOfSearch = true
        return error
    }
}
