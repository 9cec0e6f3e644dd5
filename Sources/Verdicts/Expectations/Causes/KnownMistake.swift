import Characteristics
import ScenarioModel

/// A known mistake of clients, recognized by the value that it makes of another.
struct KnownMistake: Sendable {
    let kind: CauseKind
    /// What it looks like: `swapped octets`.
    let cause: String
    /// Whether the mistake makes a shown value of the right one of a field.
    private let makes: @Sendable (_ shown: Datum, _ right: Datum, _ field: String) -> Bool

    private init(
        _ kind: CauseKind, _ cause: String, _ makes: @escaping @Sendable (Datum, Datum, String) -> Bool
    ) {
        (self.kind, self.cause, self.makes) = (kind, cause, makes)
    }

    /// The likely mistake that made a field's value of the right one; nil if the numbers fit none.
    static func mistake(in shown: Datum, insteadOf right: Datum, in field: String) -> KnownMistake? {
        all.first { $0.makes(shown, right, field) }
    }

    /// A value that was right earlier.
    static let stale = KnownMistake(.earlierValue, "an earlier value") { _, _, _ in false }
    /// Equal lines at once.
    static let doubled = KnownMistake(.duplicated, "a duplicate subscription") { _, _, _ in false }

    private static let all =
        [
            octets(.swappedOctets, "swapped octets") { shown, right in right.byteSwapped == shown && shown != right },
            octets(.lowOctet, "only one of two octets") { shown, right in right > 0xFF && shown == right & 0xFF },
            octets(.twoOctets, "two octets read where one was sent") { shown, right in
                shown > 0xFF && shown & 0xFF == right
            },
        ] + signs + floats + lists + others

    private static let signs = [
        numbers(.signedOctet, "a signed octet") { shown, right, _ in
            right >= 128 && (shown == right - 0x100 && right < 0x100 || right >= 0x8000 && shown == right - 0x1_0000)
        },
        numbers(.unsignedNumber, "a number with sign, read without") { shown, right, _ in
            // Integers, and the mantissas of SFLOAT and FLOAT with their usual decimals.
            right < 0
                && [8, 12, 16, 24].contains { bits in
                    [1.0, 10, 100, 1000].contains { (shown - right - Double(1 << bits) / $0).magnitude < 1e-6 }
                }
        },
    ]

    private static let floats = [
        numbers(.ieee754, "a number of IEEE 754 where one of IEEE 11073 was sent") { shown, right, field in
            field == "celsius" && isRead(asIEEE754: right, shown)
        },
        numbers(.swappedOctets, "swapped octets") { shown, right, field in isSwapped(right, shown, field) },
        numbers(.powerOfTen, "a number whose exponent or resolution is not applied") { shown, right, _ in
            right != 0
                && [10.0, 100, 1000].contains { power in
                    [right * power, right / power].contains { ($0 - shown).magnitude <= $0.magnitude * 1e-6 }
                }
        },
        numbers(.fahrenheit, "degrees Fahrenheit, taken for Celsius") { shown, right, field in
            field == "celsius" && (shown - (right * 1.8 + 32)).magnitude <= 0.1
        },
        numbers(.strides, "strides per minute, taken for steps, or the reverse") { shown, right, field in
            field == "cadence" && right > 0 && [right * 2, (right / 2).rounded(.down)].contains(shown)
        },
    ]

    private static let lists = [
        KnownMistake(.rrUnit, "RR-Intervals in 1/1024 s, taken for ms") { shown, right, field in
            guard field == "rr_ms", let shown = shown.numbers, let right = right.numbers else { return false }
            return !shown.isEmpty && shown.count == right.count
                && zip(shown, right).allSatisfy { ($0 - $1 * 1.024).magnitude <= 1 && ($0 - $1).magnitude > 1 }
        },
        KnownMistake(.energyAsInterval, "Energy Expended, taken for an RR-Interval") { shown, right, field in
            guard field == "rr_ms", let shown = shown.numbers, let right = right.numbers else { return false }
            return shown.count == right.count + 1
                && zip(shown.dropFirst(), right).allSatisfy { ($0 - $1).magnitude <= 1 }
        },
        KnownMistake(.oddOctet, "a single octet at the end, taken for an RR-Interval") { shown, right, field in
            guard field == "rr_ms", let shown = shown.numbers, let right = right.numbers, let last = shown.last else {
                return false
            }
            return shown.count == right.count + 1 && last < 250
                && zip(shown, right).allSatisfy { ($0 - $1).magnitude <= 1 }
        },
        KnownMistake(.firstOfSeveral, "only the first of several values") { shown, right, _ in
            guard let shown = shown.numbers, let right = right.numbers else { return false }
            return shown.count == 1 && right.count > 1 && (shown[0] - right[0]).magnitude <= 1
        },
        KnownMistake(.lowOctet, "only one of two octets") { shown, right, field in
            guard field == "rr_ms", let shown = shown.numbers, let right = right.numbers else { return false }
            // Intervals of 0 are none.
            let low = right.map { ($0 * 1.024).rounded().truncatingRemainder(dividingBy: 256) / 1.024 }.filter {
                $0 > 0
            }
            return !shown.isEmpty && shown.count == low.count && zip(shown, right).contains { ($0 - $1).magnitude > 1 }
                && zip(shown, low).allSatisfy { ($0 - $1).magnitude <= 1 }
        },
    ]

