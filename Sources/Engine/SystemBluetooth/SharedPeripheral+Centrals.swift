import Bluetooth
import GATT
import HCI
package import LEHost

// What the centrals do.
extension SharedPeripheral {
    /// The updates that may wait in the host before others have to wait here.
    private static let maximumFragments = 8

    /// The central of a connection.
    func peer(of id: ConnectionID) -> DeviceAddress? { links.first { $0.id == id }?.peer }

    /// Handles an output of the host, without taking its packet.
    package mutating func step(_ output: Host.Output, into outbox: inout [Output]) {
        switch output {
        case .connected(let id, let complete) where complete.role == .peripheral:
            links.append(CentralLink(id: id, peer: complete.peer))
            if policy.audience == .everyone {
                for program in programs { outbox.append(.event(program, .connected(complete.peer))) }
            }
            advertise(into: &outbox)
        // A controller that fails changes the state, which ends everything silently.
        case .disconnected(let id, _, let reason) where reason != .hardwareFailure: disconnected(id, into: &outbox)
        case .advertising(true): reportAdvertising(nil, into: &outbox)
        case .refused(let opcode, _) where opcode.isOfAdvertising:
            reportAdvertising(.refused, into: &outbox)
        case .server(let id, let event): handle(event, id, into: &outbox)
        case .exchangedMTU(let id, let mtu): exchanged(mtu: mtu, id, into: &outbox)
        default: break
        }
    }

    private mutating func reportAdvertising(_ failure: PeripheralFailure?, into outbox: inout [Output]) {
        guard let present = advertising.report(failure) else { return }
        outbox.append(.event(present.program, .advertising(id: present.id, failure)))
        if failure != nil { advertise(into: &outbox) }
    }

    private mutating func disconnected(_ id: ConnectionID, into outbox: inout [Output]) {
        guard let index = links.firstIndex(where: { $0.id == id }) else { return }
        for handle in links[index].subscriptions { unsubscribed(handle, index, into: &outbox) }
        let peer = links.remove(at: index).peer
        for update in updates.indices { updates[update].links.removeAll { $0 == id } }
        for program in programs { outbox.append(.event(program, .disconnected(peer))) }
    }

    private mutating func handle(_ event: Server.Output, _ id: ConnectionID, into outbox: inout [Output]) {
        guard let link = links.firstIndex(where: { $0.id == id }) else { return }
        switch event {
        case .exchangedMTU(let mtu): exchanged(mtu: mtu, id, into: &outbox)
        case .subscribed(let handle):
            guard !links[link].subscriptions.contains(handle), let (program, characteristic) = characteristic(handle)
            else { return }
            links[link].subscriptions.append(handle)
            outbox.append(.event(program, .exchangedMTU(links[link].peer, links[link].mtu)))
            outbox.append(.event(program, .subscribed(links[link].peer, characteristic)))
        case .unsubscribed(let handle), .orphaned(let handle): unsubscribed(handle, link, into: &outbox)
        case .requested(let accesses, let needsAnswer): requested(accesses, needsAnswer, link, into: &outbox)
        case .indicated: links[link].isConfirming = true
        case .confirmed(let handle):
            links[link].isConfirming = false
            guard let (program, characteristic) = characteristic(handle) else { return }
            outbox.append(.event(program, .confirmed(links[link].peer, characteristic)))
        case .confirmedOrphan: links[link].isConfirming = false
        default: break
        }
    }

    private mutating func exchanged(mtu: Int, _ id: ConnectionID, into outbox: inout [Output]) {
        guard let link = links.firstIndex(where: { $0.id == id }) else { return }
        links[link].mtu = mtu
        for program in programs { outbox.append(.event(program, .exchangedMTU(links[link].peer, mtu))) }
    }

    private mutating func unsubscribed(_ handle: UInt16, _ link: Int, into outbox: inout [Output]) {
        guard links[link].subscriptions.contains(handle) else { return }
        links[link].subscriptions.removeAll { $0 == handle }
        for update in updates.indices where updates[update].handle == handle {
            updates[update].links.removeAll { $0 == links[link].id }
        }
        guard let (program, characteristic) = characteristic(handle) else { return }
        outbox.append(.event(program, .unsubscribed(links[link].peer, characteristic)))
    }

    /// A value of a service that has been removed meanwhile has no program that could answer.
    private mutating func requested(
        _ accesses: [AccessRequest], _ needsAnswer: Bool, _ link: Int, into outbox: inout [Output]
    ) {
        let found = accesses.compactMap { access in attribute(access.handle).map { (of: $0, access) } }
        guard let program = found.first?.of.program, found.count == accesses.count else {
            if needsAnswer { outbox.append(.command(.answer(links[link].id, .failure(.unlikelyError)))) }
            return
        }
        if needsAnswer {
            lastRequest &+= 1
            links[link].request = (lastRequest, program)
        }
        let peer = links[link].peer
        outbox.append(.event(program, .exchangedMTU(peer, links[link].mtu)))
        let values = found.map { attribute, access in
            ValueAccess(
                characteristic: attribute.characteristic, descriptor: attribute.descriptor, offset: access.offset,
                written: access.written)
        }
        outbox.append(.event(program, .requested(peer, values, request: needsAnswer ? lastRequest : nil)))
    }

    // MARK: Updates

    mutating func update(
        _ characteristic: CharacteristicID, _ value: [UInt8], _ peers: [DeviceAddress]?, of program: ProgramID,
        into outbox: inout [Output]
    ) {
        let handle = handle(of: characteristic, program) ?? 0
        let subscribers = links.filter { $0.subscriptions.contains(handle) && peers?.contains($0.peer) ?? true }
        updates.append(Update(program: program, handle: handle, value: value, links: subscribers.map(\.id)))
    }

    /// Sends the updates for which the links have room, in order; `waiting` is the number of fragments that wait in the host
    /// for a link.
    package mutating func sendUpdates(waiting: (ConnectionID) -> Int, into outbox: inout [Output]) {
        var (blocked, left, sent) = (Set<ConnectionID>(), [Update](), [ConnectionID: Int]())
        for var update in updates {
            update.links.removeAll { id in
                guard let link = links.firstIndex(where: { $0.id == id }) else { return true }
                let fragments = waiting(id) + sent[id, default: 0]
                guard !blocked.contains(id), !links[link].isConfirming, fragments < Self.maximumFragments else {
                    blocked.insert(id)
                    return false
                }
                sent[id, default: 0] += 1 + update.value.count / 27
                outbox.append(.notify(id, handle: update.handle, update.value))
                return true
            }
            if update.links.isEmpty {
                outbox.append(.event(update.program, .updated))
            } else {
                left.append(update)
            }
        }
        updates = left
    }
}

extension Opcode {
    /// Whether a controller that refuses the command does not advertise.
    fileprivate var isOfAdvertising: Bool {
        [
            Command.leSetAdvertisingParameters.opcode, Command.leSetAdvertisingData.opcode,
            Command.leSetAdvertisingEnable.opcode, Command.leSetExtendedAdvertisingParameters.opcode,
            Command.leSetExtendedAdvertisingEnable.opcode,
        ].contains(self)
    }
}
