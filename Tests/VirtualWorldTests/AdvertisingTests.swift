import Basics
import ScenarioModel
import Testing
import VirtualWorld

@Suite struct AdvertisingTests {
    private static let phases = TestScenario(
        "fast, slow and silent",
        """
        {"lubdub": 1, "name": "x", "limit": "60 s", "devices": [
          {"id": "strap", "address": "C0:FF:EE:00:00:01/random",
           "advertise": {"services": ["180D"], "fast": {"interval": "30 ms", "for": "5 s"},
                         "slow": {"interval": "500 ms", "for": "10 s"}},
           "services": [{"service": "heart_rate", "value": 70}]}],
         "script": [{"when": {"event": "subscribed", "of": "heart_rate", "after": "12 s"}, "do": "disconnect", "of": "strap"}]}
        """)

    @Test func `Fast at first, then slowly, then not at all`() throws {
        var harness = try GuestHarness(Self.phases)
        let guest = harness.world.addGuest(at: .start)
        harness.command("01 0C 08 FF FF FF FF FF FF FF 3F", by: guest)
        // LE Set Scan Parameters: passive, every 60 ms for 60 ms; LE Set Scan Enable without the filter.
        harness.command("0B 20 07 00 60 00 60 00 00 00", by: guest)
        harness.command("0C 20 02 01 00", by: guest)
        harness.run(until: Instant(nanoseconds: 30_000_000_000))
        let seconds = harness.meta(0x02).map { Double($0.at.nanoseconds) / 1e9 }
        // To each interval 0 to 10 ms are added by chance.
        #expect((125...167).contains(seconds.count { $0 < 5 }))
        #expect((19...21).contains(seconds.count { (5..<15).contains($0) }))
        #expect(seconds.count { $0 > 15 } == 0)
    }

    private static let heartRate = "0000180D-0000-1000-8000-00805F9B34FB"
    private static let vendor = "fb005c80-02e7-f387-1cad-8acd2d8df0c8"

    /// `advertise`, and the AD structures after the flags.
    @Test(arguments: [
        (#"{"services": ["180D", "180F"]}"#, "05 03 0D 18 0F 18"),
        (#"{"services": ["180D", "180F"], "incomplete": true}"#, "05 02 0D 18 0F 18"),
        (#"{"services": ["\#(heartRate)"]}"#, "11 07 FB 34 9B 5F 80 00 00 80 00 10 00 00 0D 18 00 00"),
        (
            #"{"services": ["180F", "\#(heartRate)"], "incomplete": true}"#,
            "03 02 0F 18 11 06 FB 34 9B 5F 80 00 00 80 00 10 00 00 0D 18 00 00"
        ),
        (
            #"{"services": ["180D", "\#(vendor)"], "incomplete": true}"#,
            "03 02 0D 18 11 06 C8 F0 8D 2D CD 8A AD 1C 87 F3 E7 02 80 5C 00 FB"
        ),
    ])
    func `Services are advertised as the scenario writes them`(advertise: String, structures: String) throws {
        let scenario = try TestScenario(
            "services",
            """
            {"lubdub": 1, "name": "x", "limit": "5 s", "devices": [{"id": "strap", "advertise": \(advertise),
             "services": [{"service": "heart_rate", "value": 70}]}]}
            """
        ).scenario
        let harness = try WorldHarness(scenario)
        #expect(harness.trace.hex.contains("02 01 06 \(structures)"))
        #expect(!harness.records(.subscribed).isEmpty, "the client finds each form")
    }

    @Test func `Advertising begins anew, and is noted once, when a connection has ended`() throws {
        let harness = try WorldHarness(Self.phases.scenario)
        let kinds: [EventName] = [.advertising, .connected, .disconnected]
        let told = harness.records.filter { kinds.contains($0.event) }
        #expect(told.count >= 8)
        #expect(told.map(\.event) == (0..<told.count).map { [.advertising, .connected, .disconnected][$0 % 3] })
        // Found again within the fast phase, though the slow one was over before.
        for (disconnected, connected) in zip(told.dropFirst(2), told.dropFirst(4)) where connected.event == .connected {
            #expect(disconnected.instant.duration(to: connected.instant) < .seconds(3))
        }
    }
}
