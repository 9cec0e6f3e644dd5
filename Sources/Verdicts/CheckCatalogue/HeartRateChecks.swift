import ATT
import Basics
import Bluetooth
import Characteristics
import Checks
import GATT
import Services

// Heart Rate Service 1.0.
extension Check {
    private static let hasMeasurement = Prerequisite.characteristic(.heartRateMeasurement, of: .heartRate)
    private static let hasLocation = Prerequisite.characteristic(.bodySensorLocation, of: .heartRate)
    private static let hasControlPoint = Prerequisite.characteristic(.heartRateControlPoint, of: .heartRate)

    private static let requirement = ServiceRequirement(
        .heartRate, "Heart Rate Service 1.0", ids: "HRS/SEN", area: "heart_rate",
        characteristics: [
            .init("BV-01-C", .heartRateMeasurement, .notify, "table 3.1 and section 3.1", .mandatory),
            .init("BV-02-C", .bodySensorLocation, .read, "table 3.1 and section 3.2"),
            .init("BV-03-C", .heartRateControlPoint, .write, "table 3.1 and section 3.3"),
        ],
        configurations: [.init("CON/BV-01-C", .heartRateMeasurement, .notification, "section 3.1")])

    static let heartRate =
        requirement.declarationChecks + [
            Check(
                "heart_rate/energy_needs_control_point",
                "Energy Expended is not sent without a Heart Rate Control Point to reset it",
                "Heart Rate Service 1.0, table 3.1, C.1", recording: .usual,
                if: .absence(.heartRateControlPoint, of: .heartRate), hasMeasurement
            ) { peripheral throws(CheckExit) in
                let measurements = try peripheral.receive(.heartRate, for: Recording.usualDuration)
                if let energetic = measurements.first(where: \.heartRateFlags.hasEnergy) {
                    throw peripheral.failure(
                        expected: "no Energy Expended, since there is no Heart Rate Control Point",
                        seen: energetic.heartRateText)
                }
            }
        ] + requirement.configurationChecks + measurements + control + flags + [plausibility]

    private static let measurements = [
        delivered(
            "HRS/SEN/CN/BV-01-C", .heartRate, requirement.section("3.1"), within: .seconds(10)),
        Check(
            "HRS/SEN/CN/BV-02-C", "some Heart Rate Measurements include Energy Expended",
            requirement.section("3.1.1.3"), recording: .values(for: .seconds(5)), if: hasMeasurement, hasControlPoint
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.characteristic(.heartRateMeasurement, of: .heartRate).valueHandle
            let recorded = peripheral.recording(of: [handle], for: .seconds(5))?.values(of: handle)
            var energetic = recorded?.first(where: \.heartRateFlags.hasEnergy)
            if energetic == nil {
                _ = try peripheral.firstMeasurement()
                energetic = try peripheral.next(of: handle, within: .seconds(60), where: \.heartRateFlags.hasEnergy)
            }
            try peripheral.expect(
                energetic != nil, "a measurement with Energy Expended (bit 3 of the flags) within 60 s",
                seen: peripheral.newest(of: handle))
            try peripheral.expect(
                energetic?.heartRate?.energyExpended != nil, "the field that bit 3 announces",
                seen: energetic?.heartRateText ?? "")
        },
        Check(
            "HRS/SEN/CN/BV-03-C", "RR-Intervals are in order, oldest first",
            requirement.section("3.1.1.4"), if: hasMeasurement, .control("set the heart rate")
        ) { peripheral throws(CheckExit) in try peripheral.expectIntervalsInOrder() },
        Check(
            "HRS/SEN/CN/BV-04-C", "heart rates above 255 use the uint16 format",
            "Heart Rate Service 1.0, sections 3.1.1.1.1 and 3.1.1.2", recording: .values(for: .seconds(5)),
            if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            if try peripheral.hasHighRate() { return }
            try peripheral.require(.control("set the heart rate"))
            let (handle, _) = try peripheral.firstMeasurement()
            try peripheral.setValue(of: .heartRate, to: 300, "set the heart rate")
            let wide = try peripheral.next(of: handle, within: .seconds(10)) {
                $0.heartRateFlags.isTwoOctets && $0.heartRate?.bpm == 300
            }
            try peripheral.expect(
                wide != nil, "a measurement of 300 bpm in two octets, with bit 0 of the flags set, within 10 s",
                seen: peripheral.newest(of: handle))
        },
        Check(
            "HRS/SEN/CN/BV-05-C", "the sensor contact flags follow the skin contact",
            requirement.section("3.1.1.1.2"), if: hasMeasurement, .control("change the skin contact")
        ) { peripheral throws(CheckExit) in try peripheral.expectContactFollows() },
    ]

