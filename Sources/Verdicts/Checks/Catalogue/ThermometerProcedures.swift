import ATT
import Bluetooth
import Characteristics
import GATT
import Scenarios
import Services
import Simulation

// How often a thermometer measures, and what becomes of it while nobody listens.  Health Thermometer Service 1.0,
// sections 3.1 and 3.4.
extension Check {
    private static let timed = Claim.characteristic(.measurementInterval, of: .healthThermometer)

    static let thermometerProcedures = [
        Check(
            "HTS/SEN/CW/BV-02-C", "2A21 takes each interval that 2906 calls valid, and keeps it",
            "Health Thermometer Service 1.0, section 3.4", if: timed
        ) { peripheral throws(CheckExit) in
            let range = try peripheral.validIntervals()
            let handle = try peripheral.characteristic(.measurementInterval, of: .healthThermometer).valueHandle
            for seconds in [range.seconds.lowerBound, range.seconds.upperBound] {
                let octets = MeasurementInterval(seconds: seconds).octets
                try peripheral.write(octets, to: handle, "2A21")
                let kept = try peripheral.read(handle, "2A21")
                try peripheral.expect(kept == octets, "2A21 is \(octets.hex) as it was written", seen: kept.hex)
            }
        },
        Check(
            "HTS/SEN/SP/BI-01-C", "2A21 refuses what 2906 does not call valid with 0x80",
            "Health Thermometer Service 1.0, sections 1.6 and 3.4", if: timed
        ) { peripheral throws(CheckExit) in try peripheral.expectIntervalRefused() },
        Check(
            "HTS/SEN/CI/BV-02-C", "2A21 is indicated when it changes", "Health Thermometer Service 1.0, section 3.4",
            if: .indicated(.measurementInterval, of: .healthThermometer)
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.characteristic(.measurementInterval, of: .healthThermometer)
            let before = try peripheral.read(value.valueHandle, "2A21")
            let other: UInt16 = before == MeasurementInterval(seconds: 7).octets ? 8 : 7
            try peripheral.subscribe(.indication, to: value)
            try peripheral.provoke(named: "interval", of: .healthThermometer, to: Double(other), "set the interval")
            let told = try peripheral.next(of: value.valueHandle, within: .seconds(30))
            let wanted = MeasurementInterval(seconds: other).octets
            try peripheral.expect(
                told?.octets == wanted, "an indication of \(wanted.hex) within 30 s of the interval being \(other) s",
                seen: told?.octets.hex ?? "none")
        },
        Check(
            "HTS/SEN/SP/BV-01-C", "2A1C is indicated as often as 2A21 says",
            "Health Thermometer Service 1.0, section 3.4", if: timed
        ) { peripheral throws(CheckExit) in try peripheral.expectMeasuredPeriodically() },
        Check(
            "HTS/SEN/SP/BV-02-C", "what was measured while no client was there is told to the next, the oldest first",
            "Health Thermometer Service 1.0, section 3.1",
            if: .characteristic(.temperatureMeasurement, of: .healthThermometer)
        ) { peripheral throws(CheckExit) in try peripheral.expectStored() },
    ]
}

extension Examiner {
    fileprivate mutating func expectIntervalRefused() throws(CheckExit) {
        let valid = try validIntervals().seconds
        let handle = try characteristic(.measurementInterval, of: .healthThermometer).valueHandle
        // 0 is no interval, but the wish for none, and may be allowed beside the range.
        var wrong: [UInt16] = []
        if valid.upperBound < .max { wrong = [valid.upperBound + 1, .max] }
        if valid.lowerBound > 1 { wrong.append(valid.lowerBound - 1) }
        guard !wrong.isEmpty else { throw .skipped("not claimed: every interval is valid") }
        let right = MeasurementInterval(seconds: valid.lowerBound).octets
        try write(right, to: handle, "2A21")
        for octets in wrong.map({ MeasurementInterval(seconds: $0).octets }) {
            let words = "a write of \(octets.hex) to 2A21"
            let error = try refusal(of: .write(handle: handle, value: octets), words)
            try expect(
                error?.rawValue == MeasurementInterval.outOfRange, "\(words) is refused with outOfRange (0x80)",
                seen: error.map { "\($0)" } ?? "it was accepted")
        }
        try write(right, to: handle, "2A21")
    }

    fileprivate mutating func expectMeasuredPeriodically() throws(CheckExit) {
        let interval = try characteristic(.measurementInterval, of: .healthThermometer)
        let value = try characteristic(.temperatureMeasurement, of: .healthThermometer)
        if interval.properties.contains(.write) {
            let valid = try validIntervals().seconds
            let wanted = MeasurementInterval(seconds: min(max(3, valid.lowerBound), valid.upperBound))
            try write(wanted.octets, to: interval.valueHandle, "2A21")
        }
        let octets = try read(interval.valueHandle, "2A21")
        guard let seconds = (try? MeasurementInterval(octets: octets))?.seconds else {
            throw failure(expected: "2A21 has two octets", seen: octets.hex)
        }
        guard 1...120 ~= seconds else { throw .skipped("not asked: one measurement in \(seconds) s takes too long") }
        try subscribe(.indication, to: value)
        let heard = try notices(of: value.valueHandle, for: .seconds(7 * Int(seconds)))
        // What was stored comes first, one behind the other.
        let instants = heard.map(\.instant.sinceStart).suffix(5)
        guard instants.count == 5 else {
            throw failure(
                expected: "five indications or more in seven intervals of \(seconds) s", seen: "\(heard.count) of them")
        }
        for (first, second) in zip(instants, instants.dropFirst()) {
            let period = second - first
            try expect(
                abs(period.inNanoseconds - Duration.seconds(Int(seconds)).inNanoseconds) <= 500_000_000,
                "\(seconds) s from indication to indication, and half a second more or less", seen: period.inWords)
        }
    }

    fileprivate mutating func expectStored() throws(CheckExit) {
        let value = try subscribeToTemperature()
        guard let last = try nextTemperature(of: value, within: .seconds(60)) else {
            throw .inconclusive("no measurement came within 60 s of the subscription")
        }
        guard last.value?.timeStamp != nil else {
            throw .skipped("not claimed: a measurement without a time stamp cannot be told from a new one")
        }
        try loseLink(for: .seconds(30))
        try connect()
        let back = now
        let heard = try listenToTemperature(.temperatureMeasurement, for: .seconds(10))
        let atOnce = heard.filter { $0.instant.sinceStart - back.sinceStart < .seconds(5) }
        let stamps = atOnce.compactMap { $0.value?.timeStamp?.description }
        guard stamps.count > 2 else { throw .skipped("not claimed: it keeps no measurements") }
        for (index, stamp) in stamps.enumerated().dropFirst() {
            try expect(
                stamps[index - 1] < stamp, "stored measurements are told once each, the oldest first",
                seen: "\(stamp) after \(stamps[index - 1])")
        }
    }
}
