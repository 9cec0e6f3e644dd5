extension String {
    /// A path as an operand of a command, which would take one that begins with `-` for an option.
    package var asOperand: String { hasPrefix("-") && self != "-" ? "./\(self)" : self }

    /// A path as an operand, quoted as a single word of a shell.
    package var operandForShell: String { asOperand.forShell }

    /// Quoted as a single word of a shell.
    ///
    /// Outputs escape control characters, so a word with some is one that printf makes.
    package var forShell: String {
        guard !unicodeScalars.contains(where: \.isControl) else { return madeByPrintf }
        let plain = "/._-=+:,@%"
        guard !isEmpty, allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || plain.contains($0) }) else {
            return inQuotes
        }
        return self
    }

    /// Of scalars, since a quotation mark before a combining one is part of another character.
    private var inQuotes: String {
        "'" + unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
    }

    /// A command substitution without control characters.  It drops line feeds at the end.
    private var madeByPrintf: String {
        let escaped = unicodeScalars.map { scalar in
            if scalar == "\\" { return #"\\"# }
            guard scalar.isControl else { return String(scalar) }
            return String(scalar).utf8.map { #"\0"# + String(0x200 | Int($0), radix: 8).dropFirst() }.joined()
        }
        return "\"$(printf %b \(escaped.joined().inQuotes))\""
    }
}
