import Basics
import ScenarioModel

/// The conditions of a script's rules, and when the events that they are about have happened.
struct RuleConditions: Sendable {
    private struct State: Sendable {
        let rule: Int
        let condition: Condition
        /// Matches of its event.
        var matches = 0
        /// The last match that counts.
        var last: Instant?

        /// Whether it holds now.
        func holds(at now: Instant) -> Bool {
            guard let last else { return !condition.isWanted }
            let isMet = condition.within.map { last.advanced(by: $0) >= now } ?? true
            return isMet == condition.isWanted
        }
    }

    private var states: [State] = []
    private var places: [Event.Kind: [Int]] = [:]
    private var placesOfRules: [Int: [Int]] = [:]

    init(of script: [Rule]) {
        for (rule, content) in script.enumerated() {
            for condition in content.conditions {
                places[condition.event.kind, default: []].append(states.count)
                placesOfRules[rule, default: []].append(states.count)
                states.append(State(rule: rule, condition: condition))
            }
        }
    }

    /// The kinds of event that conditions are about.
    var kinds: Set<Event.Kind> { Set(places.keys) }

    /// Notes for which conditions an event counts; returns with how many it has been compared.
    mutating func note(_ observed: ObservedEvent, at now: Instant) -> Int {
        guard let known = places[observed.kind] else { return 0 }
        for place in known {
            let event = states[place].condition.event
            for _ in 0..<event.matches(in: observed) {
                states[place].matches += 1
                if event.occurrence.includes(states[place].matches) { states[place].last = now }
            }
        }
        return known.count
    }

    /// Whether all conditions of a rule hold now.
    func permit(_ rule: Int, at now: Instant) -> Bool {
        placesOfRules[rule]?.allSatisfy { states[$0].holds(at: now) } ?? true
    }
}
