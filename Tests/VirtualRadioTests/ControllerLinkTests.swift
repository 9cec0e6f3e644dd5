import Basics
import HCI
import Mutations
import Testing

/// Controller 0 is the peripheral 11:11:11:11:11:11; controllers 1 and 2 are centrals.
struct ControllerLinkTests {
    /// LE Create Connection to controller 0: interval 30 ms, supervision timeout 420 ms.
    static let create = "0D20 19 60006000 00 00111111111111 00 1800 1800 0000 2A00 0000 0000"
    static let cancelled = "3E1301020000 00 00111111111111 0000 0000 0000 00".filter { $0 != " " }

    static func linked(controllers: Int = 2) -> AirspaceHarness {
        var harness = AdvertisingTests.harness()
        _ = harness.ask(1, create)
        harness.run(milliseconds: 500)
        _ = (harness.take(0), harness.take(1))
        return harness
    }

    @Test func bothSidesReportALink() {
        var harness = AdvertisingTests.harness()
        #expect(harness.ask(1, Self.create) == ["0F0400010D20"])
        #expect(harness.ask(1, Self.create) == ["0F040C010D20"])
        harness.run(milliseconds: 1000)
        #expect(harness.take(1) == ["3E1301000100000011111111111118000000" + "2A0000"])
        #expect(harness.take(0) == ["3E1301000100010022222222222218000000" + "2A0000"])
        #expect(harness.ask(1, "0E20 00") == ["0E04010E200C"])
        #expect(harness.ask(1, Self.create) == ["0F040B010D20"])
        #expect(harness.ask(1, "0514 02 0100") == ["0E070105140001" + "00D8"])
        #expect(harness.ask(0, "0514 02 0200") == ["0E070105140202" + "007F"])
    }

    @Test func creationCanBeCancelled() {
        var harness = AirspaceHarness.unmasked(controllers: 3)
        _ = harness.ask(1, Self.create)
        harness.run(milliseconds: 1000)
        #expect(harness.ask(1, "0E20 00") == ["0E04010E2000", Self.cancelled])
        #expect(harness.ask(1, "0E20 00") == ["0E04010E200C"])
    }

    @Test func onlyOneOfTwoCentralsWins() {
        var harness = AdvertisingTests.harness()
        _ = (harness.ask(1, Self.create), harness.ask(2, Self.create))
        harness.run(milliseconds: 2000)
        let received = [harness.take(1), harness.take(2)]
        #expect(received.map(\.count).sorted() == [0, 1])
        #expect(harness.take(0).count == 1)
        let loser = received[0].isEmpty ? 1 : 2
        #expect(harness.ask(loser, "0E20 00") == ["0E04010E2000", Self.cancelled])
    }

    @Test func dataGoesBothWaysAndIsReportedAsCompleted() {
        var harness = Self.linked()
        harness.sendData(1, "0100 0300 AABBCC")
        harness.sendData(0, "0100 0100 DD")
        harness.sendData(0, "0110 0100 EE")
        harness.run(milliseconds: 200)
        let credit = "130501010001" + "00"
        #expect(harness.take(0).sorted() == [credit, credit, "ACL 01200300AABBCC"])
        #expect(harness.take(1).sorted() == [credit, "ACL 01100100EE", "ACL 01200100DD"])
        #expect(harness.pool.taken == 0)
    }

    @Test func aPendingProcedureIsNotStartedAgain() {
        var harness = Self.linked()
        #expect(harness.ask(1, "1620 02 0100") == ["0F0400011620"])
        #expect(harness.ask(1, "1620 02 0100") == ["0F040C011620"])
        #expect(harness.ask(1, "1D04 02 0100") == ["0F0400011D04"])
        #expect(harness.ask(1, "1D04 02 0100") == ["0F040C011D04"])
        harness.run(milliseconds: 500)
        #expect(harness.take(1).count == 2)
        #expect(harness.ask(1, "1620 02 0100") == ["0F0400011620"])
        harness.run(milliseconds: 500)
        #expect(harness.take(1).count == 1)
    }

