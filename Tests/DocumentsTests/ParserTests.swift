import Basics
import Documents
import Mutations
import Testing

@Suite struct ParserTests {
    @Test(
        arguments: [
            ("", "1:1: LD0102: expected a value, found the end of the file"),
            ("[1,\n ]", "1:3: LD0102: trailing comma"),
            ("{\"é🚶\": tru}", #"1:8: LD0102: expected a value, found "tru""#),
            ("01", #"1:1: LD0102: "01" is not a JSON number"#),
            ("1.", #"1:1: LD0102: "1." is not a JSON number"#),
            ("1 2", #"1:3: LD0102: expected the end of the file, found "2""#),
            ("{}}", #"1:3: LD0102: "}" closes no bracket"#),
            ("\"\n\"", "1:1: LD0102: this string has no closing quotation mark on its line"),
            ("\"\t\"", #"1:2: LD0102: the control character "\u0009" must be escaped"#),
            ("[\"a", "1:2: LD0102: this string has no closing quotation mark on its line"),
            (#"{"name": "a" "value": 7}"#, "1:13: LD0102: a comma is missing"),
            (#"{"name": "a",}"#, "1:13: LD0102: trailing comma"),
            (#"{"name": "a", 7}"#, #"1:15: LD0102: expected a key in double quotation marks, found "7""#),
            (#"{"name" 7}"#, #"1:9: LD0102: expected a colon before "7""#),
            (#"{"name" = 7}"#, #"1:9: LD0102: "=" in place of a colon"#),
            (#"{name: 7}"#, "1:2: LD0102: this key has no quotation marks"),
            ("['a']", "1:2: LD0102: single quotation marks"),
            ("[1,,2]", "1:4: LD0102: there are two commas"),
            ("[10 s]", "1:5: LD0102: a number cannot have a unit"),
            ("[1] // one", "1:5: LD0102: JSON has no comments"),
            ("/* one", "1:1: LD0102: JSON has no comments"),
            (#"{"a": }"#, #"1:7: LD0102: expected a value before "}""#),
            ("[1}", #"1:3: LD0102: expected "]" before "}""#),
            (#"{"a": [1, "b": 2}"#, #"1:11: LD0102: expected "]" before the key "b""#),
            (#"{"a": 1"#, #"1:8: LD0102: expected "}" before the end of the file"#),
            ("[\"é\"\u{E9}]", #"1:5: LD0102: expected a comma or "]" before "é""#),
            (#""\ud83d""#, "1:2: LD0104: this escape is half of a surrogate pair"),
            (#""\ud83d\u0041""#, "1:2: LD0104: this escape is half of a surrogate pair"),
            (#""\ude00""#, "1:2: LD0104: this escape is half of a surrogate pair"),
            (#""\u+123""#, #"1:4: LD0102: expected four hexadecimal digits, found "+""#),
            (#""\x""#, "1:2: LD0102: unknown escape"),
            (
                String(repeating: "[", count: 100_000),
                #"1:65: LD0103: this is nested more than 64 levels deep"#
            ),
        ])
    func `Invalid JSON is rejected at its first error`(json: String, message: String) {
        let problem = #expect(throws: Problem.self) { try Node(json: json.utf8, file: "a.json") }
        #expect(problem?.description == "a.json:" + message)
        #expect(problem?.excerpt != nil)
    }

    @Test(arguments: [
        ("[\"a\", \n\"\u{FF}", 2, 2), ("\u{EF}\u{BB}\u{BF}[\u{C3}]", 1, 2), ("\u{E9}", 1, 1),
        ("[\u{ED}\u{A0}\u{80}]", 1, 2),
    ])
    func `Text that is not UTF-8 is rejected at its line`(latin: String, line: Int, column: Int) {
        let octets = latin.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let problem = #expect(throws: Problem.self) { try Node(json: octets, file: "a.json") }
        #expect(problem?.code == .notText)
        #expect(problem?.position == Position(line: line, column: column))
    }

    @Test func `UTF-16 is named`() {
        let problem = #expect(throws: Problem.self) { try Node(json: [0xFF, 0xFE, 0x5B, 0, 0x5D, 0], file: "a.json") }
        #expect(problem?.message == "the file is UTF-16, not UTF-8")
    }

    @Test func `A byte order mark is skipped and does not count as a column`() throws {
        #expect(try Node(json: [0xEF, 0xBB, 0xBF] + Array("7".utf8), file: "a") == Node(.number("7")))
    }

    @Test func `Values are parsed with their positions`() throws {
        let node = try Node(json: "{\"é\\u00e9\\ud83d\\udeb6\":\n [-1.5e3, null]}".utf8, file: "a")
        let list = Node(
            .array([
                Node(.number("-1.5e3"), at: Position(line: 2, column: 3)),
                Node(.null, at: Position(line: 2, column: 11)),
            ]), at: Position(line: 2, column: 2))
        #expect(node == Node(.object([.init(key: "éé🚶", position: Position(line: 1, column: 2), node: list)])))
    }

    @Test func `No prefix and no flipped bit makes the parser trap`() {
        let json = #"{"a\n\u00e9": [1.5e-3, true, null, {"b": "\ud83d\ude00 é"}]}"#
        for octets in Array(json.utf8).mutations {
            _ = try? Node(json: octets, file: "a.json")
            _ = Node.repaired(json: octets, file: "a.json", log: ProblemLog())
        }
    }

    @Test func `The maximum size is 16 MiB`() throws {
        let text = [UInt8](repeating: 0x20, count: Node.maximumSize - 1) + [0x31]
        #expect(try Node(json: text, file: "a") == Node(.number("1"), at: Position(line: 1, column: Node.maximumSize)))
        let problem = #expect(throws: Problem.self) { try Node(json: text + [0x20], file: "a") }
        #expect(problem?.code == .tooLarge)
    }
}

@Suite struct RepairTests {
    private static let text = """
        { "a": [1, -2.5, "x"], "b c": {"d": true, "e": [{}, {"f": null}]},
          "g": "h", "i": [[3], ["j", "k"]] }
        """

    private static func read(_ text: String) -> (json: String?, problems: [String]) {
        let log = ProblemLog()
        let node = Node.repaired(json: text.utf8, file: "a", log: log)
        return (node?.json, log.problems.map(\.description))
    }

    /// The text with one scalar replaced, for each scalar that is one of `scalars`.
    private static func edits(of scalars: String, _ edit: (Unicode.Scalar) -> String) -> [String] {
        let all = Array(text.unicodeScalars)
        return all.indices.filter { scalars.unicodeScalars.contains(all[$0]) }.map { place in
            all.indices.map { $0 == place ? edit(all[$0]) : String(all[$0]) }.joined()
        }
    }

    @Test func `An error with a clear fix is one problem, and the rest is read as it was meant`() {
        let meant = Self.read(Self.text).json
        let edited =
            Self.edits(of: ",") { _ in " " } + Self.edits(of: ",") { _ in ",," }
            + Self.edits(of: "]}") { "# comment\n\($0)" } + Self.edits(of: ":") { "\($0) /* 1\n2 */" }
            + Self.edits(of: ":") { _ in "=" }
            + ["\"a\"", "\"x\"", "\"b c\"", "\"k\""].map {
                Self.text.replacing($0, with: $0.replacing("\"", with: "'"))
            }
            + ["a", "d", "f", "i"].map { Self.text.replacing("\"\($0)\":", with: "\($0):") }
            + [Self.text.replacing("true", with: "True"), Self.text.replacing("null", with: "None")]
        for text in edited {
            let (json, problems) = Self.read(text)
            #expect(problems.count == 1, "\(text): \(problems)")
            #expect(json == meant, "\(text)")
        }
        #expect(edited.count > 40)
        for text in Self.edits(of: "]}", { ",\($0)" }) where !text.contains("{,") {
            let (json, problems) = Self.read(text)
            #expect(problems.count == 1 && json == meant, "\(text): \(problems)")
        }
    }

    @Test func `A bracket that is missing or too many is one problem`() {
        let edited =
            Self.edits(of: "[]{}") { _ in "" } + Self.edits(of: "[]{}") { "\($0)\($0)" }
            + Self.edits(of: "]") { _ in "}" } + Self.edits(of: "}") { _ in "]" }
        for text in edited {
            // `[[` and `{}` in place of `[{}` are JSON, too.
            guard (try? Node(json: text.utf8, file: "")) == nil else { continue }
            let (json, problems) = Self.read(text)
            #expect(problems.count == 1 && json == nil, "\(text): \(problems)")
        }
    }

    @Test func `Several errors are found at once`() {
        let (json, problems) = Self.read("{'a': [1 2,], // x\n b: True\n \"c\": 0x1F}")
        #expect(
            problems == [
                "a:1:2: LD0102: single quotation marks", "a:1:9: LD0102: a comma is missing",
                "a:1:11: LD0102: trailing comma", "a:1:15: LD0102: JSON has no comments",
                "a:2:2: LD0102: this key has no quotation marks", #"a:2:5: LD0102: expected a value, found "True""#,
                "a:2:9: LD0102: a comma is missing", #"a:3:7: LD0102: "0x1F" is not a JSON number"#,
            ])
        #expect(json == #"{"a": [1, 2], "b": true, "c": null}"#)
    }

    @Test func `Parsing stops at the 100th error`() {
        let (json, problems) = Self.read("[" + String(repeating: "1 ", count: 5000) + "]")
        #expect(json == nil && problems.count == 51)
        #expect(problems.last?.hasSuffix("LD0102: and 50 more of this kind") == true)
    }

    @Test(arguments: [
        ("[0x1F]", "write 31"), ("[.5]", "write 0.5"), ("[+5]", "write 5"), ("[05]", "write 5"),
        ("[1_000]", "write 1000"),
        ("[10s]", #"a value with a unit is a string: write "10 s""#),
        ("[nil]", "write null if it is allowed here, or leave the key out"), ("[ture]", "write true"),
        ("['a']", #"JSON strings have double ones: write "a""#),
        ("[abc]", #"a string has double quotation marks: write "abc""#),
    ])
    func `The help has the value as JSON writes it`(text: String, help: String) {
        let log = ProblemLog()
        _ = Node.repaired(json: text.utf8, file: "a", log: log)
        #expect(log.problems.map(\.help) == [help])
    }

    @Test func `An unclosed bracket has its place, and that of a line with another indentation`() throws {
        let text = """
            {
              "a": {
                "b": 1,
              "c": [
                2 ]
            }
            """
        let problem = #expect(throws: Problem.self) { try Node(json: text.utf8, file: "a") }
        let related = try #require(problem).related
        #expect(
            related.map(\.position) == [
                Position(line: 1, column: 1), Position(line: 2, column: 8), Position(line: 6, column: 1),
            ])
        #expect(related.first?.message == "this \"{\" is not closed")
    }

    @Test func `A duplicate key has the place of the first`() {
        let log = ProblemLog()
        _ = Node.repaired(json: "{\"a\": 1,\n\"a\": 2}".utf8, file: "a", log: log)
        #expect(log.problems.map { $0.related.map(\.position) } == [[Position(line: 1, column: 2)]])
    }
}
