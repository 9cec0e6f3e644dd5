import Basics
import HCI
import Testing
import VirtualRadio

/// Out of range and back, as hosts see it.  Controller 0 is the peripheral, controller 1 the central; the supervision
/// timeout is 420 ms, the interval 30 ms.
struct RangeTests {
    private static let timedOut = "05040001" + "0008"

    /// The last packet of the other side: data arrive at each end in the last event before the loss.
    private static func away(_ gone: Int, after milliseconds: Int64) -> (harness: AirspaceHarness, heard: [Instant]) {
        var harness = ControllerLinkTests.linked()
        harness.run(milliseconds: milliseconds)
        harness.sendData(1, "0100 0100 AA")
        harness.sendData(0, "0100 0100 BB")
        harness.run(milliseconds: 40)
        let heard = [0, 1].map { host in harness.received[host].last { $0.kind == .acl }?.at ?? .start }
        _ = (harness.take(0), harness.take(1))
        harness.change(gone) { $0.isPresent = false }
        return (harness, heard)
    }

    @Test("Both sides miss each other after the supervision timeout", arguments: 0..<2, [0, 7, 29])
    func bothSidesMissEachOther(gone: Int, after milliseconds: Int64) {
        var (harness, heard) = Self.away(gone, after: milliseconds)
        harness.run(milliseconds: 2000)
        for host in 0...1 {
            let received = harness.received[host]
            #expect(received.map { hex($0.octets) } == [Self.timedOut])
            let missing = heard[host].duration(to: received[0].at)
            #expect((.milliseconds(420) ... .milliseconds(450)).contains(missing), "\(host): \(missing)")
        }
        #expect(harness.pool.taken == 0)
    }

    @Test func `After a gap shorter than the timeout, everything arrives late`() {
        var harness = ControllerLinkTests.linked()
        harness.change(0) { $0.isPresent = false }
        harness.sendData(0, "0100 0100 BB")
        harness.sendData(1, "0100 0100 AA")
        harness.run(milliseconds: 350)
        #expect(harness.take(0) + harness.take(1) == [])
        harness.change(0) { $0.isPresent = true }
        harness.run(milliseconds: 500)
        #expect(harness.take(0).sorted() == ["130501010001" + "00", "ACL 01200100AA"])
        #expect(harness.take(1).sorted() == ["130501010001" + "00", "ACL 01200100BB"])
        harness.run(milliseconds: 5000)
        #expect(harness.take(0) + harness.take(1) == [])
        #expect(harness.pool.taken == 0)
    }

    @Test func `An advertiser out of range is not received, until it is back`() {
        var harness = AdvertisingTests.harness()
        harness.change(0) { $0.isPresent = false }
        _ = harness.ask(1, "0B20 07 00 6000 6000 00 00")
        _ = harness.ask(1, "0C20 02 01 00")
        harness.run(milliseconds: 3000)
        #expect(harness.take(1) == [])
        harness.change(0) { $0.isPresent = true }
        harness.run(milliseconds: 500)
        #expect(!harness.take(1).isEmpty)
        harness.change(1) { $0.isPresent = false }
        harness.run(milliseconds: 500)
        #expect(harness.take(1) == [])
        harness.change(1) { $0.isPresent = true }
        harness.run(milliseconds: 500)
        #expect(!harness.take(1).isEmpty)
    }

    /// The advertiser misses the CONNECT_IND and continues; the initiator has no response in six intervals.
    @Test func `A link that is never established ends with 0x3E at the central`() {
        var failures = 0
        for milliseconds in 0..<200 as Range<Int64> {
            var harness = AdvertisingTests.harness()
            harness.run(milliseconds: milliseconds)
            harness.change(0) { $0.strength = -92 }
            _ = harness.ask(1, ControllerLinkTests.create)
            harness.run(milliseconds: 20_000)
            let received = harness.received[1].map { hex($0.octets) }
            guard received.first?.hasPrefix("3E130100") == true, received.count == 2 else { continue }
            #expect(["05040001003E", Self.timedOut].contains(received[1]))
            if received[1] == "05040001003E" {
                failures += 1
                let lasted = harness.received[1][0].at.duration(to: harness.received[1][1].at)
                #expect((.milliseconds(180) ... .milliseconds(220)).contains(lasted), "\(lasted)")
            }
        }
        #expect(failures > 10)
    }

    @Test func `At the edge of range packets are sent again until they arrive, in order`() {
        var harness = ControllerLinkTests.linked()
        harness.change(0) { $0.strength = -89 }
        for number in 0..<4 { harness.sendData(0, "0100 0100 0\(number)") }
        harness.run(milliseconds: 3000)
        let data = harness.take(1).filter { $0.hasPrefix("ACL") }
        #expect(data == (0..<4).map { "ACL 012001000\($0)" })
        #expect(harness.ask(1, "0514 02 0100") == ["0E070105140001" + "00A7"])
    }

    @Test func `A controller without power reports it, and is then silent until it has power again`() {
        var harness = ControllerLinkTests.linked()
        harness.setPower(1, isOn: false)
        #expect(harness.take(1) == ["100100"])
        #expect(harness.ask(1, "030C 00") == [])
        harness.sendData(1, "0100 0100 AA")
        harness.run(milliseconds: 1000)
        #expect(harness.take(1) == [])
        #expect(harness.take(0) == [Self.timedOut])
        harness.setPower(1, isOn: true)
        #expect(harness.take(1) == ["0E03010000"])
        #expect(harness.ask(1, "0514 02 0100").first?.hasPrefix("0E0701051402") == true, "as after a reset")
        #expect(harness.ask(1, "030C 00") == ["0E0401030C00"])
        #expect(harness.pool.taken == 0)
    }

    @Test func `The same seed loses the same packets`() {
        func played(seed: UInt64) -> [[AirspaceHarness.Received]] {
            var harness = AdvertisingTests.harness(seed: seed)
            _ = harness.ask(1, ControllerLinkTests.create)
            harness.run(milliseconds: 500)
            harness.change(0) { ($0.strength, $0.trajectory) = (nil, Trajectory(at: 45_000)) }
            harness.change(1) { $0.strength = nil }
            for _ in 0..<50 {
                harness.sendData(0, "0100 0100 BB")
                harness.run(milliseconds: 100)
            }
            return harness.received
        }
        let first = played(seed: 1)
        #expect(first == played(seed: 1))
        #expect(first != played(seed: 2))
    }
}
