import EventLog
import Expectations
import Scenarios
import Simulation
import Spelling

/// What a person is asked about an app, in their words: how it is put, and what an answer means.
struct AppQuestion: Sendable {
    /// What was typed.
    enum Reply: Equatable, Sendable {
        /// An answer, and the line that becomes of it in the log.
        case answer(OperatorQuestion.Answer, ClientLine)
        /// It is none, and why.
        case misread(String)
    }

    /// The expectation that it is asked for.
    let id: String
    private let line: Matcher
    private let isWanted: Bool
    private let within: Duration?
    private let fields: [AppField]
    private let constants: [AppField.Value]

    /// Nil for what no person is asked for.
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
        (fields, constants) = AppField.fields(of: line)
    }

    /// Whether only the person knows the value: it is not in the file.
    private var isOpen: Bool { line.hasTruth }

    // MARK: How it is put

    /// What to look for from now on.
    var announcement: String {
        let time = within.map { ", within \($0.inSeconds)" } ?? ""
        guard isWanted else { return "\(id): from now on the app must not show \(subject)\(time)" }
        return isOpen ? "\(id): look at \(names)" : "\(id): the app should show \(subject)\(time)"
    }

    /// The question.  When what it is about is not over, it asks for the present.
    func text(isDue: Bool, isAgain: Bool) -> String {
        if isOpen { return "\(id): \(isAgain ? "look again: " : "")what does the app show for \(names)?" }
        if isAgain { return "\(id): and before that, had it shown \(subject)?" }
        return isDue ? "\(id): has the app shown \(subject)?" : "\(id): does the app show \(subject)?"
    }

    /// What can be typed.
    var hint: String {
        let value = fields.map(\.example).joined(separator: " ")
        let words = isOpen ? "" : "yes, no, or "
        return "\(words)what it shows, as \(value); - for nothing, ? if you cannot tell"
    }

    private var names: String { fields.map(\.name).joined(separator: ", ") }

    private var subject: String { line.subject }

    // MARK: What an answer means

    /// Reads what was typed.
    func read(_ text: String) -> Reply {
        let text = text.trimmed
        switch text.lowercased() {
        case "": return .misread("that is no answer: type \(hint)")
        case "?": return answer(.unknown, "unknown")
        case "y", "yes", "n", "no":
            guard !isOpen else { return .misread("yes or no says nothing here: type \(hint)") }
            return text.lowercased().hasPrefix("y") ? answer(.yes, "yes") : answer(.no, "no")
        case "-": return shown(fields.map { AppField.Value($0.key, nil, "null") })
        default: break
        }
        if text.hasPrefix("{") {
            guard let line = ClientLine(Array(text.utf8)), line.isJSON else {
                return .misread("\(text.brief.quoted) is no JSON object")
            }
            guard fields.contains(where: { Datum(json: text.utf8)?[$0.key] != nil }) else {
                return .misread("\(text.brief.quoted) does not say \(names): type \(hint)")
            }
            return .answer(.shown, line)
        }
        var words = text.split(whereSeparator: { " ;\t".contains($0) })[...]
        var values = constants
        for field in fields {
            guard let value = field.take(from: &words) else {
                return .misread("\(text.brief.quoted) does not say \(names): type \(hint)")
            }
            values.append(value)
        }
        return words.isEmpty ? shown(values) : .misread("\(text.brief.quoted) says more than \(names): type \(hint)")
    }

    /// When nobody answers any more.
    var silence: ClientLine? { line("answer", "null") }

    private func answer(_ answer: OperatorQuestion.Answer, _ word: String) -> Reply {
        line("answer", word.quoted).map { .answer(answer, $0) } ?? .misread(word)
    }

    private func line(_ key: String, _ json: String) -> ClientLine? {
        ClientLine(Array("{\(key.quoted): \(json), \"asked\": \(id.quoted)}".utf8))
    }

    private func shown(_ values: [AppField.Value]) -> Reply {
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
