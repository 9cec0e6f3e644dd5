import Basics
import HCI

/// A defect of a device's firmware or of a client, as a patch of the packets between its host and its controller, so that
/// tests can check which checks and expectations detect it.
package struct Mutation: Hashable, Sendable {
    /// The packets that a change applies to.
    package enum Target: Hashable, Sendable {
        /// Sent ATT PDUs with this opcode, in one packet.  Core 6.0, Vol 3, Part F, section 3.3.
        case att(UInt8)
        /// Received ATT PDUs with this opcode, in one packet.
        case received(UInt8)
        /// Sent PDUs of the Security Manager with this code, in one packet.  Core 6.0, Vol 3, Part H, section 3.3.
        case security(UInt8)
        /// Received PDUs of the Security Manager with this code, in one packet.
        case receivedSecurity(UInt8)
        /// The data of LE Set Advertising Data.  Core 6.0, Vol 4, Part E, section 7.8.7.
        case advertisingData
        /// The data of LE Set Scan Response Data.  Core 6.0, Vol 4, Part E, section 7.8.8.
        case scanResponse
    }

    /// A replacement of octets.
    package struct Change: Hashable, Sendable {
        private enum Octet: Hashable {
            case fixed(UInt8)
            /// The octet that was found at this index.
            case found(Int)
            /// That octet with all bits inverted.
            case inverted(Int)
        }

        fileprivate let target: Target
        private let offset: Int?
        private let found: [UInt8?]  // nil is any
        private let sent: [Octet]

        /// - Parameters:
        ///   - target: The packets to change.
        ///   - offset: The offset of the octets to find, in octets; nil for any.
        ///   - found: The octets to find, as `10 .. 37`, where `..` is any octet.
        ///   - sent: The octets in their place, in any number: `..` is the found octet at the same index, `@4` that at
        ///     index 4, `~4` that with all bits inverted.
        package init(_ target: Target, at offset: Int? = nil, _ found: String, becomes sent: String) {
            (self.target, self.offset) = (target, offset)
            let octets = found.split(separator: " ").map { UInt8($0, radix: 16) }
            self.found = octets
            self.sent = sent.split(separator: " ").enumerated().map { index, word in
                if let octet = UInt8(word, radix: 16) { return .fixed(octet) }
                let place = Int(word.dropFirst()) ?? index
                return word.first == "~" ? .inverted(place) : .found(word.first == "@" ? place : index)
            }
        }

        /// The octets with the change; nil if it does not apply.
        func applied(to octets: [UInt8]) -> [UInt8]? {
            let last = octets.count - found.count
            let places = offset.map { [$0] } ?? Array(0...max(0, last))
            guard let place = places.first(where: { $0 <= last && isFound(at: $0, in: octets) }) else { return nil }
            let there = octets[place..<place + found.count]
            let middle = sent.map { octet in
                switch octet {
                case .fixed(let octet): octet
                case .found(let index): there.dropFirst(index).first ?? 0
                case .inverted(let index): ~(there.dropFirst(index).first ?? 0)
                }
            }
            return octets[..<place] + middle + octets[there.endIndex...]
        }

        private func isFound(at place: Int, in octets: [UInt8]) -> Bool {
            found.enumerated().allSatisfy { index, octet in octet == nil || octet == octets[place + index] }
        }
    }

    private let changes: [Change]

    /// A defect that makes the first applicable change in each packet.
    package init(_ changes: [Change]) { self.changes = changes }

    /// A sent packet with the defect, without H4's indicator; nil if it is unchanged.
    func applied(to octets: [UInt8], _ kind: PacketKind) -> [UInt8]? {
        switch kind {
        case .acl: acl(octets, [4: Target.att, 6: Target.security])
        case .command: command(octets)
        default: nil
        }
    }

    /// A received packet with the defect; nil if it is unchanged.
    func applied(toReceived octets: [UInt8], _ kind: PacketKind) -> [UInt8]? {
        kind == .acl ? acl(octets, [4: Target.received, 6: Target.receivedSecurity]) : nil
    }

    /// Changes a fragment that is a whole L2CAP frame on one of these channels.
    private func acl(_ octets: [UInt8], _ targets: [UInt8: (UInt8) -> Target]) -> [UInt8]? {
        let header = 8
        guard octets.count > header, octets[1] & 0x10 == 0, let target = targets[octets[6]], octets[7] == 0,
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

    /// Changes a command with the length of its data, and 31 octets of data.
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
    private func mutation(of node: Int) -> Mutation? { nodes[node].isClient ? clientMutation : mutation }

    /// The packet that a host sends, with its mutation.
    mutating func mutated(_ kind: PacketKind, _ packet: Packet, of node: Int) -> Packet {
        guard let octets = mutation(of: node)?.applied(to: pool.octets(of: packet), kind) else { return packet }
        pool.release(packet)
        return pool.take(octets)
    }

    /// The packet that a host receives, with its mutation.
    mutating func mutated(_ kind: PacketKind, received packet: Packet, by node: Int) -> Packet {
        guard let octets = mutation(of: node)?.applied(toReceived: pool.octets(of: packet), kind) else { return packet }
        pool.release(packet)
        return pool.take(octets)
    }
}
