import Basics

// Numbers, and values that are written as in other languages.
extension Parser {
    /// A number; `.unknown` for one that JSON writes otherwise.
    mutating func number() throws(Problem) -> Node.Value {
        let start = index
        let place = position
        _ = take("-" as Unicode.Scalar)
        var isValid = take("0" as Unicode.Scalar) || takeDigits()
        if take("." as Unicode.Scalar) { isValid = takeDigits() && isValid }
        if take("e" as Unicode.Scalar) || take("E" as Unicode.Scalar) {
            _ = take("+" as Unicode.Scalar) || take("-" as Unicode.Scalar)
            isValid = takeDigits() && isValid
        }
        let isComplete = peek.map { !Self.isWord($0) && $0 != .letter(".") } ?? true
        if isValid, isComplete { return .number(String(decoding: text[start..<index], as: UTF8.self)) }
        try noteMalformedNumber(from: start, place)
        return .unknown
    }

    private mutating func takeDigits() -> Bool {
        let start = index
        while let digit = peek, Self.isDigit(digit) { index += 1 }
        return index > start
    }

    private mutating func noteMalformedNumber(from start: Int, _ place: Position) throws(Problem) {
        while let octet = peek, Self.isWord(octet) || [.letter("."), .letter("+"), .letter("-")].contains(octet) {
            index += 1
        }
        let token = String(decoding: text[start..<index], as: UTF8.self)
        try repair(
            problem(
                "\(token.abbreviated.quoted) is not a JSON number", at: place, length: index - start,
                help: Self.correction(of: token)))
    }

    /// How to write a number that has another format.
    private static func correction(of token: String) -> String {
        let (sign, digits) = token.first == "-" ? ("-", token.dropFirst()) : ("", token[...])
        if digits.hasPrefix("0x"), let number = Int(digits.dropFirst(2), radix: 16) { return "write \(sign)\(number)" }
        let last = digits.drop { $0.isASCII && ($0.isNumber || ".+-eE".contains($0)) }
        if !last.isEmpty, last.allSatisfy({ $0.isLetter }), digits.count > last.count {
            return "a value with a unit is a string: write \"\(sign)\(digits.dropLast(last.count)) \(last)\""
        }
        let plain = (digits.first == "+" ? digits.dropFirst() : digits).filter { $0 != "_" }
        if let number = Double(plain.first == "." ? "0" + plain : plain.last == "." ? plain + "0" : String(plain)) {
            return "write \(sign)\(number.plain)"
        }
        return "write digits, and a point before decimals"
    }

    /// Takes a unit after a number, as in `10 s`, after noting it.
    mutating func takeUnit() throws(Problem) -> Bool {
        guard let octet = peek, Self.isLetter(octet), !["true", "false", "null"].contains(word), valueEnd.line == line,
            valueEndIndex > 0, Self.isDigit(text[valueEndIndex - 1])
        else { return false }
        let unit = word
        try repair(
            problem(
                "a number cannot have a unit", length: unit.utf8.count,
                help: "write the number and \(unit.abbreviated.quoted) as one string in double quotation marks"))
        index += unit.utf8.count
        try skipSpace()
        return true
    }

    /// Notes a value that is not JSON, and takes it if its end is clear.
    mutating func malformedValue() throws(Problem) -> Node.Value {
        switch peek {
        case .letter("'"): return .string(try singleQuoted())
        case .letter("]") where brackets.last?.isObject != false, .letter("}") where brackets.last?.isObject != true:
            throw unclosed()
        case .letter(","), .letter("]"), .letter("}"):
            try repair(problem("expected a value before \(found)", length: 1))
            return .unknown
        case .letter("+"), .letter("."):
            let (start, place) = (index, position)
            try noteMalformedNumber(from: start, place)
            return .unknown
        case nil: throw unclosed(expecting: "a value")
        default: break
        }
        let word = word
        guard !word.isEmpty else { throw unexpected("a value") }
        let meant = Self.meant[word.lowercased()] ?? closestMatch(to: word, in: ["true", "false", "null"])
        let help =
            switch meant {
            case "null"?: "write null if it is allowed here, or leave the key out"
            case "number"?: "JSON has finite numbers only"
            case let meant?: "write \(meant)"
            case nil: "a string has double quotation marks: write \(word.abbreviated.quoted)"
            }
        try repair(problem("expected a value, found \(word.abbreviated.quoted)", length: word.utf8.count, help: help))
        index += word.utf8.count
        switch meant {
        case "true"?: return .bool(true)
        case "false"?: return .bool(false)
        default: return .unknown
        }
    }

