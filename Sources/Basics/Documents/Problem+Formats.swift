package import Basics

extension Problem: JSONWritable {
    /// `error`, or `warning` for what runs all the same.
    package var severity: String { code.isWarning ? "warning" : "error" }

    /// Appends the problem as an object on one line, as ``schema`` describes it.
    package func write(to text: inout JSONText) {
        text.append("{\"file\": ")
        text.append(quoted: file)
        text.append(text: ", \"line\": \(position.line), \"column\": \(position.column), \"endColumn\": \(endColumn)")
        text.append(text: ", \"severity\": \(severity.quoted), \"code\": \(code.rawValue.quoted), \"path\": ")
        text.append(quoted: path)
        text.append(", \"message\": ")
        text.append(quoted: message)
        if let help {
            text.append(", \"help\": ")
            text.append(quoted: help)
        }
        if others > 0 { text.append(text: ", \"others\": \(others)") }
        text.append(", \"related\": ")
        text.append(list: related) { text, place in
            text.append("{\"file\": ")
            text.append(quoted: place.file)
            let columns = "\"column\": \(place.position.column), \"endColumn\": \(place.endColumn)"
            text.append(text: ", \"line\": \(place.position.line), \(columns), \"message\": ")
            text.append(quoted: place.message)
            text.append("}")
        }
        text.append("}")
    }

    /// The JSON Schema of a problem, draft 2020-12.
    package static var schema: String { grammar.schema(title: "Lubdub problem") }

    private static let grammar = Grammar(
        root: .object(
            place + [
                .init("severity", .name(["error", "warning"]), required: true, "A file with warnings only is valid."),
                .init(
                    "code", .name(DiagnosticCode.allCases.map(\.rawValue)), required: true,
                    "Its meaning never changes; lubdub explain prints it."),
                .init(
                    "path", .text, required: true,
                    "The key or value, such as devices[0].name; empty for the whole file and for syntax errors."),
                .init("message", .text, required: true, "The cause, on one line."),
                .init("help", .text, "The fix, on one line."),
                .init(
                    "others", .integer(1...Int.max),
                    "In the last object of a code and a file with more than \(ProblemLog.listed) problems: how many are not listed."
                ),
                .init(
                    "related",
                    .list(.object(place + [.init("message", .text, required: true, "Its part in the problem.")])),
                    required: true, "Other places: the first of two definitions, an opening bracket."),
            ]), definitions: [], everywhere: [])

    private static let place: [Shape.Field] = [
        .init("file", .text, required: true, "As on the command line, or relative to that."),
        .init("line", .integer(1...Int.max), required: true, "Counted from 1."),
        .init("column", .integer(1...Int.max), required: true, "Counted from 1, in Unicode scalars."),
        .init("endColumn", .integer(2...Int.max), required: true, "The column after the marked range."),
    ]

    /// A workflow command of GitHub Actions, which annotates the line.
    package var annotation: String {
        let properties = [
            ("file", file), ("line", "\(position.line)"), ("endLine", "\(position.line)"),
            ("col", "\(position.column)"), ("endColumn", "\(endColumn)"), ("title", code.rawValue),
        ]
        let place = properties.map { "\($0.0)=\(Self.escaped($0.1, and: ":,"))" }.joined(separator: ",")
        let text = (path.isEmpty ? "" : "\(path): ") + message + (help.map { "\n\($0)" } ?? "")
        return "::\(severity) \(place)::\(Self.escaped(text, and: ""))"
    }

    /// The text with the characters that a workflow command reserves as percent and two digits.
    private static func escaped(_ text: String, and reserved: String) -> String {
        text.unicodeScalars.map { scalar in
            let isReserved =
                scalar == "%" || scalar == "\r" || scalar == "\n" || reserved.unicodeScalars.contains(scalar)
            return isReserved ? "%" + scalar.value.zeroPadded(to: 2, radix: 16) : String(scalar)
        }.joined()
    }
}
