import ATT
import Basics
import Bluetooth
import Characteristics
import Checks
import GATT
import Services

// Health Thermometer Service 1.0.
extension Check {
    private static let hasMeasurement = Prerequisite.characteristic(.temperatureMeasurement, of: .healthThermometer)
    private static let hasType = Prerequisite.characteristic(.temperatureType, of: .healthThermometer)
    private static let hasInterval = Prerequisite.characteristic(.measurementInterval, of: .healthThermometer)
    private static let indicatesInterval = Prerequisite.characteristic(
        .measurementInterval, of: .healthThermometer, with: .indicate)

    private static let requirement = ServiceRequirement(
        .healthThermometer, "Health Thermometer Service 1.0", ids: "HTS/SEN", area: "thermometer",
        characteristics: [
            .init("BV-01-C", .temperatureMeasurement, .indicate, "table 3.1 and section 3.1", .mandatory),
            .init("BV-02-C", .temperatureType, .read, "table 3.1 and section 3.2"),
            .init("BV-03-C", .intermediateTemperature, .notify, "table 3.1 and section 3.3"),
        ]
            + [
                ("BV-04-C", .read), ("BV-05-C", [.read, .write]), ("BV-06-C", [.read, .indicate]),
                ("BV-07-C", [.read, .write, .indicate]),
            ].map { number, properties in
                .init(
                    number, .measurementInterval, properties, "table 3.1 and section 3.4",
                    .variant(of: [.write, .indicate]))
            },
        configurations: [
            .init(
                "CIN/BV-01-C", .temperatureMeasurement, .indication, "section 3.1",
                if: .characteristic(.temperatureMeasurement, of: .healthThermometer, with: .indicate)),
            .init("CIN/BV-02-C", .intermediateTemperature, .notification, "section 3.3"),
            .init("CIN/BV-03-C", .measurementInterval, .indication, "section 3.4", if: indicatesInterval),
        ])

    static let thermometer =
        requirement.declarationChecks + [
            Check(
                "HTS/SEN/SGGIT/DES/BV-01-C", "a writable Measurement Interval has a Valid Range",
                "Health Thermometer Service 1.0, sections 3.4 and 3.4.2", if: hasInterval
            ) { peripheral throws(CheckExit) in _ = try peripheral.validIntervals() },
            requirement.valueCheck(
                "thermometer/type_names_a_place", "Temperature Type can be read and has a defined value",
                .temperatureType, "3.2", "one octet from 01 to 09"
            ) { $0.count == 1 && TemperatureType($0[0]).name != nil },
        ] + requirement.configurationChecks + temperaturesArePlausible + temperatures + procedures

    private static let temperatures = [
        delivered("HTS/SEN/CI/BV-01-C", .temperature, requirement.section("3.1")),
        delivered(
            "HTS/SEN/SP/BV-03-C", .intermediateTemperature, requirement.section("3.3"),
            with: .temperature),
        wellFormed("thermometer/flags_explain_octets", .temperature, "3.1.1"),
        wellFormed("thermometer/intermediate_flags_explain_octets", .intermediateTemperature, "3.3"),
        Check(
            "thermometer/type_stands_once",
            "the temperature type is in the measurement or in its own characteristic, not in both",
            "Health Thermometer Service 1.0, sections 3.1.1.4 and 3.2", recording: .values(for: .seconds(20)),
            if: hasMeasurement, hasType
        ) { peripheral throws(CheckExit) in
            let received = try peripheral.receive(.temperature, for: .seconds(20))
            let twice = received.first { $0.temperature?.type != nil }
            try peripheral.expect(
                twice == nil,
                "no temperature type in the measurement, since there is a Temperature Type characteristic",
                seen: twice?.description ?? "")
        },
        follows(
            "thermometer/follows_the_temperature", .temperature, "Temperature Measurement follows the temperature",
            requirement.section("3.1.1.2"), of: .healthThermometer, "temperature",
            to: [36.4, 41.2, -5], "°C", tolerance: 0.06  // enough for a resolution of 0.1 °C or 0.1 °F
        ) { $0.temperature?.celsius },
    ]

    private static func wellFormed(_ id: String, _ value: SubscribableValue, _ section: String) -> Check {
        each(
            value, id, "each \(value.uuid.name) has exactly the fields that its flags announce, and a valid date",
            requirement.section(section), expected: \.temperatureFormatError)
    }

