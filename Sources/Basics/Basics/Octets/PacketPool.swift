/// The octets of a packet in a slot of a `PacketPool`.  The value itself has 8 octets, so passing a packet on copies no
/// data.
///
/// Every packet has exactly one owner, which must release it once: see `PacketPool`.  A layer that reads a header drops
/// it from the front; a layer that writes a header prepends it, in the headroom of the slot.
public struct Packet: BitwiseCopyable, Hashable, Sendable {
    @usableFromInline let slot: UInt32
    @usableFromInline var start: UInt16
    @usableFromInline var end: UInt16

    fileprivate init(slot: UInt32, start: UInt16, end: UInt16) {
        (self.slot, self.start, self.end) = (slot, start, end)
    }

    /// The number of octets.
    @inlinable public var count: Int { Int(end - start) }

    /// Drops the first `count` octets, or all if there are fewer.
    @inlinable public mutating func dropFirst(_ count: Int) {
        start += UInt16(clamping: max(0, min(count, self.count)))
    }

    /// Drops all but the first `count` octets.
    public mutating func truncate(to count: Int) { end = start + UInt16(clamping: max(0, min(count, self.count))) }
}

/// The storage of all packets: slots of equal size in one array, reused after release.
///
/// Ownership: `take` and `copy` return a packet that the caller owns. Passing a packet to a protocol machine, as an
/// input or an argument, passes the ownership, except where a function is documented to read it only; a packet in an
/// output belongs to the caller that empties the outbox. The owner passes the packet on or calls `release`, once.
/// `taken` is 0 when every packet has been released; tests check that.
///
/// A packet that grows past `capacity` is an error of the program: layers check the lengths from peers first.
public struct PacketPool: Sendable {
    /// The octets in front of a new packet, for the headers of L2CAP, HCI and H4.
    @inlinable public static var headroom: Int { 16 }
    /// The maximum number of octets of a new packet: an ATT PDU with a value of 512 octets, and some more.
    @inlinable public static var capacity: Int { 544 }
    @inlinable static var slotSize: Int { headroom + capacity }

    /// An array: debug builds append anything else octet by octet.
    private static let emptySlot = [UInt8](repeating: 0, count: slotSize)

    @usableFromInline var octets: [UInt8] = []
    @usableFromInline var free: [UInt32] = []

    /// A pool without slots, which are allocated as packets are taken.
    public init() {}

    /// The number of packets that have not been released.
    public var taken: Int { octets.count / Self.slotSize - free.count }

    /// An empty packet.
    public mutating func take() -> Packet {
        let slot: UInt32
        if let last = free.popLast() {
            slot = last
        } else {
            slot = UInt32(octets.count / Self.slotSize)
            octets.append(contentsOf: Self.emptySlot)
        }
        return Packet(slot: slot, start: UInt16(Self.headroom), end: UInt16(Self.headroom))
    }

    /// A packet with these octets, at most `capacity`.
    public mutating func take(_ content: [UInt8]) -> Packet { take(content[...]) }

    /// A packet with these octets, at most `capacity`.
    public mutating func take(_ content: ArraySlice<UInt8>) -> Packet {
        var packet = take()
        append(content, to: &packet)
        return packet
    }

    /// A new packet with the same octets.
    public mutating func copy(_ packet: Packet) -> Packet { copy(packet, from: 0, count: packet.count) }

    /// A new packet with up to `count` octets of `packet`, starting at `offset`.
    public mutating func copy(_ packet: Packet, from offset: Int, count: Int) -> Packet {
        var copy = take()
        let from = min(max(0, offset), packet.count)
        append(packet, from: from, count: min(max(0, count), packet.count - from), to: &copy)
        return copy
    }

    /// Frees the slot of a packet, which must not be used afterwards.
    @inlinable public mutating func release(_ packet: Packet) { free.append(packet.slot) }

    // MARK: Writing

    /// Appends one octet.
    public mutating func append(_ octet: UInt8, to packet: inout Packet) {
        octets[index(packet, packet.count, adding: 1)] = octet
        packet.end += 1
    }

    /// Appends two octets, little-endian.
    public mutating func append(_ value: UInt16, to packet: inout Packet) {
        let target = index(packet, packet.count, adding: 2)
        var all = octets.mutableSpan
        all[target] = UInt8(truncatingIfNeeded: value)
        all[target + 1] = UInt8(truncatingIfNeeded: value >> 8)
        packet.end += 2
    }

    /// Appends octets.
    public mutating func append(_ content: ArraySlice<UInt8>, to packet: inout Packet) {
        append(content.span, to: &packet)
    }

