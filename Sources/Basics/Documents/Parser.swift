import Basics

extension Node {
    /// Maximum size of a file in octets.
    package static let maximumSize = 16 << 20

    /// Maximum nesting of arrays and objects.
    package static let maximumDepth = 64

    /// Parses JSON as defined by RFC 8259; skips a byte order mark. No input makes it trap: it throws the first error as
    /// `.tooLarge`, `.notText`, `.syntax`, `.tooDeep` or `.loneSurrogate`.
    ///
    /// Duplicate keys are added to `log`, which keeps the text; parsing stops when the log is full.
    package init(json octets: some Collection<UInt8>, file: String, log: ProblemLog = ProblemLog()) throws(Problem) {
        do throws(Problem) {
            var parser = try Parser(octets, file: file, log: log, isStrict: true)
            self = try parser.document()
        } catch { throw log.withExcerpts([error]).first ?? error }
    }

    /// Parses JSON and goes on after errors whose fix is clear: commas that are missing or too many, comments, other
    /// quotation marks.
    ///
    /// - Returns: The value with these errors fixed; nil if another error ended parsing. All errors are in `log`.
    package static func repaired(
        json octets: some Collection<UInt8>, file: String, log: ProblemLog, atMost maximum: Int = maximumSize
    ) -> Node? {
        do throws(Problem) {
            var parser = try Parser(octets, file: file, log: log, isStrict: false, atMost: maximum)
            return try parser.document()
        } catch {
            log.note(error)
            return nil
        }
    }
}

/// Parses valid UTF-8 octet by octet; octets above 0x7F can only be inside strings.
struct Parser {
    let text: [UInt8]
    let file: String
    let log: ProblemLog
    /// Whether the first error ends parsing.
    let isStrict: Bool
    var index = 0
    /// The brackets that are open, each with the step to the current value.
    var brackets: [Bracket] = []
    /// The first pair of brackets whose lines have different indentation.
    var misaligned: (opening: Position, closing: Position)?
    var line = 1
    /// Index of the start of the current line, plus the number of its continuation octets before the current position.
    var margin = 0
    var lineStart = 0
    /// The blanks before the first token of the line.
    var indentation = 0
    private var isLineBlank = true
    /// The place after the last value.
    var valueEnd = Position()
    var valueEndIndex = 0
    private var repairs = 0

    /// An opening bracket, the indentation of its line, and the key or the index within it.
    struct Bracket {
        let isObject: Bool
        let position: Position
        let indentation: Int
        var step = (key: String?.none, item: 0)

        var closing: Unicode.Scalar { isObject ? "}" : "]" }
    }

    /// The maximum number of errors after which parsing goes on.
    static let maximumRepairs = 100

    init(
        _ octets: some Collection<UInt8>, file: String, log: ProblemLog, isStrict: Bool,
        atMost maximum: Int = Node.maximumSize
    ) throws(Problem) {
        (self.file, self.log, self.isStrict) = (file, log, isStrict)
        guard octets.count <= maximum else {
            throw Problem(
                file: file, position: Position(), code: .tooLarge,
                message: "the file is larger than \(maximum >> 20) MiB")
        }
        let all = Array(octets)
        log.keep(all, of: file)
        if String(validating: all, as: UTF8.self) == nil { throw Self.encodingProblem(all, file) }
        text = all.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(all.dropFirst(3)) : all
    }

    mutating func document() throws(Problem) -> Node {
        try skipSpace()
        let node = try node()
        try skipSpace()
        guard index == text.count else { throw excess }
        return node
    }

    mutating func node() throws(Problem) -> Node {
        let start = position
        guard brackets.count < Node.maximumDepth else {
            throw problem("this is nested more than \(Node.maximumDepth) levels deep", .tooDeep)
        }
        let value: Node.Value
        switch peek {
        case .letter("{"): value = .object(try object())
        case .letter("["): value = .array(try array())
        case .letter("\""): value = .string(try string())
        case .letter("-")?, (.letter("0") ... .letter("9"))?: value = try number()
        case .letter("n") where word == "null": value = takeWord(.null)
        case .letter("t") where word == "true": value = takeWord(.bool(true))
        case .letter("f") where word == "false": value = takeWord(.bool(false))
        default: value = try malformedValue()
        }
        (valueEnd, valueEndIndex) = (position, index)
        return Node(value, at: start)
    }

