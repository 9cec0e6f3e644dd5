import Basics
import Devices
import Documents
import Services

/// How to write strings that have the wrong format; nil if what they mean is unclear.
enum Corrections {
    /// Names of units that are not those of the language.
    private static let units = [
        "sec": "s", "secs": "s", "second": "s", "seconds": "s", "msec": "ms", "msecs": "ms", "millis": "ms",
        "millisecond": "ms", "milliseconds": "ms", "µs": "us", "μs": "us", "usec": "us", "microsecond": "us",
        "microseconds": "us", "m": "min", "mins": "min", "minute": "min", "minutes": "min", "hr": "h", "hrs": "h",
        "hour": "h", "hours": "h", "d": "days",
    ]

    private static let allUnits = "the units are \(Duration.units.map(\.unit).joined(separator: ", "))"

    @Sendable static func duration(_ text: String) -> String? {
        if text.first == "-" { return "a duration cannot be negative" }
        if let sum = sum(text) { return "write \(sum.quoted); \(allUnits)" }
        let number = text.prefix { $0 == "." || $0.isASCII && $0.isNumber }
        guard let value = Double(number) else { return "write a number and a unit; \(allUnits)" }
        let unit = text.dropFirst(number.count).filter { $0 != " " }
        if unit.isEmpty { return "add a unit: write \(guesses(value, number)); \(allUnits)" }
        let known = units[unit.lowercased()] ?? Duration.units.map(\.unit).first { $0 == unit.lowercased() }
        if known == unit {
            return number.count > 18
                ? "write the number with at most 18 digits"
                : "a duration is at most \(Int64.max / 86_400_000_000_000) days"
        }
        let meant = known.map { "\(number) \($0)" }.flatMap { Duration(parsing: $0) == nil ? nil : $0 }
        return (meant.map { "write \($0.quoted); " } ?? "") + allUnits
    }

    /// A number with the units that are likely.
    private static func guesses(_ value: Double, _ number: Substring) -> String {
        let (seconds, milliseconds) = ("\(number) s".quoted, "\(number) ms".quoted)
        return value < 100 ? seconds : value < 10_000 ? "\(milliseconds) or \(seconds)" : milliseconds
    }

