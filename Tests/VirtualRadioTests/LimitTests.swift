import Basics
import Bluetooth
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

    @Test func thousandControllersLeaveNothing() {
        var harness = AirspaceHarness.unmasked(controllers: 1)
        var numbers: Set<Int> = []
        for visit in 1...1000 as ClosedRange<UInt64> {
            let guest = harness.add(DeviceAddress(0x0200_0000_0000 + visit, .public))
            numbers.insert(guest)
            _ = harness.ask(guest, "010C 08 FFFFFFFFFFFFFF3F")
            switch visit % 4 {
            case 0:
                _ = harness.ask(guest, Self.parameters())
                _ = harness.ask(guest, Self.enable)
            case 1:
                #expect(harness.ask(guest, "0C20 02 01 00") == ["0E04010C2000"])
            case 2:
                _ = harness.take(0)
                #expect(harness.ask(0, Self.parameters()) + harness.ask(0, Self.enable) == Self.advertisingIsOn)
                _ = harness.ask(guest, Self.connect(to: "111111111111"))
                harness.run(milliseconds: 500)
                #expect(harness.take(guest).count == 1)
                harness.sendData(guest, "0100 0300 AABBCC")
                harness.sendData(0, "0100 0300 AABBCC")
            default: break
            }
            harness.remove(guest)
            if visit % 8 == 0 { harness.run(milliseconds: 5000) }
        }
        harness.run(milliseconds: 5000)
        // The one that a link still remembers keeps its number until the link is lost.
        #expect(numbers.count <= 4)
        #expect(harness.controllers <= 5)
        #expect(harness.pool.taken == 0)
    }

    @Test func aReusedNumberStartsAfresh() {
        var harness = AirspaceHarness.unmasked(controllers: 2)
        let random = harness.ask(1, "1820 00")
        _ = harness.ask(1, "0C20 02 01 00")
        harness.remove(1)
        #expect(harness.add(DeviceAddress(0x3333_3333_3333, .public)) == 1)
        #expect(harness.ask(1, "0910 00") == ["0E0A01091000333333333333"])
        #expect(harness.ask(1, "1820 00") != random)
        _ = harness.ask(0, Self.parameters())
        _ = harness.ask(0, Self.enable)
        harness.run(milliseconds: 1000)
        #expect(harness.take(1) == [], "it does not scan")
    }

    // MARK: Connections

    @Test func theLastConnectionIsReserved() {
        var harness = AirspaceHarness.unmasked(controllers: 66)
        for peer in 1...63 { Self.link(&harness, 0, to: peer) }
        // Either advertising or creating a connection may have the 64th.
        #expect(harness.ask(0, Self.parameters()) + harness.ask(0, Self.enable) == Self.advertisingIsOn)
        #expect(harness.ask(0, Self.connect(to: "AAAAAAAAAAAA")) == ["0F0409010D20"])
        #expect(harness.ask(0, "0A20 01 00") == ["0E04010A2000"])
        #expect(harness.ask(0, Self.connect(to: "AAAAAAAAAAAA")) == ["0F0400010D20"])
        #expect(harness.ask(0, Self.enable) == ["0E04010A2009"])
        #expect(harness.ask(0, "0E20 00").first == "0E04010E2000")
        Self.link(&harness, 0, to: 64)
        #expect(harness.ask(0, Self.enable) == ["0E04010A2009"])
        #expect(harness.ask(0, Self.connect(to: "AAAAAAAAAAAA")) == ["0F0409010D20"])
        #expect(harness.ask(0, Self.parameters(kind: "03")) + harness.ask(0, Self.enable) == Self.advertisingIsOn)
    }

    /// Connects `host` to the controller `peer`, which receives a new random address.
    private static func link(_ harness: inout AirspaceHarness, _ host: Int, to peer: Int) {
        let number = UInt8(peer)
        _ = harness.ask(peer, "0520 06 \(hex([number])) 000000 00C0")
        _ = harness.ask(peer, "0620 0F 2000 2000 00 01 00 000000000000 07 00")
        _ = harness.ask(peer, Self.enable)
        _ = harness.ask(host, "0D20 19 6000 6000 00 01 \(hex([number])) 000000 00C0 00 2003 2003 0000 800C 0000 0000")
        harness.run(milliseconds: 200)
        #expect(harness.take(host).contains { $0.hasPrefix("3E130100") }, "\(peer)")
    }

    // MARK: Directed advertising

    @Test func directedAdvertisingAtHighDutyEnds() {
        var harness = AirspaceHarness.unmasked(controllers: 2)
        let parameters = Self.parameters(kind: "01", peer: "00 222222222222")
        #expect(harness.ask(0, parameters) + harness.ask(0, Self.enable) == Self.advertisingIsOn)
        #expect(harness.ask(1, "0B20 07 00 6000 6000 00 00") + harness.ask(1, "0C20 02 01 00") != [])
        harness.run(milliseconds: 1279)
        #expect(harness.take(0) == [])
        #expect(harness.take(1).count > 300, "every 3.75 ms")
        harness.run(milliseconds: 2)
        // LE Connection Complete: Advertising Timeout, no handle, peripheral.
        #expect(harness.take(0) == ["3E13013C000001" + "00222222222222" + "000000000000" + "00"])
        _ = harness.take(1)
        harness.run(milliseconds: 1000)
        #expect(harness.take(1) == [])
        // It may begin again, and ends again; but not if a peer connects.
        #expect(harness.ask(0, Self.enable) == ["0E04010A2000"])
        harness.run(milliseconds: 100)
        _ = harness.ask(1, "0C20 02 00 00")
        #expect(harness.ask(1, Self.connect(to: "111111111111")) == ["0F0400010D20"])
        harness.run(milliseconds: 3000)
        #expect(harness.take(0).filter { $0.hasPrefix("3E13") }.map { $0.prefix(10) } == ["3E13010001"])
    }

    // MARK: Buffers

    @Test func linksShareTheBuffers() {
        var harness = AirspaceHarness.unmasked(controllers: 3)
        for peer in 1...2 { Self.link(&harness, 0, to: peer) }
        _ = (harness.take(0), harness.take(1), harness.take(2))
        for packet in 0..<20 { harness.sendData(0, packet % 2 == 0 ? "0100 0100 AA" : "0200 0100 BB") }
        // Twelve wait; eight were dropped, and their credits come back at once.
        let refused = harness.take(0)
        let pair = ["1A0101", "13050101000100", "1A0101", "13050102000100"]
        #expect(refused == Array(repeatElement(pair, count: 4).joined()))
        _ = harness.ask(0, "010C 08 FFFFFFFDFFFFFF3F")
        harness.sendData(0, "0100 0100 AA")
        #expect(harness.take(0) == ["13050101000100"], "Data Buffer Overflow is masked out")
        harness.run(milliseconds: 10_000)
        #expect(harness.take(0).count { $0.hasPrefix("1305") } == 12)
        #expect(harness.take(1).count { $0.hasPrefix("ACL") } == 6)
        #expect(harness.take(2).count { $0.hasPrefix("ACL") } == 6)
        // Unacknowledged buffers are free again when the link has ended.
        harness.remove(1)
        for _ in 0..<12 { harness.sendData(0, "0100 0100 AA") }
        harness.run(milliseconds: 40_000)
        #expect(harness.take(0).contains { $0.hasPrefix("0504000100") })
        harness.sendData(0, "0200 0100 BB")
        harness.run(milliseconds: 3000)
        #expect(harness.take(2).count { $0.hasPrefix("ACL") } == 1)
        #expect(harness.pool.taken == 0)
    }

    @Test func aPacketThatIsTooLongIsReportedAsCompleted() {
        var harness = AirspaceHarness.unmasked(controllers: 2)
        Self.link(&harness, 0, to: 1)
        harness.sendData(0, "0100 FC00" + String(repeating: "AA", count: 252))
        #expect(harness.take(0) == ["13050101000100"])
        harness.sendData(0, "0700 0100 AA")
        #expect(harness.take(0) == [])
        #expect(harness.pool.taken == 0)
    }
}