    private static let others = [
        KnownMistake(.misplaced, "octets of RR-Intervals, read one place too early or too late") {
            shown, right, field in
            guard field == "rr_ms", let shown = shown.numbers?.first, let right = right.numbers?.first,
                let read = UInt16(exactly: (shown * 1.024).rounded()),
                let sent = UInt16(exactly: (right * 1.024).rounded())
            else { return false }
            return read != sent && (read >> 8 == sent & 0xFF || read & 0xFF == sent >> 8)
        },
        KnownMistake(.flag, "another bit of the flags") { shown, right, field in
            guard case .bool(let shown) = shown, case .bool(let right) = right else { return false }
            return field != "contact" && shown != right
        },
        KnownMistake(.contactBits, "bits 1 and 2 of the flags, read as one (without bit 2, the contact is unknown)") {
            shown, right, field in
            guard field == "contact", case .bool(let contact) = shown else { return false }
            return right == .null || right == .bool(!contact)
        },
        KnownMistake(.zeroForMissing, "a missing value, shown as 0") { shown, right, _ in
            right == .null && shown == .number(0)
        },
        KnownMistake(.specialValue, "a special value such as NaN, taken for a number") { shown, right, field in
            guard case .number = shown else { return false }
            return right == .null && (field == "celsius" || shortFloats.contains(field))
        },
    ]

    /// A mistake with a number of two octets.
    private static func octets(
        _ kind: CauseKind, _ cause: String, _ makes: @escaping @Sendable (_ shown: UInt16, _ right: UInt16) -> Bool
    ) -> KnownMistake {
        numbers(kind, cause) { shown, right, _ in
            guard let shown = UInt16(exactly: shown), let right = UInt16(exactly: right) else { return false }
            return makes(shown, right)
        }
    }

    private static func numbers(
        _ kind: CauseKind, _ cause: String,
        _ makes: @escaping @Sendable (_ shown: Double, _ right: Double, _ field: String) -> Bool
    ) -> KnownMistake {
        KnownMistake(kind, cause) { shown, right, field in
            guard case .number(let shown) = shown, case .number(let right) = right else { return false }
            return makes(shown, right, field)
        }
    }

    // MARK: Formats

    /// The fields that are SFLOATs, of two octets.
    private static let shortFloats = ["spo2", "pulse_rate", "amplitude"]
    /// The units in one of a field of two octets.
    private static let resolutions = ["speed_mps": 256.0, "stride_length_m": 100]

    /// Whether a FLOAT, read as one of IEEE 754, is what was shown, perhaps as degrees Fahrenheit.
    private static func isRead(asIEEE754 right: Double, _ shown: Double) -> Bool {
        (0...3).contains { decimals in
            let read = Double(Float(bitPattern: MedicalFloat(right, decimals: decimals).bits))
            return [read, (read - 32) / 1.8].contains { ($0 - shown).magnitude <= 0.001 + $0.magnitude * 1e-5 }
        }
    }

    /// Whether a number of two octets is shown with swapped ones: an SFLOAT, or fractions of a unit.
    private static func isSwapped(_ right: Double, _ shown: Double, _ field: String) -> Bool {
        if shortFloats.contains(field) {
            // The exponents 0 to -2, and 1.
            let sent =
                (0...2).map { MedicalShortFloat(right, decimals: $0).bits } + [
                    MedicalShortFloat(right / 10, decimals: 0).bits | 1 << 12
                ]
            return sent.contains { bits in
                guard let read = MedicalShortFloat(bits: bits.byteSwapped).value, read != right else { return false }
                return (read - shown).magnitude <= max(0.005, read.magnitude * 1e-6)
            }
        }
        guard let scale = resolutions[field], let sent = UInt16(exactly: (right * scale).rounded()) else {
            return false
        }
        let read = Double(sent.byteSwapped) / scale
        return read != right && (read - shown).magnitude <= 0.001
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
