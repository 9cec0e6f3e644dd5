/// A phrase that stumbles, and what to write in its place.
struct Phrase: Sendable {
    /// The words in order, in lower case, each with its alternatives: `["so", "many|long"]`.
    let words: [[String]]
    /// Words that make the phrase harmless when they follow it.
    let unlessBefore: [String]
    /// Words that make it harmless when they precede it.
    let unlessAfter: [String]
    let instead: String

    init(_ text: String, unlessBefore: String = "", unlessAfter: String = "", use instead: String) {
        words = text.split(separator: " ").map { $0.split(separator: "|").map(String.init) }
        self.unlessBefore = unlessBefore.split(separator: "|").map(String.init)
        self.unlessAfter = unlessAfter.split(separator: "|").map(String.init)
        self.instead = instead
    }

    static let all = [
        Phrase("for|of|to|by|with|from who|whom", use: "the actor: \"for the client\""),
        Phrase(
            "tell|tells|told|say|says|said|hear|hears|heard|want|wants by|it|them|that|what|nothing|so|who|whom|a|the",
            use: "send, receive, report, print, log, request or need"),
        Phrase("heed|heeds|heeded", use: "follow, or use"),
        Phrase(
            "so many|long|much|often|strongly|large|late|far", unlessBefore: "as|that", unlessAfter: "not",
            use: "a number or the parameter's name: \"at most N\", \"for this duration\""),
        Phrase("what came|comes|becomes|became of", use: "\"the result of\""),
        Phrase("comes of it|them|that", use: "\"results from\""),
        Phrase("mend|mends|mended", use: "fix"),
        Phrase("beside|besides", use: "\"next to\", or \"in addition to\""),
        Phrase("behind the|it|its|that|them|each|this", use: "after"),
        Phrase("one behind another", use: "\"one after another\""),
        Phrase("one behind the other", use: "\"one after another\""),
        Phrase("in good order", use: "cleanly"),
        Phrase("without a word", use: "silently"),
        Phrase("for ever", use: "permanently"),
        Phrase("nobody's|nobody’s", use: "the actor"),
        Phrase("somebody else", use: "the actor: \"another client\""),
        Phrase("by hand", use: "manually"),
        Phrase("at its end", use: "finished, or ended"),
        Phrase("stand|stands at|in|where|for|behind|before|alone", use: "is, means, or precedes"),
        Phrase("of its|our|their|his|your own", use: "\"its own …\" before the noun, or nothing"),
        Phrase(
            "is|are|was|were no", unlessBefore: "longer|more|one|need|such|way", unlessAfter: "there|here",
            use: "\"is not a …\", or \"has no …\""),
    ]
}

/// Text for people, split into words.
struct Prose {
    struct Word: Equatable {
        var text: String
        var line: Int
        var startsSentence: Bool
        /// The punctuation after the word: `.`, `,`, `?`, `:`, `;`, `!`, or 0.
        var end: UInt8
    }

    private(set) var words: [Word] = []
    private var isSentenceStart = true

    /// Adds a line; code between backticks is skipped, and so are interpolations of string literals.
    mutating func add(_ text: some Sequence<UInt8>, line: Int) {
        var word: [UInt8] = []
        var (isCode, depth, last) = (false, 0, UInt8(0))
        func isLetter(_ octet: UInt8) -> Bool {
            (65...90).contains(octet) || (97...122).contains(octet) || octet >= 128
        }
        func flush() {
            guard !word.isEmpty else { return }
            let isCapital = (65...90).contains(word[0])
            let lower = word.map { (65...90).contains($0) ? $0 + 32 : $0 }
            words.append(
                Word(
                    text: String(decoding: lower, as: UTF8.self), line: line,
                    startsSentence: isSentenceStart && isCapital, end: 0))
            isSentenceStart = false
            word = []
        }
        for octet in text {
            defer { last = octet }
            if octet == 0x60 { isCode.toggle() }  // `
            if depth > 0 {
                depth += octet == 0x28 ? 1 : octet == 0x29 ? -1 : 0
                continue
            }
            if last == 0x5C, octet == 0x28 { depth = 1 }  // \(
            if isCode || depth > 0 { continue }
            if isLetter(octet) || (octet == 0x27 && !word.isEmpty) {
                word.append(octet)
                continue
            }
            flush()
            if ".,?:;!".utf8.contains(octet), !words.isEmpty, words[words.count - 1].end == 0 {
                words[words.count - 1].end = octet
                if octet != 0x2C { isSentenceStart = true }
            }
        }
        flush()
    }

    /// Line and advice of each phrase that stumbles.
    func findings() -> [(line: Int, text: String)] {
        var findings: [(line: Int, text: String)] = []
        for index in words.indices {
            for phrase in Self.byFirstWord[words[index].text] ?? [] where matches(phrase, at: index) {
                let text = words[index..<index + phrase.words.count].map(\.text).joined(separator: " ")
                findings.append((words[index].line, "\"\(text)\": use \(phrase.instead)"))
            }
            if isRelativeSubject(index) {
                findings.append(
                    (words[index].line, "a sentence that starts with \"\(words[index].text)\": name the actor"))
            }
            if isRate(index) {
                let text = words[index..<index + 4].map(\.text).joined(separator: " ")
                findings.append((words[index].line, "\"\(text)\": use \"one … per …\""))
            }
        }
        return findings
    }

    private static let byFirstWord: [String: [Phrase]] = {
        var phrases: [String: [Phrase]] = [:]
        for phrase in Phrase.all {
            for word in phrase.words[0] { phrases[word, default: []].append(phrase) }
        }
        return phrases
    }()

    private func matches(_ phrase: Phrase, at index: Int) -> Bool {
        let end = index + phrase.words.count
        guard end <= words.count else { return false }
        for (offset, alternatives) in phrase.words.enumerated() {
            guard alternatives.contains(words[index + offset].text) else { return false }
            if offset < phrase.words.count - 1, words[index + offset].end != 0 { return false }
        }
        if end < words.count, words[end - 1].end == 0, phrase.unlessBefore.contains(words[end].text) { return false }
        if index > 0, phrase.unlessAfter.contains(words[index - 1].text) { return false }
        return true
    }

    /// "Who listens is told", "What was sent is kept": a clause as the subject of a sentence that is not a question.
    private func isRelativeSubject(_ index: Int) -> Bool {
        guard words[index].startsSentence, ["who", "what"].contains(words[index].text) else { return false }
        let rest = words[index...].prefix(40)
        let end = rest.firstIndex { [0x2E, 0x3F, 0x3A, 0x3B, 0x21].contains($0.end) }
        if let end, words[end].end == 0x3F { return false }
        let verbs: Set = [
            "is", "are", "has", "have", "does", "takes", "say", "says", "comes", "stands", "gets", "wants", "needs",
            "ends",
        ]
        return rest[..<(end.map { $0 + 1 } ?? rest.endIndex)].dropFirst(2).prefix(9).contains {
            verbs.contains($0.text)
        }
    }

    /// "a beat a second", "an object a line".
    private func isRate(_ index: Int) -> Bool {
        let units: Set = ["line", "row", "second", "day", "read", "strap", "file"]
        guard index + 3 < words.count, ["a", "an"].contains(words[index].text) else { return false }
        return ["a", "an"].contains(words[index + 2].text) && units.contains(words[index + 3].text)
            && words[index..<index + 3].allSatisfy { $0.end == 0 }
    }
}
