/// JSON text while it is being written: octets of UTF-8, piece by piece, without a string for each piece.
///
/// It takes what it is given: that the pieces together are JSON is up to who writes them.
public struct JSONText: Sendable {
    private var storage: [UInt8] = []  // of which the first `count` are written
    /// How many octets have been written.
    public private(set) var count = 0

    /// Nothing yet.
    public init() {}

    /// What has been written.
    public var octets: ArraySlice<UInt8> { storage[..<count] }

    /// What has been written, as a string.
    public var string: String { String(decoding: octets, as: UTF8.self) }

    /// Forgets what has been written, but keeps its storage.
    public mutating func removeAll() { count = 0 }

    /// Forgets all but the first `count` octets.
    public mutating func truncate(to count: Int) { self.count = max(0, min(self.count, count)) }

    /// Adds text as it is.
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { unsafe append($0) }
    }

    /// Adds octets as they are.
    public mutating func append(_ text: ArraySlice<UInt8>) {
        unsafe text.withUnsafeBufferPointer { unsafe append($0) }
    }

    /// Adds text between ASCII quotes, with escapes for what JSON or a line cannot have.
    public mutating func append(quoted text: String) {
        guard text.utf8.allSatisfy(Self.isPlain) else { return append(text.quoted) }
        append("\"")
        append(text)
        append("\"")
    }

    /// Adds a whole number.
    public mutating func append(_ number: Int64) {
        if number < 0 { append("-") }
        append(number.magnitude, digits: 1)
    }

    /// Adds a whole number, with zeros in front of it up to so many digits; there are 20 at the most.
    public mutating func append(_ number: UInt64, digits: Int) {
        var (length, limit) = (1, UInt64(10))
        while length < 20, number >= limit || length < digits {
            length += 1
            limit = length < 20 ? limit * 10 : .max
        }
        let start = grow(by: length)
        var target = storage.mutableSpan
        var rest = number
        for place in stride(from: start + length - 1, through: start, by: -1) {
            target[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Adds octets as pairs of hexadecimal digits, upper case, with `separator` between them.
    public mutating func append(hex content: ArraySlice<UInt8>, separator: Unicode.Scalar) {
        guard !content.isEmpty else { return }
        let between = UInt8(ascii: separator)
        var place = grow(by: 3 * content.count - 1)
        var target = storage.mutableSpan
        for index in content.indices {
            if index > content.startIndex {
                target[place] = between
                place += 1
            }
            target[place] = Self.digit(content[index] >> 4)
            target[place + 1] = Self.digit(content[index] & 0x0F)
            place += 2
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

    private mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
        guard let first = source.baseAddress else { return }
        let start = grow(by: source.count)
        unsafe storage.withUnsafeMutableBytes { target in
            // `grow` has made the room.
            unsafe target.baseAddress?.advanced(by: start).copyMemory(from: first, byteCount: source.count)
        }
    }

    /// Makes room for so many octets, and says where it begins.
    private mutating func grow(by length: Int) -> Int {
        let start = count
        count += length
        if count > storage.count {
            storage.append(contentsOf: repeatElement(0, count: max(count, 64) * 2 - storage.count))
        }
        return start
    }

    /// Whether JSON has it in a string as it is: printable ASCII but for the quote and the reverse solidus.
    private static func isPlain(_ octet: UInt8) -> Bool {
        octet >= 0x20 && octet < 0x7F && octet != UInt8(ascii: "\"") && octet != UInt8(ascii: "\\")
    }
}

/// What stands in clients' lines and in the event log, always with the same characters.
public protocol JSONWritable {
    /// Adds itself as JSON, on one line.
    func write(to text: inout JSONText)
}

extension JSONWritable {
    /// This as JSON, on one line.
    public var json: String {
        var text = JSONText()
        write(to: &text)
        return text.string
    }
}
