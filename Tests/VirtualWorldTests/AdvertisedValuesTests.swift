import Basics
import Bluetooth
import Clients
import HCI
import ScenarioModel
import Testing

@testable import VirtualWorld

/// Values in advertising data, as an external host with a continuous scan receives them.
@Suite struct AdvertisedValuesTests {
    private static func strap(_ advertise: String, script: String = "", rate: String = "70") -> TestScenario {
        TestScenario(
            "advertised values",
            """
            {"lubdub": 1, "name": "x", "limit": "30 s", "devices": [
              {"id": "strap", "name": "Strap", "address": "C0:FF:EE:00:00:01/random",
               "advertise": {"services": ["180D"], \(advertise)},
               "services": [{"service": "heart_rate", "value": \(rate), "contact": true}, {"service": "battery", "value": 50}]}],
             "script": [\(script)]}
            """)
    }

    private static let ramp = #"{"curve": "list", "values": [70, 80, 90, 100], "period": "5 s"}"#
    private static let polar = #"""
        "manufacturer_data": [{"company": 107, "fields": [{"format": "octets", "value": "34 00"}, {"id": "bpm", "of": "heart_rate"}]}]
        """#

    /// The data of one kind of report, each with the first and the last time that it was received.
    private func heard(
        _ play: TestScenario, isResponse: Bool = false, for time: Int = 30
    ) throws
        -> [(data: [UInt8], first: Double, last: Double)]
    {
        var harness = try GuestHarness(play)
        let guest = harness.world.addGuest(at: .start)
        harness.command("01 0C 08 FF FF FF FF FF FF FF 3F", by: guest)
        // LE Set Scan Parameters: active, every 60 ms for 60 ms; LE Set Scan Enable without the filter.
        harness.command("0B 20 07 01 60 00 60 00 00 00", by: guest)
        harness.command("0C 20 02 01 00", by: guest)
        harness.run(until: Instant(nanoseconds: Int64(time) * 1_000_000_000))
        var heard: [(data: [UInt8], first: Double, last: Double)] = []
        for told in harness.meta(0x02) where (told.octets[4] == 4) == isResponse {
            let data = Array(told.octets[13..<13 + Int(told.octets[12])])
            let now = Double(told.at.nanoseconds) / 1e9
            if heard.last?.data == data { heard[heard.count - 1].last = now } else { heard.append((data, now, now)) }
        }
        #expect(harness.world.pool.taken == 0)
        return heard
    }

    private func manufacturerData(_ octets: [UInt8]) throws -> [UInt8] {
        try AdvertisingData(octets: octets).data(.manufacturerSpecificData).map { Array($0) } ?? []
    }

    @Test func `A value of a service is advertised, and follows it within a second`() throws {
        let heard = try heard(Self.strap(Self.polar, rate: Self.ramp))
        #expect(try heard.map { try manufacturerData($0.data) } == [70, 80, 90, 100].map { [0x6B, 0, 0x34, 0, $0] })
        for (index, each) in heard.enumerated() {
            #expect(each.first < Double(index) * 5 + 1.2)
            #expect(index == 3 || each.last > Double(index) * 5 + 4.8)
        }
    }

    @Test func `A controller goes on advertising while its data change`() throws {
        let changing = Self.strap(
            Self.polar + #", "update": "100 ms""#, rate: #"{"curve": "ramp", "start": 60, "end": 200, "over": "30 s"}"#)
        let constant = Self.strap(#""manufacturer_data": [{"company": 107, "octets": "34 00 46"}]"#)
        func reports(_ play: TestScenario) throws -> Int {
            var harness = try GuestHarness(play)
            let guest = harness.world.addGuest(at: .start)
            harness.command("01 0C 08 FF FF FF FF FF FF FF 3F", by: guest)
            harness.command("0B 20 07 00 60 00 60 00 00 00", by: guest)
            harness.command("0C 20 02 01 00", by: guest)
            harness.run(until: Instant(nanoseconds: 30_000_000_000))
            return harness.meta(0x02).count
        }
        #expect(try reports(changing) == reports(constant))
    }

    @Test func `A curve, a constant and a number with a factor are fields of service data`() throws {
        let fields = #"""
            "scan_response": {"service_data": [{"uuid": "FCD2", "fields": [
              {"format": "octets", "value": "40 01"}, {"of": "battery"}, {"format": "octets", "value": "02"},
              {"id": "celsius", "format": "sint16", "times": 100,
               "value": {"curve": "list", "values": [21.07, -4.25, 400], "period": "10 s"}}]}]}
            """#
        let heard = try heard(Self.strap(fields), isResponse: true)
        let data = try heard.map { try AdvertisingData(octets: $0.data).serviceData(UUID(0xFCD2)) }
        // 400 °C do not fit into the format: the greatest number is sent.
        #expect(data == [[0x40, 1, 50, 2, 0x3B, 0x08], [0x40, 1, 50, 2, 0x57, 0xFE], [0x40, 1, 50, 2, 0xFF, 0x7F]])
    }

    @Test func `Actions change a value, and the data`() throws {
        let script = #"""
            {"when": "5 s", "do": "set", "of": "strap/heart_rate", "to": 180, "for": "5 s"},
            {"when": "15 s", "do": "change_advertising", "of": "strap", "for": "5 s",
             "manufacturer_data": [{"company": 76, "octets": "01"}]}
            """#
        let heard = try heard(Self.strap(Self.polar, script: script))
        let usual: [UInt8] = [0x6B, 0, 0x34, 0, 70]
        #expect(
            try heard.map { try manufacturerData($0.data) } == [
                usual, [0x6B, 0, 0x34, 0, 180], usual, [76, 0, 1], usual,
            ])
        #expect((14.9...15.3).contains(heard[3].first) && (19.9...20.3).contains(heard[4].first))
    }

    @Test func `An action gives data to a device that has none, and the curves of an action begin with it`() throws {
        let script = #"""
            {"when": "5 s", "do": "change_advertising", "of": "strap", "for": "10 s", "manufacturer_data": [
              {"company": 76, "fields": [{"value": {"curve": "list", "values": [1, 2], "period": "5 s"}}]}]}
            """#
        let heard = try heard(Self.strap(#""interval": "100 ms""#, script: script))
        #expect(try heard.map { try manufacturerData($0.data) } == [[], [76, 0, 1], [76, 0, 2], []])
        #expect((9.9...11.3).contains(heard[2].first))
    }

    @Test func `The log has each value once`() throws {
        let harness = try WorldHarness(Self.strap(Self.polar + #", "connectable": false"#, rate: Self.ramp).scenario)
        let told = harness.records.filter { $0.event == .advertised }
        #expect(told.map(\.entity) == Array(repeating: "strap", count: 4))
        #expect(told.map(\.value) == [70, 80, 90, 100].map { #"{"bpm": \#($0)}"# })
    }

    @Test func `A device without such data logs nothing`() throws {
        let harness = try WorldHarness(
            Self.strap(#""manufacturer_data": [{"company": 107, "octets": "34 00 46"}]"#).scenario)
        #expect(!harness.records.contains { $0.event == .advertised })
    }

    @Test func `A connected device advertises nothing, and then the present value`() throws {
        let script =
            #"{"when": {"event": "subscribed", "of": "heart_rate", "after": "8 s"}, "do": "disconnect", "of": "strap"}"#
        let harness = try WorldHarness(Self.strap(Self.polar, script: script, rate: Self.ramp).scenario)
        let told = harness.records.filter { [.advertised, .connected, .disconnected].contains($0.event) }
        #expect(told.map(\.event).prefix(4) == [.advertised, .connected, .disconnected, .advertised])
    }
}
