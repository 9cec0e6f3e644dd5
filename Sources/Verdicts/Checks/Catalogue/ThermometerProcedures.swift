import ATT
import Bluetooth
import Characteristics
import GATT
import Octets
import Scenarios
import ServiceFramework
import Services
import Simulation

// The measurement interval, and measurements stored without a client.  Health Thermometer Service 1.0,
// sections 3.1 and 3.4.
extension Check {
    private static let hasInterval = Prerequisite.characteristic(.measurementInterval, of: .healthThermometer)

    static let thermometerProcedures = [
        Check(
            "HTS/SEN/CW/BV-02-C", "Measurement Interval accepts and keeps each interval in its Valid Range",
            "Health Thermometer Service 1.0, section 3.4", if: hasInterval
        ) { peripheral throws(CheckExit) in
            let range = try peripheral.validIntervals()
            let handle = try peripheral.characteristic(.measurementInterval, of: .healthThermometer).valueHandle
            for seconds in [range.seconds.lowerBound, range.seconds.upperBound] {
                let octets = MeasurementInterval(seconds: seconds).octets
                try peripheral.write(octets, to: handle, "Measurement Interval")
                let kept = try peripheral.read(handle, "Measurement Interval")
                try peripheral.expect(
                    kept == octets, "Measurement Interval is \(octets.hex), as written", seen: kept.hex)
            }
        },
        Check(
            "HTS/SEN/SP/BI-01-C", "Measurement Interval rejects values outside its Valid Range with 0x80",
            "Health Thermometer Service 1.0, sections 1.6 and 3.4", if: hasInterval
        ) { peripheral throws(CheckExit) in try peripheral.expectIntervalRefused() },
        Check(
            "HTS/SEN/CI/BV-02-C", "a change of Measurement Interval is indicated",
            "Health Thermometer Service 1.0, section 3.4",
            if: .indicated(.measurementInterval, of: .healthThermometer)
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.characteristic(.measurementInterval, of: .healthThermometer)
            let before = try peripheral.read(value.valueHandle, "Measurement Interval")
            let other: UInt16 = before == MeasurementInterval(seconds: 7).octets ? 8 : 7
            try peripheral.subscribe(.indication, to: value)
            try peripheral.setValue(
                named: "interval", of: .healthThermometer, to: Double(other), "set the measurement interval")
            let received = try peripheral.next(of: value.valueHandle, within: .seconds(30))
            let expected = MeasurementInterval(seconds: other).octets
            try peripheral.expect(
                received?.octets == expected,
                "an indication of \(expected.hex) within 30 s of the interval changing to \(other) s",
                seen: received?.octets.hex ?? "none")
        },
        Check(
            "HTS/SEN/SP/BV-01-C", "Temperature Measurement is indicated once per Measurement Interval",
            "Health Thermometer Service 1.0, section 3.4", if: hasInterval
        ) { peripheral throws(CheckExit) in try peripheral.expectMeasuredPeriodically() },
        Check(
            "HTS/SEN/SP/BV-02-C", "stored measurements are sent to the next client, oldest first",
            "Health Thermometer Service 1.0, section 3.1",
            if: .characteristic(.temperatureMeasurement, of: .healthThermometer)
        ) { peripheral throws(CheckExit) in try peripheral.expectStoredMeasurements() },
    ]
}

extension Examiner {
    fileprivate mutating func expectIntervalRefused() throws(CheckExit) {
        let valid = try validIntervals().seconds
        let handle = try characteristic(.measurementInterval, of: .healthThermometer).valueHandle
        // 0 stops periodic measurements and may be valid in addition to the range.
        var wrong: [UInt16] = []
        if valid.upperBound < .max { wrong = [valid.upperBound + 1, .max] }
        if valid.lowerBound > 1 { wrong.append(valid.lowerBound - 1) }
        guard !wrong.isEmpty else { throw .skipped("not applicable: every interval is valid") }
        let right = MeasurementInterval(seconds: valid.lowerBound).octets
        try write(right, to: handle, "Measurement Interval")
        for octets in wrong.map({ MeasurementInterval(seconds: $0).octets }) {
            let description = "a write of \(octets.hex) to Measurement Interval"
            let error = try refusal(of: .write(handle: handle, value: octets), description)
            try expect(
                error?.rawValue == MeasurementInterval.outOfRange, "Out Of Range (0x80) for \(description)",
                seen: error.map { "\($0)" } ?? "it was accepted")
        }
        try write(right, to: handle, "Measurement Interval")
    }

    fileprivate mutating func expectMeasuredPeriodically() throws(CheckExit) {
        let interval = try characteristic(.measurementInterval, of: .healthThermometer)
        let value = try characteristic(.temperatureMeasurement, of: .healthThermometer)
        if interval.properties.contains(.write) {
            let valid = try validIntervals().seconds
            let expected = MeasurementInterval(seconds: min(max(3, valid.lowerBound), valid.upperBound))
            try write(expected.octets, to: interval.valueHandle, "Measurement Interval")
        }
        let octets = try read(interval.valueHandle, "Measurement Interval")
        guard let seconds = (try? MeasurementInterval(octets: octets))?.seconds else {
            throw failure(expected: "two octets in Measurement Interval", seen: octets.hex)
        }
        guard 1...120 ~= seconds else {
            throw .skipped("not applicable: a Measurement Interval of \(seconds) s is not between 1 s and 120 s")
        }
        try subscribe(.indication, to: value)
        let received = try receivedValues(of: value.valueHandle, for: .seconds(7 * Int(seconds)))
        // Stored measurements come first, without a pause.
        let instants = received.map(\.instant.sinceStart).suffix(5)
        guard instants.count == 5 else {
            throw failure(
                expected: "at least five indications in seven intervals of \(seconds) s", seen: "\(received.count)")
        }
        for (first, second) in zip(instants, instants.dropFirst()) {
            let period = second - first
            try expect(
                abs(period.inNanoseconds - Duration.seconds(Int(seconds)).inNanoseconds) <= 500_000_000,
                "\(seconds) s between indications, within 0.5 s", seen: period.formatted)
        }
    }

    fileprivate mutating func expectStoredMeasurements() throws(CheckExit) {
        let value = try subscribeToTemperature()
        guard let last = try nextTemperature(of: value, within: .seconds(60)) else {
            throw .inconclusive("no measurement within 60 s of the subscription")
        }
        guard last.value?.timeStamp != nil else {
            throw .skipped("not applicable: measurements have no time stamp, so stored ones cannot be recognized")
        }
        try loseLink(for: .seconds(30))
        try connect()
        let back = now
        let received = try receiveTemperatures(.temperatureMeasurement, for: .seconds(10))
        let atOnce = received.filter { $0.instant.sinceStart - back.sinceStart < .seconds(5) }
        let stamps = atOnce.compactMap { $0.value?.timeStamp?.description }
        guard stamps.count > 2 else { throw .skipped("not applicable: the peripheral stores no measurements") }
        for (index, stamp) in stamps.enumerated().dropFirst() {
            try expect(
                stamps[index - 1] < stamp, "each stored measurement once, oldest first",
                seen: "\(stamp) after \(stamps[index - 1])")
        }
    }
}
