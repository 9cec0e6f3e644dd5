import Bluetooth
import Characteristics
import GATT
import Octets
import Scenarios
import ServiceFramework
import Services
import Simulation

// Body Sensor Location and Heart Rate Control Point.  Heart Rate Service 1.0, sections 3.2 and 3.3.
extension Check {
    private static let hasLocation = Prerequisite.characteristic(.bodySensorLocation, of: .heartRate)
    private static let hasControlPoint = Prerequisite.characteristic(.heartRateControlPoint, of: .heartRate)

    static let heartRateControl = [
        Check(
            "HRS/SEN/CR/BV-01-C", "Body Sensor Location can be read and has a defined value",
            "Heart Rate Service 1.0, section 3.2", if: hasLocation
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.characteristic(.bodySensorLocation, of: .heartRate)
            let octets = try peripheral.read(value.valueHandle, "Body Sensor Location")
            try peripheral.expect(
                octets.count == 1 && octets[0] < UInt8(BodySensorLocation.names.count),
                "one octet from 00 to 06", seen: octets.hex)
        },
        Check(
            "HRS/SEN/CW/BV-01-C", "writing 01 to Heart Rate Control Point resets Energy Expended",
            "Heart Rate Service 1.0, section 3.3", if: hasControlPoint,
            .characteristic(.heartRateMeasurement, of: .heartRate)
        ) { peripheral throws(CheckExit) in try peripheral.expectReset() },
        Check(
            "HRS/SEN/CW/BI-01-C", "Heart Rate Control Point rejects reserved values with 0x80",
            "Heart Rate Service 1.0, sections 1.6 and 3.3.1", if: hasControlPoint
        ) { peripheral throws(CheckExit) in
            try peripheral.expectRefused([[0x00], [0x02], [0xFF]], "controlPointNotSupported (0x80)") {
                $0.rawValue == HeartRateControlPoint.controlPointNotSupported
            }
        },
        Check(
            "heart_rate/control_point_length", "Heart Rate Control Point rejects a value that is too long",
            "Core 6.0, Vol 3, Part F, section 3.4.5.1; Heart Rate Service 1.0, section 1.6", if: hasControlPoint
        ) { peripheral throws(CheckExit) in
            let expected = "\(ATTError.invalidAttributeValueLength), or controlPointNotSupported (0x80)"
            try peripheral.expectRefused([[0x01, 0x01]], expected) {
                $0 == .invalidAttributeValueLength || $0.rawValue == HeartRateControlPoint.controlPointNotSupported
            }
        },
    ]
}

extension Examiner {
    private static let reset = HeartRateControlPoint.resetEnergyExpended.octets

    /// Fails unless the control point rejects these values, written between two valid ones.
    fileprivate mutating func expectRefused(
        _ values: [[UInt8]], _ expected: String, by isRight: (ATTError) -> Bool
    ) throws(CheckExit) {
        let handle = try characteristic(.heartRateControlPoint, of: .heartRate).valueHandle
        try validWrite(to: handle, "before")
        for octets in values {
            let error = try refusal(
                of: .write(handle: handle, value: octets), "a write of \(octets.hex) to Heart Rate Control Point")
            try expect(
                error.map(isRight) ?? false, "\(expected) for a write of \(octets.hex) to Heart Rate Control Point",
                seen: error.map { "\($0)" } ?? "it was accepted")
        }
        try validWrite(to: handle, "after")
    }

    private mutating func validWrite(to handle: UInt16, _ when: String) throws(CheckExit) {
        let description = "a write of 01 to Heart Rate Control Point"
        guard let error = try refusal(of: .write(handle: handle, value: Self.reset), description) else { return }
        throw .inconclusive("\(description), which is valid, was refused \(when) the invalid ones: \(error)")
    }

    fileprivate mutating func expectReset() throws(CheckExit) {
        let handle = try characteristic(.heartRateControlPoint, of: .heartRate).valueHandle
        let (value, _) = try firstMeasurement()
        if scenarioValue(named: "energy_kj", of: .heartRate) != nil {
            try setValue(named: "energy_kj", of: .heartRate, to: 500, "set Energy Expended")
        }
        // A real peripheral needs time to exceed what a reset counter could have reached.
        let energetic = try nextMeasurement(of: value, within: .seconds(600)) {
            ($0.value?.energyExpended ?? 0) > Self.maximumAfterReset
        }
        guard let before = energetic?.value?.energyExpended else {
            throw .inconclusive("Energy Expended did not exceed \(Self.maximumAfterReset) kJ within 600 s")
        }
        try write(Self.reset, to: handle, "Heart Rate Control Point")
        guard let next = try nextMeasurement(of: value, within: .seconds(60), where: \.form.hasEnergy) else {
            throw failure(
                expected: "a measurement with Energy Expended within 60 s of the reset", seen: newest(of: value))
        }
        try expect(
            (next.value?.energyExpended ?? before) <= Self.maximumAfterReset,
            "Energy Expended restarts from 0 kJ; it was \(before) kJ", seen: next.description)
    }

    /// In kJ: more than a person expends between two measurements.
    private static let maximumAfterReset: UInt16 = 5
}
