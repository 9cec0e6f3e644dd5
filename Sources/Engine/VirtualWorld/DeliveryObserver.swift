import Basics
import Bluetooth
import HCI
import L2CAP
import LEHost

/// Finds delivered notifications in the packets from a controller to its host: those whose last fragment has arrived.
struct DeliveryObserver: Sendable {
    private var follower = LinkFollower()
    /// ATT's opcode.
    private static let notification: UInt8 = 0x1B

    /// A notification that has arrived; the caller releases its value.
    struct Delivery {
        let link: UInt16
        let peer: DeviceAddress
        let handle: UInt16
        let value: Packet
    }

    mutating func observe(_ kind: PacketKind, _ packet: Packet, at now: Instant, pool: inout PacketPool) -> Delivery? {
        switch kind {
        case .event:
            // Reading events allocates: only Disconnection Complete and both of LE Connection Complete matter.
            let (code, subevent) = (pool.uint8(at: 0, of: packet), pool.uint8(at: 2, of: packet))
            guard code == 0x05 || code == 0x3E && (subevent == 0x01 || subevent == 0x0A) else { return nil }
            _ = follower.take(.event, pool.octets(of: packet), at: now, pool: &pool)
            return nil
        case .acl: return delivery(in: packet, at: now, pool: &pool)
        case .command, .synchronous, .isochronous: return nil
        }
    }

    mutating func reset(pool: inout PacketPool) { follower.reset(pool: &pool) }

    private mutating func delivery(in packet: Packet, at now: Instant, pool: inout PacketPool) -> Delivery? {
        guard
            let (link, channel, pdu) = follower.frame(
                of: packet, isFromHost: false, only: Self.notification, at: now, pool: &pool)
        else { return nil }
        guard channel == .attribute, pool.uint8(at: 0, of: pdu) == Self.notification,
            let handle = pool.uint16(at: 1, of: pdu), let peer = follower.link(link)?.peer
        else {
            pool.release(pdu)
            return nil
        }
        var value = pdu
        value.dropFirst(3)
        return Delivery(link: link, peer: peer, handle: handle, value: value)
    }
}
