import Bluetooth
import Characteristics
import GATT
import LEHost
import Scenarios
import ServiceFramework
import Services
import Simulation

// Temperature Measurement and Intermediate Temperature.  Health Thermometer Service 1.0, sections 3.1 and 3.3.
extension Check {
    private static let hasMeasurement = Prerequisite.characteristic(.temperatureMeasurement, of: .healthThermometer)
    private static let hasIntermediate = Prerequisite.characteristic(.intermediateTemperature, of: .healthThermometer)

    static let thermometerValues =
        thermometerRequirement.configurationChecks + [
            Check(
                "HTS/SEN/CI/BV-01-C", "Temperature Measurement is indicated only while a client is subscribed",
                "Health Thermometer Service 1.0, section 3.1", if: hasMeasurement
            ) { peripheral throws(CheckExit) in
                try peripheral.expectDelivered(.temperatureMeasurement, "indication")
            },
            Check(
                "HTS/SEN/SP/BV-03-C", "Intermediate Temperature is notified only while a client is subscribed",
                "Health Thermometer Service 1.0, section 3.3", if: hasIntermediate
            ) { peripheral throws(CheckExit) in
                _ = try peripheral.subscribeToTemperature()
                try peripheral.expectDelivered(.intermediateTemperature, "notification")
            },
            wellFormed("thermometer/flags_explain_octets", .temperatureMeasurement, "3.1.1", if: hasMeasurement),
            wellFormed(
                "thermometer/intermediate_flags_explain_octets", .intermediateTemperature, "3.3", if: hasIntermediate),
            Check(
                "thermometer/type_stands_once",
                "the temperature type is in the measurement or in its own characteristic, not in both",
                "Health Thermometer Service 1.0, sections 3.1.1.4 and 3.2", if: hasMeasurement,
                .characteristic(.temperatureType, of: .healthThermometer)
            ) { peripheral throws(CheckExit) in
                let received = try peripheral.receiveTemperatures(.temperatureMeasurement, for: .seconds(20))
                let twice = received.first { $0.value?.type != nil }
                try peripheral.expect(
                    twice == nil,
                    "no temperature type in the measurement, since there is a Temperature Type characteristic",
                    seen: twice?.description ?? "")
            },
            Check(
                "thermometer/follows_the_temperature", "Temperature Measurement follows the temperature",
                "Health Thermometer Service 1.0, section 3.1.1.2", if: hasMeasurement
            ) { peripheral throws(CheckExit) in
                let value = try peripheral.subscribeToTemperature()
                for celsius in [36.4, 41.2, -5] {
                    try peripheral.setValue(of: .healthThermometer, to: celsius, "set the temperature")
                    let received = try peripheral.next(of: value.valueHandle, within: .seconds(60)) { received in
                        guard let reported = ReceivedTemperature(received).value?.celsius else { return false }
                        return abs(reported - celsius) < Self.accuracy
                    }
                    try peripheral.expect(
                        received != nil, "a measurement of \(celsius) °C within 60 s of the temperature changing to it",
                        seen: peripheral.receivedValues.last { $0.handle == value.valueHandle }
                            .map { ReceivedTemperature($0).description } ?? "none")
                }
            },
        ]

    /// In °C: enough for a resolution of 0.1 °C or 0.1 °F.
    private static let accuracy = 0.06

    private static func wellFormed(
        _ id: String, _ uuid: UUID, _ section: String, if prerequisite: Prerequisite
    ) -> Check {
        Check(
            id, "each \(uuid.name) has exactly the fields that its flags announce, and a valid date",
            "Health Thermometer Service 1.0, section \(section)", if: prerequisite
        ) { peripheral throws(CheckExit) in
            for temperature in try peripheral.receiveTemperatures(uuid, for: .seconds(20)) {
                guard let expected = temperature.formatError else { continue }
                throw peripheral.failure(expected: expected, seen: temperature.description)
            }
        }
    }
}

extension Examiner {
    /// Fails unless a temperature is sent while the client is subscribed, and only then.
    fileprivate mutating func expectDelivered(_ uuid: UUID, _ word: String) throws(CheckExit) {
        let value = try subscribeToTemperature(uuid)
        let first = try nextTemperature(of: value, within: .seconds(60))
        try expect(first != nil, "an \(word) of \(uuid.name) within 60 s of the subscription", seen: "none")
        try require(.unwantedValues)
        try subscribe([], to: value)
        wait(.seconds(1))  // values in flight
        let late = try receivedValues(of: value.valueHandle, for: .seconds(20)).first
        try expect(
            late == nil, "no \(word) of \(uuid.name) after its configuration was set to 0x0000",
            seen: late.map { ReceivedTemperature($0).description } ?? "")
    }
}
