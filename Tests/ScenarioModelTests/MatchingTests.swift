import Bluetooth
import Testing

@testable import ScenarioModel

private let line = Datum.object([
    .init("heart_rate", .object([.init("bpm", .number(72)), .init("contact", .bool(true))])),
    .init("at", .string("x")),
    .init("gone", .null), .init("rr", .list([.number(800), .number(810)])),
])

@Suite struct MatchingTests {
    typealias Pair = (matcher: Matcher, datum: Datum?)

    @Test func `Values that match`() {
        let pairs: [Pair] = [
            (.null, .null), (.bool(true), .bool(true)), (.number(1), .number(1)), (.string("a"), .string("a")),
            (.between(.init(min: 1, max: 2)), .number(1)), (.between(.init(min: 1, max: 2)), .number(2)),
            (.between(.init(min: nil, max: 2)), .number(-9)), (.between(.init(min: 1, max: nil)), .number(9)),
            (.oneOf([.number(1), .null]), .null), (.any(true), .null), (.any(false), nil),
            (.not(.number(1)), .number(2)),
            (.not(.any(true)), nil), (.oneOf([.number(1), .any(false)]), nil),
            (.list([.number(1), .any(true)]), .list([.number(1), .null])),
            (.list([]), .list([])),
            (.each(.number(1)), .list([.number(1), .number(1)])), (.each(.number(1)), .list([])),
            (.object([]), line), (.object([.init(key: "gone", matcher: .null)]), line),
            (.object([.init(key: "absent", matcher: .any(false))]), line),
            (
                .object([
                    .init(
                        key: "heart_rate",
                        matcher: .object([.init(key: "bpm", matcher: .between(.init(min: 70, max: 75)))])),
                    .init(key: "at", matcher: .string("x")),
                ]), line
            ),
        ]
        for (matcher, datum) in pairs {
            #expect(matcher.fits(datum), "\(matcher) is like \(String(describing: datum))")
            #expect(!Matcher.not(matcher).fits(datum))
        }
    }

    @Test func `Values that do not match`() {
        let pairs: [Pair] = [
            (.null, nil), (.null, .bool(false)), (.bool(true), .bool(false)), (.bool(true), .number(1)),
            (.number(1), .bool(true)), (.number(1), .number(1.5)), (.number(1), nil), (.string("1"), .number(1)),
            (.between(.init(min: 1, max: 2)), .number(2.1)), (.between(.init(min: 1, max: 2)), .number(0.9)),
            (.between(.init(min: nil, max: nil)), .string("1")), (.oneOf([]), .null), (.any(false), .null),
            (.any(true), nil), (.not(.number(1)), .number(1)), (.not(.number(1)), nil), (.not(.any(false)), nil),
            (.object([.init(key: "absent", matcher: .not(.number(1)))]), line), (.not(.oneOf([.number(1)])), nil),
            (.list([.number(1)]), .list([.number(1), .number(1)])),
            (.list([.number(1)]), .number(1)), (.each(.number(1)), .list([.number(1), .number(2)])),
            (.object([.init(key: "absent", matcher: .null)]), line), (.object([]), .list([])),
            (.object([.init(key: "at", matcher: .string("y"))]), line),
            (.truth(.init(.last, of: .device(0))), .number(1)),
        ]
        for (matcher, datum) in pairs {
            #expect(!matcher.fits(datum), "\(matcher) is not like \(String(describing: datum))")
        }
    }

    @Test func `In a value of a line, a missing key and null are the same`() {
        func pattern(_ contact: Matcher) -> Matcher {
            .object([.init(key: "heart_rate", matcher: .object([.init(key: "contact", matcher: contact)]))])
        }
        let lines = [#"{"heart_rate": {"bpm": 60}}"#, #"{"heart_rate": {"bpm": 60, "contact": null}}"#]
        for line in lines.map({ Datum(json: $0.utf8) }) {
            for fitting in [Matcher.null, .any(false), .oneOf([.bool(true), .null]), .not(.any(true))] {
                #expect(pattern(fitting).fits(line: line), "\(fitting)")
            }
            for other in [Matcher.bool(false), .any(true), .not(.bool(true)), .not(.null), .object([]), .oneOf([])] {
                #expect(!pattern(other).fits(line: line), "\(other)")
            }
            #expect(pattern(.truth(.init(.last, of: .device(0)))).fits(line: line) { _, datum in datum == .null })
        }
        // A line without the key does not clear the display.
        let cleared = Matcher.object([.init(key: "heart_rate", matcher: .null)])
        #expect(cleared.fits(line: Datum(json: #"{"heart_rate": null}"#.utf8)))
        #expect(!cleared.fits(line: Datum(json: #"{"battery": 3}"#.utf8)))
        #expect(
            !Matcher.object([.init(key: "heart_rate", matcher: .object([]))]).fits(
                line: .object([.init("heart_rate", .null)])))
    }

