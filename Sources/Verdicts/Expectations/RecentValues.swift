import Basics
import ScenarioModel

/// The values of one field that a client may show: those delivered last, and those that these have replaced recently.
struct RecentValues: Sendable {
    enum Age: Hashable, Sendable {
        case recent
        /// It was replaced too long ago.
        case stale
        case never
    }

    private static let maximumPast = 65_536

    /// The value delivered last: a list, or one value.
    private(set) var latest: Datum?
    private var past: [Datum: Instant] = [:]  // when they were replaced

    mutating func deliver(_ value: Datum, at now: Instant, memory: Duration) {
        guard value != latest else { return }
        for value in latest?.elements ?? [] { past[value] = now }
        latest = value
        guard past.count > Self.maximumPast else { return }
        let start = now.advanced(by: .zero - memory)
        past = past.filter { $0.value >= start }
    }

    var isEmpty: Bool { latest == nil }

    func contains(where isSame: (Datum) -> Bool) -> Bool {
        latest?.elements.contains(where: isSame) ?? false || past.keys.contains(where: isSame)
    }

    /// Whether a value that is the same as `shown` was among the latest at `start` or later.
    func age(of shown: Datum, since start: Instant, where isSame: (Datum) -> Bool) -> Age {
        if latest?.elements.contains(where: isSame) ?? false { return .recent }
        if let end = past[shown], end >= start { return .recent }
        var age = Age.never
        for (value, end) in past where isSame(value) {
            if end >= start { return .recent }
            age = .stale
        }
        return age
    }
}
