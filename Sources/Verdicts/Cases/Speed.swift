/// How fast time passes.
package enum Speed: Equatable, Sendable {
    case real(Double)
    /// Virtual time, as fast as possible.
    case max

    /// Reads a factor from 0.001 to 1000, or `max`; nil for anything else.
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