    @Test func `Numbers in lines have rounding errors`() {
        func fits(_ expected: Double, _ shown: String) -> Bool {
            let line = Datum(json: "{\"v\": \(shown), \"w\": [\(shown)]}".utf8)
            return Matcher.object([.init(key: "v", matcher: .number(expected))]).fits(line: line)
                && Matcher.object([.init(key: "w", matcher: .list([.number(expected)]))]).fits(line: line)
        }
        for shown in ["38", "38.00000000000001", "37.999998"] { #expect(fits(38, shown), "\(shown)") }
        for shown in ["38.01", "37.9999", "-38"] { #expect(!fits(38, shown), "\(shown)") }
        #expect(!fits(300, "301") && !fits(0, "1") && fits(0, "-0.0") && !fits(1_000_000, "1000001"))
    }

    @Test func `Filters of events`() {
        let timeout = HCIStatus.connectionTimeout.rawValue
        let table: [(Event.Kind, Event.Filter, UInt8?, Datum?, Bool)] = [
            (.disconnected, .code(.number(0x08)), timeout, nil, true),
            (.disconnected, .code(.number(0x08)), 0x13, nil, false),
            (.disconnected, .code(.number(0x08)), nil, nil, false),
            (.disconnected, .code(.name("connection_timeout")), timeout, nil, true),
            (.disconnected, .code(.name("connection_timeout")), 0x13, nil, false),
            (.disconnected, .code(.name("attribute_not_long")), 0x0B, nil, false),
            (.refused, .code(.name("attribute_not_long")), 0x0B, nil, true),
            (.exited, .status(0), 0, nil, true), (.exited, .status(0), 1, nil, false),
            (.exited, .status(0), nil, nil, false),
            (.mtu, .value(.number(23)), nil, .number(23), true), (.mtu, .value(.number(23)), nil, .number(24), false),
            (.said, .line(.object([])), nil, line, true), (.said, .line(.null), nil, line, false),
        ]
        for (kind, filter, code, value, fits) in table {
            let event = Event(kind, of: nil, filters: [filter])
            let observed = ObservedEvent(kind, of: .device(0), code: code, value: value)
            #expect(event.matches(in: observed) == (fits ? 1 : 0), "\(kind) \(filter) \(String(describing: code))")
        }
    }

    @Test func `Each value of a stream is a match`() {
        let stream = Datum.list([.number(60), .number(61), .number(60)])
        let samples = Datum.object([.init("samples", .number(73)), .init("index", .number(0))])
        let measurement = Datum.object([.init("bpm", .number(60)), .init("contact", .null)])
        let table: [(Event.Kind, Datum, Event.Filter?, Int)] = [
            (.delivered, stream, nil, 3), (.delivered, stream, .value(.number(60)), 2),
            (.notified, stream, .value(.not(.number(60))), 1), (.read, stream, nil, 1), (.delivered, .list([]), nil, 0),
            (.delivered, samples, nil, 73), (.delivered, samples, .value(.object([])), 73),
            (.delivered, .object([.init("samples", .number(1e9))]), nil, 255),
            (.delivered, .object([.init("samples", .number(-1))]), nil, 0),
            (.delivered, .object([.init("samples", .number(0.5))]), nil, 1),
            // Of an object, what the characteristic is there for.
            (.delivered, measurement, .value(.number(60)), 1), (.delivered, measurement, .value(.not(.number(60))), 0),
            (.delivered, measurement, .value(.object([.init(key: "contact", matcher: .null)])), 1),
            (.delivered, measurement, .value(.oneOf([.object([])])), 1),
        ]
        for (kind, value, filter, count) in table {
            let event = Event(kind, of: nil, filters: [filter].compactMap(\.self))
            #expect(event.matches(in: ObservedEvent(kind, of: nil, value: value)) == count, "\(kind) \(value)")
        }
    }

    @Test func `A sample is its microvolts, and other members count for each sample`() {
        let observed = ObservedEvent(
            .delivered, of: nil, value: .object([.init("samples", .number(3)), .init("gap", .bool(true))]),
            samples: [5, -7, 3])
        let gap = Matcher.object([.init(key: "gap", matcher: .bool(true))])
        let table: [(Matcher, Int)] = [
            (.number(3), 1), (.number(-7), 1), (.between(.init(min: 0)), 2), (.not(.number(5)), 2), (gap, 3),
            (.not(gap), 0), (.any(true), 3),
        ]
        for (matcher, count) in table {
            let event = Event(.delivered, of: nil, filters: [.value(matcher)])
            #expect(event.matches(in: observed) == count, "\(matcher)")
        }
        // Where only their number is known, nothing is like a sample, and not even unlike it.
        var counted = observed
        counted.samples = nil
        for matcher in [Matcher.number(3), .not(.number(5)), .any(true)] {
            let event = Event(.delivered, of: nil, filters: [.value(matcher)])
            #expect(event.matches(in: counted) == 0, "\(matcher)")
        }
    }

    @Test func `JSON is parsed into values`() {
        let text = #"{"a": [1, -2.5e1, true, null], "b": {"c": "x\u0041"}, "a": 0}"#
        let datum = Datum(json: text.utf8)
        #expect(datum?["a"] == .list([.number(1), .number(-25), .bool(true), .null]))
        #expect(datum?["b"]?["c"] == .string("xA"))
        for broken in ["", "{", "[1,]", "nul", "1 2"] { #expect(Datum(json: broken.utf8) == nil) }
    }
}
