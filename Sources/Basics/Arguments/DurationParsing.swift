extension Duration {
    /// Parses a number and a unit, with or without a space between them: `5 s`, `2min`, `0.5 h`; nil for anything else.
    ///
    /// The units are `us ms s min h day days`. The number has no sign and at most six decimals; fractions of a
    /// nanosecond are dropped.
    package init?(parsing text: some StringProtocol) {
        let units: [String: Int64] = [
            "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000, "h": 3_600_000_000_000,
            "day": 86_400_000_000_000, "days": 86_400_000_000_000,
        ]
        let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text.dropFirst(number.count).drop { $0 == " " }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard let scale = units[String(unit)], let first = parts.first, let whole = Int64(first), parts.count <= 2
        else { return nil }
        var (nanoseconds, overflow) = whole.multipliedReportingOverflow(by: scale)
        if parts.count == 2 {
            guard (1...6).contains(parts[1].count), let decimals = Int64(parts[1]) else { return nil }
            let divisor = (0..<parts[1].count).reduce(1) { power, _ in power * 10 } as Int64
            let (product, isTooBig) = decimals.multipliedReportingOverflow(by: scale)
            let (sum, carry) = nanoseconds.addingReportingOverflow(product / divisor)
            (nanoseconds, overflow) = (sum, overflow || isTooBig || carry)
        }
        guard !overflow else { return nil }
        self = .nanoseconds(nanoseconds)
    }
}
