import Bluetooth
import Octets
import Testing

@Suite struct LimitTests {
    /// LE Set Advertising Parameters: 100 ms, ADV_IND or another kind, for a peer.
    private static func parameters(kind: String = "00", peer: String = "00 000000000000") -> String {
        "0620 0F A000 A000 \(kind) 00 \(peer) 07 00"
    }
    private static let enable = "0A20 01 01"
    private static let advertisingIsOn = ["0E0401062000", "0E04010A2000"]

    /// LE Create Connection to a public address: scans always; 50 ms, 2 s.
    private static func connect(to peer: String) -> String {
        "0D20 19 6000 6000 00 00 \(peer) 00 2800 2800 0000 C800 0000 0000"
    }

    // MARK: Comings and goings

    @Test func aThousandComeAndGoAndLeaveNothing() {
        var world = World.awake(controllers: 1)
        var numbers: Set<Int> = []
        for visit in 1...1000 as ClosedRange<UInt64> {
            let guest = world.add(DeviceAddress(0x0200_0000_0000 + visit, .public))
            numbers.insert(guest)
            _ = world.ask(guest, "010C 08 FFFFFFFFFFFFFF3F")
            switch visit % 4 {
            case 0:
                _ = world.ask(guest, Self.parameters())
                _ = world.ask(guest, Self.enable)
            case 1:
                #expect(world.ask(guest, "0C20 02 01 00") == ["0E04010C2000"])
            case 2:
                _ = world.take(0)
                #expect(world.ask(0, Self.parameters()) + world.ask(0, Self.enable) == Self.advertisingIsOn)
                _ = world.ask(guest, Self.connect(to: "111111111111"))
                world.run(milliseconds: 500)
                #expect(world.take(guest).count == 1)
                world.sendData(guest, "0100 0300 AABBCC")
                world.sendData(0, "0100 0300 AABBCC")
            default: break
            }
            world.remove(guest)
            if visit % 8 == 0 { world.run(milliseconds: 5000) }
        }
        world.run(milliseconds: 5000)
        // The one that a link still remembers keeps its number until the link is lost.
        #expect(numbers.count <= 4)
        #expect(world.controllers <= 5)
        #expect(world.pool.taken == 0)
    }

    @Test func whoGetsANumberAgainStartsAfresh() {
        var world = World.awake(controllers: 2)
        let random = world.ask(1, "1820 00")
        _ = world.ask(1, "0C20 02 01 00")
        world.remove(1)
        #expect(world.add(DeviceAddress(0x3333_3333_3333, .public)) == 1)
        #expect(world.ask(1, "0910 00") == ["0E0A01091000333333333333"])
        #expect(world.ask(1, "1820 00") != random)
        _ = world.ask(0, Self.parameters())
        _ = world.ask(0, Self.enable)
        world.run(milliseconds: 1000)
        #expect(world.take(1) == [], "it does not scan")
    }

    // MARK: Connections

    @Test func theLastConnectionIsReservedForOneWhoAsksForIt() {
        var world = World.awake(controllers: 66)
        for peer in 1...63 { Self.link(&world, 0, to: peer) }
        // Either advertising or creating a connection may have the 64th.
        #expect(world.ask(0, Self.parameters()) + world.ask(0, Self.enable) == Self.advertisingIsOn)
        #expect(world.ask(0, Self.connect(to: "AAAAAAAAAAAA")) == ["0F0409010D20"])
        #expect(world.ask(0, "0A20 01 00") == ["0E04010A2000"])
        #expect(world.ask(0, Self.connect(to: "AAAAAAAAAAAA")) == ["0F0400010D20"])
        #expect(world.ask(0, Self.enable) == ["0E04010A2009"])
        #expect(world.ask(0, "0E20 00").first == "0E04010E2000")
        Self.link(&world, 0, to: 64)
        #expect(world.ask(0, Self.enable) == ["0E04010A2009"])
        #expect(world.ask(0, Self.connect(to: "AAAAAAAAAAAA")) == ["0F0409010D20"])
        #expect(world.ask(0, Self.parameters(kind: "03")) + world.ask(0, Self.enable) == Self.advertisingIsOn)
    }

