import Bluetooth
import EventLog
import Scenarios
import Simulation
import Spelling

/// How a verdict is said: what was expected, what was seen instead, and when, in seconds as the event log has them.
struct Wording: Sendable {
    private let names: [(entity: EntityReference, path: String)]
    private let rules: [String?]

    init(scenario: Scenario) {
        var names: [(EntityReference, String)] = []
        for (device, content) in scenario.devices.enumerated() {
            var entities = [EntityReference.device(device)]
            for (service, content) in content.services.enumerated() {
                entities.append(.service(device: device, service: service))
                entities += content.values.indices.map { .part(device: device, service: service, part: $0) }
            }
            names += entities.map { ($0, scenario.path(of: $0) ?? "") }
        }
        self.names = names
        rules = scenario.script.map(\.id)
    }

    // MARK: Reasons

    func failure(
        _ expectation: Expectation, _ decision: Decision, _ sights: Sights, share: (Int, Int)?, _ truths: Truths
    ) -> Reason {
        let seen = seen(expectation, decision, sights)
        guard case .seen = expectation.question else {
            guard let (passed, all) = share else {
                return Reason(expected: expected(expectation, decision.opened), seen: seen)
            }
            let first = opening(expectation, decision.opened)
            let so = "so it was in \(passed) of \(all), and first not after \(first)"
            return Reason(expected: expected(expectation, nil), seen: "\(so): \(seen)")
        }
        let present = expectation.expected.flatMap(\.truths).map { truth in
            "\(words(truth)) was \(truths.present(truth).map(\.json) ?? "not known")"
        }
        return Reason(
            expected: expected(expectation, decision.opened), seen: ([seen] + present).joined(separator: "; "))
    }

    func inconclusive(_ expectation: Expectation, _ standing: Standing, at now: Instant) -> Reason {
        switch standing {
        case .neverCame:
            // What comes when that is over opens nothing.
            if case .time(let time)? = expectation.until, .start.advanced(by: time) <= now {
                return Reason(seen: "\(words(expectation.opens)) did not come before \(words(time))")
            }
            return Reason(seen: "\(words(expectation.opens)) did not come before the end at \(now) s")
        case .cameLate(let instant, let over):
            return Reason(
                seen: "\(words(expectation.opens)) came too late, at \(instant) s: this was over at \(over) s")
        case .opened(let opened):
            let expected = expected(expectation, opened)
            if case .rate = expectation.question {
                return Reason(
                    expected: expected, seen: "no whole window could be judged by the end at \(now) s")
            }
            return Reason(expected: expected, seen: "the end at \(now) s came before that was decided")
        }
    }

    /// Why an expectation failed by what a person said.
    func denied(_ expectation: Expectation, _ opened: Instant, _ answer: String) -> Reason {
        Reason(expected: expected(expectation, opened), seen: answer)
    }

    func overrun(_ expectation: Expectation) -> Reason {
        Reason(seen: "\(words(expectation.opens)) came too often at once to judge all of them")
    }

    /// Why a failure counts for nothing: `this machine stood still for 2.1 s: …`.
    func excused(_ reason: Reason, _ standstill: Duration) -> Reason {
        let tenths = (standstill.inNanoseconds + 50_000_000) / 100_000_000
        return Reason(seen: "this machine stood still for \(tenths / 10).\(tenths % 10) s: \(reason)")
    }

    /// What was expected since an opening; of all openings together when there is none.
    private func expected(_ expectation: Expectation, _ opened: Instant?) -> String {
        var text = wish(expectation) + " "
        let start = opened.map { opening(expectation, $0) } ?? words(expectation.opens)
        switch (expectation.bound, expectation.until) {
        case (let bound?, let until?): text += "within \(words(bound)) after \(start) and before \(words(until))"
        case (let bound?, nil): text += "within \(words(bound)) after \(start)"
        case (nil, let until?): text += "from \(start) until \(words(until))"
        case (nil, nil): text += "since \(start)"
        }
        guard expectation.percentile < 100 else { return text }
        return text + " in \(Datum.number(expectation.percentile).json) % of the cases"
    }

