import Conformance
import TextFormatting

extension RunConfiguration {
    /// The command line that repeats the run.
    package var replay: String {
        replay("run", item?.operand ?? path, clientOptions, only: item?.ownID ?? caseID)
    }

    /// The command line that repeats one check.
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
    /// Quoted as a single word of a shell.
    package var forShell: String {
        let plain = "/._-=+:,@%"
        guard !isEmpty, allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || plain.contains($0) }) else {
            return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
        }
        return self
    }
}
