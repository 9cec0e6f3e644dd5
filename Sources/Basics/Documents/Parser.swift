import Spelling

extension Node {
    /// A file may have that many octets.
    public static let largest = 16 << 20

    /// Arrays and objects may be nested that deep.
    public static let deepest = 64

    /// Reads RFC 8259 JSON; a byte order mark at the beginning is skipped.  Total: any octets give a tree or the place of
    /// the first that is wrong, as `.tooLarge`, `.notText`, `.syntax`, `.tooDeep` or `.loneSurrogate`.
    ///
    /// Each key that its object has a second time is noted in `log`; when that is full, the rest is not read.
    public init(json octets: some Collection<UInt8>, file: String, log: ProblemLog = ProblemLog()) throws(Problem) {
        func problem(_ code: DiagnosticCode, _ message: String) -> Problem {
            Problem(file: file, position: Position(), code: code, path: "", message: message)
        }
        guard octets.count <= Self.largest else { throw problem(.tooLarge, "this file has more than 16 MiB") }
        var text = Array(octets)
        guard String(validating: text, as: UTF8.self) != nil else {
            throw problem(.notText, "this file is not UTF-8 text")
        }
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        var parser = Parser(text: text, file: file, log: log)
        self = try parser.document()
    }
}

/// Goes through valid UTF-8 octet by octet; only strings can have octets above 0x7F.
private struct Parser {
    let text: [UInt8]
    let file: String
    let log: ProblemLog
    var index = 0
    /// The way to what is read now; its length is the depth.
    var way: [Step] = []
    var line = 1
    /// Where this line began, and later by one for each octet in it that does not begin a scalar.
    var margin = 0

    enum Step { case key(String), item(Int) }

    mutating func document() throws(Problem) -> Node {
        skipSpace()
        let node = try node()
        skipSpace()
        guard index == text.count else { throw problem("expected the end of the file") }
        return node
    }

    mutating func node() throws(Problem) -> Node {
        let start = position
        guard way.count < Node.deepest else { throw problem("this is nested more than 64 levels deep", .tooDeep) }
        let value: Node.Value
        switch peek {
        case .letter("{"): value = .object(try object())
        case .letter("["): value = .array(try array())
        case .letter("\""): value = .string(try string())
        case .letter("-")?, (.letter("0") ... .letter("9"))?: value = .number(try number())
        case .letter("n") where take("null"): value = .null
        case .letter("t") where take("true"): value = .bool(true)
        case .letter("f") where take("false"): value = .bool(false)
        default: throw problem("expected a value")
        }
        return Node(value, at: start)
    }

    mutating func array() throws(Problem) -> [Node] {
        var items: [Node] = []
        index += 1
        skipSpace()
        if take("]" as Unicode.Scalar) { return items }
        while true {
            way.append(.item(items.count))
            items.append(try node())
            way.removeLast()
            skipSpace()
            if take("]" as Unicode.Scalar) { return items }
            try expect(",")
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
            let key = try string()
            way.append(.key(key))
            if !keys.add(key, to: members) { try noteDuplicate(at: start) }
            skipSpace()
            try expect(":")
            skipSpace()
            members.append(Node.Member(key: key, position: start, node: try node()))
            way.removeLast()
            skipSpace()
            if take("}" as Unicode.Scalar) { return members }
            try expect(",")
            skipSpace()
        }
    }

    /// The keys of an object: compared while they are few, looked up when they are many.
    struct Keys {
        private var many: Set<String> = []

        /// Whether the key is a new one behind those of `members`.
        mutating func add(_ key: String, to members: [Node.Member]) -> Bool {
            guard members.count >= 16 else { return !members.contains { $0.key == key } }
            if many.isEmpty { many = Set(members.map(\.key)) }
            return many.insert(key).inserted
        }
    }

    func noteDuplicate(at position: Position) throws(Problem) {
        let way = way.reduce(Way.root) { way, step in
            switch step {
            case .key(let key): .key(key, of: way)
            case .item(let index): .item(index, of: way)
            }
        }
        let problem = Problem(
            file: file, position: position, code: .duplicateKey, path: way.description, message: "duplicate key")
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
        guard let digit = peek, isDigit(digit) else { throw problem("expected a digit") }
        while let digit = peek, isDigit(digit) { index += 1 }
    }

    func isDigit(_ octet: UInt8) -> Bool { (.letter("0") ... .letter("9")).contains(octet) }

    // MARK: Strings

    mutating func string() throws(Problem) -> String {
        try expect("\"")
        var content: [UInt8] = []
        var start = index
        while let octet = peek, octet != .letter("\"") {
            guard octet >= 0x20 else { throw problem("a control character must be escaped") }
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
        try expect("\"")
        return String(decoding: content, as: UTF8.self)
    }

    mutating func escape() throws(Problem) -> Unicode.Scalar {
        let start = position
        index += 1
        for (letter, scalar) in Self.escapes where take(letter) { return scalar }
        guard take("u" as Unicode.Scalar) else {
            throw problem("expected \\\", \\\\, \\/, \\b, \\f, \\n, \\r, \\t or \\u")
        }
        let high = try codeUnit()
        if let scalar = Unicode.Scalar(high) { return scalar }
        let low = high < 0xDC00 && take("\\u" as StaticString) ? try codeUnit() : 0
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + low - 0xDC00)
        else { throw problem("this is half of a surrogate pair", .loneSurrogate, at: start) }
        return scalar
    }

    static let escapes: [(Unicode.Scalar, Unicode.Scalar)] = [
        ("\"", "\""), ("\\", "\\"), ("/", "/"), ("b", "\u{8}"), ("f", "\u{C}"), ("n", "\n"), ("r", "\r"), ("t", "\t"),
    ]

    mutating func codeUnit() throws(Problem) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let octet = peek, let digit = Character(Unicode.Scalar(octet)).hexDigitValue else {
                throw problem("expected four hexadecimal digits")
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

    mutating func expect(_ mark: Unicode.Scalar) throws(Problem) {
        guard take(mark) else { throw problem("expected \(mark)") }
    }

    func problem(_ message: String, _ code: DiagnosticCode = .syntax, at place: Position? = nil) -> Problem {
        let found = place != nil ? "" : ", found " + (next.map { String($0).quoted } ?? "the end of the file")
        return Problem(file: file, position: place ?? position, code: code, path: "", message: message + found)
    }

    /// The whole scalar that begins here.
    var next: Unicode.Scalar? {
        String(decoding: text[index..<min(index + 4, text.count)], as: UTF8.self).unicodeScalars.first
    }
}

extension UInt8 {
    /// The octet of a letter of ASCII.
    fileprivate static func letter(_ letter: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: letter.value) }
}
