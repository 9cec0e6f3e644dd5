import FoundationEssentials
import Testing

/// Comments, messages and documentation are plain English.
@Suite struct ProseTests {
    /// Folders and files that are checked: of Swift files the comments and the string literals with a space, of others
    /// the text outside of blocks of code.
    static let checked = [
        "Sources/Libraries", "Sources/Protocol/ATT", "Sources/Protocol/Bluetooth", "Sources/Protocol/Characteristics",
        "Sources/Protocol/GATT", "Sources/Protocol/L2CAP", "Tests/ATTTests", "Tests/BluetoothTests",
        "Tests/CharacteristicsTests", "Tests/ExamplesTests", "Tests/GATTTests", "Tests/L2CAPTests",
    ]
    /// Findings that are right, as `file: words`; each needs a reason in a comment.
    static let allowances: [String] = []

    private static let root = String(#filePath.dropLast("/Tests/TidyTests/ProseTests.swift".count))

    static let files: [String] = checked.flatMap { path -> [String] in
        if path.hasSuffix(".md") { return [path] }
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(path)")) ?? []
        return paths.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }.sorted().map { "\(path)/\($0)" }
    }

    /// The prose of a Swift file: a run of comment lines is one text, and so is each string literal.
    static func prose(ofSwift lines: [Substring.UTF8View]) -> [Prose] {
        var texts: [Prose] = []
        var comment: Prose?
        var isMultiline = false
        for (number, line) in zip(1..., lines) {
            let code = line.drop { $0 == 0x20 }
            if code.starts(with: "//".utf8), !isMultiline {
                let text = code.drop { $0 == 0x2F }
                let startsText = comment == nil || text.allSatisfy { $0 == 0x20 } || text.starts(with: " | ".utf8)
                if startsText, let done = comment.take() { texts.append(done) }
                comment = comment ?? Prose()
                if !text.starts(with: "     ".utf8) { comment?.add(text, line: number) }  // a code block
                continue
            }
            if let done = comment.take() { texts.append(done) }
            if code.reversed().starts(with: "\"\"\"".utf8) || code.starts(with: "\"\"\"".utf8) {
                isMultiline.toggle()
            } else if isMultiline {
                var text = Prose()
                text.add(code, line: number)
                texts.append(text)
            } else {
                for literal in literals(in: line) {
                    var text = Prose()
                    text.add(literal, line: number)
                    texts.append(text)
                }
            }
        }
        if let comment { texts.append(comment) }
        return texts
    }

    /// The string literals of a line with 12 octets or more, one of them a space.
    static func literals(in line: Substring.UTF8View) -> [[UInt8]] {
        var literals: [[UInt8]] = []
        var literal: [UInt8]?
        var isEscaped = false
        for octet in line {
            if literal == nil {
                if octet == 0x22 { literal = [] }
            } else if octet == 0x22, !isEscaped {
                if let done = literal.take(), done.count >= 12, done.contains(0x20) { literals.append(done) }
            } else {
                literal?.append(octet)
            }
            isEscaped = octet == 0x5C && !isEscaped
        }
        return literals
    }

    /// The prose of a Markdown file: each paragraph, heading, list item and row of a table is one text.
    static func prose(ofMarkdown lines: [Substring.UTF8View]) -> [Prose] {
        var texts: [Prose] = []
        var paragraph = Prose()
        var isCode = false
        for (number, line) in zip(1..., lines) {
            let text = line.drop { $0 == 0x20 }
            let isFence = text.starts(with: "```".utf8)
            if isFence { isCode.toggle() }
            if isFence || text.isEmpty || "#|-*".utf8.contains(text.first ?? 0) {
                texts.append(paragraph)
                paragraph = Prose()
            }
            if !isFence, !isCode { paragraph.add(text, line: number) }
        }
        return texts + [paragraph]
    }

    static func findings(in text: String, isMarkdown: Bool) -> [(line: Int, text: String)] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(\.utf8)
        return (isMarkdown ? prose(ofMarkdown: lines) : prose(ofSwift: lines)).flatMap { $0.findings() }
    }

    @Test(arguments: [
        ("/// Taken by who needs it.", 1), ("/// What was sent is\n/// kept.", 1), ("/// What is it?", 0),
        ("/// `by who` is code.", 0), ("let a = \"waits for who comes\"", 1), ("let a = \"\\(by.who) as it is\"", 0),
        ("/// A host a line.", 1), ("/// There is no handle.", 0), ("/// It is no handle.", 1),
        ("/// So many octets.", 1), ("/// No so late.  So\n///\n/// many.", 1), ("let who = by", 0),
    ])
    func `A phrase that stumbles is found, and only in prose`(text: String, count: Int) {
        #expect(Self.findings(in: text, isMarkdown: false).count == count)
    }

    @Test func `In Markdown, blocks of code are not prose`() {
        let text = "# Title\nA file a day.\n\n```\nA file a day.\n```\nWhat is sent,\nis kept.\n"
        #expect(Self.findings(in: text, isMarkdown: true).map(\.line) == [2, 7])
    }

    @Test func `There are files`() { #expect(Self.files.count > 60) }

    @Test(arguments: files) func `Plain English`(file: String) throws {
        let text = try String(contentsOfFile: "\(Self.root)/\(file)", encoding: .utf8)
        for finding in Self.findings(in: text, isMarkdown: file.hasSuffix(".md")) {
            let isAllowed = Self.allowances.contains {
                $0.hasPrefix("\(file): ") && finding.text.contains($0.dropFirst(file.count + 2))
            }
            if !isAllowed { Issue.record("\(file):\(finding.line): \(finding.text)") }
        }
    }
}
