import Bluetooth
import GATT

// Heart Rate Service 1.0, table 3.1.
extension Check {
    static let heartRateRequirement = ServiceRequirement(
        service: .heartRate, specification: "Heart Rate Service 1.0", prefix: "HRS/SEN",
        characteristics: [
            .init("BV-01-C", .heartRateMeasurement, .notify, "table 3.1 and section 3.1", .mandatory),
            .init("BV-02-C", .bodySensorLocation, .read, "table 3.1 and section 3.2"),
            .init("BV-03-C", .heartRateControlPoint, .write, "table 3.1 and section 3.3"),
        ],
        configurations: [
            .init(
                number: "CON/BV-01-C", uuid: .heartRateMeasurement, value: .notification, section: "section 3.1",
                prerequisite: .characteristic(.heartRateMeasurement, of: .heartRate))
        ])

    static let heartRateDeclarations =
        heartRateRequirement.declarationChecks + [
            Check(
                "heart_rate/energy_needs_control_point",
                "Energy Expended is not sent without a Heart Rate Control Point to reset it",
                "Heart Rate Service 1.0, table 3.1, C.1", if: .absence(.heartRateControlPoint, of: .heartRate),
                .characteristic(.heartRateMeasurement, of: .heartRate)
            ) { peripheral throws(CheckExit) in
                let measurements = try peripheral.receiveHeartRate(for: .seconds(30))
                if let energetic = measurements.first(where: { $0.form.hasEnergy }) {
                    throw peripheral.failure(
                        expected: "no Energy Expended, since there is no Heart Rate Control Point",
                        seen: energetic.description)
                }
            }
        ]
}
