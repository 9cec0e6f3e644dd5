import Characteristics
import Collector
import EventLog
import Services
import Spelling
import Testing
import VirtualWorld

/// Everything that our own devices say is heard by our own client.
struct SensorTests {
    private static let patch = Play(
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

    private static let polar = Play(
        "polar",
        """
        {"lubdub": 1, "name": "Polar", "limit": "16 s", "devices": [
          {"id": "strap", "address": "C0:FF:EE:00:00:01/random", "advertise": {"services": ["180D"]}, "services": [
            {"service": "heart_rate", "value": 62}, {"service": "ecg", "as": "pmd"}]}],
         "script": [{"when": "15 s", "do": "disconnect", "of": "strap"}]}
        """)

    @Test(.timeLimit(.minutes(1)))
    func `A skip over years costs nothing, and one over all time is said once`() throws {
        func play(_ which: String, _ by: String) throws -> Stage {
            let play = Play(
                "skip",
                """
                {"lubdub": 1, "name": "Skip", "limit": "20 s", "devices": [
                  {"id": "d", "address": "C0:FF:EE:00:00:01/random", "advertise": {"services": ["1809"]}, "services": [
                    {"service": "health_thermometer", "period": "1 s", "value":
                     {"curve": "walk", "start": 36.6, "by": 0.1, "period": "1 ms", "range": [36, 38]}}]}],
                 "script": [
                   {"when": {"event": "confirmed", "\(which)": 3}, "do": "skip_time", "by": "\(by)"}]}
                """)
            return try Stage(play.scenario)
        }
        let years = try play("nth", "10000 days")
        #expect(years.records(.confirmed).count > 10)
        #expect(years.records(.saturated).isEmpty)
        let ages = try play("every", "60000 days")
        #expect(ages.records(.saturated).map(\.value) == ["5184000000"])
        #expect(ages.records(.saturated).map(\.entity) == ["d"])
    }

    /// The values that went to the client, by reads and by notifications.
    private func values(_ entity: String, _ stage: Stage) -> [String] {
        stage.records.filter { ($0.event == .read || $0.event == .delivered) && $0.entity == entity }
            .compactMap(\.value)
    }

    /// The values of the client's lines with a key.
    private func said(_ stage: Stage, _ key: String) -> [String] {
        stage.said.compactMap { said in
            if case .value(let value) = said.saying.content, value.use.key == key { value.json } else { nil }
        }
    }

    @Test func `Each value that a device sends is said`() throws {
        let stage = try Stage(Self.patch.scenario)
        let (steps, stepsToday, feed) = (said(stage, "steps"), said(stage, "steps_today"), said(stage, "feed"))
        #expect(steps.count > 8)
        #expect(steps == values("patch/fitness/steps", stage))
        #expect(stepsToday == values("patch/fitness/steps_today", stage))
        #expect(feed == values("patch/feed", stage))

        #expect(said(stage, "temperature").contains(#"{"celsius": 36.5}"#))
        #expect(stage.records(.confirmed, of: "patch/health_thermometer").count > 8)
        #expect(stage.said.contains { $0.saying.text == "temperature taken at: ear" })
        #expect(!stage.said.contains { if case .error = $0.saying.content { true } else { false } })
    }

    @Test func `All samples of a stream are counted, and none is lost`() throws {
        let stage = try Stage(Self.patch.scenario)
        var (samples, measurements, lost) = (UInt64(0), UInt64(0), UInt64(0))
        for case .ecg(let tally) in stage.said.map(\.saying.content) {
            (samples, lost) = (samples + tally.samples, lost + tally.lost)
        }
        for case .measurementTally(let tally, let bpm) in stage.said.map(\.saying.content) {
            (measurements, lost) = (measurements + tally.samples, lost + tally.lost)
            #expect(bpm == 64)
        }
        let frames = stage.records(.delivered, of: "patch/ecg/samples").compactMap(\.octets)
        #expect(samples > 4000)
        #expect(try samples == frames.map { UInt64(try ECGFrame.header(of: $0[...]).count) }.reduce(0, +))
        let values = stage.records(.delivered, of: "patch/measurements").compactMap(\.octets)
        #expect(try measurements == values.map { UInt64(try HeartRateFrame.read($0[...]) { _ in }.count) }.reduce(0, +))
        #expect(lost == 0)
        #expect(stage.said.contains { $0.saying.text == "resting heart rate 64 bpm" })
    }

    @Test func `Polar's stream is started, and counted by its time stamps`() throws {
        let stage = try Stage(Self.polar.scenario)
        var (samples, lost) = (UInt64(0), UInt64(0))
        for case .ecg(let tally) in stage.said.map(\.saying.content) {
            (samples, lost) = (samples + tally.samples, lost + tally.lost)
        }
        let frames = stage.records(.delivered, of: "strap/ecg/samples").compactMap(\.octets)
        #expect(samples > 1000)
        #expect(try samples == frames.map { UInt64(try PMDECGFrame.header(of: $0[...]).count) }.reduce(0, +))
        #expect(lost == 0)
    }
}
