import Characteristics
import ServiceFramework

extension ValueFormat {
    /// The codec of this format; nil for octets.
    var codec: (any CharacteristicValue.Type)? {
        switch self {
        case .uint8: CustomNumber<UInt8>.self
        case .uint16: CustomNumber<UInt16>.self
        case .uint32: CustomNumber<UInt32>.self
        case .sint16: CustomNumber<Int16>.self
        case .utf8: UTF8Text.self
        case .octets: nil
        }
    }
}

private struct CustomNumber<Number: FixedWidthInteger & Sendable>: NumberValue {
    static var field: String { "value" }
    let number: Number
    init(_ number: Number) { self.number = number }
    var words: String { "\(number)" }
}
