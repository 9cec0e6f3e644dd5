import Basics
package import Conformance
package import Linux
import Synchronization

/// How time passes for a client under test.
package enum ClientPace: Sendable {
    case real
    /// A client that cannot follow is refused.
    case virtual(VirtualTime)
    /// Virtual time, until a process of the client cannot follow; then real time.
    case automatic(TimeChoice)

    /// The time of the cases that were played, for reports.
    package var time: Report.Time? {
        switch self {
        case .real: nil
        case .virtual: .virtual
        case .automatic(let choice): choice.time
        }
    }

    /// Whether cases are, or can be, played in virtual time.
    package var canBeVirtual: Bool { if case .real = self { false } else { true } }

    /// How much virtual time each turn of the client takes; nil if turns take none.
    package var charge: TurnCharge? { if case .virtual(let time) = self { time.charge } else { nil } }
}

/// The options of virtual time.
package struct VirtualTime: Sendable {
    /// The value of `--speed`.
    let word: String
    /// How many times as fast as the machine's clock it passes; nil: as fast as possible.
    let factor: Double?
    /// How much time each turn of the client takes; nil: none.
    let charge: TurnCharge?

    static let fastest = VirtualTime("max")

    package init(_ word: String, factor: Double? = nil, charge: TurnCharge? = nil) {
        (self.word, self.factor, self.charge) = (word, factor, charge)
    }

    /// The options that repeat a case in this time.
    var options: [String] { ["--speed", word] + (charge.map { ["--compute", "\($0)"] } ?? []) }
}

/// Whether the cases of a run are played in virtual time: until a process of the client cannot follow. For all threads.
package final class TimeChoice: Sendable {
    private struct State {
        var isVirtual: Bool
        var played: Set<Report.Time> = []
    }

    private let state: Mutex<State>

    package init(isVirtual: Bool = true) { state = Mutex(State(isVirtual: isVirtual)) }

    var isVirtual: Bool { state.withLock(\.isVirtual) }

    /// The time of the cases that were played; nil before the first.
    var time: Report.Time? { state.withLock { $0.played.count > 1 ? .mixed : $0.played.first } }

    /// From now on, cases are played in real time. Returns whether they were not before.
    func takeRealTime() -> Bool {
        state.withLock { state in
            defer { state.isVirtual = false }
            return state.isVirtual
        }
    }

    func note(_ time: Report.Time) { state.withLock { _ = $0.played.insert(time) } }
}
