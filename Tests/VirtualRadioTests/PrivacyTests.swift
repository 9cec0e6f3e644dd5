import Basics
import Bluetooth
import Cryptography
import Testing

/// Private addresses, as hosts see them.  Controller 0 is the peripheral 11:11:11:11:11:11, controller 1 the central
/// 22:22:22:22:22:22; controller 2 knows no keys.  Core 6.0, Vol 6, Part B, section 6.
struct PrivacyTests {
    static let peripheral = "00111111111111"
    static let central = "00222222222222"
    /// The IRK of the sample data: Core 6.0, Vol 3, Part H, appendix D.7.
    static let key = "9B7D390AA610103405ADC857A33402EC"
    static let otherKey = "9B7D390AA610103405ADC857A33402ED"
    static let none = String(repeating: "0", count: 32)

    static func add(_ identity: String, peer: String = none, own: String = none) -> String {
        "2720 27" + identity + peer + own
    }

    /// With LE Enhanced Connection Complete unmasked; the devices know each other's keys.
    static func acquainted() -> AirspaceHarness {
        var harness = AirspaceHarness.unmasked(controllers: 3)
        for host in 0...1 { _ = harness.ask(host, "0120 08 1F02000000000000") }
        #expect(harness.ask(0, add(central, peer: otherKey, own: key)) == ["0E0401272000"])
        #expect(harness.ask(1, add(peripheral, peer: key, own: otherKey)) == ["0E0401272000"])
        return harness
    }

