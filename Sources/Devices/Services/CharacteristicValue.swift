public import Octets
public import Spelling

/// A codec whose values the event log and clients can print.
public protocol CharacteristicValue: JSONWritable, Hashable, Sendable {
    /// Reads a value as it was received.
    init(octets: ArraySlice<UInt8>) throws(Malformed)
    /// For people: `battery 87 %`.
    var words: String { get }
    /// The number under a key of its JSON, or of the value itself for nil; nil when there is none.
    func number(of key: String?) -> Double?
    /// Adds what a client's line has, where that is less than what the event log has.
    func writeLine(to text: inout JSONText)
    /// What a client's line has in place of a value that is no longer true.
    static var expired: StaticString { get }
    /// The samples in microvolts, and the number of the lead if it has one; nil for a value that has no samples.
    static func samples(in octets: ArraySlice<UInt8>) throws(Malformed) -> (samples: [Int32], lead: UInt8?)?
}

extension CharacteristicValue {
    /// None.
    public func number(of _: String?) -> Double? { nil }
    /// All that the event log has.
    public func writeLine(to text: inout JSONText) { write(to: &text) }
    /// `null`.
    public static var expired: StaticString { "null" }
    /// None.
    public static func samples(in _: ArraySlice<UInt8>) throws(Malformed) -> (samples: [Int32], lead: UInt8?)? { nil }

    // By these a value is opened where only its type is known: nothing is put into a box.

    /// Adds what octets mean as JSON.
    public static func write(_ octets: ArraySlice<UInt8>, to text: inout JSONText) throws(Malformed) {
        try Self(octets: octets).write(to: &text)
    }

    static func writeLine(_ octets: ArraySlice<UInt8>, to text: inout JSONText) throws(Malformed) {
        try Self(octets: octets).writeLine(to: &text)
    }

    static func check(_ octets: ArraySlice<UInt8>) throws(Malformed) { _ = try Self(octets: octets) }

    static func words(_ octets: ArraySlice<UInt8>) throws(Malformed) -> String { try Self(octets: octets).words }

    static func number(_ octets: ArraySlice<UInt8>, of key: String?) throws(Malformed) -> Double? {
        try Self(octets: octets).number(of: key)
    }
}