    private func wish(_ expectation: Expectation) -> String {
        switch expectation.question {
        case .seen(let event, _), .delay(_, let event, _, _): words(event)
        case .never(let event): "no \(words(event))"
        case .count(let event, let limits): "\(words(limits)) \(words(event))"
        case .order(let events): events.map(words).joined(separator: ", then ")
        case .rate(let event, let length, let limits): "\(words(limits)) \(words(event)) in each \(words(length))"
        }
    }

    private func opening(_ expectation: Expectation, _ opened: Instant) -> String {
        switch expectation.opens {
        case .start: "the start"
        case .event(let event): "\(words(event)) at \(opened) s"
        case .end, .time, .repeated: "\(opened) s"
        }
    }

    private func seen(_ expectation: Expectation, _ decision: Decision, _ sights: Sights) -> String {
        switch (decision.fault, expectation.question) {
        case (.count(_), .never(let event)):
            guard let hit = sights.hit, event.delay <= .zero else { return "saw one at \(decision.at) s" }
            return "saw \(words(hit))"
        case (.count(0), .seen), (.count(0), .delay):
            let text = "it had not come by \(decision.at) s"
            guard let miss = sights.miss, (decision.opened...max(decision.opened, decision.at)).contains(miss.instant)
            else { return text }
            return "\(text), but \(words(miss))"
        case (.count(let count), _): return "saw \(count) by \(decision.at) s"
        case (.window(let begin, let end, let count), _): return "saw \(count) from \(begin) s to \(end) s"
        case (.order(let event, let before), .order(let events)):
            return "saw \(words(events[event])) at \(decision.at) s before \(words(events[before]))"
        case (.missing(let event), .order(let events)):
            return "saw no \(words(events[event])) by \(decision.at) s"
        default: return "saw something else at \(decision.at) s"
        }
    }

    // MARK: Words

    private func words(_ sight: Sights.Sight) -> String {
        let value = sight.value.map { " \($0.json.abbreviated)" } ?? ""
        let code = sight.observed.code.map { " \(name(ofCode: $0, of: sight.observed.kind))" } ?? ""
        return "\(sight.observed.kind.rawValue)\(of(sight.of))\(code)\(value) at \(sight.instant) s"
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
        case .repeated(let first, let every, _): "\(words(first)) and then every \(words(every))"
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
        case .every(let step): text += " (one of every \(step))"
        }
        return event.delay > .zero ? "\(text) (\(words(event.delay)) later)" : text
    }

    private func words(_ truth: Matcher.Truth) -> String {
        let last = truth.last.map { " of the last \($0) values" } ?? ""
        let below = truth.below.map { " below \(Datum.number($0).json)" } ?? ""
        return "\(truth.statistic)\(last)\(below) of \(name(of: truth.of))"
    }

    private func of(_ entity: EntityReference?) -> String {
        guard let entity, entity != .client else { return "" }
        return " of \(name(of: entity))"
    }

    private func name(of entity: EntityReference) -> String {
        if case .rule(let index) = entity {
            return rules.indices.contains(index) ? rules[index] ?? "rule \(index + 1)" : "a rule"
        }
        return names.first { $0.entity == entity }?.path ?? "client"
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
            objectText(
                [("$truth", truth.statistic.rawValue.quoted), ("of", name(of: truth.of).quoted)]
                    + [
                        ("last", truth.last.map(Double.init)), ("below", truth.below),
                        ("$tolerance", truth.tolerance > 0 ? truth.tolerance : nil),
                    ].compactMap { key, number in number.map { (key, Datum.number($0).json) } })
        }
    }
}

extension Datum {
    /// As JSON, on one line.
    var json: String {
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