    /// The words of other languages.
    private static let meant = [
        "true": "true", "false": "false", "null": "null", "none": "null", "nil": "null", "undefined": "null",
        "yes": "true", "no": "false", "on": "true", "off": "false", "nan": "number", "inf": "number",
        "infinity": "number",
    ]

    private func unclosed(expecting value: String) -> Problem {
        var problem = unexpected(value)
        if let bracket = brackets.last {
            let opening = bracket.isObject ? "{" : "["
            problem.related = [place(bracket.position, "this \(opening.quoted) is not closed")]
        }
        return problem
    }

    // MARK: Comments

    /// Skips a comment after noting it; false if there is none.
    mutating func skipComment() throws(Problem) -> Bool {
        let isHash = peek == .letter("#")
        let next = index + 1 < text.count ? text[index + 1] : nil
        let isBlock = !isHash && next == .letter("*")
        guard isHash || isBlock || next == .letter("/") else { return false }
        let length = isHash ? 1 : 2
        let help = "delete it, or write the remark as a \"note\" of the object: \"note\": \"…\""
        try repair(problem("JSON has no comments", length: length, help: help))
        let opening = position
        index += length
        while let octet = peek {
            if octet == .letter("\n") {
                guard isBlock else { return true }
                takeLineFeed()
                continue
            }
            if isBlock, take("*/" as StaticString) { return true }
            if octet & 0xC0 == 0x80 { margin += 1 }
            index += 1
        }
        if isBlock { throw problem("this comment has no end", at: opening, length: 2) }
        return true
    }

    // MARK: Encoding

    /// The error that the text is not UTF-8, at the first octet that is not.
    static func encodingProblem(_ octets: [UInt8], _ file: String) -> Problem {
        let offset = invalidOffset(octets)
        let start = octets.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let before = octets[min(start, offset)..<offset]
        let lineStart = before.lastIndex(of: .letter("\n")).map { $0 + 1 } ?? before.startIndex
        let position = Position(
            line: before.count { $0 == .letter("\n") } + 1,
            column: octets[lineStart..<offset].count { $0 & 0xC0 != 0x80 } + 1)
        let isWide = octets.starts(with: [0xFF, 0xFE]) || octets.starts(with: [0xFE, 0xFF])
        let isBinary = octets.prefix(1024).contains { $0 < 0x20 && !Self.isLayout($0) }
        if isBinary, !isWide {
            return Problem(
                file: file, position: position, length: 1, code: .notText, message: "this is not a text file",
                help: "is it the file that you meant?")
        }
        let octet = offset < octets.count ? "0x" + octets[offset].zeroPadded(to: 2, radix: 16) : "the end"
        return Problem(
            file: file, position: position, length: 1, code: .notText,
            message: isWide ? "the file is UTF-16, not UTF-8" : "the file is not UTF-8 text: \(octet) is invalid here",
            help: isWide ? "save it as UTF-8" : "save the file as UTF-8; perhaps it is ISO 8859-1 or Windows-1252")
    }

    /// Whether a control character is usual in a text: tabs, line feeds, form feeds, carriage returns.
    private static func isLayout(_ octet: UInt8) -> Bool { (0x09...0x0D).contains(octet) }

    /// The offset of the first scalar that is not UTF-8: Unicode Standard, table 3-7.
    private static func invalidOffset(_ octets: [UInt8]) -> Int {
        do throws(UTF8.ValidationError) {
            return try UTF8Span(validating: octets.span).count
        } catch { return error.byteOffsets.lowerBound }
    }
}
