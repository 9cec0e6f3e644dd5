import Basics
import Documents
import Testing

@Suite struct ShapeTests {
    static let grammar = Grammar(
        root: .object([
            .init("name", .text, required: true, "Its name."),
            .init("pace", .name(["strolling", "brisk"]), "How fast."),
            .init("steps", .list(.integer(1...100), count: 1...3), "How many."),
            .init("next", .any([.boolean, .definition("leg")]), "What comes then."),
        ]),
        definitions: [("leg", .kinds(key: "leg", [.init("swim", [.init("depth", .number(0...9), "In m.")])]))],
        everywhere: [.init("note", .text, "For people.")],
        advice: .init(synonyms: ["gait": ["pace"], "kind": ["leg"]]))

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
                walk.json:2:3: LD0107: nmae: unknown key "nmae"
                walk.json:3:11: LD0110: pace: unknown name "brsk"
                walk.json:4:12: LD0109: steps: expected an array of 1 to 3, found an array of 4
                walk.json:4:17: LD0108: steps[1]: expected a whole number from 1 to 100, found "many"
                walk.json:4:25: LD0109: steps[2]: expected a whole number from 1 to 100, found 0
                walk.json:4:28: LD0109: steps[3]: expected a whole number from 1 to 100, found 1.5
                walk.json:5:3: LD0105: pace: duplicate key
                walk.json:6:36: LD0109: next.depth: expected a number from 0 to 9, found 10
                walk.json:6:40: LD0107: next.dept: unknown key "dept"
                walk.json:7:3: LD0107: ["a.b\\n\\u0085"]: unknown key "a.b\\n\\u0085"
                """)
    }

    /// The problems of a document, and the document as it was meant.
    private static func check(_ json: String) throws -> (problems: [Problem], meant: String) {
        let log = ProblemLog()
        let root = Cursor(try Node(json: json.utf8, file: "a", log: log), file: "a", log: log)
        let meant = grammar.check(root)
        return (log.problems, meant.node.json)
    }

    @Test(arguments: [
        (#"{"nmae": "x"}"#, "did you mean \"name\"?", #"{"name": "x"}"#),
        (#"{"name": "x", "pace": "brik"}"#, "did you mean \"brisk\"?", #"{"name": "x", "pace": "brisk"}"#),
        (#"{"name": "x", "pace": "flying"}"#, "choose one of strolling, brisk", #"{"name": "x", "pace": null}"#),
        (#"{"pace": "brisk"}"#, "add \"name\": \"…\" (its name)", #"{"pace": "brisk", "name": null}"#),
        (#"{"name": "x", "steps": 3}"#, "put it in brackets: [3]", #"{"name": "x", "steps": null}"#),
        (#"{"name": "x", "steps": ["3"]}"#, "write 3, without quotation marks", #"{"name": "x", "steps": [null]}"#),
        (#"{"name": "x", "next": "yes"}"#, "write true, without quotation marks", #"{"name": "x", "next": null}"#),
        (#"{"name": "x", "depth": 1}"#, "\"depth\" belongs in \"next\"", #"{"name": "x", "depth": null}"#),
        (
            #"{"name": "x", "next": {"leg": "swim", "pace": "brisk"}}"#, "\"pace\" belongs at the top level",
            #"{"name": "x", "next": {"leg": "swim", "pace": null}}"#
        ),
        (
            #"{"name": "x", "next": {"kind": "swim"}}"#, "did you mean \"leg\"?",
            #"{"name": "x", "next": {"leg": "swim"}}"#
        ),
        (
            #"{"name": "x", "next": {"leg": "swin", "depth": 2}}"#, "did you mean \"swim\"?",
            #"{"name": "x", "next": {"leg": "swim", "depth": 2, "": null}}"#
        ),
        // Other keys do not fit the suggested kind, so that it is perhaps not meant.
        (
            #"{"name": "x", "next": {"leg": "swin", "speed": 2}}"#, "did you mean \"swim\"?",
            #"{"name": "x", "next": {"leg": null, "speed": 2}}"#
        ),
        (
            #"{"name": "x", "velocity": 3}"#, "the keys here are name, pace, steps, next",
            #"{"name": "x", "velocity": null}"#
        ),
        (#"{"zzz": "x"}"#, "the keys here are name, pace, steps, next", #"{"zzz": null, "name": null}"#),
        (
            #"{"name": "x", "gait": "brisk"}"#, "did you mean \"pace\"? The keys here are name, pace, steps, next",
            #"{"name": "x", "pace": "brisk"}"#
        ),
    ])
    func `A mistake is one problem, with its fix, and is read as it was meant`(
        json: String, help: String, meant: String
    ) throws {
        let (problems, found) = try Self.check(json)
        #expect(problems.map(\.help) == [help], "\(problems)")
        #expect(found == meant)
    }

    @Test func `An unknown key and a missing one are one problem`() throws {
        let problem = try #require(try Self.check(#"{"zzz": "x"}"#).problems.first)
        #expect(problem.message == #"unknown key "zzz", and "name" is missing"#)
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
