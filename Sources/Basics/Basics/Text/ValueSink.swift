/// A piece of a value: all of a simple one, or the beginning or end of a list or an object.
public enum ValueToken {
    /// `null`, `true` and `false`.
    case null, bool(Bool)
    /// A whole number.
    case integer(Int64), unsigned(UInt64)
    /// A number / 1000.
    case thousandths(UInt64)
    /// A finite number, of which three decimals count.
    case decimal(Double)
    /// A string.
    case string(String)
    /// A string: the description of a value that JSON text takes without a string in between.
    case description(any JSONWritable & CustomStringConvertible)
    /// The elements of a list, with a comma between each two, are between these.
    case beginList, comma, endList
    /// The members of an object, each with its key in front, are between these.
    case beginObject, key(String), endObject

    /// A whole number.
    @inlinable public static func number(_ number: some FixedWidthInteger) -> ValueToken {
        if let number = Int64(exactly: number) { .integer(number) } else { .unsigned(UInt64(clamping: number)) }
    }
}

/// Takes a value piece by piece: as JSON text, or to compare it.
public protocol ValueSink {
    /// Takes the next piece.
    mutating func append(_ token: ValueToken)
}

extension ValueSink {
    /// Takes a list, whose elements `write` appends.
    @inlinable public mutating func append<Element>(
        list: some Sequence<Element>, _ write: (inout Self, Element) -> Void
    ) {
        append(.beginList)
        for (index, element) in list.enumerated() {
            if index > 0 { append(.comma) }
            write(&self, element)
        }
        append(.endList)
    }

    /// Takes an object, whose members `write` appends.
    @inlinable public mutating func appendObject(_ write: (inout Self) -> Void) {
        append(.beginObject)
        write(&self)
        append(.endObject)
    }

    /// Takes a member with a simple value.
    @inlinable public mutating func append(member key: String, _ value: ValueToken) {
        append(.key(key))
        append(value)
    }

    /// Takes a member, whose value `write` appends.
    @inlinable public mutating func append(member key: String, _ write: (inout Self) -> Void) {
        append(.key(key))
        write(&self)
    }
}

/// A value that has the same form whether it is printed or compared.
public protocol ValueWritable: JSONWritable {
    /// Appends the value.
    func write(into sink: inout some ValueSink)
}

extension ValueWritable {
    /// Appends the value as JSON on one line.
    public func write(to text: inout JSONText) { write(into: &text) }
}
