package import Basics
package import ScenarioModel

/// Follows the events of a world while they happen, as the judge of a scenario's expectations does.
///
/// It changes nothing in the world. A copy of the world has a copy of it.
package protocol WorldObserver: Sendable {
    /// The kinds of events that it receives.
    var kinds: [EventName] { get }
    /// Whether further events change nothing for it.
    var isDecided: Bool { get }
    /// Whether time limits wait until the operator has connected their client.
    var waitsForConnection: Bool { get }
    /// Whether it has questions to an operator that are not answered yet.
    var hasQuestions: Bool { get }

    /// Takes an event of one of its kinds, in the order of the event log.
    mutating func observe(_ event: ObservedEvent, at now: Instant)

    /// Takes a moment that no event of the scenario marks.
    mutating func observe(_ moment: WorldMoment, at now: Instant)
}

/// A line that a client has printed, for the event log, and its value.
package protocol ClientReport: JSONWritable {
    /// Nil if the line is empty.
    var datum: Datum? { get }
}

extension ClientReport {
    package var datum: Datum? { Datum(json: json.utf8) }
}

/// A moment in the life of a world that no event of its scenario marks.
package enum WorldMoment: Sendable {
    /// The present is later than before, without an event.
    case timePassed
    /// External clients ran on while this machine was stalled; the events that were late for that reason come after it.
    case stalled(from: Instant, to: Instant)
    /// The clock was set back to the present: no stall reaches beyond it.
    case clockSetBack
    /// There are no more events, but an operator can still answer.
    case limitReached
    /// The scenario has ended.
    case ended
}

extension World {
    /// Whether further events change nothing for the observer.
    package var isDecided: Bool { observer?.isDecided ?? false }

    /// Whether time limits wait until the operator has connected their client.
    package var waitsForConnection: Bool { observer?.waitsForConnection ?? false }

    /// Reports a moment to the observer.
    package mutating func report(_ moment: WorldMoment) {
        let now = now
        observer?.observe(moment, at: now)
    }
}
