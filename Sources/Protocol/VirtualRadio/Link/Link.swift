import Basics
import HCI

/// A connection between two link layers, both ends of it: connection events, acknowledgement, retransmission and
/// supervision.  Core 6.0, Vol 6, Part B, section 4.5.
///
/// In each connection event the central sends, the peripheral answers 150 µs later, and so on while either has more. A
/// packet contains its own number (SN, 1 bit) and that of the packet expected next (NESN); an unacknowledged packet is
/// sent again.  A link that is lossless and has no data to send sleeps: its empty connection events are computed when
/// they matter, not simulated.
///
///     asleep ──send──▶ anchor ──▶ toPeripheral ──▶ toCentral ──┬─ more data ─▶ toPeripheral
///                        ▲             │ lost          │ lost  │
///                        └─────────────┴───────────────┴───────┴─ quiet ─▶ asleep
///
/// Peripheral latency is accepted but not used: a peripheral receives in every event.  Clocks do not drift.
///
/// A link owns the packets that are passed to `send`, and releases them when they are acknowledged or the end
/// closes.  The packets that it delivers are copies, which belong to the caller.
struct Link: Sendable {
    /// What a link requests of its caller, or reports.
    enum Output: Hashable, Sendable {
        /// Call `timePassed` at this instant.
        case wake(at: Instant)
        /// Call `supervise` for this end at this instant.
        case wakeSupervision(LinkEnd, at: Instant)
        /// This end has received a new PDU; the caller owns the packet in it.
        case received(LinkEnd, LinkPDU)
        /// The other end has acknowledged this end's oldest data PDU.
        case acknowledged(LinkEnd)
        /// The other end has acknowledged this end's LL_TERMINATE_IND: this end is closed.
        case terminated(LinkEnd)
        /// Both ends use other parameters now.
        case updated(ConnectionTiming)
        /// This end is closed: it received a packet that was sent with another key than it expected, or with none.
        case integrityFailed(LinkEnd)
        /// This end is closed: no packet for the supervision timeout, or none at all in the first six intervals.
        case lost(LinkEnd, wasEstablished: Bool)
    }

    /// The current parameters.
    private(set) var parameters: ConnectionTiming
    /// The probability, times 2³², that a packet to the central is lost.
    private(set) var lossToCentral: UInt32 = 0
    /// The probability, times 2³², that a packet to the peripheral is lost.
    private(set) var lossToPeripheral: UInt32 = 0

    private var ends: [End]  // by `LinkEnd.index`
    private static let central = LinkEnd.central.index
    private static let peripheral = LinkEnd.peripheral.index
    private var phase = Phase.asleep
    // Events are numbered from the start of the link; the air carries the lower 16 bits.
    private var base: Instant  // the anchor of the event `baseEvent`
    private var baseEvent: UInt64 = 0
    private var event: UInt64 = 0  // the current event
    private var anchor: Instant  // of the current event
    private var packets: UInt64 = 0  // sent in this event
    private var update: (parameters: ConnectionTiming, instant: UInt16)?
    private let chance: UInt64
    private let sleeps: Bool

    /// A link whose CONNECT_IND ends now.  `chance` is the seed of losses; `sleeps: false` simulates every event, for
    /// tests.
    init(
        _ parameters: ConnectionTiming, at now: Instant, chance: UInt64, sleeps: Bool = true,
        into outbox: inout [Output]
    ) {
        (self.parameters, self.chance, self.sleeps) = (parameters, chance, sleeps)
        ends = [End(lastReceived: now), End(lastReceived: now)]
        base = now.advanced(byNanoseconds: AirTime.transmitWindowDelay)
        anchor = base
        phase = .anchor
        outbox.append(.wake(at: base))
    }

    /// Whether both ends are closed.
    private(set) var isOver = false

    /// Whether this end can still send and receive.
    func isOpen(_ end: LinkEnd) -> Bool { ends[end.index].isOpen }

    /// The event for the instant of an update that is sent now: six events later, which leaves time to send it again.
    func updateInstant(at now: Instant) -> UInt16 {
        UInt16(truncatingIfNeeded: baseEvent &+ UInt64(eventIndex(from: now))) &+ 7
    }

    // MARK: Inputs

    /// Adds a PDU to the queue of this end.
    mutating func send(
        _ pdu: LinkPDU, from end: LinkEnd, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard ends[end.index].isOpen, !ends[end.index].isLeaving else {
            if case .data(let packet, _) = pdu { pool.release(packet) }
            return
        }
        catchUp(to: now, into: &outbox)
        enqueue(pdu, from: end, at: now)
        wakeUp(at: now, into: &outbox)
    }

    /// Sets the key that the encryption procedure of this end introduces.
    mutating func prepare(_ key: SessionKey, at end: LinkEnd) {
        if ends[end.index].cipher == nil { ends[end.index].cipher = LinkCipher() }
        ends[end.index].cipher?.sessionKey = key
    }

