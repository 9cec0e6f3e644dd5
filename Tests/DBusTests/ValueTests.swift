import Basics
import DBus
import TestBus
import Testing

@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct ValueTests {
    /// `count` variants around an octet.
    private static func variants(_ count: Int) -> Value {
        (0..<count).reduce(.byte(7)) { value, _ in .variant(value) }
    }

    /// What is in UTF-8, but no character.
    private static let oddities = String(
        String.UnicodeScalarView([0xFDD0, 0xFFFE, 0x10FFFF, 1].compactMap { Unicode.Scalar($0 as UInt32) }))

    static var values: [Value] {
        [
            .byte(0), .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min),
            .uint32(.max),
            .int64(.min), .uint64(.max), .double(-0.5), .double(.infinity), .string(""), .string("é\u{1F493}\n"),
            .string(oddities), .path("/"), .path("/a/b"), .signature(""), .signature("a{sv}"),
            .octets([]), .octets([1, 2, 3]), .octets([UInt8](repeating: 9, count: 100_000)),
            .strings([]), .strings(["a", ""]), .paths(["/", "/x"]), .array(of: .boolean, [.boolean(true)]),
            .array(of: .array(.byte), [.octets([]), .octets([1])]), .array(of: .variant, [.variant(.byte(1))]),
            .array(of: .structure([.byte, .string]), []),
            .array(of: .dictionary(key: .byte, value: .byte), []),
            .options([]), .options([("offset", .uint16(5)), ("link", .string("LE")), ("device", .path("/d"))]),
            .dictionary(key: .uint16, value: .variant, [Value.Entry(.uint16(0xFFFF), .variant(.octets([1])))]),
            .dictionary(key: .path, value: .dictionary(key: .string, value: .variant), []),
            .structure([.byte(1), .structure([.string("x"), .octets([2])]), .variant(.int64(-1))]),
            variants(62),
        ]
    }

    @Test func `All values survive a round trip`() throws {
        try onBothBuses { bus, loop in
            let (_, client, ask) = try await Service().open(bus, loop)
            for value in Self.values {
                let answer = await ask("Echo", [.variant(value)], reply: "v")
                #expect(answer == .success([.variant(value)]), "\(value.type)")
            }
            #expect(await client.isOpen)
        }
    }

    /// A descriptor that somebody has taken.
    private static var taken: Descriptor {
        let descriptor = Descriptor(owning: -1)
        _ = descriptor.take()
        return descriptor
    }

    static var wrong: [(Value, String)] {
        [
            (.string("a\0b"), "contains NUL"), (.structure([]), "\"()\" is not a signature"),
            (.array(of: .byte, []), "must be .octets"), (.descriptor(taken), "has been taken"),
            (.array(of: .string, [.byte(1)]), "has the type y, not s"),
            (.array(of: .variant, [.byte(1)]), "has the type y, not v"),
            (.dictionary(key: .variant, value: .byte, []), "is not a signature"),
            (.dictionary(key: .string, value: .byte, [Value.Entry(.byte(1), .byte(1))]), "has the type y, not s"),
            (.array(of: .structure([.byte, .byte]), [.structure([.byte(1)])]), "has the type (y), not (yy)"),
            (variants(65), "nested more than 64 levels"),
            (.octets([UInt8](repeating: 0, count: 16 << 20)), "longer than"),
            (.array(of: .string, [Value](repeating: .string(""), count: 3 << 20)), "longer than"),
            (.structure([Value](repeating: .byte(1), count: 254)), "is not a signature"),
            ((0..<33).reduce(.byte(1)) { value, _ in .structure([value]) }, "is not a signature"),
        ]
    }

    @Test func `Invalid values are detected before they are sent`() throws {
        try onBothBuses { bus, loop in
            let (_, client, ask) = try await Service().open(bus, loop)
            for (value, reason) in Self.wrong {
                guard case .failure(.invalidArgument(let argument)) = await ask("Echo", [value]) else {
                    Issue.record("\(value.type) was sent")
                    continue
                }
                #expect(argument.description.contains(reason), "\(argument)")
            }
            let many = await ask("Echo", [Value](repeating: .byte(1), count: 256))
            #expect(many.errorName == nil && many != .failure(.disconnected))
            #expect(await ask("Echo", [.variant(.byte(1))], reply: "v") == .success([.variant(.byte(1))]))
            #expect(await client.isOpen)
        }
    }

    /// 64 around the innermost one, that of the message counted.
    @Test func `The bus accepts values of the maximum depth`() throws {
        try onBothBuses { bus, loop in
            let (_, client, ask) = try await Service().open(bus, loop)
            let deep = Self.variants(64)
            let answer = await ask("Echo", [deep], reply: "v")
            #expect(answer == .success([deep]))
            #expect(await client.isOpen)
        }
    }

    @Test func `Accessors of values`() {
        let options = Value.options([("offset", .uint16(5)), ("mtu", .uint32(9)), ("offset", .uint16(6))])
        #expect(options["offset"]?.uint16 == 6)
        #expect(options["mtu"]?.uint16 == nil)
        #expect(options["mtu"]?.uint32 == 9)
        #expect(options["link"] == nil)
        #expect(Value.byte(1)["a"] == nil)
        #expect(Value.strings(["a"]).strings == ["a"])
        #expect(Value.paths(["/"]).strings == nil)
        #expect(Value.paths(["/"]).elements?.first?.path == "/")
        #expect(Value.structure([.boolean(true)]).members?.first?.boolean == true)
        #expect(Value.octets([1]).octets == [1])
        #expect(Value.byte(1).byte == 1)
        #expect(Value.variant(.string("x")).variant?.string == "x")
    }
}
