import Basics
import Bluetooth
package import Documents
import ScenarioModel

extension Shape {
    package static let duration = Shape.form(Forms.duration)
    package static let id = Shape.form(Forms.id)
    package static let entity = Shape.form(Forms.entity)
    package static let octets = Shape.form(Forms.octets)
    package static let uuid = Shape.form(Forms.uuid)
    /// The address of a device: `C0:FF:EE:00:00:01/random`.
    package static let address = Shape.form(Forms.address)
    package static let rate = Shape.form(Forms.rate)
    package static let distance = Shape.form(Forms.distance)
    package static let path = Shape.form(Forms.path)
    package static let anyNumber = Shape.number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
    package static let positive = Shape.integer(1...Int.max)
    package static let natural = Shape.integer(0...Int.max)
}

package enum Forms {
    package static let durationPattern = #"[0-9]+(\.[0-9]+)? ?(us|ms|s|min|h|day|days)"#

    package static let duration = Shape.Form(
        #"a duration such as "10 s""#, pattern: "^\(durationPattern)$", correction: Corrections.duration
    ) { Duration(parsing: $0) != nil }

    package static let rate = Shape.Form(
        #"a rate such as "500 Hz""#, pattern: #"^[0-9]+(\.[0-9]+)? ?Hz$"#, correction: Corrections.rate
    ) { (Units.quantity($0, unit: "Hz") ?? 0) > 0 }

    package static let distance = Shape.Form(
        #"a distance such as "3 m""#, pattern: #"^[0-9]+(\.[0-9]+)? ?m$"#, correction: Corrections.distance
    ) { Units.quantity($0, unit: "m") != nil }

    package static let octets = Shape.Form(
        #"octets such as "00FF" or "00 ff""#, pattern: "^([0-9A-Fa-f]{2}( ?[0-9A-Fa-f]{2})*)?$",
        correction: Corrections.octets
    ) { Value.octets(of: $0) != nil }

    static let code = Shape.Form(#"a code such as "0x80""#, pattern: "^0x[0-9A-Fa-f]{2}$") { codeNumber($0) != nil }

    /// The number of an error or reason without a name, as the event log prints it: `0x80`; nil for other text.
    static func codeNumber(_ text: String) -> UInt8? {
        guard text.utf8.count == 4, text.hasPrefix("0x") else { return nil }
        return UInt8(text.dropFirst(2), radix: 16)
    }

    package static let uuid = Shape.Form(
        #"a UUID such as "180D""#,
        pattern: "^([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$",
        correction: Corrections.uuid
    ) { UUID($0) != nil }

    package static let address = Shape.Form(
        #"an address such as "C0:FF:EE:00:00:01/random""#,
        pattern: "^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}(/(public|random))?$", correction: Corrections.address
    ) { DeviceAddress($0) != nil }

    package static let id = Shape.Form(
        #"an id such as "chest_strap""#, pattern: "^[a-z][a-z0-9_]*$", correction: Corrections.id, accepts: isWord)

    package static let entity = Shape.Form(
        #"a path such as "strap/heart_rate""#, pattern: "^[a-z][a-z0-9_]*(/[a-z0-9_][a-z0-9_-]*){0,2}$",
        correction: Corrections.path
    ) { text in
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        return words.count <= 3 && isWord(String(words[0]))
            && words.dropFirst().allSatisfy { word in
                word.first != "-" && !word.isEmpty && word.utf8.allSatisfy { isWordOctet($0) || $0 == 45 }
            }
    }

    package static let path = Shape.Form(#"a file path such as "straps/chest.json""#, pattern: ".") { !$0.isEmpty }

    package static let wallTime = Shape.Form(
        #"a time such as "2024-03-01T23:50:00+01:00""#,
        pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})$"
    ) { WallTime($0) != nil }

    package static let timeOfDay = Shape.Form(
        #"a time of day such as "07:30""#, pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$"
    ) { Units.timeOfDay($0) != nil }

    package static let eventNames = Event.Kind.allCases.map(\.rawValue)

    package static let moment = Shape.Form(
        #"a moment such as "10 s", "start", "end" or "connected""#,
        pattern: "^(\(durationPattern)|start|end|\(eventNames.joined(separator: "|")))$",
        names: ["start", "end"] + eventNames, correction: Corrections.moment
    ) { $0 == "start" || $0 == "end" || Event.Kind(rawValue: $0) != nil || Duration(parsing: $0) != nil }

    package static let event = Shape.Form(
        #"an event such as "connected""#, pattern: "^(\(eventNames.joined(separator: "|")))$", names: eventNames
    ) { Event.Kind(rawValue: $0) != nil }

    package static let variable = Shape.Form(#"a variable such as "${rest}""#, pattern: #"^\$\{[a-z][a-z0-9_]*\}$"#) {
        variableName($0) != nil
    }

    package static let matchers = ["$each", "$one_of", "$min", "$max", "$any", "$not", "$truth"]

    package static let literalKey = Shape.Form(
        "a matcher's key", pattern: "^[^$]|^$", names: matchers, correction: Corrections.matcher
    ) { $0.first != "$" }

    /// The name in `${name}`; nil for other text.
    package static func variableName(_ text: String) -> String? {
        guard text.hasPrefix("${"), text.hasSuffix("}") else { return nil }
        let name = String(text.dropFirst(2).dropLast())
        return isWord(name) ? name : nil
    }

    @Sendable package static func isWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, (97...122).contains(first) else { return false }
        return text.utf8.allSatisfy(isWordOctet)
    }

    private static func isWordOctet(_ octet: UInt8) -> Bool {
        (97...122).contains(octet) || (48...57).contains(octet) || octet == 95
    }
}
