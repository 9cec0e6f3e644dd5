import Basics
import Bluetooth
import Characteristics
import Checks
import GATT
import Services

// Pulse Oximeter Service 1.0.1.  The Record Access Control Point is not checked.
extension Check {
    private static let hasFeatures = Prerequisite.characteristic(.plxFeatures, of: .pulseOximeter)

    private static let requirement = ServiceRequirement(
        .pulseOximeter, "Pulse Oximeter Service 1.0.1", ids: "pulse_oximeter",
        characteristics: [
            .init("spot_check", .plxSpotCheckMeasurement, .indicate, "section 3.1"),
            .init("continuous", .plxContinuousMeasurement, .notify, "section 3.2"),
        ],
        configurations: [
            .init("spot_check_configuration", .plxSpotCheckMeasurement, .indication, "section 3.1"),
            .init("continuous_configuration", .plxContinuousMeasurement, .notification, "section 3.2"),
        ])

    static let pulseOximeter =
        requirement.declarationChecks + [
            Check(
                "pulse_oximeter/has_a_measurement", "there is a PLX Spot-Check or a PLX Continuous Measurement",
                requirement.section("3"), if: .service(.pulseOximeter)
            ) { peripheral throws(CheckExit) in
                let found = [UUID.plxSpotCheckMeasurement, .plxContinuousMeasurement].filter {
                    peripheral.find($0, of: .pulseOximeter) != nil
                }
                try peripheral.expect(
                    !found.isEmpty, "PLX Spot-Check Measurement, PLX Continuous Measurement or both", seen: "neither")
            },
            Check(
                "pulse_oximeter/features", "PLX Features can be read",
                requirement.section("3.3"), if: .service(.pulseOximeter)
            ) { peripheral throws(CheckExit) in
                let value = peripheral.find(.plxFeatures, of: .pulseOximeter)
                try peripheral.expect(
                    value?.properties.contains(.read) == true, "a PLX Features characteristic with Read",
                    seen: value.map { $0.properties.names } ?? "none")
            },
            Check(
                "pulse_oximeter/features_explain_octets",
                "PLX Features has exactly the fields that its bits announce, and no reserved bit",
                requirement.section("3.3"), if: hasFeatures
            ) { peripheral throws(CheckExit) in
                let (features, octets) = try peripheral.readFeatures()
                try peripheral.expect(
                    features.octets.count == octets.count, "no octets after the fields that bits 0 and 1 announce",
                    seen: octets.text)
                try peripheral.expect(
                    features.supported.isDisjoint(with: .reserved)
                        && features.measurementStatus?.isDisjoint(with: .reserved) != false
                        && features.sensorStatus?.isDisjoint(with: .reserved) != false,
                    "reserved bits set to 0", seen: octets.text)
            },
        ] + requirement.configurationChecks + [
            delivered("pulse_oximeter/spot_check_is_indicated", .plxSpotCheck, requirement.section("3.1")),
            delivered("pulse_oximeter/continuous_is_notified", .plxContinuous, requirement.section("3.2")),
            wellFormed("pulse_oximeter/spot_check_flags_explain_octets", .plxSpotCheck, "3.1"),
            wellFormed("pulse_oximeter/continuous_flags_explain_octets", .plxContinuous, "3.2"),
            announced("pulse_oximeter/spot_check_is_announced", .plxSpotCheck, "3.1"),
            announced("pulse_oximeter/continuous_is_announced", .plxContinuous, "3.2"),
            oximetryIsPlausible,
            follows(
                "pulse_oximeter/follows_the_saturation", .plxContinuous, "PLX Continuous Measurement follows SpO2",
                requirement.section("3.2"), of: .pulseOximeter, "oxygen saturation", to: [71.5, 100, 88], "%",
                tolerance: 0.5  // whole percents are allowed
            ) { ReceivedOximetry($0.octets, of: .plxContinuous)?.value.spo2.value },
        ]

