import Basics
import Bluetooth
import ScenarioModel

/// Formats the reasons of verdicts: what was expected, what was observed, and when, in seconds as in the event log.
struct ReasonFormatter: Sendable {
    private let names: [(entity: EntityReference, path: String)]
    private let rules: [(id: String?, when: Moment)]

    init(scenario: Scenario) {
        var names: [(EntityReference, String)] = []
        for (device, content) in scenario.devices.enumerated() {
            var entities = [EntityReference.device(device)]
            for (service, content) in content.services.enumerated() {
                entities.append(.service(device: device, service: service))
                entities += content.values.indices.map { .value(device: device, service: service, value: $0) }
            }
            names += entities.map { ($0, scenario.path(of: $0) ?? "") }
        }
        self.names = names
        rules = scenario.script.map { ($0.id, $0.when) }
    }

    // MARK: Reasons

    func failure(
        _ expectation: Expectation, _ decision: Decision, _ nearMisses: NearMisses, share: (Int, Int)?, _ truths: Truths
    ) -> Reason {
        var (seen, cause) = seen(expectation, decision, nearMisses, truths)
        if let (passed, all) = share {
            let first = opening(expectation, decision.opened)
            return Reason(
                expected: expected(expectation, nil),
                seen: "\(passed) of \(all) passed; the first failure was after \(first): \(seen)", cause: cause)
        }
        if case .seen(let event, _) = expectation.question {
            for truth in event.truths where decision.asked[truth] == nil {
                let unknown =
                    truth.isFresh
                    ? "no value of \(name(of: truth.of)) was delivered since" : "\(text(truth)) was unknown"
                seen += "; " + (decision.asked.right(truth, truths).map { "\(text(truth)) was \($0.json)" } ?? unknown)
            }
        }
        return Reason(expected: expected(expectation, decision.opened, decision.asked), seen: seen, cause: cause)
    }

    func inconclusive(_ expectation: Expectation, _ openingState: OpeningState, at now: Instant) -> Reason {
        switch openingState {
        case .neverCame:
            let trigger = triggerOfRule(expectation.opens).map { "; \($0)" } ?? ""
            // A later match opens nothing.
            if case .time(let time)? = expectation.until, .start.advanced(by: time) <= now {
                return Reason(seen: "never reached: \(text(expectation.opens)) by \(text(time))\(trigger)")
            }
            return Reason(seen: "never reached: \(text(expectation.opens)) (the case ended at \(now) s)\(trigger)")
        case .cameLate(let instant, let over):
            return Reason(
                seen:
                    "too late: \(text(expectation.opens)) at \(instant) s, after the end of the expectation at \(over) s"
            )
        case .opened(let opened):
            let expected = expected(expectation, opened)
            if case .rate = expectation.question {
                return Reason(
                    expected: expected, seen: "the case ended at \(now) s, before the end of the first window")
            }
            return Reason(expected: expected, seen: "the case ended at \(now) s, before this was decided")
        }
    }

    /// The event that the rule of a moment waits for: `away begins after subscription to strap/heart_rate (number 5)`.
    private func triggerOfRule(_ moment: Moment) -> String? {
        guard case .rule(let index)? = moment.event?.of, rules.indices.contains(index),
            let trigger = rules[index].when.event
        else { return nil }
        return "\(name(of: .rule(index))) begins after \(text(trigger))"
    }

    /// The reason of a failure by an operator's answer.
    func denied(_ expectation: Expectation, _ opened: Instant, _ answer: String) -> Reason {
        Reason(expected: expected(expectation, opened), seen: answer)
    }

    func overrun(_ expectation: Expectation) -> Reason {
        Reason(seen: "too many occurrences at once to judge all of them: \(text(expectation.opens))")
    }

    /// The reason of an excused failure: `this machine stalled for 2.1 s: …`.
    func excused(_ reason: Reason, _ stall: Duration) -> Reason {
        Reason(seen: "this machine stalled for \(stall.inTenths) s: \(reason)")
    }

