import Bluetooth
import EventLog
import Testing

@testable import Scenarios

private let line = Datum.object([
    .init("heart_rate", .object([.init("bpm", .number(72)), .init("contact", .bool(true))])),
    .init("at", .string("x")),
    .init("gone", .null), .init("rr", .list([.number(800), .number(810)])),
])

@Suite struct MatchingTests {
    typealias Pair = (matcher: Matcher, datum: Datum?)

    @Test func `What is like a matcher`() {
        let pairs: [Pair] = [
            (.null, .null), (.bool(true), .bool(true)), (.number(1), .number(1)), (.string("a"), .string("a")),
            (.between(.init(min: 1, max: 2)), .number(1)), (.between(.init(min: 1, max: 2)), .number(2)),
            (.between(.init(min: nil, max: 2)), .number(-9)), (.between(.init(min: 1, max: nil)), .number(9)),
            (.oneOf([.number(1), .null]), .null), (.any(true), .null), (.any(false), nil),
            (.not(.number(1)), .number(2)),
            (.not(.any(true)), nil), (.list([.number(1), .any(true)]), .list([.number(1), .null])),
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

    @Test func `What is not like a matcher`() {
        let pairs: [Pair] = [
            (.null, nil), (.null, .bool(false)), (.bool(true), .bool(false)), (.bool(true), .number(1)),
            (.number(1), .bool(true)), (.number(1), .number(1.5)), (.number(1), nil), (.string("1"), .number(1)),
            (.between(.init(min: 1, max: 2)), .number(2.1)), (.between(.init(min: 1, max: 2)), .number(0.9)),
            (.between(.init(min: nil, max: nil)), .string("1")), (.oneOf([]), .null), (.any(false), .null),
            (.any(true), nil), (.not(.number(1)), .number(1)), (.list([.number(1)]), .list([.number(1), .number(1)])),
            (.list([.number(1)]), .number(1)), (.each(.number(1)), .list([.number(1), .number(2)])),
            (.object([.init(key: "absent", matcher: .null)]), line), (.object([]), .list([])),
            (.object([.init(key: "at", matcher: .string("y"))]), line),
            (.truth(.init(statistic: .last, of: .device(0), last: nil, below: nil, tolerance: 9)), .number(1)),
        ]
        for (matcher, datum) in pairs {
            #expect(!matcher.fits(datum), "\(matcher) is not like \(String(describing: datum))")
        }
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
            let event = Event(kind: kind, of: nil, filters: [filter], occurrence: .each, delay: .zero)
            let happening = Happening(kind, of: .device(0), code: code, value: value)
            #expect(event.matches(in: happening) == (fits ? 1 : 0), "\(kind) \(filter) \(String(describing: code))")
        }
    }
}
