/// Takes little-endian fields off the front of some octets.  Total: no input makes it trap.
public struct OctetReader: Sendable {
    private let octets: ArraySlice<UInt8>
    private var index: Int

    /// Where the next field begins, in octets from 0.
    public var position: Int { index - octets.startIndex }

    /// How many octets have not been taken yet.
    public var remaining: Int { octets.endIndex - index }

    /// Begins at the first of `octets`.
    public init(_ octets: [UInt8]) { self.init(octets[...]) }

    /// Begins at the first of `octets`, which counts as octet 0 in errors.
    public init(_ octets: ArraySlice<UInt8>) { (self.octets, index) = (octets, octets.startIndex) }

    /// Takes one octet, or throws `.tooShort` in the name of `field` and takes nothing.
    public mutating func uint8(_ field: String) throws(Malformed) -> UInt8 {
        guard remaining >= 1 else { throw .tooShort(field: field, at: position, needs: 1, has: remaining) }
        defer { index += 1 }
        return octets[index]
    }

    /// Takes one octet in two's complement, or throws `.tooShort` in the name of `field` and takes nothing.
    public mutating func sint8(_ field: String) throws(Malformed) -> Int8 { Int8(bitPattern: try uint8(field)) }

    /// Takes two octets, the lower one first, or throws `.tooShort` in the name of `field` and takes nothing.
    public mutating func uint16(_ field: String) throws(Malformed) -> UInt16 {
        guard remaining >= 2 else { throw .tooShort(field: field, at: position, needs: 2, has: remaining) }
        defer { index += 2 }
        return UInt16(octets[index]) | UInt16(octets[index + 1]) << 8
    }

    /// Takes all the pairs of octets that are left, of each the lower one first: at least one, or throws `.tooShort` in
    /// the name of `field` and takes nothing.
    public mutating func uint16s(_ field: String) throws(Malformed) -> [UInt16] {
        guard remaining >= 2 else { throw .tooShort(field: field, at: position, needs: 2, has: remaining) }
        let pairs = stride(from: index, to: octets.endIndex - 1, by: 2).map { place in
            UInt16(octets[place]) | UInt16(octets[place + 1]) << 8
        }
        index += 2 * pairs.count
        return pairs
    }

    /// Takes three octets, the lowest first, or throws `.tooShort` in the name of `field` and takes nothing.
    public mutating func uint24(_ field: String) throws(Malformed) -> UInt32 {
        UInt32(truncatingIfNeeded: try integer(field, octets: 3))
    }

    /// Takes four octets, the lowest first, or throws `.tooShort` in the name of `field` and takes nothing.
    public mutating func uint32(_ field: String) throws(Malformed) -> UInt32 {
        UInt32(truncatingIfNeeded: try integer(field, octets: 4))
    }

    /// Takes eight octets, the lowest first, or throws `.tooShort` in the name of `field` and takes nothing.
    public mutating func uint64(_ field: String) throws(Malformed) -> UInt64 { try integer(field, octets: 8) }

    /// Takes `count` octets as they are, or throws `.tooShort` in the name of `field` and takes nothing.
    public mutating func octets(_ field: String, count: Int) throws(Malformed) -> [UInt8] {
        guard count >= 0, remaining >= count else {
            throw .tooShort(field: field, at: position, needs: count, has: remaining)
        }
        defer { index += count }
        return Array(octets[index..<index + count])
    }

    /// Takes whatever is left, none included.
    public mutating func rest() -> [UInt8] {
        defer { index = octets.endIndex }
        return Array(octets[index...])
    }

    /// Throws `.tooLong` if octets are left.  Every codec ends with this, so that nothing is overlooked.
    public func finish() throws(Malformed) {
        guard remaining == 0 else { throw .tooLong(at: position, surplus: remaining) }
    }

    /// Throws unless exactly `count` octets are left, in the name of `field` when there are fewer; takes none.
    public func expect(_ count: Int, _ field: String) throws(Malformed) {
        guard remaining >= count else { throw .tooShort(field: field, at: position, needs: count, has: remaining) }
        guard remaining == count else { throw .tooLong(at: position + count, surplus: remaining - count) }
    }

    private mutating func integer(_ field: String, octets count: Int) throws(Malformed) -> UInt64 {
        guard remaining >= count else { throw .tooShort(field: field, at: position, needs: count, has: remaining) }
        var value: UInt64 = 0
        for place in 0..<count { value |= UInt64(octets[index + place]) &<< UInt64(8 * place) }
        index += count
        return value
    }
}

extension [UInt8] {
    /// Adds two octets, the lower one first.
    public mutating func append(_ value: UInt16) { appendLittleEndian(UInt64(value), octets: 2) }

    /// Adds three octets, the lowest first; the highest octet of `value` is left out.
    public mutating func append(uint24 value: UInt32) { appendLittleEndian(UInt64(value), octets: 3) }

    /// Adds four octets, the lowest first.
    public mutating func append(_ value: UInt32) { appendLittleEndian(UInt64(value), octets: 4) }

    /// Adds eight octets, the lowest first.
    public mutating func append(_ value: UInt64) { appendLittleEndian(value, octets: 8) }

    private mutating func appendLittleEndian(_ value: UInt64, octets count: Int) {
        for shift in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(shift)))) }
    }

    /// As people write octets: `0C FF`, upper case, with a space between.
    public var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }
}