    private static let control = [
        Check(
            "HRS/SEN/CR/BV-01-C", "Body Sensor Location can be read and has a defined value",
            requirement.section("3.2"), if: hasLocation
        ) { peripheral throws(CheckExit) in
            let octets = try peripheral.read(.bodySensorLocation, of: .heartRate)
            try peripheral.expect(
                octets.count == 1 && octets[0] < UInt8(BodySensorLocation.names.count),
                "one octet from 00 to 06", seen: octets.text)
        },
        Check(
            "HRS/SEN/CW/BV-01-C", "writing 01 to Heart Rate Control Point resets Energy Expended",
            requirement.section("3.3"), if: hasControlPoint, hasMeasurement
        ) { peripheral throws(CheckExit) in try peripheral.expectReset() },
        Check(
            "HRS/SEN/CW/BI-01-C", "Heart Rate Control Point rejects reserved values with 0x80",
            "Heart Rate Service 1.0, sections 1.6 and 3.3.1", if: hasControlPoint
        ) { peripheral throws(CheckExit) in
            try peripheral.expectRefused([[0x00], [0x02], [0xFF]], "controlPointNotSupported (0x80)") {
                $0.rawValue == HeartRateControlPoint.controlPointNotSupported
            }
        },
        Check(
            "heart_rate/control_point_length", "Heart Rate Control Point rejects a value that is too long",
            "Core 6.0, Vol 3, Part F, section 3.4.5.1; Heart Rate Service 1.0, section 1.6", if: hasControlPoint
        ) { peripheral throws(CheckExit) in
            let expected = "\(ATTError.invalidAttributeValueLength), or controlPointNotSupported (0x80)"
            try peripheral.expectRefused([[0x01, 0x01]], expected, isPrompt: true) {
                $0 == .invalidAttributeValueLength || $0.rawValue == HeartRateControlPoint.controlPointNotSupported
            }
        },
    ]

    /// Checks that the SIG's test cases do not cover.
    private static let flags = [
        each(
            .heartRate, for: Recording.usualDuration, "heart_rate/flags_explain_octets",
            "each measurement has exactly the fields that its flags announce",
            requirement.section("3.1.1"), expected: \.heartRateFormatError),
        Check(
            "heart_rate/contact_support_is_static",
            "the Sensor Contact Supported flag does not change during a connection",
            requirement.section("3.1.1.1.2"), recording: .usual, if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            for measurements in try peripheral.receiveParts(.heartRate, for: Recording.usualDuration) {
                let first = measurements[0].heartRateFlags.supportsContact
                guard let other = measurements.first(where: { $0.heartRateFlags.supportsContact != first }) else {
                    continue
                }
                throw peripheral.failure(
                    expected: "bit 2 of the flags stays \(first ? 1 : 0), as in \(measurements[0].heartRateText)",
                    seen: other.heartRateText)
            }
        },
        Check(
            "heart_rate/two_octet_edge", "heart rates around 255 and 256 are encoded correctly",
            requirement.section("3.1.1.2"), if: hasMeasurement, .control("set the heart rate")
        ) { peripheral throws(CheckExit) in
            let (handle, _) = try peripheral.firstMeasurement()
            for bpm: UInt16 in [254, 255, 256, 257, 511, 512, 255, 72] {
                try peripheral.setValue(of: .heartRate, to: Double(bpm), "set the heart rate")
                let right = try peripheral.next(of: handle, within: .seconds(10)) { $0.heartRate?.bpm == bpm }
                try peripheral.expect(
                    right != nil, "a measurement of \(bpm) bpm within 10 s", seen: peripheral.newest(of: handle))
            }
        },
        each(
            .heartRate, for: .seconds(10), "heart_rate/one_octet_up_to_255",
            "heart rates up to 255 use the uint8 format", requirement.section("3.1.1.2"), weight: .recommended
        ) { measurement in
            guard measurement.heartRateFlags.isTwoOctets, let bpm = measurement.heartRate?.bpm, bpm <= 255 else {
                return nil
            }
            return "\(bpm) bpm in one octet"
        },
        Check(
            "heart_rate/location_is_static", "Body Sensor Location does not change during a connection",
            requirement.section("3.2"), recording: .reads(.bodySensorLocation, of: .heartRate, for: .seconds(10)),
            if: hasLocation
        ) { peripheral throws(CheckExit) in
            let (first, last) = try peripheral.readTwice(.bodySensorLocation, of: .heartRate)
            try peripheral.expect(last == first, "\(first.text), as at least 10 s earlier", seen: last.text)
        },
    ]
}