    /// The expectation since an opening; if that is nil, of all openings.
    private func expected(
        _ expectation: Expectation, _ opened: Instant?, _ asked: AskedValues = AskedValues()
    ) -> String {
        let start = opened.map { opening(expectation, $0) } ?? text(expectation.opens)
        let time =
            switch (expectation.bound, expectation.until) {
            case (let bound?, let until?): "within \(text(bound)) after \(start) and before \(text(until))"
            case (let bound?, nil): "within \(text(bound)) after \(start)"
            case (nil, let until?): "from \(start) until \(text(until))"
            case (nil, nil): "since \(start)"
            }
        let condition = "\(condition(expectation, asked)) \(time)"
        guard expectation.percentile < 100 else { return condition }
        return "\(condition) in \(Datum.number(expectation.percentile).json) % of the cases"
    }

    /// What has to happen.
    func condition(_ expectation: Expectation, _ asked: AskedValues = AskedValues()) -> String {
        switch expectation.question {
        case .seen(let event, _), .delay(_, let event, _, _): text(event, asked)
        case .never(let event): "no \(text(event))"
        case .count(let event, let limits): "\(text(limits)) × \(text(event))"
        case .order(let events): events.map { text($0) }.joined(separator: ", then ")
        case .rate(let event, let length, let limits): "\(text(limits)) × \(text(event)) in each \(text(length))"
        case .stream(let lines, let maximum):
            "each sample of \(name(of: lines.of)) once and in order\(maximum.map { ", within \(text($0))" } ?? "")"
        }
    }

    private func opening(_ expectation: Expectation, _ opened: Instant) -> String {
        switch expectation.opens {
        case .start: "the start"
        case .event(let event): "\(text(event)) at \(opened) s"
        case .end, .time, .repeated: "\(opened) s"
        }
    }

    private func seen(
        _ expectation: Expectation, _ decision: Decision, _ nearMisses: NearMisses, _ truths: Truths
    ) -> (String, cause: Cause?) {
        switch (decision.fault, expectation.question) {
        case (.count(_), .never(let event)):
            guard let hit = nearMisses.hit, event.delay <= .zero else {
                return ("observed one at \(decision.at) s", nil)
            }
            return ("observed \(text(hit))", contradiction(event, truths))
        case (.count(0), .seen), (.count(0), .delay):
            let some = expectation.expected.first.flatMap { event in
                event.delay > .zero ? nil : came(of: event.occurrence.first, decision, nearMisses)
            }
            let none = some ?? "observed none by \(decision.at) s\(tolerance(expectation, decision))"
            if let event = expectation.expected.first, event.expectsLine {
                // Lines about other things explain nothing.
                let nearest = NearestLine.nearest(to: event, decision, among: nearMisses.misses, truths)
                guard let nearest else { return (none, nil) }
                return ("\(none); the closest was \(text(nearest, decision.asked))", nearest.likeness)
            }
            guard let miss = nearMisses.miss, decision.window.contains(miss.instant) else { return (none, nil) }
            return ("\(none); the closest was \(text(miss))", nil)
        case (.count(let count), .count(_, let limits))
        where nearMisses.isDoubled && Double(count) > limits.max ?? .infinity:
            return (
                "observed \(count) by \(decision.at) s, the last two at once",
                Cause(KnownMistake.doubled.kind, "it looks like \(KnownMistake.doubled.cause)")
            )
        case (.count(let count), .count(let event, let limits))
        where event.occurrence == .each && event.delay <= .zero && Double(count) < limits.min ?? 0:
            return (
                came(of: Int(limits.min ?? 0), decision, nearMisses) ?? "observed \(count) by \(decision.at) s", nil
            )
        case (.count(let count), _): return ("observed \(count) by \(decision.at) s", nil)
        case (.window(let begin, let end, let count), _): return ("observed \(count) from \(begin) s to \(end) s", nil)
        case (.order(let event, let before), .order(let events)):
            return ("observed \(text(events[event])) at \(decision.at) s before \(text(events[before]))", nil)
        case (.missing(let event), .order(let events)):
            return ("observed no \(text(events[event])) by \(decision.at) s", nil)
        default: return ("observed something else at \(decision.at) s", nil)
        }
    }

