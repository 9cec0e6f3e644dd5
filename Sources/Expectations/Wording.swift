import Bluetooth
import EventLog
import Scenarios
import Simulation
import Spelling

/// How a verdict is said: what was expected, what was seen instead, and when, in seconds as the event log has them.
struct Wording: Sendable {
    private let names: [(thing: Thing, path: String)]
    private let rules: [String?]

    init(scenario: Scenario) {
        var names: [(Thing, String)] = []
        for (device, content) in scenario.devices.enumerated() {
            var things = [Thing.device(device)]
            for (service, content) in content.services.enumerated() {
                things.append(.service(device: device, service: service))
                things += content.parts.indices.map { .part(device: device, service: service, part: $0) }
            }
            names += things.map { ($0, scenario.path(of: $0) ?? "") }
        }
        self.names = names
        rules = scenario.script.map(\.id)
    }

    // MARK: Reasons

    func failure(
        _ expectation: Expectation, _ decision: Decision, _ sights: Sights, share: (Int, Int)?, _ truths: Truths
    ) -> String {
        var text = "expected \(wish(expectation)) \(place(expectation, decision.opened)); "
        if let (passed, all) = share { text += "so it was in \(passed) of \(all) cases, and first not so: " }
        text += seen(expectation, decision, sights)
        let truths = expectation.expected.flatMap(\.truths).map { truth in
            "\(truth.statistic) of \(name(of: truth.of)) is \(truths.present(truth).map(\.json) ?? "not known")"
        }
        if case .seen = expectation.question, !truths.isEmpty { text += "; \(truths.joined(separator: ", "))" }
        return text
    }

    func inconclusive(_ expectation: Expectation, hasOpened: Bool, at now: Instant) -> String {
        guard hasOpened else {
            // What comes when that is over opens nothing.
            if case .time(let time)? = expectation.until {
                return "\(words(expectation.opens)) did not come before \(words(time))"
            }
            return "\(words(expectation.opens)) did not come before the end at \(now) s"
        }
        if case .rate(_, let length, _) = expectation.question {
            return "no \(words(length)) since \(words(expectation.opens)) was over before the end at \(now) s"
        }
        return "what \(words(expectation.opens)) opened was not decided before the end at \(now) s"
    }

    func overrun(_ expectation: Expectation) -> String {
        "\(words(expectation.opens)) came too often at once to judge all of them"
    }

    private func wish(_ expectation: Expectation) -> String {
        switch expectation.question {
        case .seen(let event, _): words(event)
        case .never(let event): "no \(words(event))"
        case .count(let event, let limits): "\(words(limits)) \(words(event))"
        case .order(let events): events.map(words).joined(separator: ", then ")
        case .rate(let event, let length, let limits): "\(words(limits)) \(words(event)) in each \(words(length))"
        case .delay(_, let event, let percentile, _):
            words(event) + (percentile < 100 ? " in \(Datum.number(percentile).json) % of the cases" : "")
        }
    }

    private func place(_ expectation: Expectation, _ opened: Instant) -> String {
        let opening = expectation.opens == .start ? "the start" : "\(words(expectation.opens)) at \(opened) s"
        let until = expectation.until.map { " and before \(words($0))" } ?? ""
        return expectation.bound.map { "within \(words($0)) of \(opening)\(until)" } ?? "since \(opening)\(until)"
    }

    private func seen(_ expectation: Expectation, _ decision: Decision, _ sights: Sights) -> String {
        switch (decision.fault, expectation.question) {
        case (.count(_), .never): return "saw \(sights.hit.map(words) ?? "one at \(decision.at) s")"
        case (.count(0), .seen), (.count(0), .delay):
            guard let miss = sights.miss, miss.instant >= decision.opened else {
                return "saw none until \(decision.at) s"
            }
            return "saw none until \(decision.at) s, but \(words(miss))"
        case (.count(let count), _): return "saw \(count) until \(decision.at) s"
        case (.window(let begin, let end, let count), _): return "saw \(count) from \(begin) s to \(end) s"
        case (.order(let event, let before), .order(let events)):
            return "saw \(words(events[event])) at \(decision.at) s before \(words(events[before]))"
        case (.missing(let event), .order(let events)):
            return "saw no \(words(events[event])) until \(decision.at) s"
        default: return "saw something else at \(decision.at) s"
        }
    }

