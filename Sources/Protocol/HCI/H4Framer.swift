public import Basics

/// Splits a stream of octets into HCI packets.  Core 6.0, Vol 4, Part A (UART transport, "H4"), section 2.
///
/// An indicator octet precedes every packet, and nothing else marks where a packet begins.  So a failure is final: the
/// stream must be closed.
public struct H4Framer: Sendable {
    /// A packet, without its indicator.
    public struct Framed: Hashable, Sendable {
        /// From the indicator.
        public var kind: PacketKind
        /// Header and data.
        public var octets: [UInt8]

        /// As given.
        public init(kind: PacketKind, octets: [UInt8]) { (self.kind, self.octets) = (kind, octets) }
    }

    /// Why a stream cannot be split any further.
    public enum Failure: Error, Hashable, CustomStringConvertible {
        /// This octet is not an indicator.
        case unknownIndicator(UInt8)
        /// A packet has `count` octets, more than `limit`.
        case tooLong(PacketKind, count: Int, limit: Int)

        /// For people: `0x2A where an H4 packet should begin`.
        public var description: String {
            switch self {
            case .unknownIndicator(let octet): "0x\([octet].hex) where an H4 packet should begin"
            case .tooLong(let kind, let count, let limit):
                "an H4 packet of kind \(kind) with \(count) octets; \(limit) are allowed"
            }
        }
    }

    private let limit: Int
    private var buffer: [UInt8] = []
    private var taken = 0
    private var failure: Failure?

    /// At the start of a stream, with packets of at most `limit` octets: by default, as many as a `PacketPool` takes.
    public init(limit: Int = PacketPool.capacity) { self.limit = limit }

    /// Appends received octets; ignores them after a failure.
    public mutating func append(_ chunk: [UInt8]) {
        guard failure == nil else { return }
        buffer.removeFirst(taken)
        taken = 0
        buffer += chunk
    }

    /// The next complete packet; nil: more octets are needed.  Call it until nil.
    public mutating func next() throws(Failure) -> Framed? {
        if let failure { throw failure }
        guard taken < buffer.count else { return nil }
        guard let kind = PacketKind(rawValue: buffer[taken]) else {
            throw fail(.unknownIndicator(buffer[taken]))
        }
        let begin = taken + 1
        guard let count = kind.count(ofPacketBeginningWith: buffer[begin...]) else { return nil }
        guard count <= limit else { throw fail(.tooLong(kind, count: count, limit: limit)) }
        guard buffer.count - begin >= count else { return nil }
        taken = begin + count
        return Framed(kind: kind, octets: Array(buffer[begin..<taken]))
    }

    /// A packet with its indicator.
    public static func octets(_ kind: PacketKind, _ octets: [UInt8]) -> [UInt8] { [kind.rawValue] + octets }

    private mutating func fail(_ failure: Failure) -> Failure {
        self.failure = failure
        (buffer, taken) = ([], 0)
        return failure
    }
}

extension PacketKind {
    /// The length of the packet according to its header; nil when the header is incomplete.
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
