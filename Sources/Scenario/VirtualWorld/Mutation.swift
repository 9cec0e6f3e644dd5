import HCI
import Octets

/// What a faulty firmware makes of what it sends: a patch over a correct device, so that a test can see who notices.
///
/// What is changed is what the host of a device hands to its controller, or gets from it; everything below and behind
/// knows nothing of it.
public struct Mutation: Hashable, Sendable {
    /// What is looked into.
    public enum Target: Hashable, Sendable {
        /// ATT PDUs that begin with this opcode, whole and in one packet.  Core 6.0, Vol 3, Part F, section 3.3.
        case att(UInt8)
        /// The same, of what a client has sent: the firmware takes it for something else.
        case heard(UInt8)
        /// The data of LE Set Advertising Data.  Core 6.0, Vol 4, Part E, section 7.8.7.
        case advertisingData
        /// The data of LE Set Scan Response Data.  Core 6.0, Vol 4, Part E, section 7.8.8.
        case scanResponse
    }

    /// What is sent in place of what.
    public struct Change: Hashable, Sendable {
        private enum Octet: Hashable {
            case fixed(UInt8)
            /// What was found at this place.
            case found(Int)
        }

        fileprivate let target: Target
        private let offset: Int?
        private let found: [UInt8?]  // nil is any
        private let sent: [Octet]

        /// - Parameters:
        ///   - target: What is looked into.
        ///   - offset: How many octets stand before what is found; nil: it may stand anywhere.
        ///   - found: Octets as `10 .. 37`, where `..` is any.
        ///   - sent: Octets in their place, fewer or more of them too: `..` is what was found at the same place, `@4`
        ///     what was found at place 4, counted from 0.
        public init(_ target: Target, at offset: Int? = nil, _ found: String, becomes sent: String) {
            (self.target, self.offset) = (target, offset)
            let octets = found.split(separator: " ").map { UInt8($0, radix: 16) }
            self.found = octets
            self.sent = sent.split(separator: " ").enumerated().map { index, word in
                if let octet = UInt8(word, radix: 16) { return .fixed(octet) }
                return .found(word.first == "@" ? Int(word.dropFirst()) ?? index : index)
            }
        }

        /// The octets with the change made; nil when nothing of it is there.
        func applied(to octets: [UInt8]) -> [UInt8]? {
            let last = octets.count - found.count
            let places = offset.map { [$0] } ?? Array(0...max(0, last))
            guard let place = places.first(where: { $0 <= last && isFound(at: $0, in: octets) }) else { return nil }
            let there = octets[place..<place + found.count]
            let middle = sent.map { octet in
                switch octet {
                case .fixed(let octet): octet
                case .found(let index): there.dropFirst(index).first ?? 0
                }
            }
            return octets[..<place] + middle + octets[there.endIndex...]
        }

        private func isFound(at place: Int, in octets: [UInt8]) -> Bool {
            found.enumerated().allSatisfy { index, octet in octet == nil || octet == octets[place + index] }
        }
    }

    private let changes: [Change]

    /// The first that is found in a packet is made; the others are not looked at for it.
    public init(_ changes: [Change]) { self.changes = changes }

    /// A packet as the faulty firmware sends it, H4's indicator left out; nil when it stays as it is.
    func applied(to octets: [UInt8], _ kind: PacketKind) -> [UInt8]? {
        switch kind {
        case .acl: acl(octets, Target.att)
        case .command: command(octets)
        default: nil
        }
    }

    /// A packet as the faulty firmware takes it; nil when it takes it as it is.
    func applied(toHeard octets: [UInt8], _ kind: PacketKind) -> [UInt8]? {
        kind == .acl ? acl(octets, Target.heard) : nil
    }

    /// A first fragment that has all of an L2CAP frame on the channel of ATT.
    private func acl(_ octets: [UInt8], _ target: (UInt8) -> Target) -> [UInt8]? {
        let header = 8
        guard octets.count > header, octets[1] & 0x10 == 0, octets[6] == 4, octets[7] == 0,
            Int(octets[4]) | Int(octets[5]) << 8 == octets.count - header
        else { return nil }
        let pdu = Array(octets[header...])
        for change in changes where change.target == target(pdu[0]) {
            guard let changed = change.applied(to: pdu) else { continue }
            let (data, frame) = (UInt16(clamping: changed.count + 4), UInt16(clamping: changed.count))
            var lengths: [UInt8] = []
            lengths.append(data)
            lengths.append(frame)
            return octets[..<2] + lengths + octets[6..<8] + changed
        }
        return nil
    }

    /// Commands with 31 octets of data, and before them how many of these are meant.
    private func command(_ octets: [UInt8]) -> [UInt8]? {
        let (header, room) = (4, 31)
        guard octets.count == header + room, octets[1] == 0x20 else { return nil }
        let target: Target
        switch octets[0] {
        case 0x08: target = .advertisingData
        case 0x09: target = .scanResponse
        default: return nil
        }
        let data = Array(octets[header...].prefix(Int(octets[3])))
        for change in changes where change.target == target {
            guard let changed = change.applied(to: data)?.prefix(room) else { continue }
            return octets[..<3] + [UInt8(changed.count)] + changed + Array(repeating: 0, count: room - changed.count)
        }
        return nil
    }
}

extension World {
    /// What the controller of a device gets, when its host has a fault.
    mutating func mutated(_ kind: PacketKind, _ packet: Packet, of node: Int) -> Packet {
        guard let mutation, !isClient(node), let octets = mutation.applied(to: pool.octets(of: packet), kind) else {
            return packet
        }
        pool.release(packet)
        return pool.take(octets)
    }

    /// What the host of a device takes for what its controller has heard, when it has a fault.
    mutating func mutated(_ kind: PacketKind, heard packet: Packet, by node: Int) -> Packet {
        guard let mutation, !isClient(node), let octets = mutation.applied(toHeard: pool.octets(of: packet), kind)
        else {
            return packet
        }
        pool.release(packet)
        return pool.take(octets)
    }
}
