import ATT
import Bluetooth
import Characteristics
import GATT
import Octets

// What a Health Thermometer Service must look like to who discovers it.  Health Thermometer Service 1.0, table 3.1.
extension Check {
    static let thermometerDeclarations = [
        Check(
            "HTS/SEN/SGGIT/SER/BV-01-C", "the Health Thermometer Service is there, once, as a primary service",
            "Health Thermometer Service 1.0, section 2", if: .service(.healthThermometer)
        ) { peripheral throws(CheckExit) in try peripheral.expectOne(.healthThermometer) },
        declaration("BV-01-C", .temperatureMeasurement, .indicate, "3.1"),
        declaration("BV-02-C", .temperatureType, .read, "3.2"),
        declaration("BV-03-C", .intermediateTemperature, .notify, "3.3"),
        interval("BV-04-C", .read),
        interval("BV-05-C", [.read, .write]),
        interval("BV-06-C", [.read, .indicate]),
        interval("BV-07-C", [.read, .write, .indicate]),
        Check(
            "HTS/SEN/SGGIT/DES/BV-01-C", "who lets clients write 2A21 says by 2906 what is valid",
            "Health Thermometer Service 1.0, sections 3.4 and 3.4.2",
            if: .characteristic(.measurementInterval, of: .healthThermometer)
        ) { peripheral throws(CheckExit) in _ = try peripheral.validIntervals() },
        Check(
            "thermometer/type_names_a_place", "2A1D can be read and names a place of the body",
            "Health Thermometer Service 1.0, section 3.2",
            if: .characteristic(.temperatureType, of: .healthThermometer)
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.characteristic(.temperatureType, of: .healthThermometer)
            let octets = try peripheral.read(value.valueHandle, "2A1D")
            try peripheral.expect(
                octets.count == 1 && TemperatureType(octets[0]).name != nil, "one octet from 01 to 09",
                seen: octets.hex)
        },
    ]

    /// That a characteristic of the service can be used as it must, and in no other way.
    private static func declaration(
        _ number: String, _ uuid: UUID, _ properties: CharacteristicProperties, _ section: String
    ) -> Check {
        Check(
            "HTS/SEN/SGGIT/CHA/\(number)", "\(uuid) is declared with \(properties.inWords) only",
            "Health Thermometer Service 1.0, table 3.1 and section \(section)",
            if: uuid == .temperatureMeasurement
                ? .service(.healthThermometer) : .characteristic(uuid, of: .healthThermometer)
        ) { peripheral throws(CheckExit) in
            try peripheral.expectDeclared(uuid, of: .healthThermometer, with: properties)
        }
    }

    /// The same of Measurement Interval, which may be written and indicated, or not.
    private static func interval(_ number: String, _ properties: CharacteristicProperties) -> Check {
        Check(
            "HTS/SEN/SGGIT/CHA/\(number)", "2A21 is declared with \(properties.inWords) only",
            "Health Thermometer Service 1.0, table 3.1 and section 3.4",
            if: .characteristic(.measurementInterval, of: .healthThermometer)
        ) { peripheral throws(CheckExit) in
            let found = try peripheral.characteristic(.measurementInterval, of: .healthThermometer).properties
            let optional: CharacteristicProperties = [.write, .indicate]
            guard found.intersection(optional) == properties.intersection(optional) else {
                throw .skipped("not claimed: 2A21 is declared with \(found.inWords)")
            }
            try peripheral.expectDeclared(.measurementInterval, of: .healthThermometer, with: properties)
        }
    }
}

extension Examiner {
    /// What clients may write to Measurement Interval; skips the check where they may not write it.
    mutating func validIntervals() throws(CheckExit) -> MeasurementIntervalRange {
        let value = try characteristic(.measurementInterval, of: .healthThermometer)
        guard value.properties.contains(.write) else {
            throw .skipped("not claimed: 2A21 is declared without Write")
        }
        guard let handle = value.descriptors.first(where: { $0.type == .validRange })?.handle else {
            throw failure(expected: "2A21, which can be written, has a Valid Range, 2906", seen: "none")
        }
        let octets = try read(handle, "2906 of 2A21")
        do throws(Malformed) { return try MeasurementIntervalRange(octets: octets) } catch {
            throw failure(
                expected: "2906 of 2A21 has two numbers of two octets, the lower one first", seen: octets.hex)
        }
    }
}