    // MARK: Words

    private func words(_ sight: Sights.Sight) -> String {
        let value = sight.happening.value.map { " \($0.json.brief)" } ?? ""
        let code = sight.happening.code.map { " \(name(ofCode: $0, of: sight.happening.kind))" } ?? ""
        return "\(sight.happening.kind.rawValue)\(of(sight.happening.of))\(code)\(value) at \(sight.instant) s"
    }

    private func name(ofCode code: UInt8, of kind: Event.Kind) -> String {
        switch kind {
        case .refused: ATTError(rawValue: code).name
        case .exited: "\(code)"
        default: HCIStatus(rawValue: code).name ?? "\(code)"
        }
    }

    private func words(_ moment: Moment) -> String {
        switch moment {
        case .start: "the start"
        case .end: "the end"
        case .time(let time): words(time)
        case .repeated(let first, let every, _): "\(words(first)) and every \(words(every))"
        case .event(let event): words(event)
        }
    }

    private func words(_ event: Event) -> String {
        var text = event.kind.rawValue + of(event.of)
        for filter in event.filters {
            switch filter {
            case .code(.name(let name)): text += " \(name)"
            case .code(.number(let number)): text += " \(number)"
            case .status(let status): text += " \(status)"
            case .value(let matcher), .line(let matcher): text += " \(json(matcher))"
            }
        }
        switch event.occurrence {
        case .each: break
        case .nth(let nth): text += " number \(nth)"
        case .every(let step): text += " (every \(step))"
        }
        return event.delay > .zero ? "\(words(event.delay)) after \(text)" : text
    }

    private func of(_ thing: Thing?) -> String {
        guard let thing, thing != .client else { return "" }
        return " of \(name(of: thing))"
    }

    private func name(of thing: Thing) -> String {
        if case .rule(let index) = thing {
            return rules.indices.contains(index) ? rules[index] ?? "rule \(index + 1)" : "a rule"
        }
        return names.first { $0.thing == thing }?.path ?? "client"
    }

    private func words(_ limits: Expectation.Limits) -> String {
        let (min, max) = (limits.min.map { Datum.number($0).json }, limits.max.map { Datum.number($0).json })
        return switch (min, max) {
        case (let min?, let max?): min == max ? min : "\(min) to \(max)"
        case (let min?, nil): "at least \(min)"
        case (nil, let max?): "at most \(max)"
        case (nil, nil): "any number of"
        }
    }

    private func words(_ duration: Duration) -> String {
        let nanoseconds = duration.inNanoseconds
        let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000)] as [(String, Int64)]
        let (unit, size) = units.first { nanoseconds % $0.1 == 0 } ?? ("ns", 1)
        return "\(nanoseconds / size) \(unit)"
    }

    // MARK: JSON

    /// A matcher as it is written.
    private func json(_ matcher: Matcher) -> String {
        switch matcher {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): Datum.number(number).json
        case .string(let string): string.quoted
        case .list(let matchers): "[\(matchers.map(json).joined(separator: ", "))]"
        case .object(let members):
            objectText(members.map { ($0.key, json($0.matcher)) })
        case .each(let matcher): objectText([("$each", json(matcher))])
        case .oneOf(let matchers): objectText([("$one_of", json(.list(matchers)))])
        case .any(let something): objectText([("$any", "\(something)")])
        case .not(let matcher): objectText([("$not", json(matcher))])
        case .between(let limits):
            objectText(
                [("$min", limits.min), ("$max", limits.max)].compactMap { key, limit in
                    limit.map { (key, Datum.number($0).json) }
                })
        case .truth(let truth):
            objectText([("$truth", truth.statistic.rawValue.quoted), ("of", name(of: truth.of).quoted)])
        }
    }
}

extension Datum {
    /// As JSON, on one line.
    fileprivate var json: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .string(let string): string.quoted
        case .list(let values): "[\(values.map(\.json).joined(separator: ", "))]"
        case .object(let members): objectText(members.map { ($0.key, $0.value.json) })
        }
    }
}

private func objectText(_ members: [(key: String, json: String)]) -> String {
    "{\(members.map { "\($0.key.quoted): \($0.json)" }.joined(separator: ", "))}"
}
