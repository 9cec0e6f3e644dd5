import Conformance
import Spelling

extension RunConfiguration {
    /// The command line that plays the same again.
    package var replay: String {
        replay("run", item?.operand ?? path, clientOptions, only: item?.ownID ?? caseID)
    }

    /// The command line that asks one check of the same again.
    package func replay(of check: String) -> String { replay("check", path, only: check) }

    private func replay(_ command: String, _ operand: String, _ options: [String] = [], only id: String) -> String {
        var words = ["lubdub", command, operand, "--seed", "\(seed)"] + options
        for setting in settings { words += ["--set", setting] }
        if let limitText { words += ["--for", limitText] }
        if isStrict { words.append("--strict") }
        return (words + ["--only", id]).map(\.forShell).joined(separator: " ")
    }
}

extension String {
    /// As a shell takes it for one word.
    package var forShell: String {
        let plain = "/._-=+:,@%"
        guard !isEmpty, allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || plain.contains($0) }) else {
            return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
        }
        return self
    }
}
