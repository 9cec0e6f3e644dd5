/// Reads little-endian fields from the front of some octets. No input makes it trap.
///
/// Each method takes the specification's name of the `field` for error messages. If the octets end too early, it throws
/// `.tooShort` and consumes nothing.
public struct OctetReader: Sendable {
    private let octets: ArraySlice<UInt8>
    private var index: Int

    /// Offset of the next field in octets.
    public var position: Int { index - octets.startIndex }

    /// Number of octets not read yet.
    public var remaining: Int { octets.endIndex - index }

    /// A reader at the first of `octets`.
    public init(_ octets: [UInt8]) { self.init(octets[...]) }

    /// A reader at the first of `octets`, which is octet 0 in errors.
    public init(_ octets: ArraySlice<UInt8>) { (self.octets, index) = (octets, octets.startIndex) }

    /// Reads one octet.
    public mutating func uint8(_ field: String) throws(Malformed) -> UInt8 {
        guard remaining >= 1 else { throw .tooShort(field: field, at: position, needs: 1, has: remaining) }
        defer { index += 1 }
        return octets[index]
    }

    /// Reads two octets.
    public mutating func uint16(_ field: String) throws(Malformed) -> UInt16 {
        guard remaining >= 2 else { throw .tooShort(field: field, at: position, needs: 2, has: remaining) }
        defer { index += 2 }
        return UInt16(octets[index]) | UInt16(octets[index + 1]) << 8
    }

    /// Reads all remaining pairs of octets, at least one.
    public mutating func uint16s(_ field: String) throws(Malformed) -> [UInt16] {
        guard remaining >= 2 else { throw .tooShort(field: field, at: position, needs: 2, has: remaining) }
        let pairs = stride(from: index, to: octets.endIndex - 1, by: 2).map { index in
            UInt16(octets[index]) | UInt16(octets[index + 1]) << 8
        }
        index += 2 * pairs.count
        return pairs
    }

    /// Reads three octets.
    public mutating func uint24(_ field: String) throws(Malformed) -> UInt32 {
        UInt32(truncatingIfNeeded: try integer(field, octets: 3))
    }

    /// Reads four octets.
    public mutating func uint32(_ field: String) throws(Malformed) -> UInt32 { try integer(field) }

    /// Reads six octets.
    public mutating func uint48(_ field: String) throws(Malformed) -> UInt64 { try integer(field, octets: 6) }

    /// Reads eight octets.
    public mutating func uint64(_ field: String) throws(Malformed) -> UInt64 { try integer(field) }

    /// Reads as many octets as the type has.
    @inlinable public mutating func integer<Number: FixedWidthInteger>(_ field: String) throws(Malformed) -> Number {
        Number.bitWidth == 8
            ? Number(truncatingIfNeeded: try uint8(field))
            : Number(truncatingIfNeeded: try integer(field, octets: Number.bitWidth / 8))
    }

    /// Reads `count` octets unchanged.
    public mutating func octets(_ field: String, count: Int) throws(Malformed) -> [UInt8] {
        guard count >= 0, remaining >= count else {
            throw .tooShort(field: field, at: position, needs: count, has: remaining)
        }
        defer { index += count }
        return Array(octets[index..<index + count])
    }

    /// Reads all remaining octets, possibly none.
    public mutating func rest() -> [UInt8] {
        defer { index = octets.endIndex }
        return Array(octets[index...])
    }

    /// Reads the number of a case; throws `.prohibited` for any other.
    @inlinable public mutating func choice<Choice: RawRepresentable>(
        _ field: String, allowed: String
    ) throws(Malformed) -> Choice where Choice.RawValue: FixedWidthInteger {
        let number: Choice.RawValue = try integer(field)
        guard let choice = Choice(rawValue: number) else {
            throw .prohibited(
                field: field, at: position - Choice.RawValue.bitWidth / 8, value: Int(number), allowed: allowed)
        }
        return choice
    }

    /// Throws `.prohibited` unless `isAllowed`, for a `value` that was read last.
    public func check<Value: FixedWidthInteger>(
        _ isAllowed: Bool, _ field: String, _ value: Value, allowed: @autoclosure () -> String
    ) throws(Malformed) {
        if isAllowed { return }
        throw .prohibited(
            field: field, at: position - Value.bitWidth / 8, value: Int(truncatingIfNeeded: value), allowed: allowed())
    }

    /// Skips all remaining octets.
    public mutating func skipRest() { index = octets.endIndex }

    /// Throws `.tooLong` if octets remain. Every decoder ends with this call.
    public func finish() throws(Malformed) {
        guard remaining == 0 else { throw .tooLong(at: position, surplus: remaining) }
    }

    /// Throws `.tooShort` or `.tooLong` unless exactly `count` octets remain; consumes none.
    public func expect(_ count: Int, _ field: String) throws(Malformed) {
        guard remaining >= count else { throw .tooShort(field: field, at: position, needs: count, has: remaining) }
        guard remaining == count else { throw .tooLong(at: position + count, surplus: remaining - count) }
    }

    @usableFromInline mutating func integer(_ field: String, octets count: Int) throws(Malformed) -> UInt64 {
        guard remaining >= count else { throw .tooShort(field: field, at: position, needs: count, has: remaining) }
        var value: UInt64 = 0
        for place in 0..<count { value |= UInt64(octets[index + place]) &<< UInt64(8 * place) }
        index += count
        return value
    }
}

extension [UInt8] {
    /// Appends two octets, little-endian.
    public mutating func append(_ value: UInt16) { append(littleEndian: value) }

    /// Appends four octets, little-endian.
    public mutating func append(_ value: UInt32) { append(littleEndian: value) }

    /// Appends eight octets, little-endian.
    public mutating func append(_ value: UInt64) { append(littleEndian: value) }

    /// Appends as many octets as the type has.
    @inlinable public mutating func append(littleEndian value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Appends the lower three octets of `value`, little-endian.
    public mutating func append(uint24 value: UInt32) {
        append(UInt16(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 16))
    }

    /// Appends the lower six octets of `value`, little-endian.
    public mutating func append(uint48 value: UInt64) {
        append(UInt32(truncatingIfNeeded: value))
        append(UInt16(truncatingIfNeeded: value >> 32))
    }

    /// The octets as `0C FF`: upper case, separated by spaces.
    public var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }
}
