import HCI
import Testing

@testable import VirtualWorld

/// What a faulty firmware makes of a packet.
@Suite struct MutationTests {
    typealias Change = Mutation.Change

    private static let cases: [(change: Change, before: [UInt8], after: [UInt8]?)] = [
        (Change(.att(0x1B), "48", becomes: "49"), [0x1B, 0x10, 0, 0x48], [0x1B, 0x10, 0, 0x49]),
        (Change(.att(0x1B), "48", becomes: "49"), [0x1D, 0x10, 0, 0x48], nil),
        (Change(.att(0x1B), at: 2, "48", becomes: "49"), [0x1B, 0x10, 0, 0x48], nil),
        (Change(.att(0x1B), at: 9, "48", becomes: "49"), [0x1B, 0x10, 0, 0x48], nil),
        (Change(.att(0x1B), "10 .. .. 48", becomes: ".. 01 .. @0"), [0x1B, 0x10, 2, 3, 72], [0x1B, 0x10, 1, 3, 0x10]),
        (Change(.att(0x1B), "48 ..", becomes: "01"), [0x1B, 0x10, 0, 0x48, 5, 6], [0x1B, 0x10, 0, 1, 6]),
        (Change(.att(0x1B), "48", becomes: ".. 07 08"), [0x1B, 0x10, 0, 0x48], [0x1B, 0x10, 0, 0x48, 7, 8]),
        (Change(.att(0x1B), "48 49 50 51 52 53", becomes: "01"), [0x1B, 0x10, 0, 0x48], nil),
    ]

    private static func packet(_ pdu: [UInt8], boundary: UInt8 = 0, channel: UInt8 = 4) -> [UInt8] {
        let count = UInt8(pdu.count)
        return [0x40, boundary << 4, count + 4, 0, count, 0, channel, 0] + pdu
    }

    @Test(arguments: cases) func `a PDU, and the lengths before it`(_ example: (Change, [UInt8], [UInt8]?)) {
        let (change, before, after) = example
        let mutation = Mutation([change])
        #expect(mutation.applied(to: Self.packet(before), .acl) == after.map { Self.packet($0) })
        #expect(mutation.applied(to: Self.packet(before, boundary: 1), .acl) == nil, "no beginning of a frame")
        #expect(mutation.applied(to: Self.packet(before, channel: 5), .acl) == nil, "another channel")
        #expect(mutation.applied(to: Self.packet(before), .event) == nil)
        for count in 0..<8 { #expect(mutation.applied(to: Array(Self.packet(before)[..<count]), .acl) == nil) }
    }

    @Test func `what is heard is not what is sent`() {
        let mutation = Mutation([
            Change(.received(0x12), at: 0, "12", becomes: "52"), Change(.received(0x1E), at: 0, "1E", becomes: ""),
        ])
        let write = Self.packet([0x12, 3, 0, 1])
        #expect(mutation.applied(toReceived: write, .acl) == Self.packet([0x52, 3, 0, 1]))
        #expect(mutation.applied(to: write, .acl) == nil)
        #expect(mutation.applied(toReceived: Self.packet([0x1E]), .acl) == Self.packet([]))
        #expect(mutation.applied(toReceived: write, .command) == nil)
        let sent = Mutation([Change(.att(0x12), at: 0, "12", becomes: "52")])
        #expect(sent.applied(toReceived: write, .acl) == nil)
    }

    @Test func `the first change that is found is made`() {
        let mutation = Mutation([
            Change(.att(0x1B), "99", becomes: "01"), Change(.att(0x1B), "48", becomes: "02"),
            Change(.att(0x1B), "02", becomes: "03"),
        ])
        #expect(mutation.applied(to: Self.packet([0x1B, 0x10, 0, 0x48]), .acl) == Self.packet([0x1B, 0x10, 0, 2]))
    }

    @Test func `advertising data stays within its 31 octets`() {
        func command(_ opcode: UInt8, _ data: [UInt8]) -> [UInt8] {
            [opcode, 0x20, 32, UInt8(data.count)] + data + Array(repeating: 0, count: 31 - data.count)
        }
        let shorter = Mutation([Change(.advertisingData, at: 0, "02 01 06", becomes: "")])
        #expect(shorter.applied(to: command(8, [2, 1, 6, 1, 9]), .command) == command(8, [1, 9]))
        #expect(shorter.applied(to: command(9, [2, 1, 6, 1, 9]), .command) == nil)
        let longer = Mutation([Change(.scanResponse, at: 0, "01", becomes: "01 02 03")])
        let full = Array(repeating: UInt8(1), count: 31)
        #expect(longer.applied(to: command(9, full), .command) == command(9, [1, 2, 3] + full[..<28]))
    }
}