    @Test func malformedDataIsDropped() {
        var harness = Self.linked()
        for octets in octets("0100 0300 AABBCC").mutations { harness.give(.acl, octets, by: 1) }
        harness.give(.isochronous, [1, 2, 3], by: 1)
        harness.give(.event, [], by: 1)
        harness.run(milliseconds: 1000)
        #expect(harness.pool.taken == 0)
    }

    @Test(arguments: [0, 1])
    func eitherSideDisconnects(host: Int) {
        var harness = Self.linked()
        #expect(harness.ask(host, "0604 03 010016") == ["0F0412010604"])
        for _ in 1...12 { harness.sendData(1 - host, "0100 0100 DD") }
        #expect(harness.ask(host, "0604 03 010013") == ["0F0400010604"])
        #expect(harness.ask(host, "0604 03 010013") == ["0F040C010604"])
        harness.sendData(host, "0100 0100 EE")
        harness.run(milliseconds: 2000)
        #expect(harness.take(host).filter { $0.hasPrefix("05") } == ["05040001" + "0016"])
        #expect(harness.take(1 - host).filter { $0.hasPrefix("05") } == ["05040001" + "0013"])
        #expect(harness.ask(host, "0604 03 010013") == ["0F0402010604"])
        #expect(harness.pool.taken == 0)
    }

    @Test func bothSidesDisconnectAtOnce() {
        var harness = Self.linked()
        _ = (harness.ask(0, "0604 03 010013"), harness.ask(1, "0604 03 010015"))
        harness.run(milliseconds: 2000)
        for host in 0...1 { #expect(harness.take(host).count == 1) }
    }

    enum Vanishing: CaseIterable { case reset, removal }

    @Test(arguments: [0, 1], Vanishing.allCases)
    func aVanishedPeerIsMissedAfterTheTimeout(host: Int, how: Vanishing) {
        var harness = Self.linked()
        harness.sendData(1 - host, "0100 0100 DD")
        switch how {
        case .reset: #expect(harness.ask(host, "030C 00") == ["0E0401030C00"])
        case .removal: harness.remove(host)
        }
        harness.run(milliseconds: 380)
        #expect(harness.take(1 - host) == [])
        harness.run(milliseconds: 80)
        #expect(harness.take(1 - host) == ["05040001" + "0008"])
        harness.run(milliseconds: 1000)
        #expect(harness.take(host) == [])
        #expect(harness.pool.taken == 0)
    }

    @Test func parametersAreUpdated() {
        var harness = Self.linked()
        let update = "1320 0E 0100 2800 2800 0000 6400 0000 0000"
        #expect(harness.ask(0, update) == ["0F041A011320"])
        #expect(harness.ask(1, update) == ["0F0400011320"])
        #expect(harness.ask(1, update) == ["0F040C011320"], "one at a time")
        harness.run(milliseconds: 500)
        for host in 0...1 { #expect(harness.take(host) == ["3E0A03000100" + "28000000" + "6400"]) }
        #expect(harness.ask(1, update) == ["0F0400011320"])
    }

    @Test(arguments: [0, 1])
    func featuresAndVersionsAreRead(host: Int) {
        var harness = Self.linked()
        #expect(harness.ask(host, "1620 02 0100") == ["0F0400011620"])
        #expect(harness.ask(host, "1D04 02 0100") == ["0F0400011D04"])
        harness.run(milliseconds: 500)
        #expect(harness.take(host) == ["3E0C040001002900000000000000", "0C0800010009FFFF0000"])
        #expect(harness.take(1 - host) == [])
        #expect(harness.ask(host, "1D04 02 0100") == ["0F0400011D04", "0C0800010009FFFF0000"])
    }

    @Test func maskedEventsOfLinksAreNotSent() {
        var harness = AdvertisingTests.harness()
        _ = harness.ask(0, "0120 08 1E00000000000000")
        _ = harness.ask(0, "010C 08 EFFFFFFFFFFFFF3F")
        _ = harness.ask(1, Self.create)
        harness.run(milliseconds: 500)
        _ = harness.ask(1, "0604 03 010013")
        harness.run(milliseconds: 500)
        #expect(harness.take(0) == [])
        #expect(harness.take(1) == ["050400010016"])
    }
}
