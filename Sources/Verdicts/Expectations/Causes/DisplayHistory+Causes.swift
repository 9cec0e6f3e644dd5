import Basics
package import ScenarioModel

extension DisplayHistory {
    /// What explains that an expectation about lines failed; nil if it is about something else, or nothing does.
    package func cause(of ruling: Judge.Ruling, _ expectation: Expectation, about device: Int?) -> Cause? {
        guard let event = expectation.expected.first, event.kind == .said, let miss = ruling.miss else { return nil }
        let span = miss.opened...max(miss.opened, ruling.at)
        guard let wanted = miss.line, case .object(let members) = wanted,
            let member = members.first(where: { $0.key != "peer" && displays[$0.key] != nil }),
            let display = displays[member.key]
        else { return nil }
        let question = DisplayQuestion(
            display: display, names: names, key: member.key, matcher: member.matcher, line: wanted, device: device,
            span: span)
        return switch expectation.question {
        case .seen, .delay: question.missing
        case .count, .rate: question.miscounted
        case .never: question.forbidden
        case .order, .stream: nil
        }
    }

    /// What explains a shown value that was not delivered.
    func cause(of invention: InventionWatch.Invention) -> Cause? {
        guard let display = displays[invention.key],
            let line = display.lines.last(where: { $0.at <= invention.at && $0.value != .null })
        else { return nil }
        let question = DisplayQuestion(
            display: display, names: names, key: invention.key, matcher: .any(true), line: .any(true),
            device: line.device, span: invention.at...invention.at)
        let fields = [invention.field]
        let later = display.lines.filter { $0.at >= invention.at }.prefix(DisplayQuestion.compared)
        return question.constant(fields, in: later) ?? question.ofOtherDevice(fields)
            ?? question.unreadable(before: line) ?? question.early(line) ?? question.corrected(invention)
    }
}

/// A question about the lines with a key: what explains them in the time of a failed expectation?
struct DisplayQuestion {
    let display: DisplayHistory.Display
    let names: [String]
    let key: String
    /// What was expected under the key, and of the line as a whole.
    let matcher: Matcher
    let line: Matcher
    /// The device whose value it is; nil if that is not known.
    let device: Int?
    let span: ClosedRange<Instant>

    /// The number of lines that are compared with what was delivered.
    static let compared = 30

    // MARK: Missing lines

    var missing: Cause? {
        guard matcher != .null else { return notCleared }
        let recent = display.lines.filter { $0.at <= span.upperBound }.suffix(Self.compared)
        return constant(fields, in: ArraySlice(recent.reversed())) ?? ofOtherDevice(fields) ?? leftOut ?? late
            ?? unshown
    }

    /// The fields that are asked for; "" for a value that is not an object.
    private var fields: [String] {
        guard case .object(let members) = matcher else { return [""] }
        return members.map(\.key)
    }

    private var notCleared: Cause? {
        guard let last = display.lines.last(where: { $0.at <= span.upperBound && $0.value != .null }) else {
            return nil
        }
        return Cause(
            .notCleared,
            "the last line with \(key.quoted) until then has \(last.value.json.abbreviated), at \(last.at) s",
            facts: [Fact(.line, at: last.at)])
    }

    /// A field that no line has, although values with it arrived.
    private var leftOut: Cause? {
        guard case .object(let members) = matcher else { return nil }
        for member in members where !member.matcher.fits(.null) && !member.matcher.fits(nil) {
            func has(_ value: Datum?) -> Bool { value?[member.key].map { $0 != .null && $0 != .list([]) } ?? false }
            let first = display.deliveries(in: span).first { delivery in
                guard has(delivery.right), matcher.mayFit(delivery.right) else { return false }
                let lines = lines(for: delivery)
                return !lines.isEmpty && !lines.contains { has($0.value) }
            }
            guard let first else { continue }
            let isEver = display.lines.contains { $0.at <= span.upperBound && has($0.value) }
            let words =
                isEver
                ? "the value that was delivered at \(first.at) s has \(member.key), and the client printed none for it"
                : "the client has printed no \(member.key) until then, though it was delivered, at \(first.at) s"
            return Cause(.fieldLeftOut, words, facts: [Fact(.value, at: first.at)])
        }
        return nil
    }

    /// The right line came, but too late.
    private var late: Cause? {
        let end = span.upperBound
        let next = display.lines.first { shown in
            shown.at > end && line.mayFit(.object([Datum.Member(key, shown.value)]))
        }
        guard let next, next.value != .null else { return nil }
        // Another delivery of the same value may have caused it.
        let isNew = display.deliveries.contains {
            $0.at > end && $0.at <= next.at && ($0.right.map(matcher.mayFit) ?? true)
        }
        guard !isNew, display.deliveries.contains(where: { $0.at <= end && matcher.mayFit($0.right) }) else {
            return nil
        }
        return Cause(
            .shownLate,
            "the client printed \(next.value.json.abbreviated) at \(next.at) s, "
                + "\(end.duration(to: next.at).inTenths) s too late",
            facts: [Fact(.line, at: next.at)])
    }

