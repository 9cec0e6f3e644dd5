import Documents
import ScenarioLanguage

extension Shape {
    /// The type for the documentation: `a whole number from 1 to 16`.
    var words: String {
        switch self {
        case .anything: "any value"
        case .null: "null"
        case .boolean: "true or false"
        case .version(let version): "\(version)"
        case .integer(let range) where range.upperBound == .max: "a whole number from \(range.lowerBound)"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range) where range.upperBound == .greatestFiniteMagnitude: "a number"
        case .number(let range): "a number from \(range.lowerBound.plain) to \(range.upperBound.plain)"
        case .text: "a string"
        case .form(let form):
            form.expected.firstRange(of: " such as").map { String(form.expected[..<$0.lowerBound]) }
                ?? form.expected
        case .name(let names) where names.count == 1: names.joined().quotedWord
        case .name(let names) where names.count > Self.longestList: "a name of the specification"
        case .name(let names): "one of \(names.joined(separator: ", "))"
        case .list(let item, let count) where count.lowerBound == count.upperBound:
            "a list of \(count.lowerBound), each \(item.words)"
        case .list(let item, _): "a list, each \(item.words)"
        case .object, .kinds: "an object"
        case .map: "an object"
        case .any(let shapes): shapes.map(\.words).enumerated(by: "or")
        case .definition("number_or_curve"): "a number, true, false or a curve"
        case .definition("value"): "a number, true, false, a string or a curve"
        case .definition(let name): "aeiou".contains(name.first ?? "x") ? "an \(name)" : "a \(name)"
        }
    }

    /// The words that it takes, also as one of several types.
    var choices: [String] {
        switch self {
        case .name(let names): names
        case .list(let item, _): item.choices
        case .any(let shapes): shapes.flatMap(\.choices)
        default: []
        }
    }

    /// Longer lists of names are those of the specification, such as errors.
    private static let longestList = 12
}

extension String {
    /// The word in quotation marks, as in a file.
    fileprivate var quotedWord: String { "\"\(self)\"" }
}
