package import Basics

/// A codec whose values the event log and clients can print.
package protocol CharacteristicValue: ValueWritable, Hashable, Sendable {
    init(octets: ArraySlice<UInt8>) throws(Malformed)
    /// In words: `battery 87 %`.
    var words: String { get }
    /// The number under a key, or the value itself if `key` is nil; nil when it has none.
    func number(of key: String?) -> Double?
    /// Writes the value of a client's line, which may be shorter than in the event log.
    func writeLine(into sink: inout some ValueSink)
    /// Writes the value of a client's line after the last value has expired.
    static func writeExpired(into sink: inout some ValueSink)
    /// The samples in microvolts, and the number of the lead if it has one; nil for a value without samples.
    static func samples(in octets: ArraySlice<UInt8>) throws(Malformed) -> (samples: [Int32], lead: UInt8?)?
}

extension CharacteristicValue {
    /// The number that is printed.
    package func number(of key: String?) -> Double? {
        let datum = Datum(self)
        return if case .number(let number)? = key.map({ datum?[$0] }) ?? datum { number } else { nil }
    }
    /// The same as in the event log.
    package func writeLine(into sink: inout some ValueSink) { write(into: &sink) }
    /// `null`.
    package static func writeExpired(into sink: inout some ValueSink) { sink.append(.null) }
    package static func samples(in _: ArraySlice<UInt8>) throws(Malformed) -> (samples: [Int32], lead: UInt8?)? { nil }

    // Generic access to a codec known by its type only, without boxing a value.

    package static func write(_ octets: ArraySlice<UInt8>, to text: inout JSONText) throws(Malformed) {
        try Self(octets: octets).write(into: &text)
    }

    package static func writeLine(_ octets: ArraySlice<UInt8>, into sink: inout some ValueSink) throws(Malformed) {
        try Self(octets: octets).writeLine(into: &sink)
    }

    package static func datum(_ octets: ArraySlice<UInt8>) throws(Malformed) -> Datum? {
        Datum(try Self(octets: octets))
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

    package func write(into sink: inout some ValueSink) { sink.append(.number(number)) }
}
