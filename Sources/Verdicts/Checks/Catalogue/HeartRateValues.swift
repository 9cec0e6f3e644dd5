import Bluetooth
import Characteristics
import GATT
import LEHost
import Scenarios
import ServiceFramework
import Services
import Simulation

// Heart Rate Measurement.  Heart Rate Service 1.0, section 3.1.
extension Check {
    private static let hasMeasurement = Prerequisite.characteristic(.heartRateMeasurement, of: .heartRate)

    static let heartRateValues =
        heartRateRequirement.configurationChecks + [
            Check(
                "HRS/SEN/CN/BV-01-C", "Heart Rate Measurement is notified only while a client is subscribed",
                "Heart Rate Service 1.0, section 3.1", if: hasMeasurement
            ) { peripheral throws(CheckExit) in
                let value = try peripheral.subscribeToHeartRate()
                let first = try peripheral.nextMeasurement(of: value, within: .seconds(10))
                try peripheral.expect(first != nil, "a notification within 10 s of the subscription", seen: "none")
                try peripheral.require(.unwantedValues)
                try peripheral.subscribe([], to: value)
                peripheral.wait(.seconds(1))  // notifications in flight
                let late = try peripheral.receivedValues(of: value.valueHandle, for: .seconds(5)).first
                try peripheral.expect(
                    late == nil, "no notification after the configuration was set to 0x0000",
                    seen: late.map { ReceivedMeasurement($0).description } ?? "")
            },
            Check(
                "HRS/SEN/CN/BV-02-C", "some Heart Rate Measurements include Energy Expended",
                "Heart Rate Service 1.0, section 3.1.1.3", if: hasMeasurement,
                .characteristic(.heartRateControlPoint, of: .heartRate)
            ) { peripheral throws(CheckExit) in
                let (value, _) = try peripheral.firstMeasurement()
                let energetic = try peripheral.nextMeasurement(of: value, within: .seconds(60)) { $0.form.hasEnergy }
                try peripheral.expect(
                    energetic != nil, "a measurement with Energy Expended (bit 3 of the flags) within 60 s",
                    seen: peripheral.newest(of: value))
                try peripheral.expect(
                    energetic?.value?.energyExpended != nil, "the field that bit 3 announces",
                    seen: energetic?.description ?? "")
            },
            Check(
                "HRS/SEN/CN/BV-03-C", "RR-Intervals are in order, oldest first",
                "Heart Rate Service 1.0, section 3.1.1.4", if: hasMeasurement
            ) { peripheral throws(CheckExit) in try peripheral.expectIntervalsInOrder() },
            Check(
                "HRS/SEN/CN/BV-04-C", "heart rates above 255 use the uint16 format",
                "Heart Rate Service 1.0, sections 3.1.1.1.1 and 3.1.1.2", if: hasMeasurement
            ) { peripheral throws(CheckExit) in
                let (value, _) = try peripheral.firstMeasurement()
                try peripheral.setValue(of: .heartRate, to: 300, "set the heart rate")
                let wide = try peripheral.nextMeasurement(of: value, within: .seconds(10)) {
                    $0.form.isTwoOctets && $0.value?.bpm == 300
                }
                try peripheral.expect(
                    wide != nil, "a measurement of 300 bpm in two octets, with bit 0 of the flags set, within 10 s",
                    seen: peripheral.newest(of: value))
            },
            Check(
                "HRS/SEN/CN/BV-05-C", "the sensor contact flags follow the skin contact",
                "Heart Rate Service 1.0, section 3.1.1.1.2", if: hasMeasurement
            ) { peripheral throws(CheckExit) in try peripheral.expectContactFollows() },
        ]
}

extension Examiner {
    fileprivate mutating func expectContactFollows() throws(CheckExit) {
        let (value, first) = try firstMeasurement()
        guard first.form.supportsContact else {
            throw .skipped("not applicable: the Sensor Contact Supported flag (bit 2) is 0")
        }
        for isThere in [false, true] {
            let description = isThere ? "put on" : "taken off"
            try setValue(named: "contact", of: .heartRate, to: isThere ? 1 : 0, "change the skin contact")
            let follows = try nextMeasurement(of: value, within: .seconds(10)) {
                $0.form.hasContactStatus == isThere && $0.form.supportsContact
            }
            try expect(
                follows != nil,
                "bits 2 and 1 of the flags are \(isThere ? "11" : "10") within 10 s of the sensor being \(description)",
                seen: newest(of: value))
        }
    }

    /// When the heart rate rises, a measurement with long and short intervals must start with the long ones.
    fileprivate mutating func expectIntervalsInOrder() throws(CheckExit) {
        let (value, _) = try firstMeasurement()
        guard try nextMeasurement(of: value, within: .seconds(10), where: \.form.hasIntervals) != nil else {
            throw .skipped("not applicable: no measurement within 10 s has RR-Intervals (bit 4 of the flags)")
        }
        for attempt in 0..<8 {
            try setValue(of: .heartRate, to: 50, "set the heart rate")
            wait(.milliseconds(4000 + 130 * attempt))
            try setValue(of: .heartRate, to: 180, "set the heart rate")
            let mixed = try nextMeasurement(of: value, within: .seconds(12)) { measurement in
                guard let intervals = measurement.value?.rrIntervals else { return false }
                return intervals.contains { $0 > Self.slow } && intervals.contains { $0 < Self.fast }
            }
            guard let mixed, let intervals = mixed.value?.rrIntervals else { continue }
            let firstFast = intervals.firstIndex { $0 < Self.fast } ?? 0
            try expect(
                !intervals[firstFast...].contains { $0 > Self.slow },
                "the long intervals of the slow heart rate before the short ones of the fast heart rate",
                seen: mixed.description)
            return
        }
        throw .inconclusive("no measurement spanned a change of the heart rate")
    }

    /// In 1/1024 s: an interval is 1229 at 50 bpm, and 341 at 180 bpm.
    private static let (slow, fast): (UInt16, UInt16) = (900, 500)
}