    /// The numbers that the client printed before, if the line is compared with them.
    private func contradiction(_ event: Event, _ truths: Truths) -> Cause? {
        let printed = event.truths.filter { !$0.keys.isEmpty }.compactMap { truth in
            truths.present(truth).map { "\(text(truth)) was \($0.json)" }
        }
        return printed.isEmpty ? nil : Cause(.contradictsLine, "before this line, \(printed.joined(separator: ", "))")
    }

    /// ` (500 ms of tolerance)`, if the decision came that late.
    private func tolerance(_ expectation: Expectation, _ decision: Decision) -> String {
        guard let bound = expectation.bound else { return "" }
        let excess = decision.opened.advanced(by: bound).duration(to: decision.at)
        return excess > .zero ? " (\(text(excess)) of tolerance)" : ""
    }

    /// How many of several occurrences came, and when: `1 of 2 came, at 52.427000 s`; nil if none did, or one was enough.
    private func came(of count: Int, _ decision: Decision, _ nearMisses: NearMisses) -> String? {
        guard count > 1, let hits = nearMisses.hits(in: decision.window), let last = hits.last, hits.count < count
        else { return nil }
        let shown = hits.count > 3 ? "the last at \(last) s" : "at " + hits.map { "\($0) s" }.joined(separator: ", ")
        return "\(hits.count) of \(count) came, \(shown)"
    }

    // MARK: Phrases

    func text(_ observation: NearMisses.Observation) -> String {
        let observed = observation.observed
        let value = (observed.printed ?? observation.value).map { " \($0.json.abbreviated)" } ?? ""
        let code = observed.code.map { " \(name(ofCode: $0, of: observed.kind))" } ?? ""
        return "\(phrase(observed.kind, observation.of))\(code)\(value) at \(observation.instant) s"
    }

    private func name(ofCode code: UInt8, of kind: Event.Kind) -> String {
        switch kind {
        case .refused: ATTError(rawValue: code).name
        case .exited: "\(code)"
        default: HCIStatus(rawValue: code).name ?? "\(code)"
        }
    }

    private func text(_ moment: Moment) -> String {
        switch moment {
        case .start: "the start"
        case .end: "the end"
        case .time(let time): text(time)
        case .repeated(let first, let every, _): "\(text(first)) and then every \(text(every))"
        case .event(let event): text(event)
        }
    }

    /// An event with its filters, and the values that are asked for in place of `$truth`.
    private func text(_ event: Event, _ asked: AskedValues = AskedValues()) -> String {
        var phrase = self.phrase(event.kind, event.of)
        for filter in event.filters {
            switch filter {
            case .code(.name(let name)): phrase += " \(name)"
            case .code(.number(let number)): phrase += " \(number)"
            case .status(let status): phrase += " \(status)"
            case .descriptor(let type): phrase += " (descriptor \(type))"
            case .value(let matcher), .line(let matcher): phrase += " \(json(matcher, asked))"
            }
        }
        switch event.occurrence {
        case .each: break
        case .nth(let nth): phrase += " (number \(nth))"
        case .every(let step): phrase += " (every \(step) occurrences)"
        }
        return event.delay > .zero ? "\(phrase) (\(text(event.delay)) later)" : phrase
    }

    private func text(_ truth: Matcher.Truth) -> String {
        let last = truth.last.map { " of the last \($0) values" } ?? ""
        let below = truth.below.map { " below \(Datum.number($0).json)" } ?? ""
        return "\(truth.statistic)\(last)\(below) of \(name(of: truth))"
    }

    /// `strap/heart_rate`, or `client/steps_today`.
    private func name(of truth: Matcher.Truth) -> String {
        ([name(of: truth.of)] + truth.keys).joined(separator: "/")
    }

    /// An event as a noun phrase: `subscription to strap/heart_rate`.
    private func phrase(_ kind: Event.Kind, _ entity: EntityReference?) -> String {
        let (noun, preposition) = kind.noun
        guard let entity, entity != .client else { return noun }
        return "\(noun) \(preposition) \(name(of: entity))"
    }

    func name(of entity: EntityReference) -> String {
        if case .rule(let index) = entity {
            return rules.indices.contains(index) ? rules[index].id ?? "rule \(index + 1)" : "a rule"
        }
        return names.first { $0.entity == entity }?.path ?? "client"
    }