    /// Limits the payload of the data PDUs of this end, in octets, starting with the next one.
    mutating func limit(_ end: LinkEnd, payload: Int) { ends[end.index].maximumPayload = max(1, payload) }

    /// Closes an end without LL_TERMINATE_IND: its controller was reset or removed.
    mutating func close(
        _ end: LinkEnd, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        catchUp(to: now, into: &outbox)
        closeEnd(end, pool: &pool)
        wakeUp(at: now, into: &outbox)
    }

    /// Sets the loss probability times 2³² of each direction; `UInt32.max` loses every packet.
    mutating func setLoss(
        toCentral: UInt32, toPeripheral: UInt32, at now: Instant, into outbox: inout [Output]
    ) {
        catchUp(to: now, into: &outbox)
        (lossToCentral, lossToPeripheral) = (toCentral, toPeripheral)
        wakeUp(at: now, into: &outbox)
    }

    /// The instant that `.wake` named has come.
    mutating func timePassed(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        switch phase {
        case .asleep: break
        case .anchor:
            begin(at: now, into: &outbox)
            centralSends(at: now, pool: &pool, into: &outbox)
        case .toPeripheral(let flight):
            guard arrives(at: .peripheral, loss: lossToPeripheral) else {
                return endEvent(at: now, pool: &pool, into: &outbox)
            }
            take(flight, at: .peripheral, now: now, pool: &pool, into: &outbox)
            guard ends[Self.peripheral].isOpen else { return endEvent(at: now, pool: &pool, into: &outbox) }
            peripheralAnswers(at: now, pool: &pool, into: &outbox)
        case .toCentral(let flight):
            guard arrives(at: .central, loss: lossToCentral) else {
                return endEvent(at: now, pool: &pool, into: &outbox)
            }
            take(flight, at: .central, now: now, pool: &pool, into: &outbox)
            if goesOn(after: flight, at: now) {
                let start = now.advanced(byNanoseconds: AirTime.interFrameSpace)
                centralSends(at: start, pool: &pool, into: &outbox)
            } else {
                endEvent(at: now, pool: &pool, into: &outbox)
            }
        }
    }

    /// The instant that `.wakeSupervision` named has come.
    mutating func supervise(
        _ end: LinkEnd, at now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard ends[end.index].supervised == now else { return }  // an earlier instant replaced this one
        ends[end.index].supervised = nil
        guard ends[end.index].isOpen else { return }
        catchUp(to: now, into: &outbox)
        let deadline = deadline(of: end)
        if deadline <= now {
            outbox.append(.lost(end, wasEstablished: ends[end.index].isEstablished))
            closeEnd(end, pool: &pool)
        } else if phase != .asleep {
            watch(end, from: now, into: &outbox)
        }
    }

    // MARK: Encryption

    private mutating func enqueue(_ pdu: LinkPDU, from end: LinkEnd, at now: Instant) {
        if ends[end.index].cipher != nil, ends[end.index].cipher?.hold(pdu) == true { return }
        ends[end.index].queue.append(pdu)
        if case .connectionUpdate(let parameters, let instant) = pdu { update = (parameters, instant) }
        if pdu.isOfEncryption { changeCipher(of: end, at: now) { $0.queued(pdu, at: end) } }
    }

    /// Changes the keys of an end, and queues the PDUs that waited for it.
    private mutating func changeCipher(of end: LinkEnd, at now: Instant, _ change: (inout LinkCipher) -> Void) {
        var cipher = ends[end.index].cipher ?? LinkCipher()
        change(&cipher)
        let released = cipher.release()
        ends[end.index].cipher = cipher
        for pdu in released {
            if case .connectionUpdate(let parameters, _) = pdu {
                enqueue(.connectionUpdate(parameters, instant: updateInstant(at: now)), from: end, at: now)
            } else {
                enqueue(pdu, from: end, at: now)
            }
        }
    }

    /// Whether this end receives with the key with which the other end sent the packet.
    private func authenticates(at end: LinkEnd) -> Bool {
        ends[end.other.index].cipher?.packet == ends[end.index].cipher?.receiving
    }

    // MARK: A connection event

    private mutating func begin(at now: Instant, into outbox: inout [Output]) {
        (event, anchor, packets) = (baseEvent &+ UInt64(eventIndex(from: now)), now, 0)
        // The difference of two numbers that wrap is negative when its top bit is set.
        if let update, UInt16(truncatingIfNeeded: event) &- update.instant < 0x8000 {
            (parameters, self.update) = (update.parameters, nil)
            (base, baseEvent) = (now, event)
            // The timeout may be shorter now.
            for end in [LinkEnd.central, .peripheral] where ends[end.index].supervised != nil {
                watch(end, from: now, into: &outbox)
            }
            outbox.append(.updated(parameters))
        }
    }