    /// The values for which nothing was printed.
    private var unshown: Cause? {
        let end = span.upperBound
        let known = display.deliveries.filter { $0.at <= end && (device == nil || $0.device == device) }
        guard
            let first = display.deliveries(in: span).first(where: { matcher.mayFit($0.right) && isUnshown($0) })
                ?? display.deliveries(in: span).last, isUnshown(first)
        else { return nil }
        let lines = display.lines.filter { $0.at <= end && $0.value != .null }
        guard let last = lines.last else {
            return Cause(
                .nothingPrinted,
                "\(known.count.counted("value")) arrived until \(end) s, and the client has printed no line with \(key.quoted)",
                facts: [Fact(.value, at: first.at)])
        }
        let since = known.filter { $0.at > last.at }
        if since.count > 2 {
            return Cause(
                .stoppedPrinting,
                "the last line with \(key.quoted) was printed at \(last.at) s; \(since.count) values were delivered since",
                facts: [Fact(.line, at: last.at), Fact(.value, at: since[0].at)])
        }
        let value = first.right.map { " \($0.json.abbreviated)," } ?? " the octets that cannot be decoded,"
        return Cause(
            .valueIgnored, "the client printed no line for\(value) delivered at \(first.at) s",
            facts: [Fact(.value, at: first.at)])
    }

    /// Whether the client printed nothing for a delivery.
    private func isUnshown(_ delivery: DisplayHistory.Delivery) -> Bool { lines(for: delivery).isEmpty }

    /// The lines from a delivery to the next, or in a second.
    private func lines(for delivery: DisplayHistory.Delivery) -> [DisplayHistory.Line] {
        let next = display.deliveries.first { $0.at > delivery.at && $0.device == delivery.device }?.at ?? .never
        let end = min(next, delivery.at.advanced(by: .seconds(1)))
        return display.lines.filter { $0.at >= delivery.at && $0.at < end && $0.value != .null }
    }

    // MARK: Wrong values

    /// A number in a line, and the delivered one.
    private typealias Pair = (shown: Double, right: Double, at: Instant)

    /// A field of which the first of some lines, and those after it, are wrong by the same difference or factor.
    func constant(_ fields: [String], in lines: ArraySlice<DisplayHistory.Line>) -> Cause? {
        for field in fields {
            let pairs = lines.compactMap { line -> Pair? in
                guard let right = display.delivery(before: line)?.right, let shown = line.value.number(field),
                    let right = right.number(field)
                else { return nil }
                return (shown, right, line.at)
            }
            guard let first = pairs.first, first.shown != first.right else { continue }
            let facts = [Fact(.line, at: first.at)]
            let name = field.isEmpty ? key : field
            let difference = first.shown - first.right
            let shifted = pairs.prefix { ($0.shown - $0.right - difference).magnitude < 1e-6 }
            if shifted.count > 2 || shifted.count == 2 && pairs.count == 2 {
                let amount = Datum.number((difference.magnitude * 1e6).rounded() / 1e6).json
                let side = difference > 0 ? "more" : "less"
                return Cause(
                    .offset, "\(shifted.count) times in a row, \(name) is \(amount) \(side) than the one delivered",
                    facts: facts)
            }
            let factor = first.shown / first.right
            let scaled = pairs.prefix { ($0.shown - $0.right * factor).magnitude <= $0.shown.magnitude * 0.005 }
            if first.right != 0, scaled.count > 2, Set(scaled.map(\.right)).count > 1 {
                let times = Datum.number((factor * 1000).rounded() / 1000).json
                return Cause(
                    .factor, "\(scaled.count) times in a row, \(name) is \(times) times the one delivered", facts: facts
                )
            }
        }
        return nil
    }

    /// A wrong line that another one follows at once, or that is wrong by 1.
    func corrected(_ invention: InventionWatch.Invention) -> Cause? {
        let (field, at) = (invention.field, invention.at)
        let shown = display.lines.filter { $0.at >= at && at.duration(to: $0.at) < .milliseconds(500) }
        let facts = [Fact(.line, at: at)]
        if let place = shown.firstIndex(where: { $0.value.field(field) == invention.shown }),
            let next = shown[(place + 1)...].first(where: {
                $0.value.field(field) != nil && $0.value.field(field) != invention.shown
            })
        {
            let right = next.value.field(field)?.json.abbreviated ?? ""
            return Cause(
                .corrected, "the client printed another one, \(right), at once, at \(next.at) s",
                facts: facts + [Fact(.line, at: next.at)])
        }
        guard case .number(let number) = invention.shown, case .number(let right)? = invention.latest,
            (number - right).magnitude == 1
        else { return nil }
        return Cause(.offset, "it is 1 \(number > right ? "more" : "less") than the one delivered", facts: facts)
    }

