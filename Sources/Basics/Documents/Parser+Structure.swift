import Basics

// Brackets, commas and colons.
extension Parser {
    /// Takes an opening bracket.
    mutating func open() {
        brackets.append(Bracket(isObject: peek == .letter("{"), position: position, indentation: indentation))
        index += 1
    }

    /// Takes the bracket that closes the innermost one, if it is here.
    mutating func takeClosing() -> Bool {
        guard let bracket = brackets.last, peek == .letter(bracket.closing) else { return false }
        if misaligned == nil, bracket.position.line < line, index - lineStart == indentation,
            indentation != bracket.indentation
        {
            misaligned = (bracket.position, position)
        }
        brackets.removeLast()
        index += 1
        return true
    }

    /// Takes the comma or the closing bracket after an item or member. Returns whether another one follows.
    mutating func hasNext() throws(Problem) -> Bool {
        guard let bracket = brackets.last, !takeClosing() else { return false }
        let comma = position
        guard take("," as Unicode.Scalar) else {
            if try takeUnit() { return try hasNext() }
            guard startsNext(in: bracket) else { throw unclosed() }
            let help = "write a comma between this and \(found)"
            try repair(problem("a comma is missing", at: valueEnd, length: 1, help: help))
            return true
        }
        try skipSpace()
        while peek == .letter(",") {
            try repair(problem("there are two commas", length: 1, help: "delete one of them"))
            index += 1
            try skipSpace()
        }
        guard peek == .letter("]") || peek == .letter("}") else { return true }
        guard peek == .letter(bracket.closing) else { throw unclosed() }
        let help = "delete the comma before the closing bracket"
        try repair(problem("trailing comma", at: comma, length: 1, help: help))
        return !takeClosing()
    }

    /// Whether an item or member begins here.
    private func startsNext(in bracket: Bracket) -> Bool {
        switch peek {
        case .letter("\"")?, .letter("'")?: true
        case .letter("{")?, .letter("[")?, .letter("-")?: !bracket.isObject
        case let octet?: bracket.isObject ? Self.isLetter(octet) : Self.isWord(octet)
        case nil: false
        }
    }

    mutating func takeColon(after key: String) throws(Problem) {
        guard !take(":" as Unicode.Scalar) else { return }
        if peek == .letter("=") {
            try repair(problem("\"=\" in place of a colon", length: 1, help: "write \(key.abbreviated.quoted): …"))
            index += take("=>" as StaticString) ? 0 : 1
            return
        }
        let isCut = key.contains(":") || key.contains(",")
        let help = isCut ? "the string before it contains punctuation: a quotation mark is missing before that" : nil
        throw problem("expected a colon before \(found)", help: help)
    }

    // MARK: Problems

    /// The error that a bracket is not closed at this position.
    func unclosed() -> Problem {
        guard let bracket = brackets.last else { return unexpected("the end of the file") }
        let isEnd = peek.map { $0 == .letter("]") || $0 == .letter("}") || $0 == .letter("{") } ?? true
        let opening = bracket.isObject ? "{" : "["
        guard isEnd else { return problem("expected a comma or \(String(bracket.closing).quoted) before \(found)") }
        var related = [place(bracket.position, "this \(opening.quoted) is not closed")]
        if peek == nil, let (opened, closed) = misaligned {
            related.append(place(opened, "or this one: the bracket that closes it is indented differently,"))
            related.append(place(closed, "here"))
        }
        return problem("expected \(String(bracket.closing).quoted) before \(found)", length: 1, related: related)
    }

    /// The error that an array is not closed before a key.
    func unclosed(before key: Node) -> Problem {
        let related = brackets.last.map { [place($0.position, "this \"[\" is not closed")] } ?? []
        return problem("expected \"]\" before the key \(key.kind)", at: key.position, related: related)
    }

    /// The error that text follows the document.
    var excess: Problem {
        let isBracket = peek == .letter("}") || peek == .letter("]")
        let message = isBracket ? "\(found) closes no bracket" : "expected the end of the file, found \(found)"
        var related = [place(before: valueEnd, "the document ends here")]
        if let (opened, closed) = misaligned {
            related = [
                place(opened, "perhaps this bracket was to be closed later:"),
                place(closed, "the bracket that closes it is indented differently"),
            ]
        }
        return problem(message, length: isBracket ? 1 : nil, related: related)
    }

    func place(_ position: Position, _ message: String) -> RelatedPlace {
        RelatedPlace(file: file, position: position, message: message)
    }

    private func place(before position: Position, _ message: String) -> RelatedPlace {
        place(Position(line: position.line, column: max(1, position.column - 1)), message)
    }

    /// The string, word or scalar that begins here, for messages.
    var found: String {
        let rest = text[index..<min(index + 260, text.count)]
        guard let first = String(decoding: rest.prefix(4), as: UTF8.self).unicodeScalars.first else {
            return "the end of the file"
        }
        if first == "\"", let end = rest.dropFirst().firstIndex(where: { $0 == .letter("\"") || $0 < 0x20 }),
            rest[end] == .letter("\"")
        {
            return String(decoding: rest[...end], as: UTF8.self).dropFirst().dropLast().description.abbreviated.quoted
        }
        let word = rest.prefix { Self.isDigit($0) || Self.isLetter($0) }
        return word.isEmpty ? String(first).quoted : String(decoding: word, as: UTF8.self).quoted
    }
}
