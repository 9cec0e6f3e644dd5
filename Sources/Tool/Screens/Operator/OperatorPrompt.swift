import Basics
import Cases
import CommandSupport
import Devices
import Expectations
import ScenarioModel
import Services

/// An expectation as a question to an operator: its text, and the meaning of an answer.
struct OperatorPrompt: Sendable {
    enum Reply: Equatable, Sendable {
        case answer(OperatorQuestion.Answer, ClientLine)
        /// Not an answer, and why.
        case misread(String)
    }

    let id: String
    private let line: Matcher
    private let isWanted: Bool
    private let within: Duration?
    private let fields: [PromptField]
    private let constants: [PromptField.Value]

    /// Nil when an operator cannot answer the expectation.
    init?(_ expectation: Expectation) {
        let event: Event
        switch expectation.question {
        case .seen(let seen, let bound): (event, isWanted, within) = (seen, true, bound)
        case .never(let unseen): (event, isWanted, within) = (unseen, false, expectation.within)
        default: return nil
        }
        guard event.kind == .said else { return nil }
        let lines = event.filters.compactMap { filter in
            if case .line(let matcher) = filter { matcher } else { nil }
        }
        (id, line) = (expectation.id, lines.first ?? .any(true))
        (fields, constants) = PromptField.fields(of: line)
    }

    /// Whether the question asks for a value that is not in the scenario.
    private var isOpen: Bool { line.hasTruth }

    // MARK: Text

    var announcement: String {
        let time = within.map { ", within \($0.inSeconds)" } ?? ""
        guard isWanted else { return "\(id): the app must not show \(subject)\(time)" }
        return isOpen ? "\(id): look at \(names)" : "\(id): the app should show \(subject)\(time)"
    }

    /// The question; in the present tense until it is due.
    func text(isDue: Bool, isAgain: Bool) -> String {
        if isOpen { return "\(id): \(isAgain ? "look again: " : "")what does the app show for \(names)?" }
        if isAgain { return "\(id): and had it shown \(subject)?" }
        return isDue ? "\(id): has the app shown \(subject)?" : "\(id): does the app show \(subject)?"
    }

    var hint: String {
        let value = fields.map(\.example).joined(separator: " ")
        let words = isOpen ? "" : "yes, no, or "
        return "\(words)the value, for example \(value); - for none, ? if you cannot tell"
    }

    private var names: String { fields.map(\.name).joined(separator: ", ") }

    private var subject: String { line.subject }

    // MARK: Answers

    func read(_ text: String, by reader: LineReader = LineReader([])) -> Reply {
        let text = text.trimmed
        if !text.hasPrefix("{"), let line = reader.line(Array(text.utf8)), line.isJSON { return .answer(.shown, line) }
        switch text.lowercased() {
        case "": return .misread("that is not an answer: type \(hint)")
        case "?": return answer(.unknown, "unknown")
        case "y", "yes", "n", "no":
            guard !isOpen else { return .misread("this question has no yes or no: type \(hint)") }
            return text.lowercased().hasPrefix("y") ? answer(.yes, "yes") : answer(.no, "no")
        case "-": return shown(fields.map { PromptField.Value($0.key, nil, "null") })
        default: break
        }
        if text.hasPrefix("{") {
            guard let line = ClientLine(Array(text.utf8)), line.isJSON else {
                return .misread("\(text.abbreviated.quoted) is not a JSON object")
            }
            guard fields.contains(where: { Datum(json: text.utf8)?[$0.key] != nil }) else {
                return .misread("\(text.abbreviated.quoted) does not contain \(names): type \(hint)")
            }
            return .answer(.shown, line)
        }
        var words = text.split(whereSeparator: { " ;\t".contains($0) })[...]
        var values = constants
        for field in fields {
            guard let value = field.take(from: &words) else {
                return .misread("\(text.abbreviated.quoted) does not contain \(names): type \(hint)")
            }
            values.append(value)
        }
        return words.isEmpty
            ? shown(values) : .misread("\(text.abbreviated.quoted) contains more than \(names): type \(hint)")
    }

