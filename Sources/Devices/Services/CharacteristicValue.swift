public import Octets
public import Spelling

/// What the octets of a characteristic mean: a codec that logs and clients can word.
public protocol CharacteristicValue: JSONWritable, Hashable, Sendable {
    /// Reads a value as it came.
    init(octets: ArraySlice<UInt8>) throws(Malformed)
    /// For people: `battery 87 %`.
    var words: String { get }
    /// The number of a member of its JSON, or of itself for nil: what a screen shows large.
    func number(of key: String?) -> Double?
}

extension CharacteristicValue {
    /// Nil: there is none.
    public func number(of _: String?) -> Double? { nil }

    /// Adds what octets mean as JSON.
    public static func write(_ octets: ArraySlice<UInt8>, to text: inout JSONText) throws(Malformed) {
        try Self(octets: octets).write(to: &text)
    }

    static func check(_ octets: ArraySlice<UInt8>) throws(Malformed) { _ = try Self(octets: octets) }

    static func words(_ octets: ArraySlice<UInt8>) throws(Malformed) -> String { try Self(octets: octets).words }

    static func number(_ octets: ArraySlice<UInt8>, of key: String?) throws(Malformed) -> Double? {
        try Self(octets: octets).number(of: key)
    }
}
