import Basics
import Devices
import ScenarioModel

/// Reads the lines of a client: a JSON object is taken as it is, and values in other text are found by patterns.
package struct LineReader {
    /// The maximum octets of a line in which patterns search, since a search can take time that grows faster than the text.
    static let maximumText = 4096

    private let patterns: [(pattern: LinePattern, regex: Regex<AnyRegexOutput>)]

    package init(_ patterns: [LinePattern]) {
        self.patterns = patterns.compactMap { pattern in
            (try? Regex(pattern.text)).map { (pattern, $0.matchingSemantics(.unicodeScalar)) }
        }
    }

    /// Takes a line without its line feed; nil when it is blank.
    ///
    /// Of several patterns, the first that matches counts.
    package func line(_ octets: [UInt8]) -> ClientLine? {
        guard let line = ClientLine(octets) else { return nil }
        guard !line.isJSON, !patterns.isEmpty else { return line }
        let text = Self.plainText(octets.prefix(Self.maximumText))
        for (pattern, regex) in patterns {
            guard let match = try? regex.firstMatch(in: text) else { continue }
            switch pattern.object(match.output) {
            case .success(let json): return ClientLine(Array(json.utf8))
            case .failure(let misread): return ClientLine(octets, problem: misread.words)
            }
        }
        return line
    }

    /// The text that a terminal would show: without control sequences (ECMA-48, section 5.4) and control characters, and after
    /// the last carriage return, which precedes text in the place of a prompt.
    private static func plainText(_ octets: ArraySlice<UInt8>) -> String {
        let lastText = octets.lastIndex { $0 > 0x20 } ?? octets.startIndex
        var rest = octets[(octets[..<lastText].lastIndex(of: UInt8(ascii: "\r")) ?? octets.startIndex)...]
        var plain: [UInt8] = []
        while let octet = rest.popFirst() {
            if octet == 0x1B, rest.first == UInt8(ascii: "[") {
                rest = rest.dropFirst().drop { !(0x40...0x7E).contains($0) }.dropFirst()
            } else if octet >= 0x20 && octet != 0x7F || octet == UInt8(ascii: "\t") {
                plain.append(octet)
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}

extension LinePattern {
    /// A captured text that is not a value.
    struct Misread: Error {
        let words: String
    }

    /// The JSON object of a client's line with the values that a match has.
    func object(_ output: AnyRegexOutput) -> Result<String, Misread> {
        var members: [(key: String, members: [(String, String)], json: String?)] = []
        for (name, content) in contents {
            guard let captured = output.first(where: { $0.name == name })?.substring else { continue }
            switch content {
            case .fixed(let key, let json): members.append((key, [], json))
            case .octets(let key):
                guard let json = Self.value(of: key, captured) else {
                    return misread(name, captured, "octets of \(key)")
                }
                members.append((key, [], json))
            case .value(let field):
                guard let json = field.json(captured) else { return misread(name, captured, field.kind.words) }
                if let member = field.member {
                    if let index = members.firstIndex(where: { $0.key == field.key && $0.json == nil }) {
                        members[index].members.append((member, json))
                    } else {
                        members.append((field.key, [(member, json)], nil))
                    }
                } else {
                    members.append((field.key, [], json))
                }
            }
        }
        return .success(jsonObject(members.map { ($0.key, $0.json ?? jsonObject($0.members)) }))
    }

    private func misread(_ name: String, _ captured: Substring, _ wanted: String) -> Result<String, Misread> {
        .failure(
            Misread(
                words: "the group \(name) of --lines \(text.quoted) found \(String(captured).abbreviated.quoted), "
                    + "which is not \(wanted)"))
    }

    /// The JSON of a characteristic's value in hexadecimal octets; nil when they are not its value.
    private static func value(of key: String, _ text: Substring) -> String? {
        guard let format = LineField.characteristic(of: key)?.format else { return nil }
        let digits = text.filter { !$0.isWhitespace && $0 != ":" && $0 != "-" }
        var json = JSONText()
        guard let octets = Value.octets(of: digits), (try? format.writeLine(octets[...], to: &json)) != nil else {
            return nil
        }
        return json.string
    }
}

extension LineField.Kind {
    fileprivate var words: String {
        switch self {
        case .number: "a number"
        case .numbers: "a list of numbers"
        case .truth: "yes, no or none"
        case .word: "a word"
        }
    }
}