    /// The line for a question that is never answered.
    var silence: ClientLine? { line("answer", "null") }

    private func answer(_ answer: OperatorQuestion.Answer, _ word: String) -> Reply {
        line("answer", word.quoted).map { .answer(answer, $0) } ?? .misread(word)
    }

    private func line(_ key: String, _ json: String) -> ClientLine? {
        ClientLine(Array("{\(key.quoted): \(json), \"asked\": \(id.quoted)}".utf8))
    }

    private func shown(_ values: [PromptField.Value]) -> Reply {
        var keys: [String] = []
        for value in values where !keys.contains(value.key) { keys.append(value.key) }
        let members = keys.map { key in
            let own = values.filter { $0.key == key }
            if let whole = own.first(where: { $0.member == nil }) { return "\(key.quoted): \(whole.json)" }
            let parts = own.map { "\(($0.member ?? "").quoted): \($0.json)" }
            return "\(key.quoted): {\(parts.joined(separator: ", "))}"
        }
        let text = "{\((members + ["\"asked\": \(id.quoted)"]).joined(separator: ", "))}"
        return ClientLine(Array(text.utf8)).map { .answer(.shown, $0) } ?? .misread(text)
    }
}

extension String {
    fileprivate var trimmed: String {
        let isSpace = { (character: Character) in character.isWhitespace }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

extension Duration {
    /// `2 s`, or `0.5 s`.
    fileprivate var inSeconds: String {
        "\(decimal(Double(inNanoseconds) / 1e9, inNanoseconds % 1_000_000_000 == 0 ? 0 : 1)) s"
    }
}

extension Matcher {
    /// Whether the delivered value decides.
    var hasTruth: Bool {
        switch self {
        case .truth: true
        case .list(let matchers), .oneOf(let matchers): matchers.contains(where: \.hasTruth)
        case .object(let members): members.contains { $0.matcher.hasTruth }
        case .each(let matcher), .not(let matcher): matcher.hasTruth
        case .null, .bool, .number, .string, .between, .any: false
        }
    }

    /// The content of a matching line: `heart rate 75, skin contact no`.
    package var subject: String {
        guard case .object(let members) = self, !members.isEmpty else { return "anything" }
        return members.flatMap { outer -> [String] in
            guard case .object(let inner) = outer.matcher, !inner.isEmpty else {
                return [outer.matcher.phrase(PromptField(key: outer.key, member: nil))]
            }
            return inner.map { $0.matcher.phrase(PromptField(key: outer.key, member: $0.key)) }
        }.joined(separator: ", ")
    }

    private func phrase(_ field: PromptField) -> String {
        switch self {
        case .null: "\(field.isTruth ? "nothing about" : "no") \(field.name)"
        case .object, .any(true): "any \(field.name)"
        default: "\(field.name) \(words)"
        }
    }

    private var words: String {
        switch self {
        case .null, .any(false): "nothing"
        case .bool(let bool): bool ? "yes" : "no"
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .string(let string): string.quoted
        case .list(let matchers): matchers.map(\.words).joined(separator: " and ")
        case .each(let matcher): "all \(matcher.words)"
        case .oneOf(let matchers): matchers.map(\.words).joined(separator: " or ")
        case .not(let matcher): "not \(matcher.words)"
        case .between(let limits):
            switch (limits.min, limits.max) {
            case (let min?, let max?): "from \(Matcher.number(min).words) to \(Matcher.number(max).words)"
            case (let min?, nil): "of at least \(Matcher.number(min).words)"
            case (nil, let max?): "of at most \(Matcher.number(max).words)"
            case (nil, nil): "of any size"
            }
        case .any(true), .object, .truth: "of any kind"
        }
    }
}
