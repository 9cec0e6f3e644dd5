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
                energetic = try peripheral.next(
                    of: handle, within: peripheral.energyTime, where: \.heartRateFlags.hasEnergy)
            }
            try peripheral.expect(
                energetic != nil,
                "a measurement with Energy Expended (bit 3 of the flags) within \(peripheral.energyTime.formatted)",
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
            "HRS/SEN/CN/BV-04-C", "heart rates above 255, if the sensor has them, use the uint16 format",
            "Heart Rate Service 1.0, sections 3.1.1.1.1 and 3.1.1.2", recording: .values(for: .seconds(5)),
            if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            if try peripheral.hasHighRate() { return }
            try peripheral.require(.control("set the heart rate"))
            let (handle, _) = try peripheral.firstMeasurement()
            try peripheral.expectRate(300, handle, " in two octets, with bit 0 of the flags set,") {
                $0.heartRateFlags.isTwoOctets
            }
        },
        Check(
            "HRS/SEN/CN/BV-05-C", "the sensor contact flags follow the skin contact",
            requirement.section("3.1.1.1.2"), if: hasMeasurement, .control("change the skin contact")
        ) { peripheral throws(CheckExit) in try peripheral.expectContactFollows() },
    ]

    private static let control = [
        requirement.valueCheck(
            "HRS/SEN/CR/BV-01-C", "Body Sensor Location can be read and has a defined value", .bodySensorLocation,
            "3.2", "one octet from 00 to 06"
        ) { $0.count == 1 && $0[0] < UInt8(BodySensorLocation.names.count) },
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
                try peripheral.expectRate(bpm, handle)
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
            if: .characteristic(.bodySensorLocation, of: .heartRate)
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
        guard let first = try next(of: handle, within: rateTime) else {
            throw .inconclusive("no measurement within \(rateTime.formatted) of the subscription")
        }
        return (handle, first)
    }

    /// How long to wait for a measurement.
    private var rateTime: Duration { patience(.seconds(10), of: .heartRate) }

    /// How long to wait for a measurement with Energy Expended, which is in every tenth at least.  Heart Rate Service 1.0,
    /// section 3.1.1.3.
    fileprivate var energyTime: Duration { patience(.seconds(60), for: 12, of: .heartRate) }

    /// Sets a heart rate; fails unless a measurement has it.  Skips the check for a rate above 255 if the sensor never sends two
    /// octets: the format is its choice, so that its heart rates may end at 255.  Heart Rate Service 1.0, section 3.1.1.1.1.
    fileprivate mutating func expectRate(
        _ bpm: UInt16, _ handle: UInt16, _ form: String = "", where isRight: (ReceivedValue) -> Bool = { _ in true }
    ) throws(CheckExit) {
        try setValue(of: .heartRate, to: Double(bpm), "set the heart rate")
        let right = try next(of: handle, within: rateTime) { $0.heartRate?.bpm == bpm && isRight($0) }
        guard right == nil else { return }
        let seen = newest(of: handle)
        if bpm > 255, try endsAt255(handle) {
            throw .notApplicable("the sensor sends one octet, so that its heart rates end at 255 bpm")
        }
        throw failure(expected: "a measurement of \(bpm) bpm\(form) within \(rateTime.formatted)", seen: seen)
    }

    /// Whether the sensor sends 255 bpm in one octet for rates above it, here and for a much higher one.
    private mutating func endsAt255(_ handle: UInt16) throws(CheckExit) -> Bool {
        func isHighest(_ value: ReceivedValue) -> Bool {
            value.heartRate?.bpm == 255 && !value.heartRateFlags.isTwoOctets
        }
        guard latest(of: handle).map(isHighest) == true else { return false }
        try setValue(of: .heartRate, to: 1000, "set the heart rate")
        return try next(of: handle, within: rateTime) { !isHighest($0) } == nil
    }

    /// Describes the latest measurement, for a fail.
    fileprivate func newest(of handle: UInt16) -> String {
        latest(of: handle).map { "the latest is \($0.heartRateText)" } ?? "no measurement"
    }

    fileprivate mutating func expectContactFollows() throws(CheckExit) {
        let (handle, first) = try firstMeasurement()
        guard first.heartRateFlags.supportsContact else {
            throw .notApplicable("the Sensor Contact Supported flag (bit 2) is 0")
        }
        for isThere in [false, true] {
            let description = isThere ? "put on" : "taken off"
            try setValue(named: "contact", of: .heartRate, to: isThere ? 1 : 0, "change the skin contact")
            let follows = try next(of: handle, within: rateTime) {
                $0.heartRateFlags.hasContactStatus == isThere && $0.heartRateFlags.supportsContact
            }
            try expect(
                follows != nil,
                "bits 2 and 1 of the flags are \(isThere ? "11" : "10") within \(rateTime.formatted) of the sensor being "
                    + description,
                seen: newest(of: handle))
        }
    }

    /// When the heart rate rises, a measurement with long and short intervals must start with the long ones.
    fileprivate mutating func expectIntervalsInOrder() throws(CheckExit) {
        let (handle, _) = try firstMeasurement()
        guard try next(of: handle, within: rateTime, where: \.heartRateFlags.hasIntervals) != nil else {
            throw .notApplicable("no measurement within \(rateTime.formatted) has RR-Intervals (bit 4 of the flags)")
        }
        for attempt in 0..<Self.rises {
            try setValue(of: .heartRate, to: 50, "set the heart rate")
            // A sensor may send the intervals of an earlier heart rate late: until then, short ones may precede long ones.
            let late = patience(.seconds(30), for: 10, of: .heartRate)
            guard try next(of: handle, within: late, where: \.hasOnlyLongIntervals) != nil else { break }
            wait(.milliseconds(130 * attempt))
            try setValue(of: .heartRate, to: 180, "set the heart rate")
            let time = patience(.seconds(12), of: .heartRate)
            if let mixed = try next(of: handle, within: time, where: \.hasLongAndShortIntervals) {
                return try expect(
                    !mixed.hasLongAfterShortInterval,
                    "the long intervals of the slow heart rate before the short ones of the fast heart rate",
                    seen: mixed.heartRateText)
            }
            guard receivedValues.contains(where: { $0.handle == handle && $0.heartRate?.rrIntervals.count ?? 0 > 1 })
            else { throw .notApplicable("no measurement has more than one RR-Interval") }
        }
        throw .notApplicable("no measurement has intervals from before and after a change of the heart rate")
    }

    /// How often the heart rate rises until a measurement spans that.
    private static let rises = 16

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
        // After a reset, a low energy shows only if it falls.  If it did not, a later reset begins with twice as much.
        var least: UInt16 = isSimulated ? 400 : 1
        for _ in 1...2 {
            let energetic = try next(of: handle, within: energyTime) { $0.heartRate?.energyExpended ?? 0 >= least }
            guard let before = energetic?.heartRate?.energyExpended else {
                throw .inconclusive("Energy Expended did not reach \(least) kJ within \(energyTime.formatted)")
            }
            let begin = now
            try write(Self.reset, to: controlPoint, "Heart Rate Control Point")
            guard let next = try next(of: handle, within: energyTime, where: \.heartRateFlags.hasEnergy) else {
                throw failure(
                    expected: "a measurement with Energy Expended within \(energyTime.formatted) of the reset",
                    seen: newest(of: handle))
            }
            let after = next.heartRate?.energyExpended ?? before
            if after < before { return }
            try expect(
                after <= Self.mostExpended(within: begin.duration(to: next.instant)),
                "Energy Expended restarts from 0 kJ; it was \(before) kJ", seen: next.heartRateText)
            least = UInt16(clamping: 2 * Int(after) + 2)
        }
        throw .inconclusive("Energy Expended is too low to tell whether it was reset")
    }

    /// In kJ: more than a person expends in some time, and in 2 s of transmission.  A sprinter expends 3 kJ/s.
    private static func mostExpended(within time: Duration) -> UInt16 {
        UInt16(clamping: (time + .seconds(2)).inNanoseconds * 3 / 1_000_000_000)
    }
}

// RR-Intervals of a heart rate that rises from 50 to 180 bpm, in 1/1024 s: from 1229 to 341.
extension Examiner.ReceivedValue {
    private var intervals: [UInt16] { heartRate?.rrIntervals ?? [] }

    private static func isLong(_ interval: UInt16) -> Bool { interval > 900 }
    private static func isShort(_ interval: UInt16) -> Bool { interval < 500 }

    fileprivate var hasOnlyLongIntervals: Bool { !intervals.isEmpty && intervals.allSatisfy(Self.isLong) }

    fileprivate var hasLongAndShortIntervals: Bool {
        intervals.contains(where: Self.isLong) && intervals.contains(where: Self.isShort)
    }

    fileprivate var hasLongAfterShortInterval: Bool {
        intervals.drop { !Self.isShort($0) }.contains(where: Self.isLong)
    }
}
