import Basics
import Bluetooth
import HCI
import LEHost
import Mutations
import Testing

@testable import Drivers

/// Turns of hosts, in virtual time.
private struct Turns {
    private var turns = HostTurns()
    private(set) var now = Instant.start

    /// The outputs, except for those that only schedule.
    @discardableResult mutating func after(_ inputs: HostTurns.Input...) -> [HostTurns.Output] {
        var outputs: [HostTurns.Output] = []
        for input in inputs { turns.step(input, at: now, into: &outputs) }
        return outputs.filter { if case .wake = $0 { false } else { true } }
    }

    mutating func after(_ duration: Duration) -> [HostTurns.Output] {
        now = now.advanced(by: duration)
        return after(.timePassed)
    }

    /// When the last output of an input requests a call.
    mutating func wake(after input: HostTurns.Input) -> Instant? {
        var outputs: [HostTurns.Output] = []
        turns.step(input, at: now, into: &outputs)
        guard case .wake(let due) = outputs.last else { return nil }
        return due
    }

    /// With a controller that has answered the first reset.
    static var ready: Turns {
        var turns = Turns()
        turns.after(.opened, .fromController(.resetAnswer))
        return turns
    }

    /// Serving host 1.
    static var serving: Turns {
        var turns = ready
        turns.after(.arrived(1))
        return turns
    }
}

extension H4Framer.Framed {
    fileprivate static let reset = H4Framer.Framed(kind: .command, octets: Command.reset().octets)
    fileprivate static let resetAnswer = answer(Command.reset.opcode)
    fileprivate static let report = H4Framer.Framed(kind: .event, octets: [0x3E, 2, 0x02, 0])
    fileprivate static let data = H4Framer.Framed(kind: .acl, octets: [0x40, 0x20, 1, 0, 7])

    fileprivate static func answer(_ opcode: Opcode, _ status: HCIStatus = .success) -> H4Framer.Framed {
        H4Framer.Framed(kind: .event, octets: Event.complete(opcode, status).octets)
    }
}

@Suite struct HostTurnsTests {
    @Test func `The controller is reset before the first host is served`() {
        var turns = Turns()
        #expect(turns.after(.arrived(1)) == [])
        #expect(turns.after(.opened) == [.toController(.reset)])
        #expect(turns.after(.fromController(.resetAnswer)) == [.serve(1)])
        turns = .ready
        #expect(turns.after(.arrived(1)) == [.serve(1)])
    }

    @Test func `Packets pass between the host and the controller`() {
        var turns = Turns.serving
        let voice = H4Framer.Framed(kind: .synchronous, octets: [0x40, 0, 1, 7])
        for packet in [.reset, .data, voice] {
            #expect(turns.after(.fromHost(1, packet)) == [.toController(packet)])
        }
        for packet in [.resetAnswer, .report, .data, voice] {
            #expect(turns.after(.fromController(packet)) == [.toHost(1, packet)])
        }
        #expect(turns.after(.fromHost(2, .data)) == [])
    }

    @Test func `Without a host, packets of the controller are discarded`() {
        var turns = Turns.ready
        #expect(turns.after(.fromController(.report), .fromController(.data), .fromController(.resetAnswer)) == [])
        #expect(turns.after(.arrived(1)) == [.serve(1)])
    }

    @Test func `After a host, the next one is served when the controller is reset`() {
        var turns = Turns.serving
        #expect(turns.after(.left(1)) == [.toController(.reset)])
        #expect(turns.after(.arrived(2)) == [])
        #expect(turns.after(.fromHost(1, .data), .fromController(.report), .fromController(.data)) == [])
        #expect(turns.after(.fromController(.answer(Command.readBDADDR.opcode))) == [])
        #expect(turns.after(.fromController(.resetAnswer)) == [.serve(2)])
        #expect(turns.after(.fromController(.report)) == [.toHost(2, .report)])
    }

    @Test func `The answer to a former host's reset is not that to the reset after it`() {
        var turns = Turns.serving
        turns.after(.fromHost(1, .reset), .left(1), .arrived(2))
        #expect(turns.after(.fromController(.resetAnswer)) == [])
        #expect(turns.after(.fromController(.resetAnswer)) == [.serve(2)])
    }

    @Test func `A controller that answers several resets once is usable after the time for an answer`() {
        var turns = Turns.serving
        turns.after(.fromHost(1, .reset), .fromHost(1, .reset), .left(1), .arrived(2))
        #expect(turns.after(.fromController(.resetAnswer)) == [])
        #expect(turns.after(.seconds(9)) == [])
        #expect(turns.after(.seconds(1)) == [.serve(2)])
        #expect(turns.after(.left(2)) == [.toController(.reset)])
        #expect(turns.after(.fromController(.resetAnswer), .arrived(3)) == [.serve(3)])
    }

    @Test func `A second host waits one second for the end of the first, and a third is disconnected at once`() {
        var turns = Turns.serving
        #expect(turns.wake(after: .arrived(2)) == turns.now.advanced(by: .seconds(1)))
        #expect(turns.after(.arrived(3)) == [.disconnect(3, .taken)])
        #expect(turns.after(.milliseconds(999)) == [])
        #expect(turns.after(.milliseconds(1)) == [.disconnect(2, .taken)])
        #expect(turns.after(.arrived(4)) == [])
        #expect(turns.after(.left(1)) == [.toController(.reset)])
        #expect(turns.after(.seconds(2)) == [])
        #expect(turns.after(.fromController(.resetAnswer)) == [.serve(4)])
    }

    @Test func `A controller that does not answer within 10 s has failed, and serves nobody`() {
        var turns = Turns()
        turns.after(.arrived(1))
        #expect(turns.wake(after: .opened) == turns.now.advanced(by: .seconds(10)))
        #expect(turns.after(.seconds(9)) == [])
        #expect(turns.after(.seconds(1)) == [.failed(.noAnswer(Command.reset.opcode))])
        #expect(turns.after(.fromController(.resetAnswer)) == [])
        #expect(turns.after(.seconds(20)) == [])
    }

    @Test func `A controller that refuses to be reset has failed`() {
        var turns = Turns()
        turns.after(.opened)
        let refusal = H4Framer.Framed.answer(Command.reset.opcode, .commandDisallowed)
        #expect(
            turns.after(.fromController(refusal)) == [.failed(.startRefused(Command.reset.opcode, .commandDisallowed))])
    }

    @Test(arguments: [PacketKind.event, .isochronous])
    func `A host that sends what hosts do not send is disconnected, and the rest of its packets is lost`(
        kind: PacketKind
    ) {
        var turns = Turns.serving
        let packet = H4Framer.Framed(kind: kind, octets: [0x0E, 0, 0, 0])
        #expect(
            turns.after(.fromHost(1, packet), .fromHost(1, .data))
                == [.disconnect(1, .sends(kind)), .toController(.reset)])
        #expect(turns.after(.left(1)) == [])
        #expect(turns.after(.fromController(.resetAnswer), .arrived(2)) == [.serve(2)])
    }

    @Test func `Only the answer to Reset ends a reset, whatever the controller sends`() {
        for octets in H4Framer.Framed.resetAnswer.octets.mutations {
            var turns = Turns.serving
            turns.after(.left(1), .arrived(2))
            let outputs = turns.after(.fromController(H4Framer.Framed(kind: .event, octets: octets)))
            #expect(octets.prefix(1) == [0x0E] || outputs == [], "\(octets)")
            #expect(!outputs.contains { if case .toHost = $0 { true } else { false } })
        }
    }
}
