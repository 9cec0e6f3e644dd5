/// A number and a unit, with or without a space between them: `10 s`, `0.5 h`, `500 Hz`.
package struct Quantity: Sendable {
    private let digits: Int128
    private let divisor: Int128
    package let unit: String

    /// Parses a decimal number without sign and exponent, and a unit; nil for other text, and for more than 18 digits.
    package init?(_ text: String) {
        let word = text.prefix { $0 == "." || $0.isASCII && $0.isNumber }
        let rest = text[word.endIndex...]
        let unit = rest.first == " " ? rest.dropFirst() : rest
        guard !unit.isEmpty, unit.first != " " else { return nil }
        let halves = word.split(separator: ".", omittingEmptySubsequences: false)
        let digits = halves.joined()
        guard halves.count <= 2, halves.allSatisfy({ !$0.isEmpty }), digits.utf8.count <= 18,
            let number = Int128(digits)
        else { return nil }
        let decimals = halves.count == 2 ? halves[1].utf8.count : 0
        self.digits = number
        divisor = (0..<decimals).reduce(1) { product, _ in product * 10 }
        self.unit = String(unit)
    }

    package var number: Double { Double(digits) / Double(divisor) }

    /// The number multiplied by `factor`, without its fraction.
    fileprivate func multiplied(by factor: Int128) -> Int128 { digits * factor / divisor }
}

extension Duration {
    /// The units of durations, from the shortest.
    package static let units: [(unit: String, nanoseconds: Int128)] = [
        ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000), ("h", 3_600_000_000_000),
        ("day", 86_400_000_000_000), ("days", 86_400_000_000_000),
    ]

    /// Parses `10 s` or `0.5h`; nil for other text, and for more than 63 bits of nanoseconds.
    package init?(parsing text: String) {
        guard let quantity = Quantity(text),
            let factor = Self.units.first(where: { $0.unit == quantity.unit })?.nanoseconds,
            let nanoseconds = Int64(exactly: quantity.multiplied(by: factor))
        else { return nil }
        self = .nanoseconds(nanoseconds)
    }
}
