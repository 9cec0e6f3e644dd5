import TextFormatting

extension Node {
    /// Maximum size of a file in octets.
    package static let maximumSize = 16 << 20

    /// Maximum nesting of arrays and objects.
    package static let maximumDepth = 64

    /// Parses JSON as defined by RFC 8259; skips a byte order mark. No input makes it trap: it throws the first error as
    /// `.tooLarge`, `.notText`, `.syntax`, `.tooDeep` or `.loneSurrogate`.
    ///
    /// Duplicate keys are added to `log`; parsing stops when the log is full.
    package init(json octets: some Collection<UInt8>, file: String, log: ProblemLog = ProblemLog()) throws(Problem) {
        func problem(_ code: DiagnosticCode, _ message: String) -> Problem {
            Problem(file: file, position: Position(), code: code, path: "", message: message)
        }
        guard octets.count <= Self.maximumSize else { throw problem(.tooLarge, "the file is larger than 16 MiB") }
        var text = Array(octets)
        guard String(validating: text, as: UTF8.self) != nil else {
            throw problem(.notText, "the file is not UTF-8 text")
        }
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        var parser = Parser(text: text, file: file, log: log)
        self = try parser.document()
    }
}

/// Parses valid UTF-8 octet by octet; octets above 0x7F can only be inside strings.
private struct Parser {
    let text: [UInt8]
    let file: String
    let log: ProblemLog
    var index = 0
    /// The path of the current value; its length is the depth.
    var path: [Step] = []
    var line = 1
    /// Index of the start of the current line, plus the number of its continuation octets before the current position.
    var margin = 0

    enum Step { case key(String), item(Int) }

    mutating func document() throws(Problem) -> Node {
        skipSpace()
        let node = try node()
        skipSpace()
        guard index == text.count else { throw unexpected("the end of the file") }
        return node
    }

    mutating func node() throws(Problem) -> Node {
        let start = position
        guard path.count < Node.maximumDepth else {
            throw problem("this is nested more than \(Node.maximumDepth) levels deep", .tooDeep, at: start)
        }
        let value: Node.Value
        switch peek {
        case .letter("{"): value = .object(try object())
        case .letter("["): value = .array(try array())
        case .letter("\""): value = .string(try string())
        case .letter("-")?, (.letter("0") ... .letter("9"))?: value = .number(try number())
        case .letter("n") where take("null"): value = .null
        case .letter("t") where take("true"): value = .bool(true)
        case .letter("f") where take("false"): value = .bool(false)
        default: throw unexpected("a value")
        }
        return Node(value, at: start)
    }

    mutating func array() throws(Problem) -> [Node] {
        var items: [Node] = []
        index += 1
        skipSpace()
        if take("]" as Unicode.Scalar) { return items }
        while true {
            path.append(.item(items.count))
            items.append(try node())
            path.removeLast()
            skipSpace()
            if take("]" as Unicode.Scalar) { return items }
            try expectComma(orEnd: "]")
            skipSpace()
        }
    }

    mutating func object() throws(Problem) -> [Node.Member] {
        var members: [Node.Member] = []
        var keys = Keys()
        index += 1
        skipSpace()
        if take("}" as Unicode.Scalar) { return members }
        while true {
            let start = position
            guard peek == .letter("\"") else { throw unexpected("a key in double quotation marks") }
            let key = try string()
            path.append(.key(key))
            if !keys.add(key, to: members) { try noteDuplicate(at: start) }
            skipSpace()
            guard take(":" as Unicode.Scalar) else { throw problem("expected a colon before \(found)") }
            skipSpace()
            members.append(Node.Member(key: key, position: start, node: try node()))
            path.removeLast()
            skipSpace()
            if take("}" as Unicode.Scalar) { return members }
            try expectComma(orEnd: "}")
            skipSpace()
        }
    }

    /// The keys of an object: compared one by one while they are few, then kept in a set.
    struct Keys {
        private var many: Set<String> = []

        /// Whether `members` do not have the key yet.
        mutating func add(_ key: String, to members: [Node.Member]) -> Bool {
            guard members.count >= 16 else { return !members.contains { $0.key == key } }
            if many.isEmpty { many = Set(members.map(\.key)) }
            return many.insert(key).inserted
        }
    }

    func noteDuplicate(at position: Position) throws(Problem) {
        let path = path.reduce(DocumentPath.root) { parent, step in
            switch step {
            case .key(let key): .key(key, of: parent)
            case .item(let index): .item(index, of: parent)
            }
        }
        let problem = Problem(
            file: file, position: position, code: .duplicateKey, path: path.description, message: "duplicate key")
        log.note(problem)
        if log.isFull { throw problem }
    }

