import Documents

/// Makes expectations of checked trees.
struct ExpectationReader {
    let moments: MomentReader
    let reach: Reach

    func expectation(_ cursor: Cursor) -> Expectation? {
        guard !cursor.isGivenUp else { return nil }
        let question = question(cursor)
        var since: Moment? = .start
        if let opens = cursor["since"] {
            since = moments.moment(opens)
            if let reason = since.flatMap(reach.whyNot) { opens.note(.cannotOpen, reason) }
        }
        let until = cursor["until"].flatMap(moments.moment)
        guard let question, let since else { return nil }
        return Expectation(
            id: cursor["id"]?.string ?? "", question: question, since: since, within: cursor["within"]?.duration,
            until: until, requirement: cursor["requirement"]?.string, isRecommendation: cursor["should"]?.bool ?? false)
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
            if length <= .zero { per.note(.outOfRange, "this takes longer than nothing") }
            return .rate(event, per: length, bounds(cursor))
        case "delay":
            guard let start = cursor["start"].flatMap(moments.event), let end = cursor["end"].flatMap(moments.event),
                let most = cursor["max"]?.duration
            else { return nil }
            return .delay(from: start, to: end, percentile: cursor["percentile"]?.number ?? 100, most: most)
        default: return nil
        }
    }

    private func bounds(_ cursor: Cursor) -> Expectation.Limits {
        let limits = moments.limits(cursor, "min", "max")
        if limits == Expectation.Limits() { cursor.note(.missingKey, "\"min\", \"max\" or both are missing") }
        return limits
    }
}
