import Bluetooth
import Characteristics
import GATT
import LEHost
import Octets
import ServiceFramework
import Services
import Simulation

// Pulse Oximeter Service 1.0.1.  The Record Access Control Point is not checked.
extension Check {
    private static let hasContinuous = Prerequisite.characteristic(.plxContinuousMeasurement, of: .pulseOximeter)
    private static let hasSpotCheck = Prerequisite.characteristic(.plxSpotCheckMeasurement, of: .pulseOximeter)
    private static let hasFeatures = Prerequisite.characteristic(.plxFeatures, of: .pulseOximeter)

    private static let requirement = ServiceRequirement(
        service: .pulseOximeter, specification: "Pulse Oximeter Service 1.0.1", prefix: "pulse_oximeter",
        isInSIGList: false,
        characteristics: [
            .init("spot_check", .plxSpotCheckMeasurement, .indicate, "section 3.1"),
            .init("continuous", .plxContinuousMeasurement, .notify, "section 3.2"),
        ],
        configurations: [
            .init(
                number: "spot_check_configuration", uuid: .plxSpotCheckMeasurement, value: .indication,
                section: "section 3.1", prerequisite: hasSpotCheck),
            .init(
                number: "continuous_configuration", uuid: .plxContinuousMeasurement, value: .notification,
                section: "section 3.2", prerequisite: hasContinuous),
        ])

    static let pulseOximeter =
        requirement.declarationChecks + [
            Check(
                "pulse_oximeter/has_a_measurement", "there is a PLX Spot-Check or a PLX Continuous Measurement",
                "Pulse Oximeter Service 1.0.1, section 3", if: .service(.pulseOximeter)
            ) { peripheral throws(CheckExit) in
                let found = [UUID.plxSpotCheckMeasurement, .plxContinuousMeasurement].filter {
                    peripheral.find($0, of: .pulseOximeter) != nil
                }
                try peripheral.expect(
                    !found.isEmpty, "PLX Spot-Check Measurement, PLX Continuous Measurement or both", seen: "neither")
            },
            Check(
                "pulse_oximeter/features", "PLX Features can be read",
                "Pulse Oximeter Service 1.0.1, section 3.3", if: .service(.pulseOximeter)
            ) { peripheral throws(CheckExit) in
                let value = peripheral.find(.plxFeatures, of: .pulseOximeter)
                try peripheral.expect(
                    value?.properties.contains(.read) == true, "a PLX Features characteristic with Read",
                    seen: value.map { $0.properties.names } ?? "none")
            },
            Check(
                "pulse_oximeter/features_explain_octets",
                "PLX Features has exactly the fields that its bits announce, and no reserved bit",
                "Pulse Oximeter Service 1.0.1, section 3.3", if: hasFeatures
            ) { peripheral throws(CheckExit) in
                let (features, octets) = try peripheral.readFeatures()
                try peripheral.expect(
                    features.octets.count == octets.count, "no octets after the fields that bits 0 and 1 announce",
                    seen: octets.hex)
                try peripheral.expect(
                    features.supported.isDisjoint(with: .reserved)
                        && features.measurementStatus?.isDisjoint(with: .reserved) != false
                        && features.sensorStatus?.isDisjoint(with: .reserved) != false,
                    "reserved bits set to 0", seen: octets.hex)
            },
        ] + requirement.configurationChecks + [
            delivered("pulse_oximeter/spot_check_is_indicated", .plxSpotCheckMeasurement, "3.1", if: hasSpotCheck),
            delivered("pulse_oximeter/continuous_is_notified", .plxContinuousMeasurement, "3.2", if: hasContinuous),
            wellFormed(
                "pulse_oximeter/spot_check_flags_explain_octets", .plxSpotCheckMeasurement, "3.1", if: hasSpotCheck),
            wellFormed(
                "pulse_oximeter/continuous_flags_explain_octets", .plxContinuousMeasurement, "3.2", if: hasContinuous),
            announced("pulse_oximeter/spot_check_is_announced", .plxSpotCheckMeasurement, "3.1", if: hasSpotCheck),
            announced("pulse_oximeter/continuous_is_announced", .plxContinuousMeasurement, "3.2", if: hasContinuous),
            Check(
                "pulse_oximeter/follows_the_saturation", "PLX Continuous Measurement follows SpO2",
                "Pulse Oximeter Service 1.0.1, section 3.2", if: hasContinuous
            ) { peripheral throws(CheckExit) in
                let value = try peripheral.subscribeToOximeter(.plxContinuousMeasurement)
                for percent in [71.5, 100, 88.0] {
                    try peripheral.setValue(of: .pulseOximeter, to: percent, "set the oxygen saturation")
                    let received = try peripheral.next(of: value.valueHandle, within: .seconds(60)) { received in
                        guard let sent = ReceivedOximetry(received.octets, of: value.uuid)?.value.spo2.value else {
                            return false
                        }
                        return abs(sent - percent) <= 0.5  // whole percents are allowed
                    }
                    try peripheral.expect(
                        received != nil, "a measurement of \(percent) % within 60 s of the saturation changing to it",
                        seen: peripheral.receivedValues.last { $0.handle == value.valueHandle }?.octets.hex ?? "none")
                }
            },
        ]

