import Bluetooth
import Characteristics
import GATT
import LEHost
import Scenarios
import Services
import Simulation

// What a Heart Rate Measurement says.  Heart Rate Service 1.0, section 3.1.
extension Check {
    private static let measured = Claim.characteristic(.heartRateMeasurement, of: .heartRate)

    static let heartRateValues = [
        Check(
            "HRS/SEN/CON/BV-01-C", "the configuration of 2A37 can be written and read",
            "Heart Rate Service 1.0, section 3.1; Core 6.0, Vol 3, Part G, section 3.3.3.3", if: measured
        ) { peripheral throws(CheckExit) in try peripheral.expectConfigurable(.heartRateMeasurement, of: .heartRate) },
        Check(
            "HRS/SEN/CN/BV-01-C", "2A37 is notified while a client wants it, and not after",
            "Heart Rate Service 1.0, section 3.1", if: measured
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.subscribeToHeart()
            let first = try peripheral.nextMeasurement(of: value, within: .seconds(10))
            try peripheral.expect(first != nil, "a notification within 10 s of the subscription", seen: "none")
            try peripheral.need(.unwantedValues)
            try peripheral.subscribe([], to: value)
            peripheral.wait(.seconds(1))  // what was under way
            let late = try peripheral.notices(of: value.valueHandle, for: .seconds(5)).first
            try peripheral.expect(
                late == nil, "no notification once the configuration is 0x0000",
                seen: late.map { HeardMeasurement($0).words } ?? "")
        },
        Check(
            "HRS/SEN/CN/BV-02-C", "2A37 carries Energy Expended from time to time",
            "Heart Rate Service 1.0, section 3.1.1.3", if: measured,
            .characteristic(.heartRateControlPoint, of: .heartRate)
        ) { peripheral throws(CheckExit) in
            let (value, _) = try peripheral.firstMeasurement()
            let energetic = try peripheral.nextMeasurement(of: value, within: .seconds(60)) { $0.form.hasEnergy }
            try peripheral.expect(
                energetic != nil, "a measurement with Energy Expended (bit 3 of the flags) within 60 s",
                seen: peripheral.newest(of: value))
            try peripheral.expect(
                energetic?.value?.energyExpended != nil, "the field that bit 3 promises", seen: energetic?.words ?? "")
        },
        Check(
            "HRS/SEN/CN/BV-03-C", "RR-Intervals stand with the oldest first",
            "Heart Rate Service 1.0, section 3.1.1.4", if: measured
        ) { peripheral throws(CheckExit) in try peripheral.expectIntervalsInOrder() },
        Check(
            "HRS/SEN/CN/BV-04-C", "a heart rate above 255 takes two octets",
            "Heart Rate Service 1.0, sections 3.1.1.1.1 and 3.1.1.2", if: measured
        ) { peripheral throws(CheckExit) in
            let (value, _) = try peripheral.firstMeasurement()
            try peripheral.provoke(of: .heartRate, to: 300, "set the heart rate")
            let wide = try peripheral.nextMeasurement(of: value, within: .seconds(10)) {
                $0.form.isTwoOctets && $0.value?.bpm == 300
            }
            try peripheral.expect(
                wide != nil, "a measurement of 300 bpm in two octets, with bit 0 of the flags set, within 10 s",
                seen: peripheral.newest(of: value))
        },
        Check(
            "HRS/SEN/CN/BV-05-C", "the flags follow the contact with the skin",
            "Heart Rate Service 1.0, section 3.1.1.1.2", if: measured
        ) { peripheral throws(CheckExit) in try peripheral.expectContactFollows() },
    ]
}

extension Examiner {
    /// Fails unless a characteristic's configuration takes what is offered, keeps it, and takes 0.
    mutating func expectConfigurable(
        _ uuid: UUID, of service: UUID, as configuration: ClientConfiguration = .notification
    ) throws(CheckExit) {
        let value = try characteristic(uuid, of: service)
        try subscribe(configuration, to: value)
        guard let handle = value.configurationHandle else { return }
        let octets = try read(handle, "the configuration of \(uuid)")
        let written = [UInt8(truncatingIfNeeded: configuration.rawValue), 0]
        try expect(
            octets == written, "the configuration of \(uuid) is \(written.hex) as it was written", seen: octets.hex)
        try subscribe([], to: value)
    }

    fileprivate mutating func expectContactFollows() throws(CheckExit) {
        let (value, first) = try firstMeasurement()
        guard first.form.supportsContact else { throw .skipped("not claimed: bit 2 of the flags is 0") }
        for isThere in [false, true] {
            let words = isThere ? "put on" : "taken off"
            try provoke(named: "contact", of: .heartRate, to: isThere ? 1 : 0, "change the contact")
            let follows = try nextMeasurement(of: value, within: .seconds(10)) {
                $0.form.hasContactStatus == isThere && $0.form.supportsContact
            }
            try expect(
                follows != nil,
                "bits 2 and 1 of the flags are \(isThere ? "11" : "10") within 10 s of the sensor being \(words)",
                seen: newest(of: value))
        }
    }

    /// A heart that changes from slow to fast has long intervals first, in any measurement that has both.
    fileprivate mutating func expectIntervalsInOrder() throws(CheckExit) {
        let (value, _) = try firstMeasurement()
        guard try nextMeasurement(of: value, within: .seconds(10), where: \.form.hasIntervals) != nil else {
            throw .skipped("not claimed: no measurement of 10 s has RR-Intervals (bit 4 of the flags)")
        }
        for attempt in 0..<8 {
            try provoke(of: .heartRate, to: 50, "set the heart rate")
            wait(.milliseconds(4000 + 130 * attempt))
            try provoke(of: .heartRate, to: 180, "set the heart rate")
            let mixed = try nextMeasurement(of: value, within: .seconds(12)) { measurement in
                guard let intervals = measurement.value?.rrIntervals else { return false }
                return intervals.contains { $0 > Self.slow } && intervals.contains { $0 < Self.fast }
            }
            guard let mixed, let intervals = mixed.value?.rrIntervals else { continue }
            let firstFast = intervals.firstIndex { $0 < Self.fast } ?? 0
            try expect(
                !intervals[firstFast...].contains { $0 > Self.slow },
                "the long intervals of the slow heart before the short ones of the fast heart", seen: mixed.words)
            return
        }
        throw .inconclusive("no measurement had intervals from before and after a change of the heart rate")
    }

    /// At 50 bpm an interval has 1229 of 1/1024 s, at 180 bpm 341.
    private static let (slow, fast): (UInt16, UInt16) = (900, 500)
}
