import Characteristics
import Octets
import Spelling

extension ValueFormat {
    /// The codec of this format; nil for octets.
    var codec: (any CharacteristicValue.Type)? {
        switch self {
        case .uint8: NumberOf8Bits.self
        case .uint16: NumberOf16Bits.self
        case .uint32: NumberOf32Bits.self
        case .sint16: SignedNumberOf16Bits.self
        case .utf8: UTF8Text.self
        case .octets: nil
        }
    }
}

private protocol NumberValue: CharacteristicValue {
    init(_ reader: inout OctetReader) throws(Malformed)
    var number: Int64 { get }
}

extension NumberValue {
    init(octets: ArraySlice<UInt8>) throws(Malformed) {
        var reader = OctetReader(octets)
        try self.init(&reader)
        try reader.finish()
    }

    func write(to text: inout JSONText) { text.append(number) }
    var words: String { "\(number)" }
    func number(of _: String?) -> Double? { Double(number) }
}

private struct NumberOf8Bits: NumberValue {
    let number: Int64
    init(_ reader: inout OctetReader) throws(Malformed) { number = Int64(try reader.uint8("value")) }
}

private struct NumberOf16Bits: NumberValue {
    let number: Int64
    init(_ reader: inout OctetReader) throws(Malformed) { number = Int64(try reader.uint16("value")) }
}

private struct NumberOf32Bits: NumberValue {
    let number: Int64
    init(_ reader: inout OctetReader) throws(Malformed) { number = Int64(try reader.uint32("value")) }
}

private struct SignedNumberOf16Bits: NumberValue {
    let number: Int64
    init(_ reader: inout OctetReader) throws(Malformed) {
        number = Int64(Int16(bitPattern: try reader.uint16("value")))
    }
}
