import Basics
import Testing

/// One description of a value gives its JSON and what is compared.
@Suite struct DatumTests {
    private struct Everything: ValueWritable {
        func write(into sink: inout some ValueSink) {
            sink.appendObject { sink in
                sink.append(member: "nothing", .null)
                sink.append(member: "numbers") { sink in
                    sink.append(list: [1, -2]) { $0.append(.number($1)) }
                }
                sink.append(member: "largest", .number(UInt64.max))
                sink.append(member: "rate", .thousandths(62_500))
                sink.append(member: "cold", .decimal(-0.1259))
                sink.append(member: "inner") { sink in
                    sink.appendObject { $0.append(member: "isTrue", .bool(true)) }
                }
                sink.append(member: "empty") { $0.append(list: [] as [Int]) { $0.append(.number($1)) } }
                sink.append(member: "text", .string("a \"b\""))
            }
        }
    }

    private struct Nothing: ValueWritable {
        func write(into _: inout some ValueSink) {}
    }

    @Test func `A value is compared as it is printed`() throws {
        #expect(
            Everything().json == #"""
                {"nothing": null, "numbers": [1, -2], "largest": 18446744073709551615, "rate": 62.5, "cold": -0.126, \#
                "inner": {"isTrue": true}, "empty": [], "text": "a \"b\""}
                """#)
        let datum = try #require(Datum(Everything()))
        #expect(
            datum
                == .object([
                    .init("nothing", .null), .init("numbers", .list([.number(1), .number(-2)])),
                    .init("largest", .number(Double(UInt64.max))), .init("rate", .number(62.5)),
                    .init("cold", .number(-0.126)), .init("inner", .object([.init("isTrue", .bool(true))])),
                    .init("empty", .list([])), .init("text", .string("a \"b\"")),
                ]))
        #expect(datum["inner"]?.json == #"{"isTrue": true}"#)
        #expect(Datum(Nothing()) == nil)
    }

    @Test(arguments: [(62, "62"), (-0.25, "-0.25"), (.infinity, #""inf""#), (0.0001, "0.0001")])
    func `Numbers are whole if they can be`(number: Double, text: String) {
        #expect(Datum.number(number).json == text)
    }
}