    private mutating func takeWord(_ value: Node.Value) -> Node.Value {
        index += word.utf8.count
        return value
    }

    mutating func array() throws(Problem) -> [Node] {
        var items: [Node] = []
        open()
        try skipSpace()
        guard !takeClosing() else { return items }
        repeat {
            items.append(try node())
            brackets[brackets.count - 1].step.item = items.count
            try skipSpace()
            if peek == .letter(":"), let last = items.last, last.isString { throw unclosed(before: last) }
        } while try hasNext()
        return items
    }

    mutating func object() throws(Problem) -> [Node.Member] {
        var members: [Node.Member] = []
        var keys = Keys()
        open()
        try skipSpace()
        guard !takeClosing() else { return members }
        repeat {
            let start = position
            let key = try key()
            brackets[brackets.count - 1].step.key = key
            log.steps += 1
            if !keys.add(key, to: members) { try noteDuplicate(of: key, at: start, among: members) }
            try skipSpace()
            try takeColon(after: key)
            try skipSpace()
            members.append(Node.Member(key: key, position: start, node: try node()))
            try skipSpace()
        } while try hasNext()
        return members
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

    func noteDuplicate(of key: String, at position: Position, among members: [Node.Member]) throws(Problem) {
        // Only what is listed needs the place of the first.
        let candidates = log.lists(.duplicateKey, in: file) ? members : []
        log.steps += candidates.count
        let first = candidates.first { $0.key == key }
        let path = brackets.reduce(DocumentPath.root) { parent, bracket in
            bracket.step.key.map { .key($0, of: parent) } ?? .item(bracket.step.item, of: parent)
        }
        let problem = Problem(
            file: file, position: position, code: .duplicateKey, path: path.description, message: "duplicate key",
            help: "delete one of the two",
            related: first.map { [RelatedPlace(file: file, position: $0.position, message: "the first is here")] } ?? []
        )
        log.note(problem)
        if log.isFull { throw problem }
    }

    // MARK: Octets

    var peek: UInt8? { index < text.count ? text[index] : nil }

    var position: Position { Position(line: line, column: index - margin + 1) }

    mutating func skipSpace() throws(Problem) {
        while let octet = peek {
            switch octet {
            case .letter(" "), .letter("\t"), .letter("\r"): index += 1
            case .letter("\n"): takeLineFeed()
            case .letter("/"), .letter("#"): guard try skipComment() else { return }
            default:
                if isLineBlank { (indentation, isLineBlank) = (index - lineStart, false) }
                return
            }
        }
    }

    mutating func takeLineFeed() {
        (index, line, margin, lineStart, isLineBlank) = (index + 1, line + 1, index + 1, index + 1, true)
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

    /// The ASCII letters, digits and underscores that begin here.
    var word: String {
        String(decoding: text[index...].prefix { $0 < 0x80 && Self.isWord($0) }, as: UTF8.self)
    }

    static func isDigit(_ octet: UInt8) -> Bool { (.letter("0") ... .letter("9")).contains(octet) }

    static func isLetter(_ octet: UInt8) -> Bool { (.letter("a") ... .letter("z")).contains(octet | 0x20) }

    static func isWord(_ octet: UInt8) -> Bool { isDigit(octet) || isLetter(octet) || octet == .letter("_") }

    // MARK: Problems

    func problem(
        _ message: String, _ code: DiagnosticCode = .syntax, at place: Position? = nil, length: Int? = nil,
        help: String? = nil, related: [RelatedPlace] = []
    ) -> Problem {
        Problem(
            file: file, position: place ?? position, length: length, code: code, message: message, help: help,
            related: related)
    }

    func unexpected(_ expected: String, help: String? = nil) -> Problem {
        problem("expected \(expected), found \(found)", help: help)
    }

    /// Notes an error after which parsing goes on; throws it if parsing is strict or has noted too many.
    mutating func repair(_ problem: Problem) throws(Problem) {
        guard !isStrict else { throw problem }
        log.note(problem)
        repairs += 1
        if repairs >= Self.maximumRepairs || log.isFull { throw problem }
    }
}

extension UInt8 {
    /// The octet of an ASCII letter.
    static func letter(_ letter: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: letter.value) }
}