    /// A field whose value is that of another device.
    func ofOtherDevice(_ fields: [String]) -> Cause? {
        guard names.count > 1 else { return nil }
        for line in display.lines(in: span) {
            for field in fields {
                guard let shown = line.value.field(field), shown != .null else { continue }
                func latest(_ device: Int) -> Datum? {
                    display.deliveries.last { $0.at <= line.at && $0.device == device }?.right?.field(field)
                }
                let owners = names.indices.filter { latest($0) == shown }
                guard owners.count == 1, let owner = owners.first, owner != device else { continue }
                // If it is not known whose value is asked for, it may be that one's.
                let isAsked = device == nil && isAsked(of: owner)
                if !isAsked { return other(field, shown, owner, line.at) }
            }
        }
        return nil
    }

    private func isAsked(of device: Int) -> Bool {
        if case .any = matcher { return false }
        return display.deliveries(in: span).contains { $0.device == device && matcher.mayFit($0.right) }
    }

    private func other(_ field: String, _ shown: Datum, _ owner: Int, _ at: Instant) -> Cause {
        let name = field.isEmpty ? key : field
        return Cause(
            .otherDevice, "\(name) \(shown.json.abbreviated) at \(at) s is the value of \(names[owner])",
            facts: [Fact(.line, at: at)])
    }

    // MARK: Too many lines

    var miscounted: Cause? {
        let lines = display.lines(in: span).filter { $0.value != .null }.count
        let values = display.deliveries(in: span)
        guard lines != values.count, !values.isEmpty else { return nil }
        return Cause(
            .linesAndValues,
            "\(values.count) values were delivered in this time, and the client printed \(lines.counted("line"))",
            facts: [Fact(.value, at: values[0].at)])
    }

    /// Why a line came that must not.
    var forbidden: Cause? {
        guard let line = display.lines(in: span).last(where: { $0.value != .null && matcher.mayFit($0.value) }) else {
            return nil
        }
        if case .object(let members) = matcher, members.contains(where: { $0.key == "lost" }) { return lost(line) }
        return unreadable(before: line) ?? early(line) ?? again(line) ?? mistaken(line)
    }

    /// Samples that a line counts as lost.
    private func lost(_ line: DisplayHistory.Line) -> Cause? {
        let values = display.deliveries.filter { $0.at <= line.at }
        guard let lost = line.value["lost"], let last = values.last else { return nil }
        return Cause(
            .linesAndValues,
            "\(values.count) notifications had been delivered until then, the last at \(last.at) s; the client counts "
                + "\(lost.json) samples as lost",
            facts: [Fact(.value, at: last.at), Fact(.line, at: line.at)])
    }

    /// A line after octets that are not a value.
    func unreadable(before line: DisplayHistory.Line) -> Cause? {
        guard let last = display.delivery(before: line), last.right == nil else { return nil }
        return Cause(
            .shownUnreadable, "the octets that were delivered before it, at \(last.at) s, are not a value",
            facts: [Fact(.value, at: last.at), Fact(.line, at: line.at)])
    }

    func early(_ line: DisplayHistory.Line) -> Cause? {
        guard !display.deliveries.contains(where: { $0.at <= line.at }) else { return nil }
        return Cause(.noValueYet, "no value for \(key.quoted) had arrived", facts: [Fact(.line, at: line.at)])
    }

    /// A line with a value that an earlier line has, or that is old.
    private func again(_ line: DisplayHistory.Line) -> Cause? {
        guard let last = display.delivery(before: line) else { return nil }
        let earlier = display.lines.first { $0.at >= last.at && $0.at < line.at && $0.value == line.value }
        guard earlier != nil || last.at.duration(to: line.at) > .seconds(2) else { return nil }
        return Cause(
            .shownAgain,
            "the latest value was delivered at \(last.at) s"
                + (earlier.map { ", and the client had printed it at \($0.at) s" } ?? ""),
            facts: [Fact(.value, at: last.at), Fact(.line, at: line.at)])
    }

    /// A line that a known mistake makes of the delivered value.
    private func mistaken(_ line: DisplayHistory.Line) -> Cause? {
        guard let right = display.delivery(before: line)?.right else { return nil }
        for (field, shown) in line.value.fields {
            // A special value may have no member.
            guard let right = right.field(field) ?? (right.isObject ? .null : nil), right != shown,
                let mistake = KnownMistake.mistake(in: shown, insteadOf: right, in: field)
            else { continue }
            return Cause(
                mistake.kind, "\(field.isEmpty ? key : field) looks like \(mistake.cause)",
                facts: [Fact(.line, at: line.at)])
        }
        return nil
    }
}

extension Datum {
    /// The value of a field; "" is the value itself.
    fileprivate func field(_ name: String) -> Datum? { name.isEmpty ? self : self[name] }

    fileprivate var isObject: Bool { if case .object = self { true } else { false } }

    fileprivate func number(_ field: String) -> Double? {
        if case .number(let number)? = self.field(field) { number } else { nil }
    }
}

extension Matcher {
    /// Whether a value under a line's key matches, as far as that is known without `$truth`.
    fileprivate func mayFit(_ datum: Datum?) -> Bool { datum.map { fits(shown: $0) { _, _ in true } } ?? false }
}
