public import Bluetooth
public import Octets

/// A value that is text: UTF-8 without a terminator, and it may be empty.  Core Specification Supplement 12, Part A,
/// section 1.2 for the name; Device Information Service 1.2, sections 3.1 to 3.6 for the strings.
public struct UTF8Text: Hashable, Sendable {
    /// What it says.
    public let text: String

    /// Any text.
    public init(_ text: String) { self.text = text }

    /// Reads a value as it came; throws for what is not UTF-8, in the name of `field`.
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

    /// The value as it is sent.
    public var octets: [UInt8] { Array(text.utf8) }
}

/// Device Name, 0x2A00: UTF-8, 248 octets at most and none of them 0.  Core 6.0, Vol 3, Part C, section 12.1.
public struct DeviceName: Hashable, Sendable {
    /// What it is called.
    public let text: String

    /// The most octets that a name may have.
    public static let maximumCount = 248

    /// Nil for a name that is too long, or has U+0000 in it.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumCount, !text.utf8.contains(0) else { return nil }
        self.text = text
    }

    /// Reads a value as it came; throws for what is not a name.
    public init(octets: [UInt8]) throws(Malformed) {
        guard octets.count <= Self.maximumCount else {
            throw .tooLong(at: Self.maximumCount, surplus: octets.count - Self.maximumCount)
        }
        if let at = octets.firstIndex(of: 0) {
            throw .prohibited(field: "Device Name", at: at, value: 0, allowed: "UTF-8 without U+0000")
        }
        text = try UTF8Text(octets: octets, "Device Name").text
    }

    /// The value as it is sent.
    public var octets: [UInt8] { Array(text.utf8) }
}

/// The strings of the Device Information Service 1.2, sections 3.1 to 3.6: each one's value is a `UTF8Text`.
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

    /// Which characteristic holds it.
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
