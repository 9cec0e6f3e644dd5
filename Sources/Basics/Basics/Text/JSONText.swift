/// A buffer to which JSON is written piece by piece, as UTF-8, without a string per piece.
///
/// The caller is responsible for writing valid JSON.
public struct JSONText: Sendable {
    private var storage: [UInt8] = []  // of which the first `count` are written
    private static let room = [UInt8](repeating: 0, count: 128)
    /// Number of octets written.
    public private(set) var count = 0

    /// An empty buffer.
    public init() {}

    /// The written octets.
    public var octets: ArraySlice<UInt8> { storage[..<count] }

    /// The written text.
    public var string: String { String(decoding: octets, as: UTF8.self) }

    /// Empties the buffer and keeps its storage.
    public mutating func removeAll() { count = 0 }

    /// Removes all but the first `count` octets.
    public mutating func truncate(to count: Int) { self.count = max(0, min(self.count, count)) }

    /// Appends a literal unchanged.
    public mutating func append(_ text: StaticString) { text.withUTF8Buffer { unsafe append($0) } }

    /// Appends text unchanged.
    public mutating func append(text: String) {
        var text = text
        text.withUTF8 { unsafe append($0) }
    }

    /// Appends octets unchanged.
    public mutating func append(_ text: ArraySlice<UInt8>) {
        unsafe text.withUnsafeBufferPointer { unsafe append($0) }
    }

    /// Appends a JSON string: quotes `text` and escapes what JSON or a single line does not allow.
    public mutating func append(quoted text: String) {
        guard text.utf8.allSatisfy(Self.isPlain) else { return append(text: text.quoted) }
        append("\"")
        append(text: text)
        append("\"")
    }

    /// Appends an array, whose elements `write` appends.
    @inlinable public mutating func append<Element>(
        list: some Sequence<Element>, _ write: (inout JSONText, Element) -> Void
    ) {
        append("[")
        for (index, element) in list.enumerated() {
            if index > 0 { append(", ") }
            write(&self, element)
        }
        append("]")
    }

    /// Appends a whole number.
    public mutating func append(_ number: Int64) {
        if number < 0 { append("-") }
        append(number.magnitude, digits: 1)
    }

    /// Appends a whole number with at least `digits` digits, up to 20; pads with leading zeros.
    public mutating func append(_ number: UInt64, digits: Int) {
        let start = grow(by: max(Self.digits(of: number), min(digits, 20)))
        var (place, rest) = (count, number)
        var target = storage.mutableSpan
        while place > start {
            place &-= 1
            let next = rest / 10
            target[place] = UInt8(truncatingIfNeeded: rest &- next &* 10 &+ 0x30)
            rest = next
        }
    }

    /// Appends `number` / 1000 with at most three decimals and no trailing zeros.
    public mutating func append(thousandths number: UInt64) {
        append(number, digits: 4)
        var end = count + 1
        let dot = grow(by: 1) - 3
        var text = storage.mutableSpan
        for place in stride(from: end - 1, to: dot, by: -1) { text[place] = text[place - 1] }
        text[dot] = UInt8(ascii: ".")
        while text[end - 1] == UInt8(ascii: "0") { end -= 1 }
        count = end - 1 == dot ? dot : end
    }

    private static func digits(of number: UInt64) -> Int {
        var (count, rest) = (1, number)
        while rest >= 1000 { (count, rest) = (count + 3, rest / 1000) }
        return rest < 10 ? count : rest < 100 ? count + 1 : count + 2
    }

    /// Appends octets as pairs of upper-case hexadecimal digits with `separator` between the pairs.
    public mutating func append(hex content: ArraySlice<UInt8>, separator: Unicode.Scalar) {
        append(hex: content.span, separator: separator)
    }

    /// Appends octets as pairs of upper-case hexadecimal digits with `separator` between the pairs.
    public mutating func append(hex content: Span<UInt8>, separator: Unicode.Scalar) {
        guard !content.isEmpty else { return }
        let between = UInt8(ascii: separator)
        var place = grow(by: 3 * content.count - 1)
        let end = count
        var target = storage.mutableSpan
        for index in content.indices {
            target[place] = Self.digit(content[index] >> 4)
            target[place + 1] = Self.digit(content[index] & 0x0F)
            if place + 2 < end { target[place + 2] = between }
            place += 3
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 0x30 : 0x37) }

    private mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
        guard let first = source.baseAddress else { return }
        let start = grow(by: source.count)
        unsafe storage.withUnsafeMutableBytes { target in
            // `grow` made the room.
            unsafe target.baseAddress?.advanced(by: start).copyMemory(from: first, byteCount: source.count)
        }
    }

    /// Makes room for `length` octets and returns its offset.
    private mutating func grow(by length: Int) -> Int {
        let start = count
        count += length
        if storage.isEmpty { storage = Self.room }
        while count > storage.count { storage.append(contentsOf: storage) }
        return start
    }

    /// Whether a JSON string can contain the octet unescaped: printable ASCII except `"` and `\`.
    private static func isPlain(_ octet: UInt8) -> Bool {
        octet >= 0x20 && octet < 0x7F && octet != UInt8(ascii: "\"") && octet != UInt8(ascii: "\\")
    }
}

/// A value that always has the same representation in JSON, for clients' lines and the event log.
public protocol JSONWritable {
    /// Appends the value as JSON on one line.
    func write(to text: inout JSONText)
}

extension JSONWritable {
    /// The value as JSON on one line.
    public var json: String {
        var text = JSONText()
        write(to: &text)
        return text.string
    }
}
