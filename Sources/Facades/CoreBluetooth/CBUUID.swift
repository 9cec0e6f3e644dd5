import Bluetooth
public import Foundation

/// The identifier of a service, a characteristic or a descriptor.
///
/// A UUID of 16 or 32 bits equals the one of 128 bits that the Bluetooth Base UUID gives.
open class CBUUID: NSObject, NSCopying {
    /// The 128 bits, the most significant octet first.
    private let full: [UInt8]

    /// 00000000-0000-1000-8000-00805F9B34FB.
    private static let base: [UInt8] = [0, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB]

    /// The UUID with 4, 8 or 32 hexadecimal digits, the latter in groups of 8, 4, 4, 4 and 12.  Other text is an error of the
    /// program, as in Apple's framework.
    public convenience init(string text: String) {
        let octets = Self.octets(text)
        precondition(octets != nil, "\"\(text)\" is not a valid UUID")
        self.init(octets ?? [])
    }

    /// The UUID of 2, 4 or 16 octets, the most significant first.  Another number of octets is an error of the program, as in
    /// Apple's framework.
    public convenience init(data: Data) {
        precondition([2, 4, 16].contains(data.count), "a UUID has 2, 4 or 16 octets, not \(data.count)")
        self.init(Array(data))
    }

    /// The same identifier.
    public convenience init(nsuuid: Foundation.UUID) {
        unsafe self.init(withUnsafeBytes(of: nsuuid.uuid) { unsafe Array($0) })
    }

    convenience init(_ uuid: Bluetooth.UUID) { self.init(Array(uuid.fullOctets.reversed())) }

    private init(_ octets: [UInt8]) {
        let padding = [UInt8](repeating: 0, count: max(0, 4 - octets.count))
        full = octets.count == 16 ? octets : padding + octets + Self.base.dropFirst(4)
    }

    private static func octets(_ text: String) -> [UInt8]? {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
        guard [[4], [8], [8, 4, 4, 4, 12]].contains(groups) else { return nil }
        let digits = text.utf8.filter { $0 != 0x2D }.map { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).reduce([]) { octets, index in
            guard let octets, let high = digits[index], let low = digits[index + 1] else { return nil }
            return octets + [UInt8(high << 4 | low)]
        }
    }

    private var isDerivedFromBase: Bool { full.dropFirst(4) == Self.base.dropFirst(4) }

    /// The shortest form: 2, 4 or 16 octets, the most significant first.
    open var data: Data {
        guard isDerivedFromBase else { return Data(full) }
        return Data(full[0] == 0 && full[1] == 0 ? full[2..<4] : full[..<4])
    }

    /// The shortest form: 4, 8 or 36 characters, in upper case.
    open var uuidString: String {
        let digits = data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        guard digits.count == 16 else { return digits.joined() }
        return [digits[..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10...]]
            .map { $0.joined() }.joined(separator: "-")
    }

    /// The identifier for the modules below.
    var bluetooth: Bluetooth.UUID { Bluetooth.UUID(octets: full.reversed()) ?? Bluetooth.UUID(0) }

    /// Whether the other object is the same UUID, in whatever form it was given.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.full == full }

    /// The same for equal UUIDs.
    open override var hash: Int { full.hashValue }

    /// `uuidString`.
    open override var description: String { uuidString }

    /// The object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
