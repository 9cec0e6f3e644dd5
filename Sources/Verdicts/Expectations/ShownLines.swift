import ScenarioModel

/// The lines that a client prints, of those that the contract of clients defines.
package struct ShownLines: Sendable {
    /// A value of a line.
    package enum Value: Hashable, Sendable {
        /// All that is under a key.
        case all(String)
        /// A member of the object under a key, or one of the key's words.
        case part(String, String)
        /// The line that has null under a key.
        case absence(String)

        fileprivate var key: String {
            switch self {
            case .all(let key), .part(let key, _), .absence(let key): key
            }
        }
    }

    /// Nil: all.
    private let values: Set<Value>?
    /// Why expectations of other lines are skipped.
    let reason: String

    /// `reason` explains why expectations of other lines are skipped.
    package init(_ values: some Sequence<Value>, reason: String) {
        (self.values, self.reason) = (Set(values), reason)
    }

    private init() { (values, reason) = (nil, "") }

    /// All lines of the contract.
    package static let all = ShownLines()

    /// The heart rate in beats per minute, and the client's states.
    package static let heartRate = ShownLines(
        [.part("heart_rate", "bpm"), .absence("heart_rate"), .all("state"), .all("peer")],
        reason: "the client shows only its heart rate")

    /// Whether the client can print the line of an event; true for events of other kinds.
    func contains(_ event: Event) -> Bool {
        guard event.kind == .said, values != nil else { return true }
        return event.filters.allSatisfy { filter in
            if case .line(let matcher) = filter { contains(matcher) } else { true }
        }
    }

    private func contains(_ line: Matcher) -> Bool {
        switch line {
        case .object(let members): members.allSatisfy { contains($0.key, $0.matcher) }
        case .oneOf(let matchers): matchers.contains { contains($0) }
        default: true
        }
    }

    private func contains(_ key: String, _ matcher: Matcher) -> Bool {
        guard let values else { return true }
        if case .null = matcher { return values.contains(.absence(key)) }
        guard !values.contains(.all(key)) else { return true }
        switch matcher {
        case .object(let members) where !members.isEmpty:
            return members.allSatisfy { values.contains(.part(key, $0.key)) }
        case .string(let word): return values.contains(.part(key, word))
        case .oneOf(let matchers): return matchers.contains { contains(key, $0) }
        default: return values.contains { $0.key == key }
        }
    }
}
