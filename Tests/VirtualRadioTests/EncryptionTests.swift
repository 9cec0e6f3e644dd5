import Basics
import HCI
import Testing
import VirtualRadio

/// The encryption of a link, as hosts see it.  Controller 0 is the peripheral, controller 1 the central; the connection
/// interval is 30 ms, the supervision timeout 420 ms.  Core 6.0, Vol 6, Part D, section 6.6.
struct EncryptionTests {
    /// The Long Term Key of the sample data: Core 6.0, Vol 6, Part C, section 1.
    static let key = "BF01FB9D4EF3BC36D874F5394138684C"
    static let otherKey = "BE01FB9D4EF3BC36D874F5394138684C"
    /// Random_Number, Encrypted_Diversifier.
    static let numbers = "90785634 12EFCDAB 7424".filter { $0 != " " }

    static func enable(_ key: String = key) -> String { "1920 1C 0100" + numbers + key }
    static func reply(_ key: String = key) -> String { "1A20 12 0100" + key }
    static let decline = "1B20 02 0100"

    static let requested = "3E0D050100" + numbers
    static let changed = "080400010001"
    static let refreshed = "3003000100"
    static let credit = "13050101000100"

    static func ended(_ reason: String) -> String { "0504000100" + reason }

    /// A link on which the central has just enabled encryption, and whose peripheral has been asked for the key.
    static func requested(_ harness: AirspaceHarness = ControllerLinkTests.linked()) -> AirspaceHarness {
        var harness = harness
        #expect(harness.ask(1, enable()) == ["0F0400011920"])
        harness.run(milliseconds: 100)
        #expect(harness.take(0) == [Self.requested])
        #expect(harness.take(1) == [])
        return harness
    }

