import FoundationEssentials
import Testing

/// The articles of the libraries show code of `Examples`.
@Suite struct ArticleTests {
    private static let root = String(#filePath.dropLast("/Tests/ExamplesTests/ArticleTests.swift".count))
    static let articles = paths(in: "Sources", endingWith: ".md")

    private static func paths(in folder: String, endingWith end: String) -> [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
        return paths.filter { $0.hasSuffix(end) }.sorted().map { "\(folder)/\($0)" }
    }

    private static func lines(of path: String) throws -> [String] {
        try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { String($0.drop { $0 == " " }) }
    }

    /// The lines between "```swift" and "```", without indentation.
    static func blocks(in lines: [String]) -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in lines {
            switch (block, line) {
            case (nil, "```swift"): block = []
            case (let lines?, "```"):
                blocks.append(lines)
                block = nil
            case (let lines?, _): block = lines + [line]
            case (nil, _): break
            }
        }
        return blocks
    }

    @Test func `Each library has an article, and blocks are found`() {
        #expect(Self.articles.count == 5)
        #expect(Self.blocks(in: ["a", "```swift", "b", "", "```", "```", "c"]) == [["b", ""]])
    }

    @Test(arguments: articles) func `Its code is that of a file in Examples`(article: String) throws {
        let files = try (["Examples/Package.swift"] + Self.paths(in: "Examples/Sources", endingWith: ".swift"))
            .map(Self.lines)
        let blocks = Self.blocks(in: try Self.lines(of: article))
        #expect(!blocks.isEmpty)
        for block in blocks {
            let text = block.joined(separator: "\n")
            #expect(
                files.contains { $0.joined(separator: "\n").contains(text) },
                "\(article): no file of Examples has \(text)")
        }
    }
}
