import ATT
import Basics
import Bluetooth
import GATT
import HCI
import L2CAP

// The data of connections.
extension Host {
    mutating func receiveACL(
        _ packet: Packet, values: inout some AttributeValues, at now: Instant, pool: inout PacketPool,
        into outbox: inout [Output]
    ) {
        var fragment = packet
        let header: ACLHeader
        do throws(Malformed) {
            header = try pool.takeACLHeader(off: &fragment)
        } catch {
            let malformed = MalformedPacket(.acl, pool.octets(of: packet), error)
            pool.release(packet)
            return report(malformed, into: &outbox)
        }
        guard isReady, let index = index(of: header.handle), header.boundary != .complete else {
            return pool.release(fragment)
        }
        let begins = header.boundary != .continuing
        let outcome = connections[index].reassembler.receive(fragment, begins: begins, pool: &pool)
        guard case .frame(let channel, let payload) = outcome else { return }
        switch channel {
        case .attribute: receiveATT(payload, index, values: &values, at: now, pool: &pool, into: &outbox)
        case .signalling: receiveSignal(payload, index, pool: &pool, into: &outbox)
        case .security: receiveSecurity(payload, index, at: now, pool: &pool, into: &outbox)
        default: pool.release(payload)
        }
    }

    mutating func receiveATT(
        _ packet: Packet, _ index: Int, values: inout some AttributeValues, at now: Instant,
        pool: inout PacketPool, into outbox: inout [Output]
    ) {
        let maximum = max(mtu, connections[index].server.mtu)
        guard let opcode = pool.uint8(at: 0, of: packet), packet.count <= maximum else { return pool.release(packet) }
        if isForServer(opcode) {
            guard !isStalled(packet, in: pool) else { return hold(packet, index, pool: &pool) }
            connections[index].server.receive(
                packet, table: table, values: &values, at: now, pool: &pool, into: &serverOutbox)
            drainServer(index, pool: &pool, into: &outbox)
        } else {
            if faults.overhears, !isUnsolicited(opcode) {
                outbox.append(.overheard(connections[index].id, pool.octets(of: packet)))
            }
            connections[index].client.step(.receive(packet), at: now, pool: &pool, into: &clientOutbox)
            drainClient(index, pool: &pool, into: &outbox)
        }
    }

    /// Whether a server sends this PDU without a request.
    private func isUnsolicited(_ opcode: UInt8) -> Bool {
        switch Opcode(rawValue: opcode) {
        case .handleValueNotification, .handleValueIndication, .multipleHandleValueNotification: true
        default: false
        }
    }

    private mutating func receiveSignal(
        _ packet: Packet, _ index: Int, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        let octets = pool.octets(of: packet)
        let answer = connections[index].signalling(faults).answer(to: octets)
        pool.release(packet)
        receiveParameterAnswer(octets, index, into: &outbox)
        if let reply = answer.reply {
            send(pool.take(reply), on: .signalling, index, pool: &pool, into: &outbox)
        }
        if let parameters = answer.update {
            let handle = connections[index].handle
            commands.add(.leConnectionUpdate(ConnectionUpdate(handle: handle, parameters: parameters)))
        }
    }

    mutating func send(
        _ payload: Packet, on channel: Channel, _ index: Int, pool: inout PacketPool, into outbox: inout [Output]
    ) {
        var frame = payload
        pool.prependL2CAPHeader(channel, to: &frame)
        if !sending.add(frame, to: connections[index].handle, pool: &pool) {
            outbox.append(.dropped(connections[index].id))
        }
    }

    // MARK: Buffers of the controller

    /// Detects a controller that does not report each packet that it has completed.
    struct BufferWatch: Sendable {
        let deadline: Instant
        /// `SendQueue.completedCount` when the watch began.
        let completedCount: UInt64
    }

    /// A peer that acknowledges nothing for longer than the supervision timeout is lost, so packets of a connection
    /// that exists then have been acknowledged.  Core 6.0, Vol 6, Part B, section 4.5.2.
    mutating func watchBuffers(at now: Instant, into outbox: inout [Output]) {
        let timeout = connections.map(\.timing.supervisionTimeout).max() ?? 0
        let deadline = now.advanced(by: .milliseconds(10 * Int(timeout)) + .seconds(1))
        bufferWatch = BufferWatch(deadline: deadline, completedCount: sending.completedCount)
        outbox.append(.wake(at: deadline))
    }

    mutating func endWatch(_ watch: BufferWatch) {
        bufferWatch = nil
        if watch.completedCount == sending.completedCount { sending.reclaimBuffers() }
    }

    // MARK: Outputs of server and client

    mutating func drainServer(_ index: Int, pool: inout PacketPool, into outbox: inout [Output]) {
        delayResponse(index)
        for at in serverOutbox.indices {
            switch serverOutbox[at] {
            case .send(let packet): send(packet, on: .attribute, index, pool: &pool, into: &outbox)
            case .exchangedMTU(let mtu):
                connections[index].client.adopt(mtu: mtu)
                outbox.append(.server(connections[index].id, .exchangedMTU(mtu)))
            case .wake(let instant): outbox.append(.wake(at: instant))
            case .bearerLost:
                outbox.append(.server(connections[index].id, .bearerLost))
                disconnect(index, reason: .remoteUserTerminated)
            case let event: outbox.append(.server(connections[index].id, event))
            }
        }
        serverOutbox.clear()
    }

    mutating func drainClient(_ index: Int, pool: inout PacketPool, into outbox: inout [Output]) {
        let id = connections[index].id
        for at in clientOutbox.indices {
            switch clientOutbox[at] {
            case .send(let packet): send(packet, on: .attribute, index, pool: &pool, into: &outbox)
            case .wake(let instant): outbox.append(.wake(at: instant))
            case .finished(let number, let outcome):
                outbox.append(.finished(id, id: number, .success(outcome)))
            case .failed(let number, let failure):
                outbox.append(.finished(id, id: number, .failure(failure)))
            case .exchangedMTU(let mtu):
                connections[index].server.adopt(mtu: mtu)
                outbox.append(.exchangedMTU(id, mtu))
            case .notified(let handle, let value): outbox.append(.notified(id, handle: handle, value))
            case .indicated(let handle, let value): outbox.append(.indicated(id, handle: handle, value))
            case .ignored: break
            case .bearerLost: if endsUnansweredLinks { disconnect(index, reason: .remoteUserTerminated) }
            }
        }
        clientOutbox.clear()
    }
}
