/// A problem that the author of a document has to fix.
package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, as given by the caller.
    package var file: String
    /// Position of the wrong key or value; of the object, if a key is missing.
    package var position: Position
    /// Number of marked Unicode scalars; nil for the string, number, word or bracket at the position.
    package var length: Int?
    package var code: DiagnosticCode
    /// The path of the wrong or missing key or value, `devices[0].services[2].servce`; empty for the root and for syntax
    /// errors.
    package var path: String
    /// The cause, on one line.
    package var message: String
    /// The fix, on one line; nil if the message says enough.
    package var help: String?
    /// Other places that belong to the problem: the first of two definitions, an opening bracket.
    package var related: [RelatedPlace]
    /// The marked source line; nil if the text is not known.
    package var excerpt: SourceExcerpt?
    /// The number of problems with this code in this file that are not listed, which this one tells; 0 for a listed one.
    package private(set) var others = 0

    package init(
        file: String, position: Position, length: Int? = nil, code: DiagnosticCode, path: String = "",
        message: String, help: String? = nil, related: [RelatedPlace] = []
    ) {
        (self.file, self.position, self.length, self.code) = (file, position, length, code)
        (self.path, self.message, self.help, self.related) = (path, message, help, related)
    }

    /// Tells how many problems with a code in a file are not listed.
    init(file: String, position: Position, code: DiagnosticCode, others: Int) {
        self.init(file: file, position: position, code: code, message: "and \(others) more of this kind")
        self.others = others
    }

    /// `file:line:column: code: path: message`; without `path: ` if the path is empty.
    package var description: String {
        let place = "\(file):\(position.line):\(position.column)"
        let code = code.isWarning ? "warning \(code.rawValue)" : code.rawValue
        return [place, code, path, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// Cause and fix in one line, for messages without a file: `unknown path "strab"; did you mean "strap"?`.
    package var summary: String { help.map { "\(message); \($0)" } ?? message }

    /// The column after the marked range.
    package var endColumn: Int { position.column + (length ?? excerpt?.tokenLength ?? 1) }
}

extension [Problem] {
    /// The number of problems, with those that are not listed.
    package var total: Int { reduce(0) { $0 + Swift.max(1, $1.others) } }
}

/// A place that belongs to a problem.
package struct RelatedPlace: Hashable, Sendable {
    package var file: String
    package var position: Position
    /// Its part in the problem: `first used here`.
    package var message: String
    /// The marked source line; nil if the text is not known.
    package var excerpt: SourceExcerpt?

    package init(file: String, position: Position, message: String) {
        (self.file, self.position, self.message) = (file, position, message)
    }

    package init(_ cursor: Cursor, _ message: String) {
        self.init(file: cursor.file, position: cursor.node.position, message: message)
    }

    /// The column after the marked range.
    package var endColumn: Int { position.column + (excerpt?.tokenLength ?? 1) }
}
