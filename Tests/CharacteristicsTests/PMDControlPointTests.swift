import Basics
import Characteristics
import Mutations
import Testing

@Suite struct PMDControlPointTests {
    private static let start: [UInt8] = [0x02, 0x00, 0x00, 0x01, 0x82, 0x00, 0x01, 0x01, 0x0E, 0x00]

    @Test func `A client gets settings, starts and stops the measurement`() {
        var control = PMDControlPoint()
        #expect(control.features.octets.prefix(3) == [0x0F, 0x01, 0x00])
        let script: [(written: [UInt8], mtu: Int, answer: [UInt8], isStreaming: Bool)] = [
            ([0x01, 0x00], 232, [0xF0, 1, 0, 0, 0, 0x00, 1, 0x82, 0, 0x01, 1, 0x0E, 0], false),
            ([0x03, 0x00], 232, [0xF0, 3, 0, 6, 0], false),  // stopped already
            ([0x02, 0x00, 0x00, 0x01, 0xF4, 0x01], 232, [0xF0, 2, 0, 8, 0], false),  // 500 Hz
            ([0x02, 0x00, 0x01, 0x01, 0x10, 0x00], 232, [0xF0, 2, 0, 7, 0], false),  // 16 bits
            ([0x02, 0x00, 0x02, 0x01, 0x08, 0x00], 232, [0xF0, 2, 0, 5, 0], false),  // a range
            ([0x02, 0x00, 0x09, 0x01, 0x08, 0x00], 232, [0xF0, 2, 0, 5, 0], false),  // a setting of no kind
            (Self.start, 15, [0xF0, 2, 0, 10, 0], false),
            (Self.start, 23, [0xF0, 2, 0, 0, 0], true),
            (Self.start, 23, [0xF0, 2, 0, 6, 0], true),  // started already
            ([0x02, 0x02], 23, [0xF0, 2, 2, 3, 0], true),  // acceleration
            ([0x07, 0x00], 23, [0xF0, 7, 0, 1, 0], true),
            ([0x03], 23, [0xF0, 3, 0, 4, 0], true),
            ([], 23, [0xF0, 0, 0, 4, 0], true),
            ([0x03, 0x00], 23, [0xF0, 3, 0, 0, 0], false),
            ([0x02, 0x00], 23, [0xF0, 2, 0, 0, 0], true),  // what is not said is as it is
        ]
        for (line, (written, mtu, answer, isStreaming)) in script.enumerated() {
            #expect(control.answer(written, mtu: mtu).octets == answer, "line \(line)")
            #expect(control.isStreaming == isStreaming, "line \(line)")
        }
        control.disconnect()
        #expect(!control.isStreaming)
    }

    @Test func `Every written value gets a response, and only a start request starts the measurement`() throws {
        for mutation in Self.start.mutations {
            var control = PMDControlPoint()
            let answer = control.answer(mutation, mtu: 232)
            #expect(try PMD.Response(octets: answer.octets) == answer)
            #expect(control.isStreaming == (answer.status == .success && mutation.first == 2))
        }
    }
}
