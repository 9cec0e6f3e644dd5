package import Octets
package import TextFormatting

/// A value that is one whole number.
package protocol NumberValue: CharacteristicValue {
    associatedtype Number: FixedWidthInteger
    /// Its name in errors.
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
