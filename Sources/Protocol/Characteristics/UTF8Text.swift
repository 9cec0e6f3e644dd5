public import Basics
public import Bluetooth

/// A text value: UTF-8 without a terminator, possibly empty.  Core Specification Supplement 12, Part A, section 1.2, for
/// names; Device Information Service 1.2, sections 3.1 to 3.6, for strings.
public struct UTF8Text: Hashable, Sendable {
    /// The text.
    public let text: String

    /// A value with this text.
    public init(_ text: String) { self.text = text }

    /// Decodes a value; throws for invalid UTF-8, in the name of `field`.
    public init(octets: [UInt8], _ field: String) throws(Malformed) {
        var parser = Unicode.UTF8.ForwardParser()
        var rest = octets.makeIterator()
        var at = 0
        var text = String.UnicodeScalarView()
        reading: while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let scalar):
                text.append(Unicode.UTF8.decode(scalar))
                at += scalar.count
            case .error: throw .prohibited(field: field, at: at, value: Int(octets[at]), allowed: "UTF-8")
            case .emptyInput: break reading
            }
        }
        self.text = String(text)
    }

    /// The encoded value.
    public var octets: [UInt8] { Array(text.utf8) }
}

/// Device Name, 0x2A00: UTF-8, at most 248 octets, none of them 0.  Core 6.0, Vol 3, Part C, section 12.1.
public struct DeviceName: Hashable, Sendable {
    /// The name.
    public let text: String

    /// The maximum length of a name, in octets of UTF-8.
    public static let maximumCount = 248

    /// A name; nil if it is too long, or contains U+0000.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumCount, !text.utf8.contains(0) else { return nil }
        self.text = text
    }

    /// Decodes a value; throws if it is too long, contains 0, or is not UTF-8.
    public init(octets: [UInt8]) throws(Malformed) {
        guard octets.count <= Self.maximumCount else {
            throw .tooLong(at: Self.maximumCount, surplus: octets.count - Self.maximumCount)
        }
        if let at = octets.firstIndex(of: 0) {
            throw .prohibited(field: "Device Name", at: at, value: 0, allowed: "UTF-8 without U+0000")
        }
        text = try UTF8Text(octets: octets, "Device Name").text
    }

    /// The encoded value.
    public var octets: [UInt8] { Array(text.utf8) }
}

/// The strings of the Device Information Service 1.2, sections 3.1 to 3.6: the values are `UTF8Text`.
public enum DeviceInformation: String, CaseIterable, Sendable {
    /// 0x2A29.
    case manufacturer
    /// 0x2A24.
    case model
    /// 0x2A25.
    case serial
    /// 0x2A27.
    case hardware
    /// 0x2A26.
    case firmware
    /// 0x2A28.
    case software

    /// The UUID of the characteristic.
    public var uuid: UUID {
        switch self {
        case .manufacturer: .manufacturerNameString
        case .model: .modelNumberString
        case .serial: .serialNumberString
        case .hardware: .hardwareRevisionString
        case .firmware: .firmwareRevisionString
        case .software: .softwareRevisionString
        }
    }
}
