import ATT
import Bluetooth
import Characteristics
import GATT
import Octets

// Health Thermometer Service 1.0, table 3.1.
extension Check {
    static let thermometerRequirement = ServiceRequirement(
        service: .healthThermometer, specification: "Health Thermometer Service 1.0", prefix: "HTS/SEN",
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
                number: "CIN/BV-01-C", uuid: .temperatureMeasurement, value: .indication, section: "section 3.1",
                prerequisite: .indicated(.temperatureMeasurement, of: .healthThermometer)),
            .init(
                number: "CIN/BV-02-C", uuid: .intermediateTemperature, value: .notification, section: "section 3.3",
                prerequisite: .characteristic(.intermediateTemperature, of: .healthThermometer)),
            .init(
                number: "CIN/BV-03-C", uuid: .measurementInterval, value: .indication, section: "section 3.4",
                prerequisite: .indicated(.measurementInterval, of: .healthThermometer)),
        ])

    static let thermometerDeclarations =
        thermometerRequirement.declarationChecks + [
            Check(
                "HTS/SEN/SGGIT/DES/BV-01-C", "a writable Measurement Interval has a Valid Range",
                "Health Thermometer Service 1.0, sections 3.4 and 3.4.2",
                if: .characteristic(.measurementInterval, of: .healthThermometer)
            ) { peripheral throws(CheckExit) in _ = try peripheral.validIntervals() },
            Check(
                "thermometer/type_names_a_place", "Temperature Type can be read and has a defined value",
                "Health Thermometer Service 1.0, section 3.2",
                if: .characteristic(.temperatureType, of: .healthThermometer)
            ) { peripheral throws(CheckExit) in
                let value = try peripheral.characteristic(.temperatureType, of: .healthThermometer)
                let octets = try peripheral.read(value.valueHandle, "Temperature Type")
                try peripheral.expect(
                    octets.count == 1 && TemperatureType(octets[0]).name != nil, "one octet from 01 to 09",
                    seen: octets.hex)
            },
        ]
}

extension Examiner {
    /// The values that clients may write to Measurement Interval; skips the check if it is not writable.
    mutating func validIntervals() throws(CheckExit) -> MeasurementIntervalRange {
        let value = try characteristic(.measurementInterval, of: .healthThermometer)
        guard value.properties.contains(.write) else {
            throw .skipped("not applicable: Measurement Interval is declared without Write")
        }
        guard let handle = value.descriptors.first(where: { $0.type == .validRange })?.handle else {
            throw failure(expected: "a Valid Range of Measurement Interval, which is writable", seen: "none")
        }
        let octets = try read(handle, "the Valid Range of Measurement Interval")
        do throws(Malformed) { return try MeasurementIntervalRange(octets: octets) } catch {
            throw failure(
                expected: "a Valid Range of two uint16, the lower one first", seen: octets.hex)
        }
    }
}
