import Bluetooth
import Characteristics
import GATT
import Scenarios
import ServiceFramework
import Services
import Simulation

// Checks of Heart Rate Measurement that the SIG's test cases do not cover.
extension Check {
    private static let hasMeasurement = Prerequisite.characteristic(.heartRateMeasurement, of: .heartRate)

    static let heartRateForms = [
        Check(
            "heart_rate/flags_explain_octets", "each measurement has exactly the fields that its flags announce",
            "Heart Rate Service 1.0, section 3.1.1", if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            for measurement in try peripheral.receiveHeartRate(for: .seconds(30)) {
                guard let expected = measurement.formatError else { continue }
                throw peripheral.failure(expected: expected, seen: measurement.description)
            }
        },
        Check(
            "heart_rate/contact_support_is_static",
            "the Sensor Contact Supported flag does not change during a connection",
            "Heart Rate Service 1.0, section 3.1.1.1.2", if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            let measurements = try peripheral.receiveHeartRate(for: .seconds(30))
            let first = measurements[0].form.supportsContact
            if let other = measurements.first(where: { $0.form.supportsContact != first }) {
                throw peripheral.failure(
                    expected: "bit 2 of the flags stays \(first ? 1 : 0), as in \(measurements[0].description)",
                    seen: other.description)
            }
        },
        Check(
            "heart_rate/two_octet_edge", "heart rates around 255 and 256 are encoded correctly",
            "Heart Rate Service 1.0, section 3.1.1.2", if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            let (value, _) = try peripheral.firstMeasurement()
            for bpm: UInt16 in [254, 255, 256, 257, 511, 512, 255, 72] {
                try peripheral.setValue(of: .heartRate, to: Double(bpm), "set the heart rate")
                let right = try peripheral.nextMeasurement(of: value, within: .seconds(10)) { $0.value?.bpm == bpm }
                try peripheral.expect(
                    right != nil, "a measurement of \(bpm) bpm within 10 s", seen: peripheral.newest(of: value))
            }
        },
        Check(
            "heart_rate/one_octet_up_to_255", "heart rates up to 255 use the uint8 format",
            "Heart Rate Service 1.0, section 3.1.1.2", weight: .recommended, if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            for measurement in try peripheral.receiveHeartRate(for: .seconds(10)) {
                guard measurement.form.isTwoOctets, let bpm = measurement.value?.bpm, bpm <= 255 else { continue }
                throw peripheral.failure(expected: "\(bpm) bpm in one octet", seen: measurement.description)
            }
        },
        Check(
            "heart_rate/location_is_static", "Body Sensor Location does not change during a connection",
            "Heart Rate Service 1.0, section 3.2", if: .characteristic(.bodySensorLocation, of: .heartRate)
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.characteristic(.bodySensorLocation, of: .heartRate).valueHandle
            let first = try peripheral.read(handle, "Body Sensor Location")
            peripheral.wait(.seconds(10))
            let second = try peripheral.read(handle, "Body Sensor Location")
            try peripheral.expect(second == first, "\(first.hex), as 10 s earlier", seen: second.hex)
        },
    ]
}
