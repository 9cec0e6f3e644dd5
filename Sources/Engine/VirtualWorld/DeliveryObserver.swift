import Basics
import Bluetooth
import HCI
import L2CAP

/// Finds delivered notifications in the packets from a controller to its host: those whose last fragment has arrived.
struct DeliveryObserver: Sendable {
    private struct Watched: Sendable {
        let handle: UInt16
        let peer: DeviceAddress
        var reassembler = Reassembler()
    }

    private var links: [Watched] = []
    /// ATT's opcode.
    private static let notification: UInt8 = 0x1B

    /// A notification that has arrived; the caller releases its value.
    struct Delivery {
        let link: UInt16
        let peer: DeviceAddress
        let handle: UInt16
        let value: Packet
    }

    mutating func observe(_ kind: PacketKind, _ packet: Packet, pool: inout PacketPool) -> Delivery? {
        switch kind {
        case .event:
            watch(packet, pool: &pool)
            return nil
        case .acl: return links.isEmpty ? nil : follow(packet, pool: &pool)
        case .command, .synchronous, .isochronous: return nil
        }
    }

    mutating func reset(pool: inout PacketPool) {
        for index in links.indices { links[index].reassembler.reset(pool: &pool) }
        links.removeAll()
    }

    private mutating func watch(_ packet: Packet, pool: inout PacketPool) {
        // Only Disconnection Complete and LE Meta matter.
        guard let code = pool.uint8(at: 0, of: packet), code == 0x05 || code == 0x3E,
            let event = try? Event(octets: pool.octets(of: packet))
        else { return }
        switch event {
        case Event.leConnectionComplete:
            guard let (status, complete) = try? Event.leConnectionComplete.parameters(of: event) else { return }
            watch(status, complete, pool: &pool)
        case Event.leEnhancedConnectionComplete:
            guard let (status, complete) = try? Event.leEnhancedConnectionComplete.parameters(of: event) else { return }
            watch(status, complete.connection, pool: &pool)
        case Event.disconnectionComplete:
            guard let (_, handle, _) = try? Event.disconnectionComplete.parameters(of: event) else { return }
            forget(handle, pool: &pool)
        default: break
        }
    }

    private mutating func watch(_ status: HCIStatus, _ complete: ConnectionComplete, pool: inout PacketPool) {
        guard status == .success else { return }
        forget(complete.handle, pool: &pool)  // left from before a reset
        links.append(Watched(handle: complete.handle, peer: complete.peer))
    }

    private mutating func forget(_ handle: UInt16, pool: inout PacketPool) {
        for index in links.indices where links[index].handle == handle {
            links[index].reassembler.reset(pool: &pool)
        }
        links.removeAll { $0.handle == handle }
    }

    private mutating func follow(_ packet: Packet, pool: inout PacketPool) -> Delivery? {
        var fragment = packet
        guard let header = try? pool.takeACLHeader(off: &fragment),
            let index = links.firstIndex(where: { $0.handle == header.handle })
        else { return nil }
        let begins = header.boundary != .continuing
        // The opcode follows L2CAP's header; frames of other opcodes are not reassembled.
        if begins, let opcode = pool.uint8(at: 4, of: fragment), opcode != Self.notification {
            links[index].reassembler.reset(pool: &pool)
            return nil
        }
        guard
            case .frame(let channel, var frame) = links[index].reassembler.receive(
                pool.copy(fragment), begins: begins, pool: &pool)
        else { return nil }
        guard channel == .attribute, pool.uint8(at: 0, of: frame) == Self.notification,
            let handle = pool.uint16(at: 1, of: frame)
        else {
            pool.release(frame)
            return nil
        }
        frame.dropFirst(3)
        return Delivery(link: header.handle, peer: links[index].peer, handle: handle, value: frame)
    }
}
