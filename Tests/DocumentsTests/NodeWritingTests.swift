import Basics
import Testing

@testable import Documents

@Suite struct NodeWritingTests {
    private static let texts = [
        "null", "true", "-0.50e+3", "12345678901234567890123", #""a \"b\" \\ \n \u001f""#, "[]", "{}", "[1, [2, {}]]",
        #"{"do": "set", "to": {"curve": "list", "values": [1, 2.0]}, "do": 1}"#,
    ]

    @Test(arguments: texts) func `Values are written as they were read`(text: String) throws {
        let node = try Node(json: Array(text.utf8), file: "")
        #expect(node.json == text)
        #expect(node.indentedJSON == text)
    }

    @Test func `Spaces and escapes are normalized, and an unknown value is null`() throws {
        let node = try Node(json: Array(#" { "\u0061":[ 1 ,2 ] ,"b":"\/" } "#.utf8), file: "")
        #expect(node.json == #"{"a": [1, 2], "b": "/"}"#)
        #expect(Node(.array([Node(.unknown)])).json == "[null]")
    }

    @Test func `Values that do not fit on a line are indented`() throws {
        let long = Node(.string(String(repeating: "x", count: 100)))
        let node = Node.object([("a", Node(.array([long, Node(.object([])), long]))), ("b", Node(.number("1")))])
        let text = node.indentedJSON
        let lines = text.split(separator: "\n")
        #expect(lines.map { $0.prefix { $0 == " " }.count } == [0, 2, 4, 4, 4, 2, 2, 0])
        #expect(lines[5...].joined(separator: "|") == #"  ],|  "b": 1|}"#)
        #expect(try Node(json: Array(text.utf8), file: "").json == node.json)
    }
}
