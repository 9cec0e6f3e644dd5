extension String {
    /// Quoted as a single word of a shell.
    package var forShell: String {
        let plain = "/._-=+:,@%"
        guard !isEmpty, allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || plain.contains($0) }) else {
            return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
        }
        return self
    }
}
