import Octets
import Testing

/// How long data PDUs are, as hosts see it: LE Write Suggested Default Data Length, LE Set Data Length, and LE Data Length
/// Change.  Core 6.0, Vol 4, Part E, sections 7.8.33 to 7.8.35 and 7.7.65.7.
@Suite struct DataLengthTests {
    static let changed = "3E0B070100"
    static let most = "FB004808"
    static let least = "1B004801"

    /// A link whose hosts want to be told of lengths, and have suggested these before it began.
    static func linked(suggesting suggestions: [String?]) -> World {
        var world = AdvertisingTests.world()
        for (host, suggestion) in suggestions.enumerated() {
            _ = world.ask(host, "0120 08 5F00000000000000")
            if let suggestion { _ = world.ask(host, "2420 04" + suggestion) }
        }
        _ = world.ask(1, LinkTests.create)
        world.run(milliseconds: 500)
        for host in 0...1 { #expect(world.told[host].first?.octets.starts(with: [0x3E, 0x13]) == true) }
        return world
    }

    private func lengths(_ world: inout World, _ host: Int) -> [String] {
        world.take(host).filter { $0.hasPrefix(Self.changed) }
    }

    @Test func bothSuggestTheMost() {
        var world = Self.linked(suggesting: [Self.most, Self.most])
        for host in 0...1 { #expect(lengths(&world, host) == [Self.changed + Self.most + Self.most], "once") }
        world.sendData(0, "0100 FB00" + String(repeating: "AA", count: 251))
        world.run(milliseconds: 100)
        #expect(world.take(1) == ["ACL 0120FB00" + String(repeating: "AA", count: 251)])
        #expect(world.take(0) == ["13050101000100"])
    }

    @Test(arguments: [0, 1]) func oneSuggestsTheMost(host: Int) {
        var suggestions: [String?] = [nil, nil]
        suggestions[host] = Self.most
        var world = Self.linked(suggesting: suggestions)
        #expect(lengths(&world, host) == [Self.changed + Self.most + Self.least])
        #expect(lengths(&world, 1 - host) == [Self.changed + Self.least + Self.most])
    }

    @Test func nobodySuggestsAnything() {
        var world = Self.linked(suggesting: [nil, nil])
        for host in 0...1 { #expect(lengths(&world, host) == []) }
        world.sendData(0, "0100 3C00" + String(repeating: "AA", count: 60))
        world.run(milliseconds: 100)
        let part = String(repeating: "AA", count: 27)
        #expect(world.take(1) == ["ACL 01201B00" + part, "ACL 01101B00" + part, "ACL 01100600AAAAAAAAAAAA"])
        #expect(world.take(0) == ["13050101000100"], "one packet, one credit")
        #expect(world.pool.taken == 0)
    }

    @Test func aHostAsksForMore() {
        var world = Self.linked(suggesting: [nil, nil])
        _ = (world.take(0), world.take(1))
        #expect(world.ask(0, "2220 06 0100" + Self.most) == ["0E06012220000100"])
        #expect(world.ask(0, "2220 06 0100 6400 4808") == ["0E06012220000100"])
        world.run(milliseconds: 500)
        // The second is told to the other end when the first is answered; here it holds as soon as that is.
        #expect(world.take(0) == [Self.changed + "64004808" + Self.least])
        #expect(world.take(1) == [Self.changed + Self.least + Self.most, Self.changed + Self.least + "64004808"])
        #expect(world.ask(0, "2220 06 0100 6400 4808") == ["0E06012220000100"])
        world.run(milliseconds: 500)
        for host in 0...1 { #expect(world.take(host) == [], "nothing is new") }
    }

    @Test(arguments: [
        ("0200" + most, "02", "0200"), ("0100 1A00 4808", "12", "0100"), ("0100 FC00 4808", "12", "0100"),
        ("0100 FB00 4701", "12", "0100"), ("0100 FB00 9142", "12", "0100"),
    ])
    func whatCannotBeAskedFor(parameters: String, status: String, handle: String) {
        var world = Self.linked(suggesting: [nil, nil])
        _ = (world.take(0), world.take(1))
        #expect(world.ask(0, "2220 06" + parameters) == ["0E06012220" + status + handle])
        world.run(milliseconds: 500)
        for host in 0...1 { #expect(world.take(host) == []) }
    }

    @Test func aResetForgetsWhatWasSuggested() {
        var world = Self.linked(suggesting: [Self.most, Self.most])
        _ = world.ask(0, "030C 00")
        #expect(world.ask(0, "2320 00") == ["0E08012320" + "00" + Self.least])
    }
}