    /// `90 s` for `1 min 30 s` and `1m30s`; nil if the text is not a sum of several durations.
    private static func sum(_ text: String) -> String? {
        let parts = text.lowercased().matches(of: #/([0-9]+(?:\.[0-9]+)?) ?([a-zµμ]+),? */#)
        guard parts.count > 1, parts.reduce(0, { $0 + $1.0.count }) == text.count else { return nil }
        var total = Duration.zero
        for part in parts {
            let unit = String(part.2)
            guard let duration = Duration(parsing: "\(part.1) \(units[unit] ?? unit)"), duration < .seconds(1 << 32)
            else { return nil }
            total += duration
        }
        return Units.text(total)
    }

    @Sendable static func moment(_ text: String) -> String? {
        let isDuration = text.first.map { $0 == "-" || $0 == "." || $0.isASCII && $0.isNumber } ?? false
        if isDuration {
            return duration(text).map {
                text.first == "-" ? "a time cannot be negative: the scenario starts at \"0 s\"" : $0
            }
        }
        let events = Forms.eventNames.joined(separator: ", ")
        return "write a time since the start, \"start\", \"end\" or one of the events \(events)"
    }

    @Sendable static func rate(_ text: String) -> String? { quantity(text, "Hz") }

    @Sendable static func distance(_ text: String) -> String? { quantity(text, "m") }

    private static func quantity(_ text: String, _ unit: String) -> String? {
        let number = text.prefix { $0 == "." || $0.isASCII && $0.isNumber }
        guard let value = Double(number), value > 0 || unit != "Hz" else { return nil }
        return "write \("\(number) \(unit)".quoted)"
    }

    @Sendable static func octets(_ text: String) -> String? {
        let spaced = String(text.map { ":-,".contains($0) ? " " : $0 })
        if spaced != text, Forms.octets.accepts(spaced) { return "write \(spaced.quoted)" }
        if let wrong = text.unicodeScalars.first(where: { $0 != " " && !isHexDigit($0) }) {
            return text.lowercased().hasPrefix("0x")
                ? "write the digits without 0x" : "\(String(wrong).quoted) is not a hexadecimal digit"
        }
        let digits = text.filter { $0 != " " }
        if !digits.count.isMultiple(of: 2) { return "each octet has two digits, and the number of digits is odd" }
        return "write \(digits.quoted)"
    }

    @Sendable static func uuid(_ text: String) -> String? {
        if let uuid = ServiceRegistry.service(named: word(text))?.uuid { return "write \("\(uuid)".quoted)" }
        let prefix = ["0x", "urn:uuid:"].first(where: text.lowercased().hasPrefix) ?? ""
        let digits = text.dropFirst(prefix.count).filter { !"-{}".contains($0) }
        let parts = [digits.prefix(8), digits.dropFirst(8), digits.dropFirst(12), digits.dropFirst(16)].dropFirst()
            .map { $0.prefix(4) }
        let long = ([digits.prefix(8)] + parts + [digits.dropFirst(20)]).joined(separator: "-")
        let short = digits.hasPrefix("0000") && digits.count == 8 ? String(digits.dropFirst(4)) : digits
        if let uuid = [short, long].first(where: { $0 != text && Forms.uuid.accepts($0) }) {
            return "write \(uuid.quoted)"
        }
        if let wrong = text.unicodeScalars.first(where: { $0 != "-" && !isHexDigit($0) }) {
            return "\(String(wrong).quoted) is not a hexadecimal digit"
        }
        return "write four hexadecimal digits, or 32 with hyphens: \"12345678-1234-1234-1234-123456789abc\""
    }

    @Sendable static func address(_ text: String) -> String? {
        let colons = text.replacing("-", with: ":")
        if colons != text, Forms.address.accepts(colons) { return "write \(colons.quoted)" }
        return "write six octets in hexadecimal digits, separated by colons, and \"/random\" or \"/public\""
    }

    @Sendable static func id(_ text: String) -> String? {
        let word = word(text)
        let rule = "an id has lower-case letters, digits and underscores, and begins with a letter"
        return Forms.isWord(word) ? "write \(word.quoted): \(rule)" : rule
    }

    @Sendable static func path(_ text: String) -> String? {
        let path = text.split { "/.:>\\".contains($0) }.map { word($0.split(separator: " ").joined(separator: " ")) }
            .joined(separator: "/")
        let rule = "the ids of a device, a service and a value, separated by slashes"
        guard Forms.entity.accepts(path) else { return "write \(rule)" }
        guard text.contains(" ") else { return "write \(path.quoted)" }
        return text.contains(where: \.isUppercase)
            ? "write the \"id\" of what is meant, not its \"name\": a path has \(rule)"
            : "write \(path.quoted), if these are ids: a path has \(rule)"
    }

    /// Operators of other languages.
    private static let operators = [
        "$gt": "$min", "$gte": "$min", "$lt": "$max", "$lte": "$max", "$ge": "$min", "$le": "$max", "$in": "$one_of",
        "$or": "$one_of", "$ne": "$not", "$all": "$each", "$exists": "$any",
    ]

    @Sendable static func matcher(_ key: String) -> String? {
        let all = "the matchers are \(Forms.matchers.joined(separator: ", "))"
        guard let meant = operators[key.lowercased()] else { return all }
        let isBound = ["$min", "$max"].contains(meant)
        return "did you mean \(meant.quoted)\(isBound ? ", which includes the bound" : "")? The others: "
            + Forms.matchers.filter { $0 != meant }.joined(separator: ", ")
    }

    /// The letters, digits and underscores of a text, in lower case, with an underscore for a space or a hyphen.
    private static func word(_ text: String) -> String {
        text.lowercased().map { " -.".contains($0) ? "_" : String($0) }.joined()
    }

    private static func isHexDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && scalar.properties.isASCIIHexDigit
    }
}
