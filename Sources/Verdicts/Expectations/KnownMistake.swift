import ScenarioModel

/// A known mistake of clients, recognized by the value that it makes of another.
struct KnownMistake: Sendable {
    /// What it looks like: `swapped octets`.
    let cause: String
    /// Whether the mistake makes a shown value of the right one of a field.
    private let makes: @Sendable (_ shown: Datum, _ right: Datum, _ field: String) -> Bool

    private init(_ cause: String, _ makes: @escaping @Sendable (Datum, Datum, String) -> Bool) {
        (self.cause, self.makes) = (cause, makes)
    }

    /// The likely mistake that made a field's value of the right one; nil if the numbers fit none.
    static func cause(of shown: Datum, insteadOf right: Datum, in field: String) -> String? {
        all.first { $0.makes(shown, right, field) }?.cause
    }

    /// A value that was right earlier.
    static let stale = "an earlier value"
    /// Equal lines at once.
    static let doubled = "a duplicate subscription"

    private static let all = [
        octets("swapped octets") { shown, right in right.byteSwapped == shown && shown != right },
        octets("only one of two octets") { shown, right in right > 0xFF && shown == right & 0xFF },
        octets("two octets read where one was sent") { shown, right in shown > 0xFF && shown & 0xFF == right },
        KnownMistake("RR-Intervals in 1/1024 s, taken for ms") { shown, right, field in
            guard field == "rr_ms", let shown = shown.numbers, let right = right.numbers else { return false }
            return !shown.isEmpty && shown.count == right.count
                && zip(shown, right).allSatisfy { ($0 - $1 * 1.024).magnitude <= 1 && ($0 - $1).magnitude > 1 }
        },
        KnownMistake("Energy Expended, taken for an RR-Interval") { shown, right, field in
            guard field == "rr_ms", let shown = shown.numbers, let right = right.numbers else { return false }
            return shown.count == right.count + 1
                && zip(shown.dropFirst(), right).allSatisfy { ($0 - $1).magnitude <= 1 }
        },
        KnownMistake("degrees Fahrenheit, taken for Celsius") { shown, right, field in
            guard field == "celsius", case .number(let shown) = shown, case .number(let right) = right else {
                return false
            }
            return (shown - (right * 1.8 + 32)).magnitude <= 0.1
        },
        KnownMistake("bits 1 and 2 of the flags, read as one (without bit 2, the contact is unknown)") {
            shown, right, field in
            guard field == "contact", case .bool(let contact) = shown else { return false }
            return right == .null || right == .bool(!contact)
        },
    ]

    /// A mistake with a number of two octets.
    private static func octets(
        _ cause: String, _ makes: @escaping @Sendable (_ shown: UInt16, _ right: UInt16) -> Bool
    ) -> KnownMistake {
        KnownMistake(cause) { shown, right, _ in
            guard case .number(let shown) = shown, case .number(let right) = right, let shown = UInt16(exactly: shown),
                let right = UInt16(exactly: right)
            else { return false }
            return makes(shown, right)
        }
    }
}

extension Datum {
    /// The numbers of a list; nil if it is not a list of numbers.
    fileprivate var numbers: [Double]? {
        guard case .list(let elements) = self else { return nil }
        let numbers = elements.compactMap { if case .number(let number) = $0 { number } else { nil as Double? } }
        return numbers.count == elements.count ? numbers : nil
    }
}
