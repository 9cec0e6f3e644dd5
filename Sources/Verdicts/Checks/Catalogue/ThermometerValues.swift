import Bluetooth
import Characteristics
import GATT
import LEHost
import Scenarios
import Services
import Simulation

// What a thermometer says.  Health Thermometer Service 1.0, sections 3.1 and 3.3.
extension Check {
    private static let measured = Claim.characteristic(.temperatureMeasurement, of: .healthThermometer)
    private static let intermediate = Claim.characteristic(.intermediateTemperature, of: .healthThermometer)

    static let thermometerValues = [
        configurable("BV-01-C", .temperatureMeasurement, .indication, "3.1"),
        configurable("BV-02-C", .intermediateTemperature, .notification, "3.3"),
        configurable("BV-03-C", .measurementInterval, .indication, "3.4"),
        Check(
            "HTS/SEN/CI/BV-01-C", "2A1C is indicated while a client wants it, and not after",
            "Health Thermometer Service 1.0, section 3.1", if: measured
        ) { peripheral throws(CheckExit) in
            try peripheral.expectTold(.temperatureMeasurement, "indication")
        },
        Check(
            "HTS/SEN/SP/BV-03-C", "2A1E is notified while a client wants it, and not after",
            "Health Thermometer Service 1.0, section 3.3", if: intermediate
        ) { peripheral throws(CheckExit) in
            _ = try peripheral.subscribeToTemperature()
            try peripheral.expectTold(.intermediateTemperature, "notification")
        },
        sound("thermometer/flags_explain_octets", .temperatureMeasurement, "3.1.1", if: measured),
        sound("thermometer/intermediate_flags_explain_octets", .intermediateTemperature, "3.3", if: intermediate),
        Check(
            "thermometer/type_stands_once", "a Temperature Type is in 2A1C or in 2A1D, not in both",
            "Health Thermometer Service 1.0, sections 3.1.1.4 and 3.2", if: measured,
            .characteristic(.temperatureType, of: .healthThermometer)
        ) { peripheral throws(CheckExit) in
            let heard = try peripheral.listenToTemperature(.temperatureMeasurement, for: .seconds(20))
            let twice = heard.first { $0.value?.type != nil }
            try peripheral.expect(
                twice == nil, "no Temperature Type in 2A1C, for 2A1D has it", seen: twice?.words ?? "")
        },
        Check(
            "thermometer/follows_the_temperature", "2A1C says what is measured",
            "Health Thermometer Service 1.0, section 3.1.1.2", if: measured
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.subscribeToTemperature()
            for celsius in [36.4, 41.2, -5] {
                try peripheral.provoke(of: .healthThermometer, to: celsius, "set the temperature")
                let told = try peripheral.next(of: value.valueHandle, within: .seconds(60)) { notice in
                    guard let said = HeardTemperature(notice).value?.celsius else { return false }
                    return abs(said - celsius) < Self.accuracy
                }
                try peripheral.expect(
                    told != nil, "a measurement of \(celsius) °C within 60 s of the temperature being so",
                    seen: peripheral.notices.last { $0.handle == value.valueHandle }
                        .map { HeardTemperature($0).words } ?? "none")
            }
        },
    ]

    /// In °C: whoever says tenths, also of Fahrenheit, comes as near as that.
    private static let accuracy = 0.06

    private static func configurable(
        _ number: String, _ uuid: UUID, _ configuration: ClientConfiguration, _ section: String
    ) -> Check {
        let isIndicated = configuration == .indication
        return Check(
            "HTS/SEN/CIN/\(number)", "the configuration of \(uuid) can be written and read",
            "Health Thermometer Service 1.0, section \(section); Core 6.0, Vol 3, Part G, section 3.3.3.3",
            if: isIndicated
                ? .indicated(uuid, of: .healthThermometer) : .characteristic(uuid, of: .healthThermometer)
        ) { peripheral throws(CheckExit) in
            try peripheral.expectConfigurable(uuid, of: .healthThermometer, as: configuration)
        }
    }

    private static func sound(_ id: String, _ uuid: UUID, _ section: String, if claim: Claim) -> Check {
        Check(
            id, "the flags of \(uuid) explain all of its octets, and the date is one",
            "Health Thermometer Service 1.0, section \(section)", if: claim
        ) { peripheral throws(CheckExit) in
            for temperature in try peripheral.listenToTemperature(uuid, for: .seconds(20)) {
                guard let expected = temperature.fault else { continue }
                throw peripheral.failure(expected: expected, seen: temperature.words)
            }
        }
    }
}

extension Examiner {
    /// Fails unless a temperature is told while a client wants it, and not after.
    fileprivate mutating func expectTold(_ uuid: UUID, _ word: String) throws(CheckExit) {
        let value = try subscribeToTemperature(uuid)
        let first = try nextTemperature(of: value, within: .seconds(60))
        try expect(first != nil, "one \(word) or more of \(uuid) within 60 s of the subscription", seen: "none")
        try need(.unwantedValues)
        try subscribe([], to: value)
        wait(.seconds(1))  // what was under way
        let late = try notices(of: value.valueHandle, for: .seconds(20)).first
        try expect(
            late == nil, "no \(word) of \(uuid) once its configuration is 0x0000",
            seen: late.map { HeardTemperature($0).words } ?? "")
    }
}