    private static func wellFormed(_ id: String, _ value: SubscribableValue, _ section: String) -> Check {
        each(
            value, id, "each \(value.uuid.name) has exactly the fields that its flags announce, and no reserved bit",
            requirement.section(section)
        ) { received in
            guard let measurement = ReceivedOximetry(received.octets, of: value) else {
                return "all fields that the flags announce, and a valid date and time"
            }
            if measurement.surplus != 0 { return "no octets after the fields that the flags announce" }
            return measurement.hasReservedBits ? "reserved bits set to 0" : nil
        }
    }

    private static func announced(_ id: String, _ value: SubscribableValue, _ section: String) -> Check {
        Check(
            id, "\(value.uuid.name) has only fields and status bits that PLX Features announces",
            "Pulse Oximeter Service 1.0.1, sections \(section) and 3.3", recording: .values(for: .seconds(20)),
            if: value.exists, hasFeatures
        ) { peripheral throws(CheckExit) in
            let (features, octets) = try peripheral.readFeatures()
            for received in try peripheral.receive(value, for: .seconds(20)) {
                guard let field = ReceivedOximetry(received.octets, of: value)?.fieldMissing(in: features) else {
                    continue
                }
                throw peripheral.failure(
                    expected: "PLX Features announces \(field), which a measurement has",
                    seen: "features \(octets.text), measurement \(received.octets.text)")
            }
        }
    }
}

extension SubscribableValue {
    fileprivate static let plxSpotCheck = Self(.plxSpotCheckMeasurement, of: .pulseOximeter, .indication)
    static let plxContinuous = Self(.plxContinuousMeasurement, of: .pulseOximeter)
}

/// A received PLX measurement of either kind.
private struct ReceivedOximetry {
    let value: SpO2PR
    /// Octets after the last field.
    let surplus: Int
    private let flags: UInt8
    private let details: PLXDetails
    private let optional: [(isPresent: Bool, bit: PLXFeatures.Supported, name: String)]

    /// Nil if the octets are too short for the flags.
    init?(_ octets: [UInt8], of measurement: SubscribableValue) {
        guard let flags = octets.first else { return nil }
        self.flags = flags
        if measurement.uuid == .plxSpotCheckMeasurement {
            guard let spotCheck = try? PLXSpotCheckMeasurement(octets: octets[...]) else { return nil }
            (value, details) = (spotCheck.value, spotCheck.details)
            surplus = octets.count - spotCheck.octets.count
            optional = [(spotCheck.timeStamp != nil, .timeStamp, "the time stamp")]
        } else {
            guard let continuous = try? PLXContinuousMeasurement(octets: octets[...]) else { return nil }
            (value, details) = (continuous.normal, continuous.details)
            surplus = octets.count - continuous.octets.count
            optional = [
                (continuous.fast != nil, .fast, "SpO2PR-Fast"), (continuous.slow != nil, .slow, "SpO2PR-Slow"),
            ]
        }
    }

    var hasReservedBits: Bool {
        flags & 0xE0 != 0 || details.measurementStatus?.isDisjoint(with: .reserved) == false
            || details.sensorStatus?.isDisjoint(with: .reserved) == false
    }

    /// A field or status that the features do not announce; nil if they announce all.
    func fieldMissing(in features: PLXFeatures) -> String? {
        let fields = optional + [(details.amplitude != nil, .amplitude, "the Pulse Amplitude Index")]
        if let field = fields.first(where: { $0.isPresent && !features.supported.contains($0.bit) }) {
            return field.name
        }
        if let status = details.measurementStatus, features.measurementStatus?.isSuperset(of: status) != true {
            return "the Measurement Status"
        }
        if let status = details.sensorStatus, features.sensorStatus?.isSuperset(of: status) != true {
            return "the Device and Sensor Status"
        }
        return nil
    }
}

extension Examiner {
    fileprivate mutating func readFeatures() throws(CheckExit) -> (PLXFeatures, octets: [UInt8]) {
        let octets = try read(.plxFeatures, of: .pulseOximeter)
        guard let features = try? PLXFeatures(octets: octets[...]) else {
            throw failure(expected: "PLX Features with all fields that bits 0 and 1 announce", seen: octets.text)
        }
        return (features, octets)
    }
}