    static func encrypted(_ harness: AirspaceHarness = ControllerLinkTests.linked()) -> AirspaceHarness {
        var harness = requested(harness)
        #expect(harness.ask(0, reply()) == ["0E06011A20000100"])
        harness.run(milliseconds: 200)
        for host in 0...1 { #expect(harness.take(host) == [changed]) }
        return harness
    }

    /// Each host sends an octet, which arrives.
    static func exchange(_ harness: inout AirspaceHarness) {
        for host in 0...1 { harness.sendData(host, "0100 0100 A\(host)") }
        harness.run(milliseconds: 200)
        for host in 0...1 {
            #expect(harness.take(host).sorted() == [credit, "ACL 01200100A\(1 - host)"])
        }
        #expect(harness.pool.taken == 0)
    }

    // MARK: How it ends

    @Test func `Both hosts learn that the link is encrypted, and data arrive`() {
        var harness = Self.encrypted()
        Self.exchange(&harness)
    }

    @Test func `Another key ends the link with MIC Failure at the peripheral`() {
        var harness = Self.requested()
        _ = harness.ask(0, Self.reply(Self.otherKey))
        harness.run(milliseconds: 1000)
        #expect(harness.take(0) == [Self.ended("3D")])
        #expect(harness.take(1) == [Self.ended("08")])
        #expect(harness.pool.taken == 0)
    }

    @Test func `Without the key, the link stays in clear, and the next attempt can succeed`() {
        var harness = Self.requested()
        #expect(harness.ask(0, Self.decline) == ["0E06011B20000100"])
        harness.run(milliseconds: 200)
        #expect(harness.take(0) == [])
        #expect(harness.take(1) == ["080406010000"])
        Self.exchange(&harness)
        harness = Self.encrypted(harness)
        Self.exchange(&harness)
    }

    @Test func `A peripheral whose host has masked the request has no key`() {
        var harness = ControllerLinkTests.linked()
        _ = harness.ask(0, "0120 08 0F00000000000000")
        _ = harness.ask(1, Self.enable())
        harness.run(milliseconds: 200)
        #expect(harness.take(0) == [])
        #expect(harness.take(1) == ["080406010000"])
        Self.exchange(&harness)
    }

    @Test func `A masked change is not reported, but happens`() {
        var harness = ControllerLinkTests.linked()
        for host in 0...1 { _ = harness.ask(host, "010C 08 7FFFFFFFFF7FFF3F") }
        harness = Self.requested(harness)
        _ = harness.ask(0, Self.reply())
        harness.run(milliseconds: 200)
        for host in 0...1 { #expect(harness.take(host) == []) }
        for host in 0...1 { _ = harness.ask(host, "010C 08 FFFFFFFFFFFFFF3F") }
        harness = Self.requested(harness)
        _ = harness.ask(0, Self.reply())
        harness.run(milliseconds: 200)
        for host in 0...1 { #expect(harness.take(host) == [Self.refreshed]) }
    }

    // MARK: Another key

    @Test func `The key of an encrypted link changes`() {
        var harness = Self.encrypted()
        for key in [Self.otherKey, Self.key] {
            #expect(harness.ask(1, Self.enable(key)) == ["0F0400011920"])
            harness.run(milliseconds: 200)
            #expect(harness.take(0) == [Self.requested])
            _ = harness.ask(0, Self.reply(key))
            harness.run(milliseconds: 200)
            for host in 0...1 { #expect(harness.take(host) == [Self.refreshed]) }
            Self.exchange(&harness)
        }
    }

    @Test func `Without the new key, the peripheral ends an encrypted link`() {
        var harness = Self.requested(Self.encrypted())
        #expect(harness.ask(0, Self.decline) == ["0E06011B20000100"])
        harness.run(milliseconds: 1000)
        for host in 0...1 { #expect(harness.take(host) == [Self.ended("06")]) }
    }

    @Test func `A wrong new key ends the link with MIC Failure`() {
        var harness = Self.requested(Self.encrypted())
        _ = harness.ask(0, Self.reply(Self.otherKey))
        harness.run(milliseconds: 1000)
        #expect(harness.take(0) == [Self.ended("3D")])
        #expect(harness.take(1) == [Self.ended("08")])
    }

    // MARK: What waits

    /// Whether the link is encrypted before, and which host sends.
    @Test(arguments: [false, true], 0..<2)
    func `Data that come during the procedure wait for its end`(isRefresh: Bool, host: Int) {
        var harness = isRefresh ? Self.encrypted() : ControllerLinkTests.linked()
        harness.sendData(host, "0100 0100 01")
        harness.sendData(host, "0100 0100 02")
        _ = harness.ask(1, Self.enable())
        if host == 1 { harness.sendData(host, "0100 0100 03") }
        harness.run(milliseconds: 200)
        if host == 0 { harness.sendData(host, "0100 0100 03") }
        harness.sendData(host, "0100 0100 04")
        harness.run(milliseconds: 5000)
        let before = harness.take(1 - host).filter { $0 != Self.requested }
        #expect(before == ["ACL 0120010001", "ACL 0120010002"])
        #expect(harness.take(host).filter { $0 != Self.requested } == [Self.credit, Self.credit])
        _ = harness.ask(0, Self.reply())
        harness.run(milliseconds: 500)
        let end = isRefresh ? Self.refreshed : Self.changed
        #expect(harness.take(1 - host) == [end, "ACL 0120010003", "ACL 0120010004"])
        #expect(harness.take(host) == [end, Self.credit, Self.credit])
        #expect(harness.pool.taken == 0)
    }

    @Test(arguments: [false, true]) func `Other procedures wait, too`(hasKey: Bool) {
        var harness = Self.requested()
        for host in 0...1 {
            #expect(harness.ask(host, "1620 02 0100") == ["0F0400011620"])
            #expect(harness.ask(host, "1D04 02 0100") == ["0F0400011D04"])
        }
        #expect(harness.ask(1, "1320 0E 0100 2800 2800 0000 6400 0000 0000") == ["0F0400011320"])
        harness.run(milliseconds: 5000)
        for host in 0...1 { #expect(harness.take(host) == []) }
        _ = harness.ask(0, hasKey ? Self.reply() : Self.decline)
        harness.run(milliseconds: 1000)
        let updated = "3E0A0300010028000000" + "6400"
        let others = ["0C0800010009FFFF0000", updated, "3E0C040001002900000000000000"]
        let change = hasKey ? [Self.changed, Self.changed] : [nil, "080406010000"]
        for host in 0...1 {
            #expect(harness.take(host).sorted() == (others + [change[host]].compactMap { $0 }).sorted())
        }
    }

    /// With every third packet lost, and data at all times.
    @Test(arguments: 1...8 as ClosedRange<UInt64>) func `Nothing is lost or reordered`(seed: UInt64) {
        var harness = AdvertisingTests.harness(seed: seed)
        _ = harness.ask(1, "0D20 19 60006000 00 00111111111111 00 0600 0600 0000 2003 0000 0000")
        harness.run(milliseconds: 500)
        _ = (harness.take(0), harness.take(1))
        harness.change(0) { $0.loss = UInt32.max / 3 }
        var received: [[String]] = [[], []]
        var changes = [0, 0]
        for number in 0..<200 {
            for host in 0...1 { harness.sendData(host, "0100 0100 " + hex([UInt8(number)])) }
            if number.isMultiple(of: 20) { _ = harness.ask(1, Self.enable()) }
            harness.run(milliseconds: 40)
            for host in 0...1 {
                let packets = harness.take(host)
                if packets.contains(Self.requested) { _ = harness.ask(0, Self.reply()) }
                received[host] += packets.filter { $0.hasPrefix("ACL") }.map { String($0.suffix(2)) }
                changes[host] += packets.count { $0 == Self.changed || $0 == Self.refreshed }
            }
        }
        harness.run(milliseconds: 5000)
        for host in 0...1 {
            received[host] += harness.take(host).filter { $0.hasPrefix("ACL") }.map { String($0.suffix(2)) }
            #expect(received[host] == (0..<200).map { hex([UInt8($0)]) })
        }
        #expect(changes[0] == changes[1] && changes[0] > 4, "\(changes)")
        #expect(harness.pool.taken == 0)
    }

    // MARK: Links that end meanwhile

    enum End: CaseIterable { case removal, range, disconnection }

    /// Both starts of the procedure, and each moment in it, in steps of less than a packet.
    @Test(arguments: End.allCases, 0..<2)
    func `A link can end at every moment`(how: End, host: Int) {
        for isRefresh in [false, true] {
            let linked = isRefresh ? Self.encrypted() : ControllerLinkTests.linked()
            for moment in stride(from: 0, to: 200, by: 1) as StrideTo<Int64> {
                var harness = linked
                _ = harness.ask(1, Self.enable())
                for _ in 0..<moment {
                    harness.run(milliseconds: 1)
                    if harness.received[0].contains(where: { hex($0.octets) == Self.requested }) {
                        _ = harness.take(0)
                        _ = harness.ask(0, Self.reply())
                    }
                }
                harness.sendData(1 - host, "0100 0100 DD")
                switch how {
                case .removal: harness.remove(host)
                case .range: harness.change(host) { $0.isPresent = false }
                case .disconnection: harness.give(.command, octets("0604 03 010013"), by: host)
                }
                harness.run(milliseconds: 2000)
                let ends = [0, 1].map { host in harness.take(host).filter { $0.hasPrefix("05") } }
                switch how {
                case .removal: #expect(ends[host] == [] && ends[1 - host] == [Self.ended("08")], "\(moment)")
                case .range: #expect(ends == [[Self.ended("08")], [Self.ended("08")]], "\(moment)")
                case .disconnection:
                    #expect(
                        ends[host] == [Self.ended("16")] && ends[1 - host] == [Self.ended("13")], "\(moment): \(ends)")
                }
                #expect(harness.pool.taken == 0)
            }
        }
    }

    @Test func `A peripheral whose host never answers is given up after 40 s`() {
        var harness = Self.requested()
        harness.run(milliseconds: 39_800)
        for host in 0...1 { #expect(harness.take(host) == []) }
        harness.run(milliseconds: 200)
        for host in 0...1 { #expect(harness.take(host) == [Self.ended("22")]) }
        #expect(harness.ask(0, Self.reply()) == ["0E06011A20020100"])
        #expect(harness.pool.taken == 0)
    }

    @Test func `An answer in time stops the timeout`() {
        var harness = Self.requested()
        harness.run(milliseconds: 39_000)
        _ = harness.ask(0, Self.reply())
        harness.run(milliseconds: 60_000)
        for host in 0...1 { #expect(harness.take(host) == [Self.changed]) }
        Self.exchange(&harness)
    }

    // MARK: Commands that are not allowed

    @Test func `Each role has its commands`() {
        var harness = ControllerLinkTests.linked()
        #expect(harness.ask(0, Self.enable()) == ["0F040C011920"])
        #expect(harness.ask(1, "1920 1C 0200" + Self.numbers + Self.key) == ["0F0402011920"])
        for host in 0...1 {
            #expect(harness.ask(host, Self.reply()) == ["0E06011A200C0100"], "nothing was asked")
            #expect(harness.ask(host, Self.decline) == ["0E06011B200C0100"])
            #expect(harness.ask(host, "1B20 02 0200") == ["0E06011B20020200"])
        }
        harness.run(milliseconds: 500)
        for host in 0...1 { #expect(harness.take(host) == []) }
        Self.exchange(&harness)
    }

    @Test func `A procedure is not started twice, nor answered twice`() {
        var harness = ControllerLinkTests.linked()
        #expect(harness.ask(1, Self.enable()) == ["0F0400011920"])
        #expect(harness.ask(1, Self.enable()) == ["0F040C011920"])
        harness.run(milliseconds: 200)
        #expect(harness.take(0) == [Self.requested])
        #expect(harness.ask(1, Self.enable()) == ["0F040C011920"])
        #expect(harness.ask(1, Self.reply()) == ["0E06011A200C0100"])
        #expect(harness.ask(0, Self.reply()) == ["0E06011A20000100"])
        #expect(harness.ask(0, Self.reply()) == ["0E06011A200C0100"])
        #expect(harness.ask(0, Self.decline) == ["0E06011B200C0100"])
        harness.run(milliseconds: 200)
        for host in 0...1 { #expect(harness.take(host) == [Self.changed]) }
        Self.exchange(&harness)
    }

    @Test func `A link that ends is not encrypted`() {
        var harness = Self.requested()
        _ = harness.ask(1, "0604 03 010013")
        #expect(harness.ask(1, Self.enable()) == ["0F040C011920"])
        _ = harness.ask(0, "0604 03 010013")
        #expect(harness.ask(0, Self.reply()) == ["0E06011A200C0100"])
        harness.run(milliseconds: 1000)
        #expect(harness.take(0) == [Self.ended("13")])
        #expect(harness.take(1) == [Self.ended("16")])
    }

    @Test(arguments: 0..<2) func `After a reset, the next link can be encrypted`(host: Int) {
        var harness = Self.requested()
        _ = harness.ask(host, "030C 00")
        harness.run(milliseconds: 1000)
        #expect(harness.take(1 - host) == [Self.ended("08")])
        for host in 0...1 {
            _ = harness.ask(host, "010C 08 FFFFFFFFFFFFFF3F")
            _ = harness.ask(host, "0120 08 1F00000000000000")
        }
        _ = harness.ask(0, "0620 0F A000A000 00 00 00000000000000 07 00")
        _ = harness.ask(0, "0A20 01 01")
        _ = harness.ask(1, ControllerLinkTests.create)
        harness.run(milliseconds: 500)
        _ = (harness.take(0), harness.take(1))
        harness = Self.encrypted(harness)
        Self.exchange(&harness)
    }
}