    private func text(_ limits: Expectation.Limits) -> String {
        let (min, max) = (limits.min.map { Datum.number($0).json }, limits.max.map { Datum.number($0).json })
        return switch (min, max) {
        case (let min?, let max?): min == max ? min : "\(min) to \(max)"
        case (let min?, nil): "at least \(min)"
        case (nil, let max?): "at most \(max)"
        case (nil, nil): "any number of"
        }
    }

    private func text(_ duration: Duration) -> String {
        let nanoseconds = duration.inNanoseconds
        let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000)] as [(String, Int64)]
        let (unit, size) = units.first { nanoseconds % $0.1 == 0 } ?? ("ns", 1)
        return "\(nanoseconds / size) \(unit)"
    }

    // MARK: JSON

    func json(_ matcher: Matcher, _ asked: AskedValues) -> String {
        switch matcher {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): Datum.number(number).json
        case .string(let string): string.quoted
        case .list(let matchers): "[\(matchers.map { json($0, asked) }.joined(separator: ", "))]"
        case .object(let members):
            jsonObject(members.map { ($0.key, json($0.matcher, asked)) })
        case .each(let matcher): jsonObject([("$each", json(matcher, asked))])
        case .oneOf(let matchers): jsonObject([("$one_of", json(.list(matchers), asked))])
        case .any(let something): jsonObject([("$any", "\(something)")])
        case .not(let matcher): jsonObject([("$not", json(matcher, asked))])
        case .between(let limits):
            jsonObject(
                [("$min", limits.min), ("$max", limits.max)].compactMap { key, limit in
                    limit.map { (key, Datum.number($0).json) }
                })
        case .truth(let truth):
            asked[truth]?.json
                ?? jsonObject(
                    [("$truth", truth.statistic.rawValue.quoted), ("of", name(of: truth).quoted)]
                        + (truth.relation == .equal ? [] : [("is", truth.relation.rawValue.quoted)])
                        + (truth.advertised.map { [("advertised", $0.quoted)] } ?? [])
                        + [
                            ("last", truth.last.map(Double.init)), ("below", truth.below),
                            ("$tolerance", truth.tolerance > 0 ? truth.tolerance : nil),
                            ("plus", truth.offset == 0 ? nil : truth.offset),
                        ].compactMap { key, number in number.map { (key, Datum.number($0).json) } }
                        + (truth.isFresh ? [("fresh", "true")] : []))
        }
    }
}

extension Event.Kind {
    /// The event as a noun, and the preposition before its entity.
    fileprivate var noun: (String, preposition: String) {
        switch self {
        case .advertising: ("advertising", "of")
        case .advertised: ("advertised values", "of")
        case .scanning: ("start of scanning", "by")
        case .scanningStopped: ("end of scanning", "by")
        case .connecting: ("connection attempt", "by")
        case .connected: ("connection", "of")
        case .disconnected: ("disconnection", "of")
        case .encrypted: ("encryption", "of")
        case .encryptionFailed: ("failed encryption", "of")
        case .paired: ("pairing", "of")
        case .pairingFailed: ("failed pairing", "of")
        case .bondLost: ("loss of a bond", "of")
        case .mtu: ("MTU exchange", "of")
        case .parameters: ("connection parameters", "of")
        case .discovering: ("start of discovery", "of")
        case .discovered: ("end of discovery", "of")
        case .subscribed: ("subscription", "to")
        case .unsubscribed: ("unsubscription", "from")
        case .read: ("read", "of")
        case .written: ("write", "of")
        case .notified: ("notification", "of")
        case .delivered: ("delivery", "of")
        case .indicated: ("indication", "of")
        case .confirmed: ("confirmation", "of")
        case .refused: ("error response", "of")
        case .saturated: ("saturation", "of")
        case .began: ("start", "of")
        case .ended: ("end", "of")
        case .said: ("output", "of")
        case .exited: ("exit", "of")
        }
    }
}

extension Datum {
    var json: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .string(let string): string.quoted
        case .list(let values): "[\(values.map(\.json).joined(separator: ", "))]"
        case .object(let members): jsonObject(members.map { ($0.key, $0.value.json) })
        }
    }
}
