import Basics

extension Parser {
    /// The key of a member; one with other quotation marks or none is noted.
    mutating func key() throws(Problem) -> String {
        switch peek {
        case .letter("\""): return try string()
        case .letter("'"): return try singleQuoted()
        default: break
        }
        let word = word
        guard isKey(word) else {
            let related = brackets.last.map { [place($0.position, "in the object that begins here")] } ?? []
            throw problem("expected a key in double quotation marks, found \(found)", related: related)
        }
        let length = word.utf8.count
        try repair(problem("this key has no quotation marks", length: length, help: "write \(word.abbreviated.quoted)"))
        index += length
        _ = take("\"" as Unicode.Scalar)  // only the first one was missing
        return word
    }

    /// Whether a word that begins here is a key without quotation marks, or without the first one.
    private func isKey(_ word: String) -> Bool {
        guard word.utf8.first.map({ !Self.isDigit($0) }) ?? false else { return false }
        let rest = text[(index + word.utf8.count)...].drop { $0 == .letter(" ") || $0 == .letter("\t") }
        return rest.first.map { [.letter(":"), .letter("="), .letter("\"")].contains($0) } ?? false
    }

    mutating func string() throws(Problem) -> String {
        let opening = position
        index += 1
        var content: [UInt8] = []
        var start = index
        while let octet = peek, octet != .letter("\"") {
            guard octet != .letter("\n") else { break }
            if octet < 0x20 { try noteControl(octet) }
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
        guard take("\"" as Unicode.Scalar) else {
            let length = max(1, position.column - opening.column)
            throw problem(
                "this string has no closing quotation mark on its line", at: opening, length: length,
                help: "write a quotation mark where it ends; a line break inside a string is written as \\n")
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// A string in single quotation marks.
    mutating func singleQuoted() throws(Problem) -> String {
        let opening = position
        let rest = text[(index + 1)...]
        guard let end = rest.firstIndex(where: { $0 == .letter("'") || $0 < 0x20 }), text[end] == .letter("'") else {
            throw problem("this string has no closing quotation mark on its line", length: 1)
        }
        let content = String(decoding: text[(index + 1)..<end], as: UTF8.self)
        let length = content.unicodeScalars.count + 2
        try repair(
            problem(
                "single quotation marks", at: opening, length: length,
                help: "JSON strings have double ones: write \(content.abbreviated.quoted)"))
        margin += content.utf8.count - (length - 2)
        index = end + 1
        return content
    }

    private mutating func noteControl(_ octet: UInt8) throws(Problem) {
        let escaped = String(Unicode.Scalar(octet)).quoted.dropFirst().dropLast()
        let help = octet == .letter("\t") ? "write \\t" : "write \(escaped)"
        try repair(problem("the control character \(found) must be escaped", length: 1, help: help))
    }

    private mutating func escape() throws(Problem) -> Unicode.Scalar {
        let start = position
        index += 1
        for (letter, scalar) in Self.escapes where take(letter) { return scalar }
        guard take("u" as Unicode.Scalar) else {
            guard let octet = peek, octet >= 0x20 else { return "\\" }
            let all = "JSON has \\\", \\\\, \\/, \\b, \\f, \\n, \\r, \\t and \\u with four digits"
            try repair(problem("unknown escape", at: start, length: 2, help: "\(all); write \\\\ for a backslash"))
            return "\\"
        }
        let high = try codeUnit()
        if let scalar = Unicode.Scalar(high) { return scalar }
        let low = high < 0xDC00 && take("\\u" as StaticString) ? try codeUnit() : 0
        if high < 0xDC00, 0xDC00...0xDFFF ~= low,
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        {
            return scalar
        }
        let help = "write both halves, or the character itself"
        try repair(
            problem(
                "this escape is half of a surrogate pair", .loneSurrogate, at: start,
                length: position.column - start.column, help: help))
        return "\u{FFFD}"
    }

    private static let escapes: [(Unicode.Scalar, Unicode.Scalar)] = [
        ("\"", "\""), ("\\", "\\"), ("/", "/"), ("b", "\u{8}"), ("f", "\u{C}"), ("n", "\n"), ("r", "\r"), ("t", "\t"),
    ]

    private mutating func codeUnit() throws(Problem) -> UInt32 {
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
}