extension SubscribableValue {
    static let heartRate = Self(.heartRateMeasurement, of: .heartRate, text: \.heartRateText)
}

/// The flags of a Heart Rate Measurement.  Heart Rate Service 1.0, section 3.1.1.1.
private struct HeartRateFlags {
    let octet: UInt8

    var isTwoOctets: Bool { octet & 0x01 != 0 }
    var hasContactStatus: Bool { octet & 0x02 != 0 }
    var supportsContact: Bool { octet & 0x04 != 0 }
    var hasEnergy: Bool { octet & 0x08 != 0 }
    var hasIntervals: Bool { octet & 0x10 != 0 }
    var reserved: UInt8 { octet & 0xE0 }
    /// The octets of all announced fields other than RR-Intervals.
    var length: Int { 1 + (isTwoOctets ? 2 : 1) + (hasEnergy ? 2 : 0) }
}

extension Examiner.ReceivedValue {
    /// Nil if the octets are too short for the flags.
    var heartRate: HeartRateMeasurement? { try? HeartRateMeasurement(octets: octets) }

    fileprivate var heartRateFlags: HeartRateFlags { HeartRateFlags(octet: octets.first ?? 0) }

    /// `16 48 (72 bpm) at 3.250000 s`
    var heartRateText: String {
        "\(octets.text)\(heartRate.map { " (\($0.bpm) bpm)" } ?? " (too short for its flags)") at \(instant) s"
    }

    /// The well-formed alternative to a malformed measurement; nil if well-formed.
    fileprivate var heartRateFormatError: String? {
        let flags = heartRateFlags
        if octets.isEmpty { return "flags" }
        if flags.reserved != 0 { return "flags with bits 5 to 7 set to 0" }
        let rest = octets.count - flags.length
        if rest < 0 { return "all fields that the flags announce" }
        if flags.hasIntervals { return rest >= 2 && rest % 2 == 0 ? nil : "at least one whole RR-Interval" }
        return rest == 0 ? nil : "no octets after the fields that the flags announce"
    }
}

extension Examiner {
    /// Whether one of the next measurements of a real peripheral is above 255 bpm; fails if no heart is as fast.
    fileprivate mutating func hasHighRate() throws(CheckExit) -> Bool {
        guard scenarioValue(of: .heartRate) == nil else { return false }
        let high = try receive(.heartRate, for: .seconds(5)).filter { $0.heartRate.map { $0.bpm > 255 } ?? false }
        for value in high { try expectPossibleRate(value) }
        return !high.isEmpty
    }

    /// The value of a characteristic twice, at least 10 s apart, in one connection.
    fileprivate mutating func readTwice(
        _ uuid: UUID, of service: UUID
    ) throws(CheckExit) -> (first: [UInt8], last: [UInt8]) {
        let handle = try characteristic(uuid, of: service).valueHandle
        if let first = recording?.firstReads[handle], let last = recording?.lastReads[handle] { return (first, last) }
        let first = try read(handle, uuid.name)
        wait(.seconds(10))
        return (first, try read(handle, uuid.name))
    }

    /// Subscribes to the heart rate and waits for the first measurement; inconclusive if there is none.
    mutating func firstMeasurement() throws(CheckExit) -> (handle: UInt16, first: ReceivedValue) {
        let handle = try subscribe(to: .heartRate).valueHandle
        guard let first = try next(of: handle, within: .seconds(10)) else {
            throw .inconclusive("no measurement within 10 s of the subscription")
        }
        return (handle, first)
    }

    /// Describes the latest measurement, for a fail.
    fileprivate func newest(of handle: UInt16) -> String {
        latest(of: handle).map { "the latest is \($0.heartRateText)" } ?? "no measurement"
    }

    fileprivate mutating func expectContactFollows() throws(CheckExit) {
        let (handle, first) = try firstMeasurement()
        guard first.heartRateFlags.supportsContact else {
            throw .skipped("not applicable: the Sensor Contact Supported flag (bit 2) is 0")
        }
        for isThere in [false, true] {
            let description = isThere ? "put on" : "taken off"
            try setValue(named: "contact", of: .heartRate, to: isThere ? 1 : 0, "change the skin contact")
            let follows = try next(of: handle, within: .seconds(10)) {
                $0.heartRateFlags.hasContactStatus == isThere && $0.heartRateFlags.supportsContact
            }
            try expect(
                follows != nil,
                "bits 2 and 1 of the flags are \(isThere ? "11" : "10") within 10 s of the sensor being \(description)",
                seen: newest(of: handle))
        }
    }