    private mutating func centralSends(at start: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        guard ends[Self.central].isOpen else { return endEvent(at: start, pool: &pool, into: &outbox) }
        let flight = ends[Self.central].launch()
        phase = .toPeripheral(flight)
        outbox.append(.wake(at: start.advanced(byNanoseconds: timeOnAir(flight, from: .central))))
    }

    private mutating func peripheralAnswers(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        let flight = ends[Self.peripheral].launch()
        phase = .toCentral(flight)
        let duration = AirTime.interFrameSpace + timeOnAir(flight, from: .peripheral)
        outbox.append(.wake(at: now.advanced(byNanoseconds: duration)))
        if ends[Self.peripheral].isLeaving { closeEnd(.peripheral, pool: &pool) }
    }

    private func goesOn(after flight: Flight, at now: Instant) -> Bool {
        guard ends[Self.central].isOpen,
            flight.hasMore || !ends[Self.central].queue.isEmpty || ends[Self.central].isLeaving
        else { return false }
        // The length of the peripheral's response is not known.
        let needed =
            3 * AirTime.interFrameSpace
            + AirTime.packet(payload: ends[Self.central].next + ends[Self.central].micCount)
            + AirTime.packet(payload: ends[Self.peripheral].maximumPayload + ends[Self.peripheral].micCount)
        return now.nanoseconds + needed < anchor.nanoseconds + parameters.intervalNanoseconds
    }

    private mutating func endEvent(at now: Instant, pool: inout PacketPool, into outbox: inout [Output]) {
        if ends[Self.central].isLeaving { closeEnd(.central, pool: &pool) }
        for end in [LinkEnd.central, .peripheral] where ends[end.index].isOpen && ends[end.index].lastReceived < anchor
        {
            watch(end, from: now, into: &outbox)
        }
        phase = .asleep
        // The current event is over, even if it took no time.
        if !canSleep, !isOver { wakeAtNextEvent(from: max(now, anchor.advanced(byNanoseconds: 1)), into: &outbox) }
    }

    private func timeOnAir(_ flight: Flight, from end: LinkEnd) -> Int64 {
        guard flight.carries, case .first(let octets) = ends[end.index].sending else {
            return AirTime.packet(payload: 0)
        }
        return AirTime.packet(payload: ends[end.index].onAir(octets))
    }

    private mutating func take(
        _ flight: Flight, at end: LinkEnd, now: Instant, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        let sent = ends[end.index].sending
        let (isAcknowledged, isNew) = ends[end.index].receive(flight, at: now)
        if isAcknowledged, case .first(let octets) = sent {
            acknowledge(octets, at: end, pool: &pool, into: &outbox)
        }
        if isNew, flight.carries, ends[end.index].isOpen, let pdu = ends[end.other.index].queue.first,
            case .first(let octets) = ends[end.other.index].sending
        {
            guard authenticates(at: end) else {
                outbox.append(.integrityFailed(end))
                return closeEnd(end, pool: &pool)
            }
            receive(pdu, octets, at: end, now: now, pool: &pool, into: &outbox)
        }
    }

    /// The other end has received this many octets of the first PDU in the queue.
    private mutating func acknowledge(
        _ octets: Int, at end: LinkEnd, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        guard let first = ends[end.index].queue.first else { return }
        if case .data(var packet, _) = first, octets < packet.count {
            packet.dropFirst(octets)
            ends[end.index].queue[0] = .data(packet, isStart: false)
            return
        }
        switch ends[end.index].queue.remove(at: 0) {
        case .data(let packet, _):
            pool.release(packet)
            outbox.append(.acknowledged(end))
        case .terminate:
            outbox.append(.terminated(end))
            closeEnd(end, pool: &pool)
        default: break
        }
    }

    private mutating func receive(
        _ pdu: LinkPDU, _ octets: Int, at end: LinkEnd, now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        switch pdu {
        case .data(let packet, let isStart):
            outbox.append(.received(end, .data(pool.copy(packet, from: 0, count: octets), isStart: isStart)))
        case .terminate:
            ends[end.index].isLeaving = true
            outbox.append(.received(end, pdu))
        default:
            if pdu.isOfEncryption { changeCipher(of: end, at: now) { $0.received(pdu, at: end) } }
            outbox.append(.received(end, pdu))
        }
    }

    /// Whether a packet arrives at `end`.  The draw depends on the numbers of the event and the packet only, so that
    /// events that are not simulated change nothing.
    private mutating func arrives(at end: LinkEnd, loss: UInt32) -> Bool {
        packets += 1
        guard ends[end.index].isOpen else { return false }
        guard loss > 0 else { return true }
        let place = event << 16 | packets << 1 | UInt64(end.rawValue)
        var draw = RandomStream(seed: chance ^ (place &* 0x9E37_79B9_7F4A_7C15))
        return UInt32(truncatingIfNeeded: draw.next() >> 32) >= loss && loss < .max
    }

