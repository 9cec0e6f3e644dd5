import Basics
import Devices
import Documents
import GATT
import ScenarioModel

/// Reads expectations from checked documents.
struct ExpectationReader {
    let moments: MomentReader
    let reachability: ReachabilityAnalysis
    /// The scenario's limit, if the file has one.
    let limit: Cursor?

    func expectation(_ cursor: Cursor) -> Expectation? {
        guard !cursor.isLogFull else { return nil }
        let question = question(cursor)
        var since: Moment? = .start
        if let opens = cursor["since"] {
            since = moments.moment(opens)
            if let reason = since.flatMap(reachability.unreachableReason) {
                let place = reason.isAfterLimit ? limit.map { [RelatedPlace($0, "the limit")] } : nil
                opens.note(.cannotOpen, reason.message, help: reason.help, related: place ?? [])
            }
            if let since { noteEnd(before: opens, since) }
            if since == .end {
                opens.note(
                    .noTime, "there are no events after the end of the scenario", help: "choose an earlier \"since\"")
            }
        }
        let until = cursor["until"].flatMap(moments.moment)
        guard let question, let since else { return nil }
        if let time = longest(since, until), time < .zero {
            cursor["until"]?.note(
                .noTime, "\"until\" comes before \"since\"", help: "both count from the start of the scenario",
                related: cursor["since"].map { [RelatedPlace($0, "since")] } ?? [])
        } else if case .rate(_, let length, _) = question, let time = longest(since, until), time < length {
            cursor["per"]?.note(.cannotOpen, "the window must not be longer than the time from \"since\" to \"until\"")
        }
        var expectation = Expectation(id: cursor["id"]?.string ?? "", question, since: since)
        expectation.within = cursor["within"]?.duration
        if let within = cursor["within"] { noteEnd(before: within, since: since) }
        expectation.until = until
        expectation.requirement = cursor["requirement"]?.string
        expectation.isRecommendation = cursor["should"]?.bool ?? false
        let answer = expectation.answer
        if expectation.events.contains(where: { $0.needsFreshValue && $0 != answer }) {
            cursor["expect"]?.note(
                .conflict, "\"fresh\" has no meaning in this expectation",
                help:
                    "it needs \"seen\" or \"delay\" with an event \"said\" that has no \"nth\", \"every\" or \"after\"")
        }
        return expectation
    }

    /// Warns if the scenario ends before the time of an expectation is over.
    private func noteEnd(before within: Cursor, since: Moment) {
        let opens = reachability.earliest(since)
        guard let time = within.duration, opens <= reachability.limit, opens + time > reachability.limit else { return }
        noteEnd(before: within)
    }

    /// Warns if the scenario ends before the rule acts, or ends, that opens an expectation.
    private func noteEnd(before opens: Cursor, _ since: Moment) {
        guard case .rule(let rule)? = since.event?.of, reachability.unreachableReason(rule: rule) == nil,
            reachability.unreachableReason(since) == nil, reachability.earliest(since) > reachability.limit
        else { return }
        noteEnd(before: opens)
    }

    private func noteEnd(before place: Cursor) {
        place.note(
            .endsBefore, "the scenario ends before that, at its limit of \((reachability.limit / .seconds(1)).plain) s",
            help: limit == nil ? "write a longer \"limit\" into the scenario" : "use a larger \"limit\"",
            related: limit.map { [RelatedPlace($0, "the limit")] } ?? [])
    }

    /// The time from the first `since` to its `until`; nil if they depend on events.
    private func longest(_ since: Moment, _ until: Moment?) -> Duration? {
        guard let opens = since.clockTime(after: Instant(nanoseconds: -1), origin: .start),
            let closes = until?.clockTime(after: opens, origin: .start)
        else { return nil }
        if case .repeated? = until, closes >= opens { return nil }
        return opens.duration(to: closes)
    }

    private func question(_ cursor: Cursor) -> Expectation.Question? {
        let event = cursor["event"].flatMap(moments.event)
        switch cursor["expect"]?.string {
        case "seen":
            guard let event, let within = cursor["within"]?.duration else { return nil }
            return .seen(event, within: within)
        case "never": return event.map(Expectation.Question.never)
        case "count": return event.map { .count($0, bounds(cursor)) }
        case "order": return .order((cursor["events"]?.items ?? []).compactMap(moments.event))
        case "rate":
            guard let event, let per = cursor["per"], let length = per.duration else { return nil }
            if length <= .zero { per.note(.outOfRange, "expected a duration above zero") }
            return .rate(event, per: length, bounds(cursor))
        case "delay":
            guard let start = cursor["start"].flatMap(moments.event), let end = cursor["end"].flatMap(moments.event),
                let maximum = cursor["max"]?.duration
            else { return nil }
            if let percentile = cursor["percentile"], percentile.number == 0 {
                percentile.note(.cannotFail, "this cannot fail: 0 % of the cases", help: "write a percentage above 0")
            }
            return .delay(from: start, to: end, percentile: cursor["percentile"]?.number ?? 100, maximum: maximum)
        case "stream":
            let lines = cursor["of"].flatMap(streamLines)
            if let maximum = cursor["max"], let duration = maximum.duration, duration <= .zero {
                maximum.note(.outOfRange, "expected a duration above zero")
            }
            return lines.map { .stream($0, maximum: cursor["max"]?.duration) }
        default: return nil
        }
    }

    /// The lines about a value that is a stream.
    private func streamLines(_ cursor: Cursor) -> StreamLines? {
        guard let entity = moments.names.entity(cursor, .value(.notify)),
            let (service, value) = moments.names.value(entity)
        else { return nil }
        let use = service.description.characteristics[value.characteristic].client
        guard use.role.isStream else {
            cursor.note(
                .wrongEntity, "\(cursor.node.kind) has no samples that a client counts",
                help: "write the path of an ECG or of measurements, such as \"strap/ecg\"")
            return nil
        }
        return StreamLines(of: entity, shownAs: use.key)
    }

    private func bounds(_ cursor: Cursor) -> Expectation.Limits {
        let limits = moments.limits(cursor, "min", "max")
        guard limits != Expectation.Limits() else {
            if cursor["min"] == nil, cursor["max"] == nil {
                cursor.note(.missingKey, "\"min\" or \"max\" is required", help: "add a bound, such as \"min\": 1")
            }
            return limits
        }
        let (min, max) = (limits.min ?? 0, limits.max ?? .infinity)
        if limits.max == nil, min <= 0 {
            cursor["min"]?.note(
                .cannotFail, "this cannot fail: any number is allowed", help: "write a larger \"min\", or \"max\"")
        } else if min <= max, Swift.max(0, min.rounded(.up)) > max.rounded(.down) {
            let bounds = (limits.min.map { "from \($0.plain) to " } ?? "at most ") + max.plain
            (cursor["max"] ?? cursor).note(.cannotOpen, "this cannot pass: no whole number of times is \(bounds)")
        }
        return limits
    }
}
