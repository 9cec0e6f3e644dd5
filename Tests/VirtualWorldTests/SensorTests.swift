import Basics
import Characteristics
import Clients
import Devices
import ScenarioModel
import Services
import Testing
import VirtualWorld

/// The built-in client gets all values of our devices.
struct SensorTests {
    private static let patch = TestScenario(
        "patch",
        """
        {"lubdub": 1, "name": "Patch", "limit": "16 s", "devices": [
          {"id": "patch", "address": "C0:FF:EE:00:00:01/random", "advertise": {"services": ["1809"]}, "services": [
            {"service": "health_thermometer", "type": "ear",
             "value": {"curve": "step", "start": 36, "by": 0.1, "period": "1 s"}},
            {"service": "fitness", "temperature": 36.5,
             "steps": {"curve": "step", "start": 100, "by": 3, "period": "1 s"}},
            {"service": "ecg", "rate": "500 Hz"}, {"service": "measurements", "rate": "500 Hz", "value": 64},
            {"service": "feed", "value": {"curve": "step", "start": 1, "by": 1, "period": "1 s"}}]}],
         "script": [{"when": "15 s", "do": "disconnect", "of": "patch"}]}
        """)

    private static let polar = TestScenario(
        "polar",
        """
        {"lubdub": 1, "name": "Polar", "limit": "16 s", "devices": [
          {"id": "strap", "address": "C0:FF:EE:00:00:01/random", "advertise": {"services": ["180D"]}, "services": [
            {"service": "heart_rate", "value": 62}, {"service": "ecg", "as": "pmd"}]}],
         "script": [{"when": "15 s", "do": "disconnect", "of": "strap"}]}
        """)

    @Test(.timeLimit(.minutes(30)))
    func `A skip of years is cheap, and one to the end of the clock is logged once`() throws {
        func play(_ which: String, _ by: String) throws -> WorldHarness {
            let play = TestScenario(
                "skip",
                """
                {"lubdub": 1, "name": "Skip", "limit": "20 s", "devices": [
                  {"id": "d", "address": "C0:FF:EE:00:00:01/random", "advertise": {"services": ["1809"]}, "services": [
                    {"service": "health_thermometer", "period": "1 s", "value":
                     {"curve": "walk", "start": 36.6, "by": 0.1, "period": "1 ms", "range": [36, 38]}}]}],
                 "script": [
                   {"when": {"event": "confirmed", "\(which)": 3}, "do": "skip_time", "by": "\(by)"}]}
                """)
            return try WorldHarness(play.scenario)
        }
        let years = try play("nth", "10000 days")
        #expect(years.records(.confirmed).count > 10)
        #expect(years.records(.saturated).isEmpty)
        let ages = try play("every", "60000 days")
        #expect(ages.records(.saturated).map(\.value) == ["5184000000"])
        #expect(ages.records(.saturated).map(\.entity) == ["d"])
    }

    /// The values that went to the client, by reads and by notifications.
    private func values(_ entity: String, _ harness: WorldHarness) -> [String] {
        harness.records.filter { ($0.event == .read || $0.event == .delivered) && $0.entity == entity }
            .compactMap(\.value)
    }

    /// The values of the client's lines with a key.
    private func said(_ harness: WorldHarness, _ key: String) -> [String] {
        harness.said.compactMap { said in
            if case .value(let value) = said.update.content, value.use.key == key { value.json } else { nil }
        }
    }

    @Test func `Each value that a device sends is logged`() throws {
        let harness = try WorldHarness(Self.patch.scenario)
        let (steps, stepsToday, feed) = (said(harness, "steps"), said(harness, "steps_today"), said(harness, "feed"))
        #expect(steps.count > 8)
        #expect(steps == values("patch/fitness/steps", harness))
        #expect(stepsToday == values("patch/fitness/steps_today", harness))
        #expect(feed == values("patch/feed", harness))

        #expect(said(harness, "temperature").contains(#"{"celsius": 36.5}"#))
        #expect(harness.records(.confirmed, of: "patch/health_thermometer").count > 8)
        #expect(harness.said.contains { $0.update.text == "temperature taken at: ear" })
        #expect(!harness.said.contains { if case .error = $0.update.content { true } else { false } })
    }

    @Test func `All samples of a stream are counted, and none is lost`() throws {
        let harness = try WorldHarness(Self.patch.scenario)
        var (samples, measurements, lost) = (UInt64(0), UInt64(0), UInt64(0))
        for case .ecg(let tally) in harness.said.map(\.update.content) {
            (samples, lost) = (samples + tally.samples, lost + tally.lost)
        }
        for case .measurementTally(let tally, let bpm) in harness.said.map(\.update.content) {
            (measurements, lost) = (measurements + tally.samples, lost + tally.lost)
            #expect(bpm == 64)
        }
        let frames = harness.records(.delivered, of: "patch/ecg/samples").compactMap(\.octets)
        #expect(samples > 4000)
        #expect(try samples == frames.map { UInt64(try ECGFrame.header(of: $0[...]).count) }.reduce(0, +))
        let values = harness.records(.delivered, of: "patch/measurements").compactMap(\.octets)
        #expect(try measurements == values.map { UInt64(try HeartRateFrame.read($0[...]) { _ in }.count) }.reduce(0, +))
        #expect(lost == 0)
        #expect(harness.said.contains { $0.update.text == "resting heart rate 64 bpm" })
    }

    @Test func `Polar's stream is started, and counted by its time stamps`() throws {
        let harness = try WorldHarness(Self.polar.scenario)
        var (samples, lost) = (UInt64(0), UInt64(0))
        for case .ecg(let tally) in harness.said.map(\.update.content) {
            (samples, lost) = (samples + tally.samples, lost + tally.lost)
        }
        let frames = harness.records(.delivered, of: "strap/ecg/samples").compactMap(\.octets)
        #expect(samples > 1000)
        #expect(try samples == frames.map { UInt64(try PMDECGFrame.header(of: $0[...]).count) }.reduce(0, +))
        #expect(lost == 0)
    }
}