    // MARK: Sleep and supervision

    private var isLossless: Bool { lossToCentral == 0 && lossToPeripheral == 0 }

    private var canSleep: Bool {
        sleeps && isLossless && update == nil && ends[Self.central].queue.isEmpty
            && ends[Self.peripheral].queue.isEmpty
            && ends[Self.central].isOpen && ends[Self.peripheral].isOpen && ends[Self.central].isEstablished
            && ends[Self.peripheral].isEstablished
    }

    private mutating func wakeUp(at now: Instant, into outbox: inout [Output]) {
        guard phase == .asleep, !canSleep, !isOver else { return }
        // An event that begins now has already begun: data that come at its anchor wait for the next one.
        wakeAtNextEvent(from: now.advanced(byNanoseconds: 1), into: &outbox)
    }

    private mutating func wakeAtNextEvent(from now: Instant, into outbox: inout [Output]) {
        phase = .anchor
        let index = eventIndex(from: now)
        outbox.append(.wake(at: base.advanced(byNanoseconds: index * parameters.intervalNanoseconds)))
    }

    /// Accounts for the empty events during sleep, and resumes in the middle of the current one.
    ///
    /// Call it before every change of state.
    private mutating func catchUp(to now: Instant, into outbox: inout [Output]) {
        guard phase == .asleep, canSleep, now >= base else { return }
        let index = (now.nanoseconds - base.nanoseconds) / parameters.intervalNanoseconds
        let present = base.advanced(byNanoseconds: index * parameters.intervalNanoseconds)
        let (toPeripheral, toCentral) = Self.emptyEvent
        let elapsed = now.nanoseconds - present.nanoseconds
        let last = elapsed < toCentral ? present.advanced(byNanoseconds: -parameters.intervalNanoseconds) : present
        ends[Self.peripheral].lastReceived = max(
            ends[Self.peripheral].lastReceived, last.advanced(byNanoseconds: toPeripheral))
        ends[Self.central].lastReceived = max(
            ends[Self.central].lastReceived, last.advanced(byNanoseconds: toCentral))
        if elapsed < toCentral { resume(present, elapsed: elapsed, into: &outbox) }
    }

    /// Resumes in the middle of an empty event that began at `start`.
    private mutating func resume(_ start: Instant, elapsed: Int64, into outbox: inout [Output]) {
        let (toPeripheral, toCentral) = Self.emptyEvent
        begin(at: start, into: &outbox)
        let flight = ends[Self.central].launch()
        guard elapsed >= toPeripheral else {
            phase = .toPeripheral(flight)
            return outbox.append(.wake(at: start.advanced(byNanoseconds: toPeripheral)))
        }
        packets = 1
        _ = ends[Self.peripheral].receive(flight, at: start.advanced(byNanoseconds: toPeripheral))
        phase = .toCentral(ends[Self.peripheral].launch())
        outbox.append(.wake(at: start.advanced(byNanoseconds: toCentral)))
    }

    /// The ends of the two packets of an empty event, in nanoseconds after its anchor: to the peripheral, to the
    /// central.
    private static let emptyEvent: (Int64, Int64) = {
        let packet = AirTime.packet(payload: 0)
        return (packet, 2 * packet + AirTime.interFrameSpace)
    }()

    private func deadline(of end: LinkEnd) -> Instant {
        let patience =
            ends[end.index].isEstablished ? parameters.timeoutNanoseconds : 6 * parameters.intervalNanoseconds
        return ends[end.index].lastReceived.advanced(byNanoseconds: patience)
    }

    private mutating func watch(_ end: LinkEnd, from now: Instant, into outbox: inout [Output]) {
        let due = max(now, deadline(of: end))
        guard due < ends[end.index].supervised ?? .never else { return }
        ends[end.index].supervised = due
        outbox.append(.wakeSupervision(end, at: due))
    }

    private mutating func closeEnd(_ end: LinkEnd, pool: inout PacketPool) {
        for case .data(let packet, _) in ends[end.index].queue { pool.release(packet) }
        for case .data(let packet, _) in ends[end.index].cipher?.held ?? [] { pool.release(packet) }
        ends[end.index].queue.removeAll()
        ends[end.index].cipher = nil
        (ends[end.index].isOpen, ends[end.index].isLeaving) = (false, false)
        isOver = !ends[end.other.index].isOpen
    }

    /// The first event, counted from `base`, that begins at `now` or later.
    private func eventIndex(from now: Instant) -> Int64 {
        let since = now.nanoseconds - base.nanoseconds
        return since <= 0 ? 0 : (since + parameters.intervalNanoseconds - 1) / parameters.intervalNanoseconds
    }
}
