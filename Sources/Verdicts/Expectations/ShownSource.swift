import Basics
import Bluetooth
import Devices
import ScenarioModel
import Services

/// A value of a device that a client prints under a key of its lines, and what was delivered of it.
struct ShownSource: Sendable {
    let entity: EntityReference
    let device: Int
    /// The key of the line: `heart_rate`.
    let key: String
    /// The key within the line's value, if the delivered value has none itself: `manufacturer` of `information`.
    private let member: String?
    private let role: ClientUse.Role
    private let isText: Bool
    /// The tolerances by the key of the field; "" for a value that is not an object.
    private let tolerances: [String: Double]
    /// The fields that are numbers.
    private let numbers: Set<String>
    private var fields: [String: RecentValues] = [:]
    /// Until when any value may be shown, because what was delivered is not known.
    private var unknownUntil: Instant?
    /// The number of samples; nil if a notification could not be counted.
    private(set) var samples: Int? = 0

    init(_ entity: EntityReference, _ device: Int, _ value: ServiceValue, in service: ServiceDescription) {
        let characteristic = service.characteristics[value.characteristic]
        (self.entity, self.device) = (entity, device)
        (key, member, role) = (characteristic.client.key, characteristic.client.member, characteristic.client.role)
        isText = if case .text = value.description.content { true } else { false }
        // Parts with the same key mean the same in all values of a service: the pulse rate of a spot-check.
        let described = service.values.map(\.description)
        var tolerances: [String: Double] = [:]
        var numbers: Set<String> = []
        if let own = value.description.key {
            tolerances = Dictionary(
                described.compactMap { part in part.key.map { ($0, part.tolerance) } }, uniquingKeysWith: max)
            tolerances[own] = value.description.tolerance
            numbers = Set(described.filter(\.hasNumbers).compactMap(\.key))
        } else if case .structure = value.description.content {
            tolerances = [:]
        } else {
            tolerances[characteristic.client.member ?? ""] = value.description.tolerance
            numbers = value.description.hasNumbers ? [characteristic.client.member ?? ""] : []
        }
        if role == .heartRates { (tolerances, numbers) = (["bpm": 0], ["bpm"]) }
        // Of an ECG, a client prints only the number of samples.
        let isECG = role.isStream && role != .heartRates
        (self.tolerances, self.numbers) = isECG ? ([:], []) : (tolerances, numbers)
    }

    /// Whether a client prints the number of its values.
    var isCounted: Bool { role.isStream }

    // MARK: Deliveries

    /// A delivered value as a client prints it under the key; nil if it is not known.
    func shown(for value: Datum?) -> Datum? {
        switch value {
        case nil: nil
        case .list? where role == .heartRates: value?.elements.last.map { .object([Datum.Member("bpm", $0)]) }
        case .object?: value
        case let value?: member.map { .object([Datum.Member($0, value)]) } ?? value
        }
    }

    mutating func deliver(_ observed: ObservedEvent, at now: Instant, memory: Duration) {
        guard let value = observed.value else {
            (unknownUntil, samples) = (.never, nil)
            return
        }
        if unknownUntil == .never { unknownUntil = now.advanced(by: memory) }
        if isCounted { samples = samples.map { $0 + observed.count } }
        switch value {
        case .object(let members):
            for member in members where tolerances[member.key] != nil {
                deliver(member.value, as: member.key, at: now, memory)
            }
        case .list where role == .heartRates: deliver(value, as: "bpm", at: now, memory)
        default: deliver(value, as: member ?? "", at: now, memory)
        }
    }

    /// Something was delivered that may be this value.
    mutating func deliverUnknown(at now: Instant, memory: Duration) {
        (unknownUntil, samples) = (max(unknownUntil ?? .start, now.advanced(by: memory)), nil)
    }

    private mutating func deliver(_ value: Datum, as field: String, at now: Instant, _ memory: Duration) {
        guard tolerances[field] != nil else { return }
        fields[field, default: RecentValues()].deliver(value, at: now, memory: memory)
    }

    // MARK: Lines

    /// Whether its value in a line is a number, not an object.
    var isNumber: Bool { numbers.contains("") }

    /// Whether a client may show only what was delivered for a field. The field "" is the value as a whole.
    func judges(_ field: String) -> Bool { tolerances[field] != nil || isWhole(field) }

    /// Whether a field is an object with numbers.
    private func isWhole(_ field: String) -> Bool { field.isEmpty && tolerances[""] == nil && !numbers.isEmpty }

    /// The latest value of a field; nil if there is none.
    func latest(_ field: String) -> Datum? {
        guard !isWhole(field) else {
            let members = fields.keys.sorted().compactMap { key in latest(key).map { Datum.Member(key, $0) } }
            return members.isEmpty ? nil : .object(members)
        }
        // The lines of a stream have its last heart rate.
        return role == .heartRates ? fields[field]?.latest?.elements.last : fields[field]?.latest
    }

    /// How long ago a value of a field was delivered; nil if this is not known, or not judged.
    func age(of shown: Datum, as field: String, since start: Instant, at now: Instant) -> RecentValues.Age? {
        guard judges(field), unknownUntil.map({ $0 < now }) ?? true else { return nil }
        guard let values = fields[field], !values.isEmpty else { return .never }
        let tolerance = tolerances[field] ?? 0
        let isSame: (Datum) -> Bool = { isText ? shown.begins(with: $0) : shown.isShown(for: $0, tolerance) }
        let age = values.age(of: shown, since: start, where: isSame)
        guard age == .never else { return age }
        guard !numbers.contains(field) else {
            // Null means a special value, or a number that is too great for the log.
            let mayBeSpecial = values.age(of: .null, since: start) { $0 == .null } == .recent
            return mayBeSpecial && shown.isSpecial ? nil : .never
        }
        // A client may use another type for what has no name.
        if values.contains(where: { $0 != .null }), !values.contains(where: shown.hasType) { return nil }
        return age
    }
}

extension Datum {
    /// The elements of a list; itself if it is something else.
    var elements: [Datum] { if case .list(let elements) = self { elements } else { [self] } }

    /// Whether a client may show it for a value.
    fileprivate func isShown(for other: Datum, _ tolerance: Double) -> Bool {
        switch (self, other) {
        case (.number(let shown), .number(let value)): value.equals(shown, within: tolerance)
        case (.string(let shown), .string(let value)): shown.comparable == value.comparable
        default: self == other
        }
    }

    /// Whether it is text that begins with a delivered part.
    fileprivate func begins(with other: Datum) -> Bool {
        guard case .string(let shown) = self, case .string(let part) = other else { return self == other }
        return shown.hasPrefix(part) || shown.comparable == part.comparable
    }

    /// Whether a client may show it for a number that is special, or too great for the log.
    fileprivate var isSpecial: Bool {
        switch self {
        case .number(let number): number.magnitude >= 1e12
        case .string: true
        case .null, .bool, .list, .object: false
        }
    }

    fileprivate func hasType(of other: Datum) -> Bool {
        switch (self, other) {
        case (.number, .number), (.string, .string), (.bool, .bool): true
        default: false
        }
    }
}

extension ValueDescription {
    /// Whether a client shows a number for it, or several.
    fileprivate var hasNumbers: Bool {
        switch content {
        case .number, .numbers: true
        case .truth, .word, .text, .structure, .custom: false
        }
    }
}

extension String {
    /// Without case and punctuation.
    fileprivate var comparable: String { lowercased().filter { $0.isLetter || $0.isNumber } }
}
