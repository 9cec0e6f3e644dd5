import Basics
import Testing

/// The length of data PDUs, as hosts see it: LE Write Suggested Default Data Length, LE Set Data Length, and LE Data
/// Length Change.  Core 6.0, Vol 4, Part E, sections 7.8.33 to 7.8.35 and 7.7.65.7.
@Suite struct ControllerDataLengthTests {
    static let changed = "3E0B070100"
    static let maximum = "FB004808"
    static let minimum = "1B004801"

    /// A link whose hosts receive LE Data Length Change, and have suggested these lengths before.
    static func linked(suggesting suggestions: [String?]) -> AirspaceHarness {
        var harness = AdvertisingTests.harness()
        for (host, suggestion) in suggestions.enumerated() {
            _ = harness.ask(host, "0120 08 5F00000000000000")
            if let suggestion { _ = harness.ask(host, "2420 04" + suggestion) }
        }
        _ = harness.ask(1, ControllerLinkTests.create)
        harness.run(milliseconds: 500)
        for host in 0...1 { #expect(harness.received[host].first?.octets.starts(with: [0x3E, 0x13]) == true) }
        return harness
    }

    private func lengths(_ harness: inout AirspaceHarness, _ host: Int) -> [String] {
        harness.take(host).filter { $0.hasPrefix(Self.changed) }
    }

    @Test func bothSuggestTheMaximum() {
        var harness = Self.linked(suggesting: [Self.maximum, Self.maximum])
        for host in 0...1 { #expect(lengths(&harness, host) == [Self.changed + Self.maximum + Self.maximum], "once") }
        harness.sendData(0, "0100 FB00" + String(repeating: "AA", count: 251))
        harness.run(milliseconds: 100)
        #expect(harness.take(1) == ["ACL 0120FB00" + String(repeating: "AA", count: 251)])
        #expect(harness.take(0) == ["13050101000100"])
    }

    @Test(arguments: [0, 1]) func oneSuggestsTheMaximum(host: Int) {
        var suggestions: [String?] = [nil, nil]
        suggestions[host] = Self.maximum
        var harness = Self.linked(suggesting: suggestions)
        #expect(lengths(&harness, host) == [Self.changed + Self.maximum + Self.minimum])
        #expect(lengths(&harness, 1 - host) == [Self.changed + Self.minimum + Self.maximum])
    }

    @Test func noneSuggestsAnything() {
        var harness = Self.linked(suggesting: [nil, nil])
        for host in 0...1 { #expect(lengths(&harness, host) == []) }
        harness.sendData(0, "0100 3C00" + String(repeating: "AA", count: 60))
        harness.run(milliseconds: 100)
        let part = String(repeating: "AA", count: 27)
        #expect(harness.take(1) == ["ACL 01201B00" + part, "ACL 01101B00" + part, "ACL 01100600AAAAAAAAAAAA"])
        #expect(harness.take(0) == ["13050101000100"], "one packet, one credit")
        #expect(harness.pool.taken == 0)
    }

    @Test func aHostRequestsMore() {
        var harness = Self.linked(suggesting: [nil, nil])
        _ = (harness.take(0), harness.take(1))
        #expect(harness.ask(0, "2220 06 0100" + Self.maximum) == ["0E06012220000100"])
        #expect(harness.ask(0, "2220 06 0100 6400 4808") == ["0E06012220000100"])
        harness.run(milliseconds: 500)
        // The second is received to the other end when the first is answered; here it holds as soon as that is.
        #expect(harness.take(0) == [Self.changed + "64004808" + Self.minimum])
        #expect(
            harness.take(1) == [Self.changed + Self.minimum + Self.maximum, Self.changed + Self.minimum + "64004808"])
        #expect(harness.ask(0, "2220 06 0100 6400 4808") == ["0E06012220000100"])
        harness.run(milliseconds: 500)
        for host in 0...1 { #expect(harness.take(host) == [], "nothing is new") }
    }

    @Test(arguments: [
        ("0200" + maximum, "02", "0200"), ("0100 1A00 4808", "12", "0100"), ("0100 FC00 4808", "12", "0100"),
        ("0100 FB00 4701", "12", "0100"), ("0100 FB00 9142", "12", "0100"),
    ])
    func invalidRequests(parameters: String, status: String, handle: String) {
        var harness = Self.linked(suggesting: [nil, nil])
        _ = (harness.take(0), harness.take(1))
        #expect(harness.ask(0, "2220 06" + parameters) == ["0E06012220" + status + handle])
        harness.run(milliseconds: 500)
        for host in 0...1 { #expect(harness.take(host) == []) }
    }

    @Test func aResetRestoresTheDefault() {
        var harness = Self.linked(suggesting: [Self.maximum, Self.maximum])
        _ = harness.ask(0, "030C 00")
        #expect(harness.ask(0, "2320 00") == ["0E08012320" + "00" + Self.minimum])
    }
}