    /// The measurement interval, and measurements stored without a client.
    private static let procedures = [
        Check(
            "HTS/SEN/CW/BV-02-C", "Measurement Interval accepts and keeps each interval in its Valid Range",
            requirement.section("3.4"), if: hasInterval
        ) { peripheral throws(CheckExit) in
            let range = try peripheral.validIntervals()
            let handle = try peripheral.characteristic(.measurementInterval, of: .healthThermometer).valueHandle
            try peripheral.keepingInterval { peripheral throws(CheckExit) in
                for seconds in [range.seconds.lowerBound, range.seconds.upperBound] {
                    let octets = MeasurementInterval(seconds: seconds).octets
                    try peripheral.write(octets, to: handle, "Measurement Interval")
                    let kept = try peripheral.read(handle, "Measurement Interval")
                    try peripheral.expect(
                        kept == octets, "Measurement Interval is \(octets.text), as written", seen: kept.text)
                }
            }
        },
        Check(
            "HTS/SEN/SP/BI-01-C", "Measurement Interval rejects values outside its Valid Range with 0x80",
            "Health Thermometer Service 1.0, sections 1.6 and 3.4", if: hasInterval
        ) { peripheral throws(CheckExit) in
            try peripheral.keepingInterval { peripheral throws(CheckExit) in try peripheral.expectIntervalRefused() }
        },
        Check(
            "HTS/SEN/CI/BV-02-C", "a change of Measurement Interval is indicated", requirement.section("3.4"),
            if: indicatesInterval, .control("set the measurement interval")
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
                "an indication of \(expected.text) within 30 s of the interval changing to \(other) s",
                seen: received?.octets.text ?? "none")
        },
        Check(
            "HTS/SEN/SP/BV-01-C", "Temperature Measurement is indicated once per Measurement Interval",
            requirement.section("3.4"), if: hasInterval
        ) { peripheral throws(CheckExit) in
            try peripheral.keepingInterval { peripheral throws(CheckExit) in
                try peripheral.expectMeasuredPeriodically()
            }
        },
        Check(
            "HTS/SEN/SP/BV-02-C", "stored measurements are sent to the next client, oldest first",
            requirement.section("3.1"), if: hasMeasurement
        ) { peripheral throws(CheckExit) in try peripheral.expectStoredMeasurements() },
    ]
}

extension SubscribableValue {
    static let temperature = Self(.temperatureMeasurement, of: .healthThermometer, .indication)
    static let intermediateTemperature = Self(.intermediateTemperature, of: .healthThermometer)
}

extension Examiner.ReceivedValue {
    /// Nil if the octets are too short for the flags.
    fileprivate var temperature: TemperatureMeasurement? { try? TemperatureMeasurement(octets: octets) }

    /// The well-formed alternative to a malformed value; nil if well-formed.
    fileprivate var temperatureFormatError: String? {
        guard let flags = octets.first else { return "flags" }
        guard flags & 0xF8 == 0 else { return "flags with bits 3 to 7 set to 0" }
        guard let temperature else { return "all fields that the flags announce, and a valid date and time" }
        if temperature.octets.count != octets.count { return "no octets after the fields that the flags announce" }
        if let type = temperature.type, type.name == nil { return "a Temperature Type from 01 to 09" }
        return nil
    }
}

extension Examiner {
    /// The values that clients may write to Measurement Interval; skips the check if it is not writable.
    fileprivate mutating func validIntervals() throws(CheckExit) -> MeasurementIntervalRange {
        let value = try characteristic(.measurementInterval, of: .healthThermometer)
        guard value.properties.contains(.write) else {
            throw .notApplicable("Measurement Interval is declared without Write")
        }
        guard let handle = value.descriptors.first(where: { $0.type == .validRange })?.handle else {
            throw failure(expected: "a Valid Range of Measurement Interval, which is writable", seen: "none")
        }
        let octets = try read(handle, "the Valid Range of Measurement Interval")
        do throws(Malformed) { return try MeasurementIntervalRange(octets: octets) } catch {
            throw failure(
                expected: "a Valid Range of two uint16, the lower one first", seen: octets.text)
        }
    }

    /// Runs a test that may write Measurement Interval, then restores it.
    fileprivate mutating func keepingInterval(_ test: (inout Examiner) throws(CheckExit) -> Void) throws(CheckExit) {
        let value = try characteristic(.measurementInterval, of: .healthThermometer)
        guard value.properties.contains(.write) else { return try test(&self) }
        let before = try read(value.valueHandle, "Measurement Interval")
        let restore: (inout Examiner) throws(CheckExit) -> Void = { peripheral throws(CheckExit) in
            // An interval of 0, which need not be in the Valid Range, may be refused.
            let procedure = Procedure.write(handle: value.valueHandle, value: before)
            _ = try peripheral.refusal(of: procedure, "a write of the previous interval")
        }
        try undoing(by: restore, test)
    }

