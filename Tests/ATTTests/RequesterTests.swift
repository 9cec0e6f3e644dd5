import ATT
import Basics
import Bluetooth
import Testing

@Suite struct RequesterTests {
    static let deadline = Instant.start.advanced(by: .seconds(30))

    /// A requester with an outstanding Read Request.
    static func reading() -> Requester {
        var requester = Requester()
        #expect(requester.request(.readRequest, at: .start) == deadline)
        return requester
    }

    static let answers: [(octets: [UInt8], answer: Requester.Answer?)] = [
        ([0x0B, 0x2A], .response(.readResponse([0x2A]))),
        ([0x01, 0x0A, 0x03, 0x00, 0x01], .error(.invalidHandle, handle: 3)),
        ([0x01, 0x0A, 0x03, 0x00], .malformed(.tooShort(field: "Error Code", at: 4, needs: 1, has: 0))),
        ([0x01, 0x08, 0x03, 0x00, 0x0A], .unexpected(opcode: 0x01)),
        ([0x13], .unexpected(opcode: 0x13)),
        ([], nil),
    ]

    @Test(arguments: answers)
    func `Any PDU from the server ends the transaction`(octets: [UInt8], answer: Requester.Answer?) {
        var requester = Self.reading()
        #expect(requester.receive(octets[...]) == answer)
        #expect(requester.isIdle == (answer != nil))
        if answer != nil { #expect(requester.receive(octets[...]) == nil) }
    }

    @Test func `At most one request is outstanding, and only requests start a transaction`() {
        var requester = Self.reading()
        #expect(requester.request(.readRequest, at: .start) == nil)
        var idle = Requester()
        #expect(idle.request(.writeCommand, at: .start) == nil)
        #expect(idle.isIdle)
    }

    @Test func `GATT/CL/GAT/BV-01-C: after 30 s, and not before, the bearer is lost and a late answer ignored`() {
        var requester = Self.reading()
        let late = requester.timePassed(at: Instant(nanoseconds: Self.deadline.nanoseconds - 1))
        #expect(!late)
        let lost = requester.timePassed(at: Self.deadline)
        let again = requester.timePassed(at: Self.deadline)
        #expect(lost && !again && requester.isLost)
        #expect(requester.receive([0x0B, 0x2A]) == nil)
        #expect(requester.request(.readRequest, at: Self.deadline) == nil)
    }
}