    mutating func number() throws(Problem) -> String {
        let start = index
        _ = take("-" as Unicode.Scalar)
        if !take("0" as Unicode.Scalar) { try digits() }
        if take("." as Unicode.Scalar) { try digits() }
        if take("e" as Unicode.Scalar) || take("E" as Unicode.Scalar) {
            _ = take("+" as Unicode.Scalar) || take("-" as Unicode.Scalar)
            try digits()
        }
        return String(decoding: text[start..<index], as: UTF8.self)
    }

    mutating func digits() throws(Problem) {
        guard let digit = peek, isDigit(digit) else { throw unexpected("a digit") }
        while let digit = peek, isDigit(digit) { index += 1 }
    }

    func isDigit(_ octet: UInt8) -> Bool { (.letter("0") ... .letter("9")).contains(octet) }

    // MARK: Strings

    mutating func string() throws(Problem) -> String {
        index += 1
        var content: [UInt8] = []
        var start = index
        while let octet = peek, octet != .letter("\"") {
            guard octet != .letter("\n") else {
                throw problem("expected a closing quotation mark before the end of the line")
            }
            guard octet >= 0x20 else { throw problem("the control character \(found) must be escaped") }
            if octet == .letter("\\") {
                content += text[start..<index]
                content += Array(String(try escape()).utf8)
                start = index
            } else {
                if octet & 0xC0 == 0x80 { margin += 1 }
                index += 1
            }
        }
        content += text[start..<index]
        guard take("\"" as Unicode.Scalar) else { throw problem("expected a closing quotation mark before \(found)") }
        return String(decoding: content, as: UTF8.self)
    }

    mutating func escape() throws(Problem) -> Unicode.Scalar {
        let start = position
        index += 1
        for (letter, scalar) in Self.escapes where take(letter) { return scalar }
        guard take("u" as Unicode.Scalar) else {
            throw unexpected("\\\", \\\\, \\/, \\b, \\f, \\n, \\r, \\t or \\u")
        }
        let high = try codeUnit()
        if let scalar = Unicode.Scalar(high) { return scalar }
        let low = high < 0xDC00 && take("\\u" as StaticString) ? try codeUnit() : 0
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + low - 0xDC00)
        else { throw problem("this escape is half of a surrogate pair", .loneSurrogate, at: start) }
        return scalar
    }

    static let escapes: [(Unicode.Scalar, Unicode.Scalar)] = [
        ("\"", "\""), ("\\", "\\"), ("/", "/"), ("b", "\u{8}"), ("f", "\u{C}"), ("n", "\n"), ("r", "\r"), ("t", "\t"),
    ]

    mutating func codeUnit() throws(Problem) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let octet = peek, let digit = Character(Unicode.Scalar(octet)).hexDigitValue else {
                throw unexpected("four hexadecimal digits")
            }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }

    // MARK: Octets

    var peek: UInt8? { index < text.count ? text[index] : nil }

    var position: Position { Position(line: line, column: index - margin + 1) }

    mutating func skipSpace() {
        while let octet = peek {
            switch octet {
            case .letter(" "), .letter("\t"), .letter("\r"): index += 1
            case .letter("\n"): (index, line, margin) = (index + 1, line + 1, index + 1)
            default: return
            }
        }
    }

    mutating func take(_ letter: Unicode.Scalar) -> Bool {
        guard peek == .letter(letter) else { return false }
        index += 1
        return true
    }

    mutating func take(_ word: StaticString) -> Bool {
        let word = word.description.utf8
        guard text[index...].starts(with: word) else { return false }
        index += word.count
        return true
    }

    /// Takes a comma. If the end of the array or object is more probably missing, the error names that.
    mutating func expectComma(orEnd bracket: Unicode.Scalar) throws(Problem) {
        guard !take("," as Unicode.Scalar) else { return }
        let isEnd = peek.map { [.letter("]"), .letter("}")].contains($0) } ?? true
        throw problem("expected \(isEnd ? String(bracket).quoted : "a comma") before \(found)")
    }

    func unexpected(_ expected: String) -> Problem { problem("expected \(expected), found \(found)") }

    func problem(_ message: String, _ code: DiagnosticCode = .syntax, at place: Position? = nil) -> Problem {
        Problem(file: file, position: place ?? position, code: code, path: "", message: message)
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
        let word = rest.prefix { isDigit($0) || (.letter("a") ... .letter("z")).contains($0 | 0x20) }
        return word.isEmpty ? String(first).quoted : String(decoding: word, as: UTF8.self).quoted
    }
}

extension UInt8 {
    /// The octet of an ASCII letter.
    fileprivate static func letter(_ letter: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: letter.value) }
}
