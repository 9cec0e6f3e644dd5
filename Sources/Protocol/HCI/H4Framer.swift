import Octets

/// Cuts a stream of octets into HCI packets.  Core 6.0, Vol 4, Part A (UART transport, "H4"), section 2.
///
/// Every packet has an indicator octet in front; nothing in the stream marks where one begins.  So a framer that
/// fails once fails for good: the two sides do not agree on where they are, and have to begin anew.
public struct H4Framer: Sendable {
    /// A packet, without its indicator.
    public struct Framed: Hashable, Sendable {
        /// What the indicator said.
        public var kind: PacketKind
        /// Header and data.
        public var octets: [UInt8]

        /// As given.
        public init(kind: PacketKind, octets: [UInt8]) { (self.kind, self.octets) = (kind, octets) }
    }

    /// Why a stream cannot be cut any further.
    public enum Failure: Error, Hashable, CustomStringConvertible {
        /// Where a packet should begin there is this octet.
        case unknownIndicator(UInt8)
        /// A packet would have so many octets, more than a `PacketPool` takes.
        case tooLong(PacketKind, count: Int)

        /// For people: `0x2A where an H4 packet should begin`.
        public var description: String {
            switch self {
            case .unknownIndicator(let octet): "0x\([octet].hex) where an H4 packet should begin"
            case .tooLong(let kind, let count):
                "an H4 packet of kind \(kind) with \(count) octets; \(PacketPool.capacity) are allowed"
            }
        }
    }

    private var buffer: [UInt8] = []
    private var taken = 0
    private var failure: Failure?

    /// At the beginning of a packet.
    public init() {}

    /// Adds what came; the framer keeps it until `next` has given it away, and after a failure nothing.
    public mutating func append(_ chunk: [UInt8]) {
        guard failure == nil else { return }
        buffer.removeFirst(taken)
        taken = 0
        buffer += chunk
    }

    /// The next whole packet; nil when there is none yet.  Call it until then: what is left is less than a packet.
    public mutating func next() throws(Failure) -> Framed? {
        if let failure { throw failure }
        guard taken < buffer.count else { return nil }
        guard let kind = PacketKind(rawValue: buffer[taken]) else {
            throw fail(.unknownIndicator(buffer[taken]))
        }
        let begin = taken + 1
        guard let count = kind.count(ofPacketBeginningWith: buffer[begin...]) else { return nil }
        guard count <= PacketPool.capacity else { throw fail(.tooLong(kind, count: count)) }
        guard buffer.count - begin >= count else { return nil }
        taken = begin + count
        return Framed(kind: kind, octets: Array(buffer[begin..<taken]))
    }

    /// A packet as it goes into the stream.
    public static func octets(_ kind: PacketKind, _ octets: [UInt8]) -> [UInt8] { [kind.rawValue] + octets }

    private mutating func fail(_ failure: Failure) -> Failure {
        self.failure = failure
        (buffer, taken) = ([], 0)
        return failure
    }
}

extension PacketKind {
    /// How many octets the packet has according to its header; nil when that is not whole.
    fileprivate func count(ofPacketBeginningWith octets: ArraySlice<UInt8>) -> Int? {
        let at = octets.startIndex
        switch self {
        case .command, .synchronous: return octets.count >= 3 ? 3 + Int(octets[at + 2]) : nil
        case .event: return octets.count >= 2 ? 2 + Int(octets[at + 1]) : nil
        case .acl: return octets.count >= 4 ? 4 + (Int(octets[at + 2]) | Int(octets[at + 3]) << 8) : nil
        case .isochronous: return octets.count >= 4 ? 4 + (Int(octets[at + 2]) | Int(octets[at + 3] & 0x3F) << 8) : nil
        }
    }
}
