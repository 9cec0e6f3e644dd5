extension String {
    /// A path as an operand of a command, which would take one that begins with `-` for an option.
    package var asOperand: String { hasPrefix("-") && self != "-" ? "./\(self)" : self }

    /// A path as an operand, quoted as a single word of a shell.
    package var operandForShell: String { asOperand.forShell }

    /// Quoted as a single word of a shell.
    package var forShell: String {
        let plain = "/._-=+:,@%"
        guard !isEmpty, allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || plain.contains($0) }) else {
            return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
        }
        return self
    }
}
