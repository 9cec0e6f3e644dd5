import ATT
import Basics
import Bluetooth
import Fuzzing
import HCI
import L2CAP

extension Reader {
    /// Readers of single packets, or of streams of them.
    static let packets = [
        Reader("h4", "HCI packets in a stream, in one piece or many; both give the same packets or failure") {
            octets throws(Broken) in
            let whole = framed([octets[...]])
            let size = max(1, Int(octets.first ?? 1) % 9)
            let pieces = stride(from: 0, to: octets.count, by: size).map { octets[$0..<min($0 + size, octets.count)] }
            try require(framed(pieces) == whole, "the pieces give \(framed(pieces)), the whole \(whole)")
            let again = whole.packets.flatMap { H4Framer.octets($0.kind, $0.octets) }
            try require(octets.starts(with: again), "the packets are not those of the stream")
        },
        Reader("event", "HCI events: a known event survives decoding and encoding") { octets throws(Broken) in
            guard let event = try? Event(octets: octets) else { return }
            try require(event.octets == octets, "an event is written as \(event.octets.hex)")
            guard (try? event.check()) != nil, let kind = Event.kinds.first(where: { $0.code == event.code })
            else { return }
            try requireSame(event) { try kind.normalized($0) }
        },
        Reader("command", "HCI commands: a known command survives decoding and encoding") { octets throws(Broken) in
            guard let command = try? Command(octets: octets) else { return }
            try require(command.octets == octets, "a command is written as \(command.octets.hex)")
            guard (try? command.check()) != nil, let kind = Command.kinds.first(where: { $0.opcode == command.opcode })
            else { return }
            try requireSame(command) { try kind.normalized($0) }
        },
        Reader("l2cap", "fragments of frames: no packet is left, and a frame has its length") { octets throws(Broken) in
            try reassemble(octets)
        },
        Reader("signal", "L2CAP signals: they survive decoding and encoding, and an answer is a signal") {
            octets throws(Broken) in
            for role in [SignallingResponder.Role.central, .peripheral] {
                let answer = SignallingResponder(role).answer(to: octets)
                guard let reply = answer.reply else { continue }
                let identifier = (try? Signal(octets: reply))?.identifier
                try require(octets.count >= 2 && identifier == octets[1], "the answer is \(reply.hex)")
                try require(answer.update?.isValid ?? true, "invalid parameters are accepted")
            }
            guard let signal = try? Signal(octets: octets) else { return }
            try require((try? Signal(octets: signal.octets)) == signal, "it is written as \(signal.octets.hex)")
        },
        Reader("att", "ATT PDUs: they survive decoding and encoding") { octets throws(Broken) in
            guard let pdu = try? PDU(octets.prefix(PacketPool.capacity)) else { return }
            let again = octetsOf(pdu)
            try require((try? PDU(again[...])) == pdu, "\(pdu) is written as \(again.hex)")
        },
        Reader("advertising", "advertising data: it survives decoding and encoding") { octets throws(Broken) in
            guard let data = try? AdvertisingData(octets: octets, limit: .extended) else { return }
            try require(data.octets.count <= octets.count, "it is written with \(data.octets.count) octets")
            try require(
                (try? AdvertisingData(octets: data.octets, limit: .extended)) == data,
                "it is written as \(data.octets.hex)")
            _ = (data.flags, data.services, data.appearance, data.localName, data.txPowerLevel)
            _ = (data.manufacturerSpecificData, data.serviceData(.heartRate))
        },
    ]

    /// The packets of a stream, and why no more are framed.
    private static func framed(_ pieces: [ArraySlice<UInt8>]) -> Framing {
        var (framer, framing) = (H4Framer(), Framing())
        // A failure is final: the framer ignores the pieces after it.
        for piece in pieces {
            framer.append(Array(piece))
            do throws(H4Framer.Failure) {
                while let packet = try framer.next() { framing.packets.append(packet) }
            } catch { framing.failure = framing.failure ?? error }
        }
        return framing
    }

    private struct Framing: Equatable {
        var packets: [H4Framer.Framed] = []
        var failure: H4Framer.Failure?
    }

    /// What has been normalized stays the same.
    private static func requireSame<Packet: Equatable>(
        _ packet: Packet, _ normalized: (Packet) throws -> Packet
    ) throws(Broken) {
        guard let once = try? normalized(packet) else {
            throw Broken(description: "\(packet) is valid but has no parameters")
        }
        try require((try? normalized(once)) == once, "\(packet) becomes \(once), which is read differently")
    }

    /// The first octet of each fragment: whether it begins a frame.
    private static func reassemble(_ octets: [UInt8]) throws(Broken) {
        var (pool, reassembler) = (PacketPool(), Reassembler())
        for fragment in Conversation(octets) {
            let packet = pool.take(fragment.dropFirst())
            let begins = (fragment.first ?? 0) & 1 == 0
            switch reassembler.receive(packet, begins: begins, pool: &pool) {
            case .incomplete: try require(pool.taken <= 1, "\(pool.taken) packets are held")
            case .discarded: try require(pool.taken == 0, "a discarded packet is held")
            case .frame(_, let payload):
                try require(payload.count <= PacketPool.capacity - 4, "a frame has \(payload.count) octets")
                pool.release(payload)
            }
        }
        reassembler.reset(pool: &pool)
        try require(pool.taken == 0, "\(pool.taken) packets are left")
    }

    private static func octetsOf(_ pdu: PDU) -> [UInt8] {
        var pool = PacketPool()
        let packet = pool.take(pdu)
        return pool.octets(of: packet)
    }
}
