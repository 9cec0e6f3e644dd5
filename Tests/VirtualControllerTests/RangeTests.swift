import Air
import HCI
import LinkLayer
import Octets
import Simulation
import Testing

/// Out of range and back, as hosts see it.  Controller 0 is the peripheral, controller 1 the central; the supervision
/// timeout is 420 ms, the interval 30 ms.
struct RangeTests {
    private static let timedOut = "05040001" + "0008"

    /// When the other side was last heard: a packet of data arrives at each end in the last event before the loss.
    private static func away(_ gone: Int, after milliseconds: Int64) -> (world: World, heard: [Instant]) {
        var world = LinkTests.linked()
        world.run(milliseconds: milliseconds)
        world.sendData(1, "0100 0100 AA")
        world.sendData(0, "0100 0100 BB")
        world.run(milliseconds: 40)
        let heard = [0, 1].map { host in world.told[host].last { $0.kind == .acl }?.at ?? .start }
        _ = (world.take(0), world.take(1))
        world.change(gone) { $0.isPresent = false }
        return (world, heard)
    }

    @Test("Both sides miss each other after the supervision timeout", arguments: 0..<2, [0, 7, 29])
    func bothSidesMissEachOther(gone: Int, after milliseconds: Int64) {
        var (world, heard) = Self.away(gone, after: milliseconds)
        world.run(milliseconds: 2000)
        for host in 0...1 {
            let told = world.told[host]
            #expect(told.map { hex($0.octets) } == [Self.timedOut])
            let missing = heard[host].duration(to: told[0].at)
            #expect((.milliseconds(420) ... .milliseconds(450)).contains(missing), "\(host): \(missing)")
        }
        #expect(world.pool.taken == 0)
    }

    @Test func `Away for less than the timeout, everything comes late`() {
        var world = LinkTests.linked()
        world.change(0) { $0.isPresent = false }
        world.sendData(0, "0100 0100 BB")
        world.sendData(1, "0100 0100 AA")
        world.run(milliseconds: 350)
        #expect(world.take(0) + world.take(1) == [])
        world.change(0) { $0.isPresent = true }
        world.run(milliseconds: 500)
        #expect(world.take(0).sorted() == ["130501010001" + "00", "ACL 01200100AA"])
        #expect(world.take(1).sorted() == ["130501010001" + "00", "ACL 01200100BB"])
        world.run(milliseconds: 5000)
        #expect(world.take(0) + world.take(1) == [])
        #expect(world.pool.taken == 0)
    }

    @Test func `Who is away is not heard, and is heard again as soon as it is back`() {
        var world = AdvertisingTests.world()
        world.change(0) { $0.isPresent = false }
        _ = world.ask(1, "0B20 07 00 6000 6000 00 00")
        _ = world.ask(1, "0C20 02 01 00")
        world.run(milliseconds: 3000)
        #expect(world.take(1) == [])
        world.change(0) { $0.isPresent = true }
        world.run(milliseconds: 500)
        #expect(!world.take(1).isEmpty)
        world.change(1) { $0.isPresent = false }
        world.run(milliseconds: 500)
        #expect(world.take(1) == [])
        world.change(1) { $0.isPresent = true }
        world.run(milliseconds: 500)
        #expect(!world.take(1).isEmpty)
    }

    /// The advertiser does not hear the CONNECT_IND, and goes on; the initiator has no answer in six intervals.
    @Test func `A link that never came about is 0x3E at the central`() {
        var failures = 0
        for milliseconds in 0..<200 as Range<Int64> {
            var world = AdvertisingTests.world()
            world.run(milliseconds: milliseconds)
            world.change(0) { $0.strength = -92 }
            _ = world.ask(1, LinkTests.create)
            world.run(milliseconds: 20_000)
            let told = world.told[1].map { hex($0.octets) }
            guard told.first?.hasPrefix("3E130100") == true, told.count == 2 else { continue }
            #expect(["05040001003E", Self.timedOut].contains(told[1]))
            if told[1] == "05040001003E" {
                failures += 1
                let lasted = world.told[1][0].at.duration(to: world.told[1][1].at)
                #expect((.milliseconds(180) ... .milliseconds(220)).contains(lasted), "\(lasted)")
            }
        }
        #expect(failures > 10)
    }

    @Test func `At the edge of range packets are sent again until they arrive, in order`() {
        var world = LinkTests.linked()
        world.change(0) { $0.strength = -89 }
        for number in 0..<4 { world.sendData(0, "0100 0100 0\(number)") }
        world.run(milliseconds: 3000)
        let data = world.take(1).filter { $0.hasPrefix("ACL") }
        #expect(data == (0..<4).map { "ACL 012001000\($0)" })
        #expect(world.ask(1, "0514 02 0100") == ["0E070105140001" + "00A7"])
    }

    @Test func `Whoever has no power says so, and then nothing, until it has some again`() {
        var world = LinkTests.linked()
        world.setPower(1, isOn: false)
        #expect(world.take(1) == ["100100"])
        #expect(world.ask(1, "030C 00") == [])
        world.sendData(1, "0100 0100 AA")
        world.run(milliseconds: 1000)
        #expect(world.take(1) == [])
        #expect(world.take(0) == [Self.timedOut])
        world.setPower(1, isOn: true)
        #expect(world.take(1) == ["0E03010000"])
        #expect(world.ask(1, "0514 02 0100").first?.hasPrefix("0E0701051402") == true, "as after a reset")
        #expect(world.ask(1, "030C 00") == ["0E0401030C00"])
        #expect(world.pool.taken == 0)
    }

    @Test func `The same seed loses the same packets`() {
        func played(seed: UInt64) -> [[World.Told]] {
            var world = AdvertisingTests.world(seed: seed)
            _ = world.ask(1, LinkTests.create)
            world.run(milliseconds: 500)
            world.change(0) { ($0.strength, $0.trajectory) = (nil, Trajectory(at: 45_000)) }
            world.change(1) { $0.strength = nil }
            for _ in 0..<50 {
                world.sendData(0, "0100 0100 BB")
                world.run(milliseconds: 100)
            }
            return world.told
        }
        let first = played(seed: 1)
        #expect(first == played(seed: 1))
        #expect(first != played(seed: 2))
    }
}
