import Basics
import Expectations
import ScenarioModel
import Testing
import VirtualWorld

/// A device with every service, and a client that is subscribed to all of it.
@Suite struct EverythingTests {
    static let play = TestScenario(
        "every service",
        """
        {"lubdub": 1, "name": "x", "limit": "30 s", "begins": "2024-03-01T23:59:40Z", "devices": [
          {"id": "d", "advertise": {"services": ["180D"]}, "services": [
            {"service": "heart_rate", "format": "uint8", "contact": true, "energy": true, "rr_intervals": true,
             "location": "chest", "value": {"curve": "walk", "start": 70, "by": 9, "period": "1 s", "range": [40, 200]}},
            {"service": "health_thermometer", "period": "3 s", "type": "ear", "store": true,
             "value": {"curve": "sine", "mean": 36.6, "amplitude": 1, "period": "20 s"}},
            {"service": "fitness", "steps": {"curve": "days", "totals": [10000, 300]}, "temperature": 36.6},
            {"service": "ecg", "noise": {"mains": "50 Hz", "muscle": 10, "wander": 10}},
            {"service": "ecg", "id": "polar", "as": "pmd"},
            {"service": "measurements", "rate": "500 Hz",
             "value": {"curve": "walk", "start": 70, "by": 9, "period": "7 ms", "range": [40, 200]}},
            {"service": "feed", "period": "50 ms", "value": {"curve": "step", "start": 4294967000, "by": 7, "period": "200 ms"}},
            {"service": "battery", "value": {"curve": "ramp", "start": 100, "end": 0, "over": "40 s"}},
            {"service": "device_information", "manufacturer": "Lubdub", "model": "All"},
            {"service": "custom", "uuid": "1815", "characteristics": [
              {"id": "number", "uuid": "2A58", "format": "sint16", "properties": ["read", "write", "notify"],
               "value": {"curve": "step", "start": 0, "by": -4000, "period": "1 s"}, "handle": 200},
              {"id": "text", "uuid": "2A56", "format": "utf8", "properties": ["read", "indicate"], "value": "lub"}]}]}],
         "script": [
          {"when": "15 s", "do": "set", "of": "heart_rate", "to": 300, "for": "5 s"},
          {"when": "18 s", "do": "set", "of": "heart_rate/location", "to": "wrist"},
          {"when": "16 s", "do": "lead_off", "of": "d", "for": "3 s"},
          {"when": "17 s", "do": "lead_off", "of": "ecg", "for": "1 s"},
          {"when": "21 s", "do": "silence", "of": "ecg", "for": "2 s"},
          {"when": "22 s", "do": "skip_time", "of": "d", "by": "1 h"},
          {"when": {"event": "saturated", "of": "heart_rate"}, "id": "beyond", "do": "set", "of": "custom/text", "to": "dub"},
          {"when": {"at": "12 s", "every": "500 ms"}, "do": "set", "of": "battery", "to": 5, "for": "250 ms", "chance": 0.5}]}
        """)

    private static func played(seed: UInt64 = 1, sleeps: Bool = true) throws -> Listener {
        var listener = try Listener(play.scenario, seed: seed, sleeps: sleeps)
        listener.play()
        return listener
    }

    private static let first = Result { try played() }

    @Test func `Played twice, or without sleep, the log is the same`() throws {
        let first = try Self.first.get()
        let again = try Self.played()
        let stepped = try Self.played(sleeps: false)
        #expect(firstDifference(first.lines, again.lines) == nil)
        #expect(firstDifference(first.lines, stepped.lines) == nil)
        #expect(try Self.played(seed: 2).lines != first.lines)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>) func `The built-in client invents nothing`(seed: UInt64) throws {
        let harness = try WorldHarness(
            Self.play.scenario, seed: seed, isJudged: true, on: Judge.Terms(judgesInventions: true))
        #expect(harness.world.rulings.map(\.verdict) == [.pass], "\(harness.world.rulings.compactMap(\.reason))")
    }

    @Test func `The client receives everything`() throws {
        let listener = try Self.first.get()
        let records = listener.records
        #expect(listener.failures == 0)
        func delivered(_ entity: String) -> Int {
            records.count { $0.event == .delivered && $0.entity == "d/\(entity)" }
        }
        #expect(delivered("heart_rate") > 20)
        #expect(delivered("ecg/samples") > 80)
        #expect(delivered("polar/samples") > 30)
        #expect(delivered("measurements") > 80)
        #expect(delivered("feed") > 400)
        #expect(delivered("battery") > 15)
        #expect(delivered("fitness/steps_today") > 1)
        #expect(delivered("health_thermometer/intermediate") > 20)
        #expect(delivered("custom/number") > 20)
        func confirmed(_ entity: String) -> Int {
            records.count { $0.event == .confirmed && $0.entity == "d/\(entity)" }
        }
        #expect(confirmed("health_thermometer") > 7)
        #expect(confirmed("custom/text") > 20)
        #expect(confirmed("polar/control_point") == 1)
    }

    @Test func `Numbers out of range are logged once per value, with the requested number`() throws {
        let records = try Self.first.get().records
        let saturated = records.filter { $0.event == .saturated }
        #expect(
            Set(saturated.map { [$0.entity ?? "", $0.value ?? ""] }) == [
                ["d/heart_rate", "300"], ["d/feed", "4294967301"], ["d/custom/number", "-36000"],
                ["d/ecg/samples", ""],
            ])
        #expect(saturated.count == 4)
        #expect(records.contains { $0.event == .indicated && $0.entity == "d/custom/text" && $0.value == "\"dub\"" })
    }

    @Test func `An electrode is off until nothing keeps it off`() throws {
        let frames = try Self.first.get().records.filter { $0.event == .notified && $0.entity == "d/ecg/samples" }
        let off = frames.filter { $0.value?.contains("lead_off\": true") == true }.map(\.instant)
        #expect((off.first ?? .never) < Instant.start.advanced(by: .milliseconds(16_800)))
        #expect((off.last ?? .start) > Instant.start.advanced(by: .milliseconds(19_300)))
    }
}
