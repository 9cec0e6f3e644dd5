import Basics
import Bluetooth

// Links: creation, data, and the losses of the air.
extension Radio {
    /// Sends a PDU over a link, and owns its packet.
    mutating func send(
        _ pdu: LinkPDU, over connection: Connection, at now: Instant, pool: inout PacketPool,
        into outbox: inout Outbox
    ) {
        guard isCurrent(connection.slot, connection.generation) else {
            if case .data(let packet, _) = pdu { pool.release(packet) }
            return
        }
        links[connection.slot].link.send(pdu, from: connection.end, at: now, pool: &pool, into: &linkOutbox.added)
        passOn(connection.slot, into: &outbox)
    }

    /// Limits the payload of the data PDUs of this end of a link, in octets.
    mutating func limit(_ connection: Connection, payload: Int) {
        guard isCurrent(connection.slot, connection.generation) else { return }
        links[connection.slot].link.limit(connection.end, payload: payload)
    }

    /// Sets the key that the encryption procedure of this end of a link introduces.
    mutating func prepare(_ key: SessionKey, of connection: Connection) {
        guard isCurrent(connection.slot, connection.generation) else { return }
        links[connection.slot].link.prepare(key, at: connection.end)
    }

    /// Requests `responseDue` at this instant.
    func awaitResponse(_ connection: Connection, until due: Instant, into outbox: inout Outbox) {
        outbox.wake(.response(slot: connection.slot, generation: connection.generation, connection.end), at: due)
    }

    /// Closes this end of a link without LL_TERMINATE_IND.
    mutating func close(
        _ connection: Connection, at now: Instant, pool: inout PacketPool, into outbox: inout Outbox
    ) {
        guard isCurrent(connection.slot, connection.generation) else { return }
        links[connection.slot].link.close(connection.end, at: now, pool: &pool, into: &linkOutbox.added)
        passOn(connection.slot, into: &outbox)
    }

    /// The event for the instant of a connection update that is sent now; nil when the link is over.
    func updateInstant(of connection: Connection, at now: Instant) -> UInt16? {
        guard isCurrent(connection.slot, connection.generation) else { return nil }
        return links[connection.slot].link.updateInstant(at: now)
    }

    /// The station at the other end.
    func peerStation(of connection: Connection) -> Int? {
        guard isCurrent(connection.slot, connection.generation) else { return nil }
        return station(at: connection.end.other, of: connection.slot)
    }

    func station(at end: LinkEnd, of slot: Int) -> Int {
        end == .central ? links[slot].central : links[slot].peripheral
    }

    func isCurrent(_ slot: Int, _ generation: UInt32) -> Bool {
        links.indices.contains(slot) && links[slot].generation == generation && links[slot].isTaken
    }

    /// A CONNECT_IND ends: the initiator is connected, and so is the advertiser if it has received it.  Core 6.0, Vol
    /// 6, Part B, section 4.5.
    mutating func connect(
        _ advertisement: Advertisement, of station: Int, _ initiation: Initiation, of initiator: Int,
        at now: Instant, pool: inout PacketPool, into outbox: inout Outbox
    ) {
        guard let address = initiation.address(toward: advertisement) else { return }
        let isReceived = air.receives(from: initiator, to: station, at: now) != nil
        if isReceived { stopAdvertising(station) }
        endInitiation(of: initiator)
        let slot = freeLinks.popLast() ?? links.count
        var chance = seed.stream("link \(address) \(advertisement.address) \(initiation.attempt)")
        let link = Link(
            initiation.parameters, at: now, chance: chance.next(), sleeps: sleeps, into: &linkOutbox.added)
        let generation = slot < links.count ? links[slot].generation &+ 1 : 1
        let taken = LinkSlot(link: link, isTaken: true, generation: generation, central: initiator, peripheral: station)
        if slot < links.count { links[slot] = taken } else { links.append(taken) }
        let ends = [(LinkEnd.central, address, advertisement.address), (.peripheral, advertisement.address, address)]
        for (end, own, peer) in ends where isReceived || end == .central {
            let connection = Connection(slot: slot, generation: generation, end: end)
            outbox.indicate(
                station: self.station(at: end, of: slot),
                .connected(connection, own: own, peer: peer, initiation.parameters))
        }
        if !isReceived { links[slot].link.close(.peripheral, at: now, pool: &pool, into: &linkOutbox.added) }
        updateLoss(of: slot, at: now, into: &outbox)
    }

    /// Updates the loss of a link, and schedules the next update.
    mutating func updateLoss(of slot: Int, at now: Instant, into outbox: inout Outbox) {
        let (central, peripheral) = (links[slot].central, links[slot].peripheral)
        links[slot].link.setLoss(
            toCentral: air.reception(from: peripheral, to: central, at: now).loss,
            toPeripheral: air.reception(from: central, to: peripheral, at: now).loss, at: now, into: &linkOutbox.added)
        let next = air.steadyTime(central, peripheral, from: now)
        if next != .never, next != links[slot].steadyUntil {
            outbox.wake(.air(slot: slot, generation: links[slot].generation), at: next)
        }
        links[slot].steadyUntil = next
        passOn(slot, into: &outbox)
    }

    /// Turns the outputs of a link into timers and indications, and frees the slot when the link is over.
    mutating func passOn(_ slot: Int, into outbox: inout Outbox) {
        let generation = links[slot].generation
        while let output = linkOutbox.takeFirst() {
            switch output {
            case .wake(let due): outbox.wake(.link(slot: slot, generation: generation), at: due)
            case .wakeSupervision(let end, let due):
                outbox.wake(.supervision(slot: slot, generation: generation, end), at: due)
            case .received(let end, _), .acknowledged(let end), .terminated(let end),
                .integrityFailed(let end), .lost(let end, _):
                indicate(end, of: slot, output, into: &outbox)
            case .updated:
                indicate(.central, of: slot, output, into: &outbox)
                indicate(.peripheral, of: slot, output, into: &outbox)
            }
        }
        if links[slot].link.isOver {
            links[slot].isTaken = false
            freeLinks.append(slot)
        }
    }

    private func indicate(_ end: LinkEnd, of slot: Int, _ output: Link.Output, into outbox: inout Outbox) {
        let connection = Connection(slot: slot, generation: links[slot].generation, end: end)
        outbox.indicate(station: station(at: end, of: slot), .link(connection, output))
    }
}

extension Radio.LinkSlot {
    /// Whether a station is at one of its ends.
    func joins(_ station: Int) -> Bool { central == station || peripheral == station }
}
