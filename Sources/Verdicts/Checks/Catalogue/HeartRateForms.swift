import Bluetooth
import Characteristics
import GATT
import Scenarios
import Services
import Simulation

// Checks of our own for Heart Rate Measurement: what the SIG's cases do not look at.
extension Check {
    private static let measured = Claim.characteristic(.heartRateMeasurement, of: .heartRate)

    static let heartRateForms = [
        Check(
            "heart_rate/flags_explain_octets", "each measurement has the octets that its flags explain, and no others",
            "Heart Rate Service 1.0, section 3.1.1", if: measured
        ) { peripheral throws(CheckExit) in
            for measurement in try peripheral.listenToHeart(for: .seconds(30)) {
                guard let expected = measurement.fault else { continue }
                throw peripheral.failure(expected: expected, seen: measurement.words)
            }
        },
        Check(
            "heart_rate/contact_support_is_static", "whether contact is supported does not change in a connection",
            "Heart Rate Service 1.0, section 3.1.1.1.2", if: measured
        ) { peripheral throws(CheckExit) in
            let measurements = try peripheral.listenToHeart(for: .seconds(30))
            let first = measurements[0].form.supportsContact
            if let other = measurements.first(where: { $0.form.supportsContact != first }) {
                throw peripheral.failure(
                    expected: "bit 2 of the flags stays \(first ? 1 : 0) as in \(measurements[0].words)",
                    seen: other.words)
            }
        },
        Check(
            "heart_rate/two_octet_edge", "heart rates around 255 and 256 are said as they are",
            "Heart Rate Service 1.0, section 3.1.1.2", if: measured
        ) { peripheral throws(CheckExit) in
            let (value, _) = try peripheral.firstMeasurement()
            for bpm: UInt16 in [254, 255, 256, 257, 511, 512, 255, 72] {
                try peripheral.provoke(of: .heartRate, to: Double(bpm), "set the heart rate")
                let right = try peripheral.nextMeasurement(of: value, within: .seconds(10)) { $0.value?.bpm == bpm }
                try peripheral.expect(
                    right != nil, "a measurement of \(bpm) bpm within 10 s", seen: peripheral.newest(of: value))
            }
        },
        Check(
            "heart_rate/one_octet_up_to_255", "a heart rate that fits into one octet takes one",
            "Heart Rate Service 1.0, section 3.1.1.2", weight: .recommended, if: measured
        ) { peripheral throws(CheckExit) in
            for measurement in try peripheral.listenToHeart(for: .seconds(10)) {
                guard measurement.form.isTwoOctets, let bpm = measurement.value?.bpm, bpm <= 255 else { continue }
                throw peripheral.failure(expected: "\(bpm) bpm in one octet", seen: measurement.words)
            }
        },
        Check(
            "heart_rate/location_is_static", "2A38 does not change in a connection",
            "Heart Rate Service 1.0, section 3.2", if: .characteristic(.bodySensorLocation, of: .heartRate)
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.characteristic(.bodySensorLocation, of: .heartRate).valueHandle
            let first = try peripheral.read(handle, "2A38")
            peripheral.wait(.seconds(10))
            let second = try peripheral.read(handle, "2A38")
            try peripheral.expect(second == first, "\(first.hex), as 10 s before", seen: second.hex)
        },
    ]
}
