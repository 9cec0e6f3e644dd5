import FoundationEssentials
import Testing

/// Comments, messages and documentation are plain English.
@Suite struct ProseTests {
    /// Folders and files that are checked: of Swift files the comments, the string literals with a space and the names
    /// in backticks, of others the text outside of blocks of code.
    static let checked = [
        "Benchmarks", "Sources", "Tests", "Documentation", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md",
        "SECURITY.md",
    ]
    /// The patterns and their samples.
    static let unchecked = ["Tests/TidyTests/Prose.swift", "Tests/TidyTests/ProseTests.swift"]
    /// Findings that are right, as `file: words`; each needs a reason in a comment.
    static let allowances: [String] = []

    private static let root = String(#filePath.dropLast("/Tests/TidyTests/ProseTests.swift".count))

    static let files: [String] = checked.flatMap { path -> [String] in
        if path.hasSuffix(".md") { return [path] }
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(path)")) ?? []
        return paths.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }.sorted().map { "\(path)/\($0)" }
            .filter { !unchecked.contains($0) }
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
                for literal in literals(in: line) + [title(in: line)] {
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

    /// The name of a function in backticks; empty when the line has none.
    static func title(in line: Substring.UTF8View) -> [UInt8] {
        let parts = line.split(separator: 0x60, maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].reversed().starts(with: " cnuf".utf8) ? Array(parts[1]) : []
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
        ("let a = \"{\\\"so many\\\": 1}\"", 0), ("/// A stand-in for_who_comes.", 0),
        ("@Test func `It is by who comes`() {", 1),
    ])
    func `A phrase that stumbles is found, and only in prose`(text: String, count: Int) {
        #expect(Self.findings(in: text, isMarkdown: false).count == count)
    }

    @Test func `In Markdown, blocks of code are not prose`() {
        let text = "# Title\nA file a day.\n\n```\nA file a day.\n```\nWhat is sent,\nis kept.\n"
        #expect(Self.findings(in: text, isMarkdown: true).map(\.line) == [2, 7])
    }

    @Test func `There are files`() { #expect(Self.files.count > 600) }

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