    /// Lets `host` connect to the controller `peer`, whose address is changed to a random one of its own.
    private static func link(_ world: inout World, _ host: Int, to peer: Int) {
        let number = UInt8(peer)
        _ = world.ask(peer, "0520 06 \(hex([number])) 000000 00C0")
        _ = world.ask(peer, "0620 0F 2000 2000 00 01 00 000000000000 07 00")
        _ = world.ask(peer, Self.enable)
        _ = world.ask(host, "0D20 19 6000 6000 00 01 \(hex([number])) 000000 00C0 00 2003 2003 0000 800C 0000 0000")
        world.run(milliseconds: 200)
        #expect(world.take(host).contains { $0.hasPrefix("3E130100") }, "\(peer)")
    }

    // MARK: Directed advertising

    @Test func directedAdvertisingAtHighDutyEnds() {
        var world = World.awake(controllers: 2)
        let parameters = Self.parameters(kind: "01", peer: "00 222222222222")
        #expect(world.ask(0, parameters) + world.ask(0, Self.enable) == Self.advertisingIsOn)
        #expect(world.ask(1, "0B20 07 00 6000 6000 00 00") + world.ask(1, "0C20 02 01 00") != [])
        world.run(milliseconds: 1279)
        #expect(world.take(0) == [])
        #expect(world.take(1).count > 300, "every 3.75 ms")
        world.run(milliseconds: 2)
        // LE Connection Complete: Advertising Timeout, no handle, peripheral.
        #expect(world.take(0) == ["3E13013C000001" + "00222222222222" + "000000000000" + "00"])
        _ = world.take(1)
        world.run(milliseconds: 1000)
        #expect(world.take(1) == [])
        // It may begin again, and ends again; but not when somebody answers.
        #expect(world.ask(0, Self.enable) == ["0E04010A2000"])
        world.run(milliseconds: 100)
        _ = world.ask(1, "0C20 02 00 00")
        #expect(world.ask(1, Self.connect(to: "111111111111")) == ["0F0400010D20"])
        world.run(milliseconds: 3000)
        #expect(world.take(0).filter { $0.hasPrefix("3E13") }.map { $0.prefix(10) } == ["3E13010001"])
    }

    // MARK: Buffers

    @Test func buffersAreTheControllers() {
        var world = World.awake(controllers: 3)
        for peer in 1...2 { Self.link(&world, 0, to: peer) }
        _ = (world.take(0), world.take(1), world.take(2))
        for packet in 0..<20 { world.sendData(0, packet % 2 == 0 ? "0100 0100 AA" : "0200 0100 BB") }
        // Twelve wait; eight were dropped, and their credits come back at once.
        let refused = world.take(0)
        let pair = ["1A0101", "13050101000100", "1A0101", "13050102000100"]
        #expect(refused == Array(repeatElement(pair, count: 4).joined()))
        _ = world.ask(0, "010C 08 FFFFFFFDFFFFFF3F")
        world.sendData(0, "0100 0100 AA")
        #expect(world.take(0) == ["13050101000100"], "Data Buffer Overflow is masked out")
        world.run(milliseconds: 10_000)
        #expect(world.take(0).count { $0.hasPrefix("1305") } == 12)
        #expect(world.take(1).count { $0.hasPrefix("ACL") } == 6)
        #expect(world.take(2).count { $0.hasPrefix("ACL") } == 6)
        // What the link never acknowledged is free again when the link is over.
        world.remove(1)
        for _ in 0..<12 { world.sendData(0, "0100 0100 AA") }
        world.run(milliseconds: 40_000)
        #expect(world.take(0).contains { $0.hasPrefix("0504000100") })
        world.sendData(0, "0200 0100 BB")
        world.run(milliseconds: 3000)
        #expect(world.take(2).count { $0.hasPrefix("ACL") } == 1)
        #expect(world.pool.taken == 0)
    }

    @Test func whatIsTooLongGivesItsCreditBack() {
        var world = World.awake(controllers: 2)
        Self.link(&world, 0, to: 1)
        world.sendData(0, "0100 FC00" + String(repeating: "AA", count: 252))
        #expect(world.take(0) == ["13050101000100"])
        world.sendData(0, "0700 0100 AA")
        #expect(world.take(0) == [])
        #expect(world.pool.taken == 0)
    }
}