    /// When the heart rate rises, a measurement with long and short intervals must start with the long ones.
    fileprivate mutating func expectIntervalsInOrder() throws(CheckExit) {
        let (handle, _) = try firstMeasurement()
        guard try next(of: handle, within: .seconds(10), where: \.heartRateFlags.hasIntervals) != nil else {
            throw .skipped("not applicable: no measurement within 10 s has RR-Intervals (bit 4 of the flags)")
        }
        for attempt in 0..<8 {
            try setValue(of: .heartRate, to: 50, "set the heart rate")
            wait(.milliseconds(4000 + 130 * attempt))
            try setValue(of: .heartRate, to: 180, "set the heart rate")
            let mixed = try next(of: handle, within: .seconds(12)) { measurement in
                guard let intervals = measurement.heartRate?.rrIntervals else { return false }
                return intervals.contains { $0 > Self.slow } && intervals.contains { $0 < Self.fast }
            }
            guard let mixed, let intervals = mixed.heartRate?.rrIntervals else { continue }
            let firstFast = intervals.firstIndex { $0 < Self.fast } ?? 0
            try expect(
                !intervals[firstFast...].contains { $0 > Self.slow },
                "the long intervals of the slow heart rate before the short ones of the fast heart rate",
                seen: mixed.heartRateText)
            return
        }
        throw .inconclusive("no measurement spanned a change of the heart rate")
    }

    /// In 1/1024 s: an interval is 1229 at 50 bpm, and 341 at 180 bpm.
    private static let (slow, fast): (UInt16, UInt16) = (900, 500)

    private static let reset = HeartRateControlPoint.resetEnergyExpended.octets

    /// Fails unless the control point rejects these values, written between two valid ones.
    fileprivate mutating func expectRefused(
        _ values: [[UInt8]], _ expected: String, isPrompt: Bool = false, by isRight: (ATTError) -> Bool
    ) throws(CheckExit) {
        let handle = try characteristic(.heartRateControlPoint, of: .heartRate).valueHandle
        try validWrite(to: handle, "before")
        for octets in values {
            try expectRefused(
                octets, to: handle, "Heart Rate Control Point", expected, isPrompt: isPrompt, by: isRight)
        }
        try validWrite(to: handle, "after")
    }

    private mutating func validWrite(to handle: UInt16, _ when: String) throws(CheckExit) {
        let description = "a write of 01 to Heart Rate Control Point"
        guard let error = try refusedSecurely(.write(handle: handle, value: Self.reset), description) else { return }
        try skipIfUnpaired(error, "Heart Rate Control Point")
        throw .inconclusive("\(description), which is valid, was refused \(when) the invalid ones: \(error)")
    }

    fileprivate mutating func expectReset() throws(CheckExit) {
        let controlPoint = try characteristic(.heartRateControlPoint, of: .heartRate).valueHandle
        let (handle, _) = try firstMeasurement()
        let isSimulated = scenarioValue(named: "energy_kj", of: .heartRate) != nil
        if isSimulated { try setValue(named: "energy_kj", of: .heartRate, to: 500, "set Energy Expended") }
        // After a reset a low energy shows only if it falls; otherwise a higher one decides.
        for minimum in isSimulated ? [Self.maximumAfterReset] : [0, Self.maximumAfterReset] {
            let energetic = try next(of: handle, within: .seconds(60)) {
                ($0.heartRate?.energyExpended ?? 0) > minimum
            }
            guard let before = energetic?.heartRate?.energyExpended else {
                throw .inconclusive("Energy Expended did not exceed \(minimum) kJ within 60 s")
            }
            try write(Self.reset, to: controlPoint, "Heart Rate Control Point")
            guard let next = try next(of: handle, within: .seconds(60), where: \.heartRateFlags.hasEnergy) else {
                throw failure(
                    expected: "a measurement with Energy Expended within 60 s of the reset", seen: newest(of: handle))
            }
            let after = next.heartRate?.energyExpended ?? before
            try expect(
                after <= Self.maximumAfterReset,
                "Energy Expended restarts from 0 kJ; it was \(before) kJ", seen: next.heartRateText)
            if after < before { return }
        }
    }

    /// In kJ: more than a person expends between two measurements.
    private static let maximumAfterReset: UInt16 = 5
}
