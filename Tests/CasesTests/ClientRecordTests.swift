import Basics
import Expectations
import HCI
import Testing

@testable import Cases
@testable import Drivers

/// The names of a client's exits, and when a machine is too slow to judge it.
@Suite struct ClientRecordTests {
    @Test(
        arguments: [
            (
                nil, false, .inconclusive,
                "no host connected to the controller within 10 s (the controller"
            ),
            (0, false, .inconclusive, "it exited with status 0 before its host sent HCI Reset"),
            (1, false, .fail, "it exited with status 1 before its host sent HCI Reset"),
            (126, false, .error, "it could not be started: /bin/sh reports not executable"),
            (127, false, .error, "it could not be started: /bin/sh reports not found"),
            (139, false, .fail, "it was killed by signal 11 (SIGSEGV) before its host sent HCI Reset"),
            (nil, true, nil, ""),
            (0, true, nil, ""),
            (127, true, .fail, "it exited with status 127 at 2.500000 s, before the end of the case"),
            (137, true, .fail, "it was killed by signal 9 (SIGKILL) at 2.500000 s, before the end of the case"),
            (255, true, .fail, "it exited with status 255 at 2.500000 s, before the end of the case"),
        ] as [(UInt8?, Bool, Verdict?, String)])
    func `Ends`(status: UInt8?, hasPlayed: Bool, verdict: Verdict?, reason: String) {
        var record = ClientRecord()
        record.hasPlayed = hasPlayed
        record.exit = status.map { ClientRecord.Exit(status: $0, at: Instant(nanoseconds: 2_500_000_000)) }
        #expect(record.fault?.verdict == verdict)
        #expect(record.fault?.reason.hasPrefix(reason) ?? reason.isEmpty)
    }

    @Test(
        arguments: [
            (1, true, .inconclusive, "this machine stalled for 3.0 s: it exited with status 1 at 2.500000 s"),
            (0, true, nil, ""), (1, false, .fail, "it exited with status 1 before its host sent HCI Reset"),
        ] as [(UInt8, Bool, Verdict?, String)])
    func `A stall excuses its end during the case`(status: UInt8, hasPlayed: Bool, verdict: Verdict?, reason: String) {
        var record = ClientRecord()
        (record.hasPlayed, record.stall) = (hasPlayed, .seconds(3))
        record.exit = ClientRecord.Exit(status: status, at: Instant(nanoseconds: 2_500_000_000))
        #expect(record.fault?.verdict == verdict)
        #expect(record.fault?.reason.hasPrefix(reason) ?? reason.isEmpty)
    }

    @Test(
        arguments: [
            (.seconds(6), false, nil, true), (.seconds(5), false, nil, false), (.seconds(6), true, nil, false),
            (.seconds(6), false, 0, false),
        ] as [(Duration, Bool, UInt8?, Bool)])
    func `A client without a processor for most of its time is starved`(
        waited: Duration, hasPlayed: Bool, status: UInt8?, isStarved: Bool
    ) {
        var record = ClientRecord()
        (record.waited, record.hasPlayed) = (waited, hasPlayed)
        record.exit = status.map { ClientRecord.Exit(status: $0, at: .start) }
        #expect(record.isStarved == isStarved)
        #expect(record.fault?.reason.hasSuffix("; it waited 6.0 seconds of them for a CPU") == true || !isStarved)
    }

    @Test func `A beat that is late is a stall, once`() {
        func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
        var clock = CaseClock(.seconds(60))
        #expect(clock.stall(at: at(500)) == nil)  // it has not begun
        #expect(clock.next(after: at(1000)) == at(1020))
        #expect(clock.stall(at: at(1020)) == nil)
        #expect(clock.next(after: at(1020)) == at(1040))
        #expect(clock.stall(at: at(3140)) == .milliseconds(2100))
        #expect(clock.stall(at: at(3140)) == nil)
        #expect(clock.next(after: at(3140)) == at(3160))
    }

    @Test(
        arguments: [
            (PacketKind.command, [0x03, 0x0C, 0x00], true), (.command, [0x03, 0x0C], true), (.command, [0x03], false),
            (.command, [0x01, 0x0C, 0x00], false), (.acl, [0x03, 0x0C, 0x00], false),
        ] as [(PacketKind, [UInt8], Bool)])
    func `Reset is seen`(kind: PacketKind, octets: [UInt8], isReset: Bool) {
        #expect(H4Framer.Framed(kind: kind, octets: octets).isReset == isReset)
    }
}
