import Basics
import Devices
import ScenarioModel
import Services

/// Judges that the client's lines about a stream show each of its samples once, in order and in time, and tell how many were lost.
///
/// Only lines that say which samples they show are judged. Each subscription begins a new count. A client owes nothing from the end
/// of a link on, and before its first line in a subscription.
struct StreamEvaluator: ExpectationEvaluator {
    private let expectation: Expectation
    private let lines: StreamLines
    /// The time that it may take to show a sample, with the tolerance of the client.
    private let latency: Duration?
    /// The address of the stream's device.
    private let peer: String
    /// Whether another device has a stream with the same key.
    private let isOneOfSeveral: Bool

    private var arrivals = StreamArrivals()
    /// Whether the next frame belongs to a new subscription.
    private var isRenewed = false
    private var isLinked = true
    /// Whether a line has said which samples it shows, and whether one could be judged.
    private var (isShown, isJudged) = (false, false)
    private(set) var outcome: Outcome?

    init(
        _ expectation: Expectation, _ lines: StreamLines, within maximum: Duration?, in scenario: Scenario,
        on terms: Judge.Terms, skippedBecause reason: String?
    ) {
        (self.expectation, self.lines) = (expectation, lines)
        latency = maximum.map { $0 + terms.grace }
        let device = lines.of.device ?? 0
        peer = "\(scenario.devices[device].address)"
        isOneOfSeveral = scenario.devices.indices.contains { other in
            other != device && !scenario.values(of: other, shownAs: [lines.key]).isEmpty
        }
        outcome = reason.map { Outcome(verdict: .skip, reason: Reason(seen: $0), at: .start) }
    }

    var isOpen: Bool { true }
    mutating func release(at now: Instant) {}

    var nextDue: Instant {
        guard outcome == nil, isShown, isLinked, let latency, let frame = arrivals.waiting else { return .never }
        // As for other expectations: what comes in time at this instant counts.
        return frame.at.advanced(by: latency).advanced(by: .microseconds(1))
    }

    mutating func advance(to now: Instant, _ context: Context) {
        let due = nextDue
        guard due <= now, let frame = arrivals.waiting, let latency else { return }
        let seen =
            "the frame with \(position(frame)) came at \(frame.at) s, and the client had not shown it by \(due) s"
        let stall = context.stalls.longest(from: frame.at, to: due, over: latency / 10)
        fail(seen, at: due, since: frame, stall, context, Cause(.samplesLate, "the client draws no more, or is late"))
    }

    mutating func observe(_ observed: ObservedEvent, at now: Instant, _ context: Context) {
        guard outcome == nil else { return }
        switch observed.kind {
        case .said: if let line = observed.value { take(line, at: now, context) }
        case lines.arrival where observed.of == lines.of:
            if isRenewed { (arrivals, isRenewed) = (StreamArrivals(), false) }
            isLinked = true
            arrivals.arrived(
                observed.count, index: observed.firstIndex, timeStamp: observed.value?["timestamp"]?.number, at: now)
        case .subscribed where observed.of == lines.of: (isRenewed, isLinked) = (true, false)
        case .unsubscribed where observed.of == lines.of: isLinked = false
        case .disconnected where observed.of?.device == lines.of.device: isLinked = false
        default: break
        }
    }

    mutating func finish(at now: Instant, _ context: Context) {
        guard outcome == nil else { return }
        if isJudged {
            outcome = Outcome(verdict: .pass, reason: nil, at: now)
        } else if isShown {
            let seen = "the device numbered its samples anew, so that they cannot be told apart"
            outcome = Outcome(verdict: .skip, reason: Reason(seen: seen), at: now)
        } else if arrivals.isEmpty {
            let seen = "never reached: delivery of \(context.formatter.name(of: lines.of)) (the case ended at \(now) s)"
            outcome = Outcome(verdict: .inconclusive, reason: Reason(seen: seen), at: now)
        } else {
            let seen = "no line of the client has the index or the timestamp of its samples"
            outcome = Outcome(verdict: .skip, reason: Reason(seen: seen), at: now)
        }
    }