    private static func delivered(_ id: String, _ uuid: UUID, _ section: String, if prerequisite: Prerequisite) -> Check
    {
        let verb = uuid == .plxSpotCheckMeasurement ? "indicated" : "notified"
        return Check(
            id, "\(uuid.name) is \(verb) only while a client is subscribed",
            "Pulse Oximeter Service 1.0.1, section \(section)", if: prerequisite
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.subscribeToOximeter(uuid)
            let first = try peripheral.next(of: value.valueHandle, within: .seconds(60))
            try peripheral.expect(first != nil, "a \(uuid.name) within 60 s of the subscription", seen: "none")
            try peripheral.require(.unwantedValues)
            try peripheral.subscribe([], to: value)
            peripheral.wait(.seconds(1))  // values in flight
            let late = try peripheral.receivedValues(of: value.valueHandle, for: .seconds(20)).first
            try peripheral.expect(
                late == nil, "no \(uuid.name) after its configuration was set to 0x0000",
                seen: late.map { $0.octets.hex } ?? "")
        }
    }

    private static func wellFormed(
        _ id: String, _ uuid: UUID, _ section: String, if prerequisite: Prerequisite
    ) -> Check {
        Check(
            id, "each \(uuid.name) has exactly the fields that its flags announce, and no reserved bit",
            "Pulse Oximeter Service 1.0.1, section \(section)", if: prerequisite
        ) { peripheral throws(CheckExit) in
            for received in try peripheral.receiveOximetry(uuid) {
                guard let measurement = ReceivedOximetry(received.octets, of: uuid) else {
                    throw peripheral.failure(
                        expected: "all fields that the flags announce, and a valid date and time",
                        seen: received.octets.hex)
                }
                try peripheral.expect(
                    measurement.surplus == 0, "no octets after the fields that the flags announce",
                    seen: received.octets.hex)
                try peripheral.expect(!measurement.hasReservedBits, "reserved bits set to 0", seen: received.octets.hex)
            }
        }
    }

    private static func announced(_ id: String, _ uuid: UUID, _ section: String, if prerequisite: Prerequisite) -> Check
    {
        Check(
            id, "\(uuid.name) has only fields and status bits that PLX Features announces",
            "Pulse Oximeter Service 1.0.1, sections \(section) and 3.3", if: prerequisite, hasFeatures
        ) { peripheral throws(CheckExit) in
            let (features, octets) = try peripheral.readFeatures()
            for received in try peripheral.receiveOximetry(uuid) {
                guard let field = ReceivedOximetry(received.octets, of: uuid)?.fieldMissing(in: features) else {
                    continue
                }
                throw peripheral.failure(
                    expected: "PLX Features announces \(field), which a measurement has",
                    seen: "features \(octets.hex), measurement \(received.octets.hex)")
            }
        }
    }
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
    init?(_ octets: [UInt8], of uuid: UUID) {
        guard let flags = octets.first else { return nil }
        self.flags = flags
        if uuid == .plxSpotCheckMeasurement {
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
    fileprivate mutating func subscribeToOximeter(_ uuid: UUID) throws(CheckExit) -> DiscoveredCharacteristic {
        let value = try characteristic(uuid, of: .pulseOximeter)
        try subscribe(uuid == .plxSpotCheckMeasurement ? .indication : .notification, to: value)
        return value
    }

    /// Subscribes and returns all measurements of 20 s; inconclusive if there are none.
    fileprivate mutating func receiveOximetry(_ uuid: UUID) throws(CheckExit) -> [ReceivedValue] {
        let value = try subscribeToOximeter(uuid)
        let received = try receivedValues(of: value.valueHandle, for: .seconds(20))
        guard !received.isEmpty else { throw .inconclusive("no \(uuid.name) within 20 s") }
        return received
    }

    fileprivate mutating func readFeatures() throws(CheckExit) -> (PLXFeatures, octets: [UInt8]) {
        let octets = try read(characteristic(.plxFeatures, of: .pulseOximeter).valueHandle, "PLX Features")
        guard let features = try? PLXFeatures(octets: octets[...]) else {
            throw failure(expected: "PLX Features with all fields that bits 0 and 1 announce", seen: octets.hex)
        }
        return (features, octets)
    }
}
