import Basics

extension Problem {
    /// The parts of a problem's text.
    package enum Part: Sendable {
        /// `file:line:column: code: path: message`, with `warning` before the code of a warning.
        case summary
        /// A source line after its number.
        case source
        /// The marks below a source line.
        case mark
        /// The marks below a related source line, and what is there.
        case relatedMark
        case help
    }

    /// The problem as lines of text: the summary, the marked source lines, and the fix.
    ///
    ///     a.json:9:44: LD0107: script[0].duration: unknown key "duration"
    ///       9 |   { "when": "20 s", "do": "link_loss", "duration": "30 s" }
    ///         |                                        ^^^^^^^^^^
    ///         = help: did you mean "for"?
    package var lines: [String] { rendered { $1 } }

    /// The lines of text, each made by `line` of its part.
    package func rendered<Line>(_ line: (Part, String) -> Line) -> [Line] {
        let shown = [excerpt.map { _ in position }] + related.map { $0.excerpt == nil ? nil : $0.position }
        let digits = shown.compactMap { $0.map { "\($0.line)".count } }.max() ?? 1
        let margin = String(repeating: " ", count: digits + 2)
        func numbered(_ number: Int) -> String { "\(margin)\(number)".suffix(digits + 2) + " | " }
        var lines = [line(.summary, description)]
        if let excerpt {
            lines.append(line(.source, numbered(position.line) + excerpt.text))
            lines.append(line(.mark, "\(margin) | \(excerpt.marks("^", length))"))
        }
        for place in related {
            let elsewhere = place.file == file ? "" : "\(place.file): "
            guard let excerpt = place.excerpt else {
                let at = "\(place.file):\(place.position.line):\(place.position.column)"
                lines.append(line(.help, "\(margin) = note: \(at): \(place.message)"))
                continue
            }
            lines.append(line(.source, numbered(place.position.line) + excerpt.text))
            lines.append(line(.relatedMark, "\(margin) | \(excerpt.marks("-", nil)) \(elsewhere)\(place.message)"))
        }
        guard let help else { return lines }
        for (index, row) in "help: \(help)".wrapped(to: 100).enumerated() {
            lines.append(line(.help, "\(margin) \(index == 0 ? "= " : "        ")\(row)"))
        }
        return lines
    }
}

extension SourceExcerpt {
    /// Marks for a range of `length` scalars, as far as they are shown.
    fileprivate func marks(_ mark: String, _ length: Int?) -> String {
        let room = max(1, text.unicodeScalars.count - indent)
        let count = max(1, min(length ?? tokenLength, room))
        return String(repeating: " ", count: indent) + String(repeating: mark, count: count)
    }
}
