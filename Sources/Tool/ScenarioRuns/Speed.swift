/// How fast time passes.
package enum Speed: Equatable, Sendable {
    /// So many seconds in one second of the clock on the wall.
    case real(Double)
    /// As fast as the machine can: virtual time.
    case max

    /// A number that time can be multiplied with, or `max`; nil for anything else.
    package init?(_ text: String) {
        if text == "max" {
            self = .max
        } else if let factor = Double(text), Self.factors.contains(factor) {
            self = .real(factor)
        } else {
            return nil
        }
    }

    private static let factors = 0.001...1000
}
