import Bluetooth
import GATT

// What a Heart Rate Service must look like to who discovers it.  Heart Rate Service 1.0, table 3.1.
extension Check {
    static let heartRateDeclarations = [
        Check(
            "HRS/SEN/SGGIT/SER/BV-01-C", "the Heart Rate Service is there, once, as a primary service",
            "Heart Rate Service 1.0, section 2", if: .service(.heartRate)
        ) { peripheral throws(CheckExit) in try peripheral.expectOne(.heartRate) },
        declaration("BV-01-C", .heartRateMeasurement, .notify, "section 3.1"),
        declaration("BV-02-C", .bodySensorLocation, .read, "section 3.2"),
        declaration("BV-03-C", .heartRateControlPoint, .write, "section 3.3"),
        Check(
            "heart_rate/energy_needs_control_point", "no Energy Expended without a control point to reset it",
            "Heart Rate Service 1.0, table 3.1, C.1", if: .absence(.heartRateControlPoint, of: .heartRate),
            .characteristic(.heartRateMeasurement, of: .heartRate)
        ) { peripheral throws(CheckExit) in
            let measurements = try peripheral.listenToHeart(for: .seconds(30))
            if let energetic = measurements.first(where: { $0.form.hasEnergy }) {
                throw peripheral.failure(
                    expected: "no Energy Expended, for there is no Heart Rate Control Point", seen: energetic.words)
            }
        },
    ]

    /// That a characteristic of the service can be used as it must, and in no other way.
    private static func declaration(
        _ number: String, _ uuid: UUID, _ properties: CharacteristicProperties, _ section: String
    ) -> Check {
        Check(
            "HRS/SEN/SGGIT/CHA/\(number)", "\(uuid) is declared with \(properties.inWords) only",
            "Heart Rate Service 1.0, table 3.1 and \(section)",
            if: uuid == .heartRateMeasurement ? .service(.heartRate) : .characteristic(uuid, of: .heartRate)
        ) { peripheral throws(CheckExit) in
            try peripheral.expectDeclared(uuid, of: .heartRate, with: properties)
        }
    }
}

extension Examiner {
    /// Fails unless there is exactly one such service, found by itself.
    func expectOne(_ service: UUID) throws(CheckExit) {
        let count = services.count { $0.uuid == service && $0.isPrimary }
        try expect(count == 1, "one primary service \(service)", seen: count == 0 ? "none" : "\(count) of them")
    }

    /// Fails unless a service has one such characteristic, with exactly these properties.
    func expectDeclared(
        _ uuid: UUID, of service: UUID, with properties: CharacteristicProperties
    ) throws(CheckExit) {
        let found = services.first { $0.uuid == service }?.characteristics.filter { $0.uuid == uuid } ?? []
        try expect(found.count == 1, "one characteristic \(uuid)", seen: found.isEmpty ? "none" : "\(found.count)")
        try expect(
            found[0].properties == properties, "\(uuid) is declared with properties \(properties.inWords)",
            seen: found[0].properties.inWords)
    }
}

extension CharacteristicProperties {
    /// The octet and what it means: `0x12 (Read, Notify)`.
    var inWords: String { "\(rawValue.inHex) (\(names))" }

    /// What it means.
    var names: String {
        let names = [
            "Broadcast", "Read", "Write Without Response", "Write", "Notify", "Indicate", "Signed Writes",
            "Extended Properties",
        ]
        return names.enumerated().filter { rawValue >> $0.offset & 1 == 1 }.map(\.element).joined(separator: ", ")
    }
}
