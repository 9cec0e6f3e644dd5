import Documents
import Mutations
import Testing

@Suite struct ParserTests {
    @Test(
        arguments: [
            ("", "1:1: LD0102: expected a value, found the end of the file"),
            ("[1,\n ]", #"2:2: LD0102: expected a value, found "]""#),
            ("{\"é🚶\": tru}", #"1:8: LD0102: expected a value, found "tru""#),
            ("01", #"1:2: LD0102: expected the end of the file, found "1""#),
            ("1.", "1:3: LD0102: expected a digit, found the end of the file"),
            ("\"\n\"", "1:2: LD0102: expected a closing quotation mark before the end of the line"),
            ("\"\t\"", #"1:2: LD0102: the control character "\u0009" must be escaped"#),
            ("[\"a", "1:4: LD0102: expected a closing quotation mark before the end of the file"),
            (#"{"name": "a" "value": 7}"#, #"1:14: LD0102: expected a comma before "value""#),
            (#"{"name": "a",}"#, #"1:14: LD0102: expected a key in double quotation marks, found "}""#),
            (#"{"name" 7}"#, #"1:9: LD0102: expected a colon before "7""#),
            ("[1}", #"1:3: LD0102: expected "]" before "}""#),
            (#"{"a": 1"#, #"1:8: LD0102: expected "}" before the end of the file"#),
            ("[\"é\"\u{E9}]", #"1:5: LD0102: expected a comma before "é""#),
            (#""\ud83d""#, "1:2: LD0104: this escape is half of a surrogate pair"),
            (#""\ud83d\u0041""#, "1:2: LD0104: this escape is half of a surrogate pair"),
            (#""\ude00""#, "1:2: LD0104: this escape is half of a surrogate pair"),
            (#""\u+123""#, #"1:4: LD0102: expected four hexadecimal digits, found "+""#),
            (#""\x""#, #"1:3: LD0102: expected \", \\, \/, \b, \f, \n, \r, \t or \u, found "x""#),
            (
                String(repeating: "[", count: 100_000),
                #"1:65: LD0103: this is nested more than 64 levels deep"#
            ),
        ])
    func `Invalid JSON is rejected at its first error`(json: String, message: String) {
        let problem = #expect(throws: Problem.self) { try Node(json: json.utf8, file: "a.json") }
        #expect(problem?.description == "a.json:" + message)
    }

    @Test func `Text that is not UTF-8 is rejected`() {
        let problem = #expect(throws: Problem.self) { try Node(json: [0x22, 0xFF, 0x22], file: "a.json") }
        #expect(problem?.description == "a.json:1:1: LD0101: the file is not UTF-8 text")
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
        for octets in Array(json.utf8).mutations { _ = try? Node(json: octets, file: "a.json") }
    }

    @Test func `The maximum size is 16 MiB`() throws {
        let text = [UInt8](repeating: 0x20, count: Node.maximumSize - 1) + [0x31]
        #expect(try Node(json: text, file: "a") == Node(.number("1"), at: Position(line: 1, column: Node.maximumSize)))
        let problem = #expect(throws: Problem.self) { try Node(json: text + [0x20], file: "a") }
        #expect(problem?.code == .tooLarge)
    }
}

@Suite struct ShapeTests {
    static let grammar = Grammar(
        root: .object([
            .init("name", .text, required: true, "What it is called."),
            .init("pace", .name(["strolling", "brisk"]), "How fast."),
            .init("steps", .list(.integer(1...100), count: 1...3), "How many."),
            .init("next", .any([.boolean, .definition("leg")]), "What comes then."),
        ]),
        definitions: [("leg", .kinds(key: "leg", [.init("swim", [.init("depth", .number(0...9), "In m.")])]))],
        everywhere: [.init("note", .text, "For people.")])

    @Test func `All problems are reported at once, each at its position`() throws {
        let json = """
            {
              "nmae": "round the lake", "note": "",
              "pace": "brsk",
              "steps": [20, "many", 0, 1.5],
              "pace": "brisk",
              "next": {"leg": "swim", "depth": 10, "dept": 1},
              "a.b\\n\\u0085": 1
            }
            """
        let log = ProblemLog()
        let root = Cursor(try Node(json: json.utf8, file: "walk.json", log: log), file: "walk.json", log: log)
        Self.grammar.check(root)
        #expect(
            log.problems.map(\.description).joined(separator: "\n") == """
                walk.json:1:1: LD0106: name: "name" is required
                walk.json:2:3: LD0107: nmae: unknown key (did you mean "name"?)
                walk.json:3:11: LD0110: pace: "brsk" is not one of strolling, brisk (did you mean "brisk"?)
                walk.json:4:12: LD0109: steps: expected an array of 1 to 3, found an array of 4
                walk.json:4:17: LD0108: steps[1]: expected a whole number from 1 to 100, found "many"
                walk.json:4:25: LD0109: steps[2]: expected a whole number from 1 to 100, found 0
                walk.json:4:28: LD0109: steps[3]: expected a whole number from 1 to 100, found 1.5
                walk.json:5:3: LD0105: pace: duplicate key
                walk.json:6:36: LD0109: next.depth: expected a number from 0 to 9, found 10
                walk.json:6:40: LD0107: next.dept: unknown key (did you mean "depth"?)
                walk.json:7:3: LD0107: ["a.b\\n\\u0085"]: unknown key
                """)
    }

    @Test func `Codes are unique, have one format, and are explained`() {
        let codes = DiagnosticCode.allCases.map(\.rawValue)
        #expect(Set(codes).count == codes.count)
        for code in DiagnosticCode.allCases {
            #expect(code.rawValue.wholeMatch(of: /LD[0-9]{4}/) != nil)
            #expect(code.explanation.count > 40)
        }
    }
}