    fileprivate mutating func expectIntervalRefused() throws(CheckExit) {
        let valid = try validIntervals().seconds
        let handle = try characteristic(.measurementInterval, of: .healthThermometer).valueHandle
        // 0 stops periodic measurements and may be valid in addition to the range.
        var wrong: [UInt16] = []
        if valid.upperBound < .max { wrong = [valid.upperBound + 1, .max] }
        if valid.lowerBound > 1 { wrong.append(valid.lowerBound - 1) }
        guard !wrong.isEmpty else { throw .notApplicable("every interval is valid") }
        let right = MeasurementInterval(seconds: valid.lowerBound).octets
        try write(right, to: handle, "Measurement Interval")
        for octets in wrong.map({ MeasurementInterval(seconds: $0).octets }) {
            try expectRefused(octets, to: handle, "Measurement Interval", "Out Of Range (0x80)") {
                $0.rawValue == MeasurementInterval.outOfRange
            }
        }
    }

    fileprivate mutating func expectMeasuredPeriodically() throws(CheckExit) {
        let interval = try characteristic(.measurementInterval, of: .healthThermometer)
        let value = try characteristic(.temperatureMeasurement, of: .healthThermometer)
        if interval.properties.contains(.write) {
            let valid = try validIntervals().seconds
            let shortest = try shortestVisible(interval.valueHandle).components.seconds + 1
            let wanted = min(max(3, UInt16(clamping: shortest), valid.lowerBound), valid.upperBound)
            try write(MeasurementInterval(seconds: wanted).octets, to: interval.valueHandle, "Measurement Interval")
        }
        let octets = try read(interval.valueHandle, "Measurement Interval")
        guard let seconds = (try? MeasurementInterval(octets: octets))?.seconds else {
            throw failure(expected: "two octets in Measurement Interval", seen: octets.text)
        }
        guard 1...120 ~= seconds else {
            throw .notApplicable("a Measurement Interval of \(seconds) s is not between 1 s and 120 s")
        }
        try subscribe(.indication, to: value)
        let received = try receivedValues(of: value.valueHandle, for: .seconds(7 * Int(seconds)))
        // The peripheral may have made the link slower meanwhile.
        let shortest = try shortestVisible(interval.valueHandle)
        guard .seconds(Int(seconds)) >= shortest else {
            throw .notApplicable("the link is too slow to show an interval of \(seconds) s")
        }
        try expectPeriod(seconds, of: received, leeway: .milliseconds(500) + shortest / 4)
    }

    /// The shortest measurement interval that shows on this link: an indication and its confirmation take as long as a read.
    private mutating func shortestVisible(_ handle: UInt16) throws(CheckExit) -> Duration {
        let begin = now
        _ = try read(handle, "Measurement Interval")
        return begin.duration(to: now) * 4
    }

    private func expectPeriod(_ seconds: UInt16, of received: [ReceivedValue], leeway: Duration) throws(CheckExit) {
        // Stored measurements come first, without a pause.
        let instants = received.map(\.instant.sinceStart).suffix(5)
        guard instants.count == 5 else {
            throw failure(
                expected: "at least five indications in seven intervals of \(seconds) s", seen: "\(received.count)")
        }
        for (first, second) in zip(instants, instants.dropFirst()) {
            let period = second - first
            try expect(
                abs(period.inNanoseconds - Duration.seconds(Int(seconds)).inNanoseconds) <= leeway.inNanoseconds,
                "\(seconds) s between indications, within \(leeway.formatted)", seen: period.formatted)
        }
    }

    fileprivate mutating func expectStoredMeasurements() throws(CheckExit) {
        let value = try subscribe(to: .temperature)
        let time = patience(.seconds(60), of: .healthThermometer)
        guard let last = try next(of: value.valueHandle, within: time) else {
            throw .inconclusive("no measurement within \(time.formatted) of the subscription")
        }
        guard last.temperature?.timeStamp != nil else {
            throw .notApplicable("measurements have no time stamp, so stored ones cannot be recognized")
        }
        try loseLink(for: .seconds(30))
        try connect()
        let back = now
        let received = try receive(.temperature, for: .seconds(10))
        let atOnce = received.filter { $0.instant.sinceStart - back.sinceStart < .seconds(5) }
        let stamps = atOnce.compactMap { $0.temperature?.timeStamp?.description }
        guard stamps.count > 2 else { throw .notApplicable("the peripheral stores no measurements") }
        for (index, stamp) in stamps.enumerated().dropFirst() {
            try expect(
                stamps[index - 1] < stamp, "each stored measurement once, oldest first",
                seen: "\(stamp) after \(stamps[index - 1])")
        }
    }
}
