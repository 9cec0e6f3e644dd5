import Basics
import Bluetooth
import Characteristics
import Checks
import GATT
import LEHost
import Services

// The values that a peripheral broadcasts.  Companies define their layouts, so the checks are recommendations.
extension Check {
    static let advertisedValues = [
        Check(
            "advertising/values_are_plausible",
            "battery levels, temperatures and humidities that are advertised are possible",
            "Core Specification Supplement 12, Part A, section 1.11; BTHome v2; Battery Service 1.1, section 3.1",
            scope: .advertising, weight: .recommended
        ) { peripheral throws(CheckExit) in
            guard let measurement = peripheral.advertisedMeasurement else {
                throw .notApplicable("nothing that is known is advertised as a value")
            }
            try peripheral.expect(
                measurement.battery ?? 0 <= 100, "a battery level of at most 100 %", seen: measurement.words)
            try peripheral.expect(
                measurement.humidity ?? 0 <= 100, "a humidity of at most 100 %", seen: measurement.words)
            let range = -100.0...200.0
            try peripheral.expect(
                range.contains(measurement.temperature ?? 0), "a temperature from -100 °C to 200 °C",
                seen: measurement.words)
        },
        Check(
            "advertising/heart_rate_agrees", "the heart rate that is advertised is near the one that is notified",
            "github.com/polarofficial/polar-ble-sdk, startListenForPolarHrBroadcasts", scope: .freshConnection,
            weight: .recommended, if: .characteristic(.heartRateMeasurement, of: .heartRate)
        ) { peripheral throws(CheckExit) in
            try peripheral.require(.advertisements)
            // A heart that begins to work, or a sensor that has just found it, may be far from what was advertised once.
            for _ in 1..<Self.turns where try peripheral.differenceFromAdvertised() == nil { return }
            if let difference = try peripheral.differenceFromAdvertised() { throw difference }
        },
    ]

    /// How often the heart rates must differ, each time in a new connection.
    private static let turns = 3
    /// In beats per minute.
    fileprivate static let tolerance = 30
}

extension Examiner {
    /// What the newest reports tell.
    fileprivate var advertisedMeasurement: AdvertisedMeasurement? {
        let parts = [advertised.data, advertised.response].compactMap { $0.flatMap(AdvertisedMeasurement.init) }
        return parts.reduce(nil) { known, new in known?.updated(by: new) ?? new }
    }

    /// How far the heart rate that is advertised is from the next one that is notified, if that is too far; nil if it is near.
    fileprivate mutating func differenceFromAdvertised() throws(CheckExit) -> CheckExit? {
        guard advertisedMeasurement?.heartRate != nil else {
            throw .notApplicable("no heart rate that is known is advertised")
        }
        disconnect()
        forgetReports()
        try findAdvertiser()
        guard let measurement = advertisedMeasurement, let heard = measurement.heartRate, heard > 0,
            measurement.contact != false
        else { throw .notApplicable("the heart rate that is advertised is 0, or without contact") }
        try connect()
        let handle = try subscribe(to: .heartRate).valueHandle
        let received = try next(of: handle, within: .seconds(10)) {
            guard let heartRate = $0.heartRate else { return false }
            return heartRate.bpm > 0 && heartRate.contact != .notDetected
        }
        guard let received, let bpm = received.heartRate?.bpm else {
            throw .inconclusive("no measurement with a heart rate within 10 s")
        }
        guard abs(Int(bpm) - Int(heard)) > Check.tolerance else { return nil }
        return failure(
            expected: "an advertised heart rate within \(Check.tolerance) bpm of \(received.heartRateText)",
            seen: measurement.words)
    }
}
