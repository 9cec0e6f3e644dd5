/// The secret that allows actions: 128 bits from the system's random source, as hexadecimal digits.
struct PageToken: Hashable, Sendable, CustomStringConvertible {
    let description: String

    /// A new token.
    init() {
        var system = SystemRandomNumberGenerator()
        description = (0..<4).map { _ in
            let digits = String(system.next() as UInt32, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    /// Whether a text is this token; the time that this takes does not depend on the octets of the text.
    func matches(_ text: String) -> Bool {
        let (own, other) = (Array(description.utf8), Array(text.utf8))
        guard own.count == other.count else { return false }
        return zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
