/// What a word of a command line names.
///
/// A shell completes the word accordingly, and the names of installed scenarios are replaced with their paths.
package enum WordKind: Hashable, Sendable {
    /// Anything else.
    case text
    case file(FileUse)
    /// Where the command listens: `unix:PATH`, which creates files, or another address.
    case address
    /// A folder, in which the command writes files.
    case folder
    /// A scenario file, or the name of an installed one.
    case scenario
    /// A scenario file, a suite file or a folder, or the name of an installed one.
    case suite
    /// One of several words.
    case words([String])

    /// The kind that a placeholder such as `N|random` suggests: its parts in lower case are words.  It cannot say how a command
    /// uses a file.
    init(placeholder: String) {
        let parts = placeholder.split(separator: "|").map(String.init)
        precondition(
            !parts.contains { part in ["FILE", "REPORT", "DIR"].contains(where: part.hasPrefix) },
            "\(placeholder): the option must have the kind of its file, and its use")
        let words = parts.filter { $0.allSatisfy { $0.isLowercase } }
        self = words.isEmpty ? .text : .words(words)
    }

    /// How the command uses the file that the word names; nil if it names none, or a folder of files.
    package var fileUse: FileUse? {
        switch self {
        case .file(let use): use
        case .address: .listened
        case .scenario, .suite: .read
        case .text, .folder, .words: nil
        }
    }

    /// Whether it names a file, a folder or an address, which an empty word does not.
    var isPlace: Bool {
        switch self {
        case .file, .address, .folder, .scenario, .suite: true
        case .text, .words: false
        }
    }

    /// The path of the file that a word of this kind names; nil for an address without one.
    fileprivate func path(in word: String) -> String? {
        guard self == .address else { return word }
        let prefix = ["unix:", "bluez:unix:"].first(where: word.hasPrefix)
        return prefix.map { String(word.dropFirst($0.count)) }
    }
}

/// How a command uses a file.
package enum FileUse: Hashable, Sendable {
    case read
    /// It creates or replaces the file.
    case written
    /// It reads the file, and replaces it later.
    case updated
    /// It creates or replaces a socket file.
    case listened
}

/// A file that a command line names.
package struct NamedFile: Hashable, Sendable {
    /// The option, with its hyphens, or the name of the operand.
    package let name: String
    package let path: String
    package let use: FileUse
}

extension Invocation {
    /// The files that the operands and options name, whatever the command does with them later.
    package var files: [NamedFile] {
        let words = operands.enumerated().compactMap { place, path in
            grammar.operand(at: place).map { (name: $0.name, kind: $0.kind, path: path) }
        }
        let values = grammar.options.flatMap { option in
            option.value == nil ? [] : texts(option.name).map { (name: option.name, kind: option.kind, path: $0) }
        }
        return (words + values).compactMap { name, kind, word in
            guard let use = kind.fileUse, let path = kind.path(in: word) else { return nil }
            return NamedFile(name: name, path: path, use: use)
        }
    }
}

extension CommandGrammar {
    /// The operand that the word at a place is; only the last one can be repeated.
    fileprivate func operand(at place: Int) -> Operand? { place < operands.count ? operands[place] : operands.last }

    /// The invocation with other words: `change` receives each operand, and each value of an option, with its kind.
    package func replacingWords<Failure>(
        of invocation: Invocation, with change: (WordKind, String) throws(Failure) -> String
    ) throws(Failure) -> Invocation {
        var result = invocation
        for (place, word) in invocation.operands.enumerated() {
            guard let operand = operand(at: place) else { break }
            result.operands[place] = try change(operand.kind, word)
        }
        for option in options where option.value != nil {
            guard let words = invocation.values[option.name] else { continue }
            var changed: [String] = []
            for word in words { changed.append(try change(option.kind, word)) }
            result.values[option.name] = changed
        }
        return result
    }
}
