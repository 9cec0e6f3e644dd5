import ScenarioModel

/// Finds the evaluators that an event concerns, without asking the others.
struct EventIndex: Sendable {
    private struct Topic: Hashable {
        let kind: Event.Kind
        /// Nil for any entity.
        let of: EntityReference?
    }

    private var evaluators: [Topic: Set<Int>] = [:]

    mutating func add(_ evaluator: Int, for events: [Event]) {
        for topic in Self.topics(of: events) { evaluators[topic, default: []].insert(evaluator) }
    }

    mutating func remove(_ evaluator: Int, for events: [Event]) {
        for topic in Self.topics(of: events) { evaluators[topic]?.remove(evaluator) }
    }

    /// The evaluators with an event that concerns what was observed, in ascending order.
    func evaluators(concernedBy observed: ObservedEvent) -> [Int] {
        let found = Self.entities(with: observed.of).compactMap { entity -> Set<Int>? in
            let found = evaluators[Topic(kind: observed.kind, of: entity)]
            return found?.isEmpty == true ? nil : found
        }
        guard let first = found.first else { return [] }
        return found.dropFirst().reduce(first) { $0.union($1) }.sorted()
    }

    private static func topics(of events: [Event]) -> [Topic] {
        events.flatMap { event in
            [Topic(kind: event.kind, of: event.of)]
                + (event.carrier.map { [Topic(kind: event.kind, of: $0.value)] } ?? [])
        }
    }

    /// The references that include an entity, and nil, which means any.
    private static func entities(with entity: EntityReference?) -> [EntityReference?] {
        switch entity {
        case .value(let device, let service, _)?:
            [nil, .device(device), .service(device: device, service: service), entity]
        case .service(let device, _)?: [nil, .device(device), entity]
        case .device?, .client?, .rule?: [nil, entity]
        case nil: [nil]
        }
    }
}