    /// Appends octets.
    public mutating func append(_ content: Span<UInt8>, to packet: inout Packet) {
        let target = index(packet, packet.count, adding: content.count)
        unsafe content.withUnsafeBytes { content in
            unsafe octets.withUnsafeMutableBytes { all in
                unsafe UnsafeMutableRawBufferPointer(rebasing: all[target...]).copyMemory(from: content)
            }
        }
        packet.end += UInt16(content.count)
    }

    /// Appends the octets of another packet.
    public mutating func append(_ other: Packet, to packet: inout Packet) {
        append(other, from: 0, count: other.count, to: &packet)
    }

    private mutating func append(_ other: Packet, from offset: Int, count: Int, to packet: inout Packet) {
        guard count > 0 else { return }
        let source = base(other) + offset
        let target = index(packet, packet.count, adding: count)
        unsafe octets.withUnsafeMutableBytes { all in
            let content = unsafe UnsafeRawBufferPointer(rebasing: all[source..<source + count])
            unsafe UnsafeMutableRawBufferPointer(rebasing: all[target...]).copyMemory(from: content)
        }
        packet.end += UInt16(count)
    }

    /// Prepends one octet; all prepended octets together must fit into `headroom`.
    public mutating func prepend(_ octet: UInt8, to packet: inout Packet) {
        precondition(packet.start > 0, "no room in front of the packet")
        packet.start -= 1
        octets[base(packet)] = octet
    }

    /// Prepends two octets, little-endian; all prepended octets together must fit into `headroom`.
    public mutating func prepend(_ value: UInt16, to packet: inout Packet) {
        precondition(packet.start > 1, "no room in front of the packet")
        packet.start -= 2
        let target = base(packet)
        var all = octets.mutableSpan
        all[target] = UInt8(truncatingIfNeeded: value)
        all[target + 1] = UInt8(truncatingIfNeeded: value >> 8)
    }

    /// Puts a header of two times two octets before the first, of each the lower one first; there is room for
    /// `headroom` octets.
    public mutating func prepend(_ first: UInt16, _ second: UInt16, to packet: inout Packet) {
        precondition(packet.start > 3, "no room in front of the packet")
        packet.start -= 4
        let target = base(packet)
        var all = octets.mutableSpan
        all[target] = UInt8(truncatingIfNeeded: first)
        all[target + 1] = UInt8(truncatingIfNeeded: first >> 8)
        all[target + 2] = UInt8(truncatingIfNeeded: second)
        all[target + 3] = UInt8(truncatingIfNeeded: second >> 8)
    }

    // MARK: Reading

    /// The octet at `offset`; nil after the end.
    @inlinable public func uint8(at offset: Int, of packet: Packet) -> UInt8? {
        offset >= 0 && offset < packet.count ? octets[base(packet) + offset] : nil
    }

    /// The little-endian number at `offset`; nil if the packet ends before its second octet.
    @inlinable public func uint16(at offset: Int, of packet: Packet) -> UInt16? {
        guard offset >= 0, offset + 1 < packet.count else { return nil }
        let at = base(packet) + offset
        return UInt16(octets[at]) | UInt16(octets[at + 1]) << 8
    }

    /// The two times two octets at the beginning, of each the lower one first; nil when there are fewer.
    @inlinable public func header(of packet: Packet) -> (first: UInt16, second: UInt16)? {
        guard packet.count >= 4 else { return nil }
        let at = base(packet)
        return (
            UInt16(octets[at]) | UInt16(octets[at + 1]) << 8, UInt16(octets[at + 2]) | UInt16(octets[at + 3]) << 8
        )
    }

    /// A copy of the octets.
    public func octets(of packet: Packet) -> [UInt8] { Array(slice(of: packet)) }

    /// Appends the octets of a packet to `target`.
    public func copy(_ packet: Packet, to target: inout [UInt8]) {
        let start = base(packet)
        target.append(contentsOf: octets[start..<start + packet.count])
    }

    /// The octets without a copy.  While the slice exists, a change to the pool copies the whole pool.
    public func slice(of packet: Packet) -> ArraySlice<UInt8> {
        octets[base(packet)..<base(packet) + packet.count]
    }

    @inlinable func base(_ packet: Packet) -> Int { Int(packet.slot) * Self.slotSize + Int(packet.start) }

    private func index(_ packet: Packet, _ offset: Int, adding count: Int) -> Int {
        precondition(Int(packet.end) + count <= Self.slotSize, "a packet is longer than its slot")
        return base(packet) + offset
    }
}
