public import Basics

/// A location on the body or on a bicycle: one octet that numbers `names`.
///
/// Decoding keeps the other numbers, which are reserved for future use.
public protocol NamedOctet: OctetCodable, JSONWritable, Hashable, Sendable {
    /// The octet.
    var number: UInt8 { get }

    /// The location with this number, reserved or not.
    init(_ number: UInt8)

    /// The specification's name of the characteristic.
    static var field: String { get }
    /// The names of consecutive numbers.
    static var names: [String] { get }
    /// The number of the first name.
    static var first: UInt8 { get }
}

extension NamedOctet {
    /// 0.
    public static var first: UInt8 { 0 }

    /// The location with one of `names`; nil for other text.
    public init?(name: String) {
        guard let index = Self.names.firstIndex(of: name) else { return nil }
        self.init(UInt8(truncatingIfNeeded: index) + Self.first)
    }

    /// Reads one octet.
    public init(from reader: inout OctetReader) throws(Malformed) { self.init(try reader.uint8(Self.field)) }

    /// Appends one octet.
    public func append(to octets: inout [UInt8]) { octets.append(number) }

    /// One of `names`; nil for a reserved number.
    public var name: String? {
        let index = Int(number) - Int(Self.first)
        return Self.names.indices.contains(index) ? Self.names[index] : nil
    }

    /// Appends the name as a JSON string, or the number of a reserved value.
    public func write(to text: inout JSONText) {
        if let name { text.append(quoted: name) } else { text.append(Int64(number)) }
    }
}