    // MARK: Lines

    private mutating func take(_ line: Datum, at now: Instant, _ context: Context) {
        guard isOurs(line), let shown = line[lines.key], let count = shown["samples"]?.whole else { return }
        let lost = shown["lost"]?.whole ?? 0
        guard count > 0 else { return arrivals.counted(lost: lost) }
        let fault: StreamArrivals.Fault?
        if let index = shown["index"]?.whole.flatMap(UInt32.init(exactly:)) {
            fault = arrivals.isUnknown ? nil : arrivals.showed(count, lost: lost, from: index)
        } else if let timeStamp = shown["timestamp"]?.number {
            fault = arrivals.isUnknown ? nil : arrivals.showed(count, to: timeStamp)
        } else {
            return
        }
        (isShown, isJudged) = (true, isJudged || !arrivals.isUnknown)
        guard let fault else { return }
        let seen = "\(fault.text) (\(shown.json.abbreviated) at \(now) s)"
        fail(seen, at: now, since: arrivals.last, nil, context, fault.cause)
    }

    /// Whether a line is about the stream's device.
    private func isOurs(_ line: Datum) -> Bool {
        !isOneOfSeveral || line["peer"] == .string(peer)
    }

    private func position(_ frame: StreamArrivals.Frame) -> String {
        frame.timeStamp.map { "the time stamp \(Datum.number($0).json)" } ?? "the index \(frame.samples.lowerBound)"
    }

    private mutating func fail(
        _ seen: String, at now: Instant, since frame: StreamArrivals.Frame?, _ stall: Duration?, _ context: Context,
        _ cause: Cause?
    ) {
        let reason = Reason(expected: context.formatter.condition(expectation), seen: seen, cause: cause)
        let facts = [frame.map { Fact(.value, at: $0.at) }, Fact(.line, at: now)].compactMap(\.self)
        outcome = Outcome(
            verdict: stall == nil ? .fail : .inconclusive,
            reason: stall.map { context.formatter.excused(reason, $0) } ?? reason, at: now, stall: stall, facts: facts)
    }
}

extension StreamArrivals.Fault {
    /// `it shows samples from 500 on again: the line before ended with 572`.
    fileprivate var text: String {
        switch self {
        case .back(let first, let end):
            "the line goes back to the sample \(first): the one before had shown all up to \(end - 1)"
        case .gap(let end, let first, let lost):
            "the samples \(end) to \(first - 1) are in no line, and \(lost) of them are counted as lost"
        case .more(let shown, let arrived): "the line shows \(shown) samples, of which \(arrived) reached the client"
        case .fewer(let shown, let arrived): "the line shows \(shown) samples, but \(arrived) reached the client"
        case .unknown(let timeStamp): "no frame had the time stamp \(Datum.number(timeStamp).json)"
        }
    }

    fileprivate var cause: Cause {
        switch self {
        case .back, .more, .unknown:
            Cause(.samplesTwice, "it looks like frames that are drawn twice, or in another order")
        case .gap: Cause(.samplesLeftOut, "it looks like frames that are left out")
        case .fewer: Cause(.falseLosses, "it looks like samples that are counted as lost, and were not")
        }
    }
}

extension ObservedEvent {
    /// The index of the first sample of a frame; nil if the frame has a time stamp, or is not known.
    fileprivate var firstIndex: UInt32? { index ?? value?["index"]?.whole.flatMap(UInt32.init(exactly:)) }
}

extension Datum {
    fileprivate var number: Double? { if case .number(let number) = self { number } else { nil } }
    /// A whole number that is not negative; a greater one than any stream has is 10¹².
    fileprivate var whole: Int64? {
        number.flatMap { $0 >= 0 && $0 == $0.rounded() ? Int64(Swift.min($0, 1e12)) : nil }
    }
}
