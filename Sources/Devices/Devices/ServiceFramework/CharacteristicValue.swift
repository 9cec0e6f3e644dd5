package import Basics

/// A codec whose values the event log and clients can print.
package protocol CharacteristicValue: JSONWritable, Hashable, Sendable {
    init(octets: ArraySlice<UInt8>) throws(Malformed)
    /// In words: `battery 87 %`.
    var words: String { get }
    /// The number under a key of its JSON, or the value itself if `key` is nil; nil when it has none.
    func number(of key: String?) -> Double?
    /// Writes the value of a client's line, which may be shorter than in the event log.
    func writeLine(to text: inout JSONText)
    /// The value in a client's line after the last value has expired.
    static var expired: StaticString { get }
    /// The samples in microvolts, and the number of the lead if it has one; nil for a value without samples.
    static func samples(in octets: ArraySlice<UInt8>) throws(Malformed) -> (samples: [Int32], lead: UInt8?)?
    /// The index of the first value of a frame, if the event log omits it.
    static func index(in octets: ArraySlice<UInt8>) throws(Malformed) -> UInt32?
}

extension CharacteristicValue {
    package func number(of _: String?) -> Double? { nil }
    /// The same as in the event log.
    package func writeLine(to text: inout JSONText) { write(to: &text) }
    /// `null`.
    package static var expired: StaticString { "null" }
    package static func samples(in _: ArraySlice<UInt8>) throws(Malformed) -> (samples: [Int32], lead: UInt8?)? { nil }
    package static func index(in _: ArraySlice<UInt8>) throws(Malformed) -> UInt32? { nil }

    // Generic access to a codec known by its type only, without boxing a value.

    package static func write(_ octets: ArraySlice<UInt8>, to text: inout JSONText) throws(Malformed) {
        try Self(octets: octets).write(to: &text)
    }

    package static func writeLine(_ octets: ArraySlice<UInt8>, to text: inout JSONText) throws(Malformed) {
        try Self(octets: octets).writeLine(to: &text)
    }

    package static func check(_ octets: ArraySlice<UInt8>) throws(Malformed) { _ = try Self(octets: octets) }

    package static func words(_ octets: ArraySlice<UInt8>) throws(Malformed) -> String {
        try Self(octets: octets).words
    }

    package static func number(_ octets: ArraySlice<UInt8>, of key: String?) throws(Malformed) -> Double? {
        try Self(octets: octets).number(of: key)
    }
}

/// A value that is one whole number.
package protocol NumberValue: CharacteristicValue {
    associatedtype Number: FixedWidthInteger
    static var field: String { get }
    var number: Number { get }
    init(_ number: Number)
}

extension NumberValue {
    package init(octets: ArraySlice<UInt8>) throws(Malformed) {
        var reader = OctetReader(octets)
        self.init(try reader.integer(Self.field))
        try reader.finish()
    }

    package func write(to text: inout JSONText) { text.append(Int64(number)) }
    package func number(of _: String?) -> Double? { Double(number) }
}