    static func resolve(_ harness: inout AirspaceHarness, _ hosts: Int...) {
        for host in hosts { #expect(harness.ask(host, "2D20 01 01") == ["0E04012D2000"]) }
    }

    /// Advertises every 100 ms with a private address that peers of `identity` can resolve.
    static func advertise(
        _ harness: inout AirspaceHarness, kind: String = "00", own: String = "02", policy: String = "00"
    ) {
        _ = harness.ask(0, "0620 0F A000A000 \(kind) \(own) \(central) 07 \(policy)")
        #expect(harness.ask(0, "0A20 01 01") == ["0E04010A2000"])
    }

    static func scan(_ harness: inout AirspaceHarness, _ hosts: Int..., type: String = "00", own: String = "00") {
        for host in hosts {
            _ = harness.ask(host, "0B20 07 \(type) 1000 1000 \(own) 00")
            _ = harness.ask(host, "0C20 02 01 00")
        }
    }

    static func create(_ peer: String = peripheral, policy: String = "00", own: String = "02") -> String {
        "0D20 19 60006000 \(policy) \(peer) \(own) 1800 1800 0000 2A00 0000 0000"
    }

    /// Address type and address of the reports that a host has received, in order, without repetitions.
    static func reported(_ harness: inout AirspaceHarness, _ host: Int) -> [String] {
        var addresses: [String] = []
        for event in harness.take(host) where event.hasPrefix("3E") && event.dropFirst(4).hasPrefix("02") {
            let address = String(event.dropFirst(10).prefix(14))
            if addresses.last != address { addresses.append(address) }
        }
        return addresses
    }

    static func isResolved(_ address: some StringProtocol, by key: String = key) throws -> Bool {
        let number = octets(String(address)).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return try ResolvableAddress.isResolved(number, key: octets(key).reversed())
    }

    // MARK: The list

    @Test func `The list has each identity and each key once, and room for 16`() {
        var harness = AirspaceHarness(controllers: 1)
        #expect(harness.ask(0, Self.add(Self.central, peer: Self.key)) == ["0E0401272000"])
        #expect(harness.ask(0, Self.add(Self.central)) == ["0E0401272012"])
        #expect(harness.ask(0, Self.add(Self.peripheral, peer: Self.key)) == ["0E0401272012"])
        #expect(harness.ask(0, "2820 07" + Self.peripheral) == ["0E0401282002"])
        #expect(harness.ask(0, "2820 07" + Self.central) == ["0E0401282000"])
        for number in 0..<16 {
            #expect(harness.ask(0, Self.add("0000000000000" + String(number, radix: 16))) == ["0E0401272000"])
        }
        #expect(harness.ask(0, Self.add(Self.central)) == ["0E0401272007"])
        #expect(harness.ask(0, "2920 00") == ["0E0401292000"])
        #expect(harness.ask(0, Self.add(Self.central)) == ["0E0401272000"])
        #expect(harness.ask(0, "4E20 08" + Self.peripheral + "01") == ["0E04014E2002"])
        #expect(harness.ask(0, "4E20 08" + Self.central + "01") == ["0E04014E2000"])
        #expect(harness.ask(0, "030C 00") == ["0E0401030C00"])
        #expect(harness.ask(0, "2820 07" + Self.central) == ["0E0401282002"])
    }

    @Test func `Neither the list nor resolution changes while addresses are used`() {
        var harness = Self.acquainted()
        Self.scan(&harness, 1)
        #expect(harness.ask(1, "2D20 01 01") == ["0E04012D200C"])
        #expect(harness.ask(1, Self.add(Self.central)) == ["0E0401272000"], "without resolution")
        _ = harness.ask(1, "0C20 02 00 00")
        Self.resolve(&harness, 1)
        Self.scan(&harness, 1)
        #expect(harness.ask(1, "2D20 01 00") == ["0E04012D200C"])
        #expect(harness.ask(1, Self.add(Self.central)) == ["0E040127200C"])
        #expect(harness.ask(1, "2820 07" + Self.peripheral) == ["0E040128200C"])
        #expect(harness.ask(1, "2920 00") == ["0E040129200C"])
        #expect(harness.ask(1, "4E20 08" + Self.peripheral + "01") == ["0E04014E200C"])
    }

    // MARK: Advertising and scanning

    @Test func `Who knows the key learns the identity address, and others a private address`() throws {
        var harness = Self.acquainted()
        Self.resolve(&harness, 1)
        Self.advertise(&harness)
        Self.scan(&harness, 1, 2)
        harness.run(milliseconds: 2000)
        #expect(Self.reported(&harness, 1) == ["02111111111111"])
        let seen = Self.reported(&harness, 2)
        #expect(seen.count == 1)
        let address = try #require(seen.first?.dropFirst(2))
        #expect(seen.first?.hasPrefix("01") == true)
        #expect(try Self.isResolved(address))
        #expect(harness.ask(0, "2C20 07" + Self.central) == ["0E0A012C2000" + address])
        #expect(harness.ask(1, "2B20 07" + Self.peripheral) == ["0E0A012B2000" + address])
        #expect(harness.ask(0, "2B20 07" + Self.central) == ["0E0A012B2002000000000000"])
    }

    @Test func `Without resolution, the private address is reported`() throws {
        var harness = Self.acquainted()
        Self.advertise(&harness)
        Self.scan(&harness, 1)
        harness.run(milliseconds: 1000)
        #expect(Self.reported(&harness, 1).map { $0.prefix(2) } == ["01"])
    }

    @Test func `An address lasts as long as the host has set, and 15 minutes by default`() throws {
        for (command, seconds) in [("2E20 02 0A00", 10), ("", 900)] {
            var harness = Self.acquainted()
            if !command.isEmpty { _ = harness.ask(0, command) }
            Self.advertise(&harness)
            Self.scan(&harness, 2)
            harness.run(milliseconds: Int64(seconds) * 1000 - 200)
            #expect(Self.reported(&harness, 2).count == 1)
            harness.run(milliseconds: Int64(seconds) * 2000)
            let seen = Self.reported(&harness, 2)
            #expect(Set(seen).count == 3)
            for address in seen { #expect(try Self.isResolved(address.dropFirst(2))) }
        }
    }

    @Test func `Without a key for the peer, the identity address is used`() {
        for (own, identity) in [("02", "00111111111111"), ("03", "0115869F4237EE")] {
            var harness = AirspaceHarness.unmasked(controllers: 3)
            _ = harness.ask(0, "0520 06 15869F4237EE")
            Self.advertise(&harness, own: own)
            Self.scan(&harness, 2)
            harness.run(milliseconds: 500)
            #expect(Self.reported(&harness, 2) == [identity])
        }
    }

    @Test func `A device that has a key must use it, except in device privacy mode`() {
        for (mode, isReported) in [("00", false), ("01", true)] {
            var harness = Self.acquainted()
            _ = harness.ask(1, "4E20 08" + Self.peripheral + mode)
            Self.resolve(&harness, 1)
            Self.advertise(&harness, own: "00")
            Self.scan(&harness, 1)
            harness.run(milliseconds: 500)
            #expect(Self.reported(&harness, 1) == (isReported ? ["00111111111111"] : []))
            _ = harness.ask(1, Self.create())
            harness.run(milliseconds: 500)
            #expect(harness.take(1).contains { $0.hasPrefix("3E1F0A") } == isReported)
        }
    }

    @Test func `Only scanners of the accept list are answered, by their identity`() {
        for (own, isAnswered) in [("02", true), ("00", false)] {
            var harness = Self.acquainted()
            Self.resolve(&harness, 0, 1)
            _ = harness.ask(0, "1120 07" + Self.central)
            Self.advertise(&harness, policy: "01")
            Self.scan(&harness, 1, type: "01", own: own)
            harness.run(milliseconds: 500)
            let kinds = Set(harness.take(1).map { $0.dropFirst(8).prefix(2) })
            #expect(kinds == (isAnswered ? ["00", "04"] : ["00"]), "own address type \(own)")
        }
    }

    @Test func `Directed advertising reaches only its target`() {
        var harness = Self.acquainted()
        Self.resolve(&harness, 0, 1)
        Self.advertise(&harness, kind: "04")
        Self.scan(&harness, 1, 2)
        harness.run(milliseconds: 500)
        #expect(Self.reported(&harness, 1) == ["02111111111111"])
        #expect(Self.reported(&harness, 2) == [])
        _ = harness.ask(1, Self.create())
        harness.run(milliseconds: 500)
        #expect(harness.take(1).contains { $0.hasPrefix("3E1F0A") })
    }

    // MARK: Links

    /// The private addresses of an LE Enhanced Connection Complete: its own, and the peer's.
    static func privateAddresses(_ event: String) -> (own: Substring, peer: Substring) {
        (event.dropFirst(28).prefix(12), event.dropFirst(40).prefix(12))
    }

    @Test(arguments: ["00", "01"]) func `Both sides know identities and private addresses`(policy: String) throws {
        var harness = Self.acquainted()
        Self.resolve(&harness, 0, 1)
        _ = harness.ask(1, "1120 07" + Self.peripheral)
        Self.advertise(&harness)
        let peer = policy == "00" ? Self.peripheral : "00000000000000"
        #expect(harness.ask(1, Self.create(peer, policy: policy)) == ["0F0400010D20"])
        harness.run(milliseconds: 1000)
        let (atCentral, atPeripheral) = (harness.take(1), harness.take(0))
        #expect(atCentral.count == 1 && atPeripheral.count == 1)
        let central = try #require(atCentral.first)
        let peripheral = try #require(atPeripheral.first)
        #expect(central.hasPrefix("3E1F0A0001000002111111111111"))
        #expect(peripheral.hasPrefix("3E1F0A0001000102222222222222"))
        let (ofCentral, ofPeripheral) = (Self.privateAddresses(central), Self.privateAddresses(peripheral))
        #expect(ofCentral.own == ofPeripheral.peer && ofCentral.peer == ofPeripheral.own)
        #expect(try Self.isResolved(ofPeripheral.own))
        #expect(try Self.isResolved(ofCentral.own, by: Self.otherKey))
        #expect(harness.ask(1, Self.create()) == ["0F040B010D20"], "the peer is known by its identity")
    }

    @Test func `Without own private addresses, none are reported`() {
        var harness = Self.acquainted()
        Self.advertise(&harness, own: "00")
        _ = harness.ask(1, Self.create(own: "00"))
        harness.run(milliseconds: 1000)
        let none = String(repeating: "0", count: 24)
        #expect(harness.take(1) == ["3E1F0A0001000000111111111111" + none + "180000002A0000"])
        #expect(harness.take(0) == ["3E1F0A0001000100222222222222" + none + "180000002A0000"])
    }

    @Test func `A host that has masked the enhanced event learns the identity`() {
        var harness = Self.acquainted()
        _ = harness.ask(1, "0120 08 1F00000000000000")
        Self.resolve(&harness, 1)
        Self.advertise(&harness)
        _ = harness.ask(1, Self.create(own: "00"))
        harness.run(milliseconds: 1000)
        #expect(harness.take(1) == ["3E13010001000000111111111111180000002A0000"])
    }

    @Test func `Cancellation is reported by the same event`() {
        var harness = Self.acquainted()
        _ = harness.ask(1, Self.create())
        let none = String(repeating: "0", count: 24)
        #expect(
            harness.ask(1, "0E20 00") == ["0E04010E2000", "3E1F0A0200000000111111111111" + none + "00000000000000"])
    }

    @Test func `A link outlives the addresses with which it began`() {
        var harness = Self.acquainted()
        for host in 0...1 { _ = harness.ask(host, "2E20 02 0100") }
        Self.resolve(&harness, 0, 1)
        Self.advertise(&harness)
        _ = harness.ask(1, Self.create())
        harness.run(milliseconds: 1000)
        _ = (harness.take(0), harness.take(1))
        Self.scan(&harness, 1, own: "02")
        harness.run(milliseconds: 5000)
        harness.sendData(1, "0100 0100 AA")
        harness.run(milliseconds: 200)
        #expect(harness.take(0) == ["ACL 01200100AA"])
        #expect(harness.pool.taken == 0)
    }
}
