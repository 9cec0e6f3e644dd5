import Bluetooth
import Characteristics
import GATT
import Scenarios
import Services
import Simulation

// Where a heart-rate sensor is worn, and what can be said to it.  Heart Rate Service 1.0, sections 3.2 and 3.3.
extension Check {
    private static let located = Claim.characteristic(.bodySensorLocation, of: .heartRate)
    private static let controlled = Claim.characteristic(.heartRateControlPoint, of: .heartRate)

    static let heartRateControl = [
        Check(
            "HRS/SEN/CR/BV-01-C", "2A38 can be read and names a place of the body",
            "Heart Rate Service 1.0, section 3.2", if: located
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.characteristic(.bodySensorLocation, of: .heartRate)
            let octets = try peripheral.read(value.valueHandle, "2A38")
            try peripheral.expect(
                octets.count == 1 && octets[0] < UInt8(BodySensorLocation.names.count),
                "one octet from 00 to 06", seen: octets.hex)
        },
        Check(
            "HRS/SEN/CW/BV-01-C", "writing 01 to 2A39 lets Energy Expended begin again",
            "Heart Rate Service 1.0, section 3.3", if: controlled,
            .characteristic(.heartRateMeasurement, of: .heartRate)
        ) { peripheral throws(CheckExit) in try peripheral.expectReset() },
        Check(
            "HRS/SEN/CW/BI-01-C", "2A39 refuses reserved values with 0x80",
            "Heart Rate Service 1.0, sections 1.6 and 3.3.1", if: controlled
        ) { peripheral throws(CheckExit) in
            try peripheral.expectRefused([[0x00], [0x02], [0xFF]], "controlPointNotSupported (0x80)") {
                $0.rawValue == HeartRateControlPoint.controlPointNotSupported
            }
        },
        Check(
            "heart_rate/control_point_length", "2A39 refuses a value that is too long",
            "Core 6.0, Vol 3, Part F, section 3.4.5.1; Heart Rate Service 1.0, section 1.6", if: controlled
        ) { peripheral throws(CheckExit) in
            let wanted = "\(ATTError.invalidAttributeValueLength), or controlPointNotSupported (0x80)"
            try peripheral.expectRefused([[0x01, 0x01]], wanted) {
                $0 == .invalidAttributeValueLength || $0.rawValue == HeartRateControlPoint.controlPointNotSupported
            }
        },
    ]
}

extension Examiner {
    private static let reset = HeartRateControlPoint.resetEnergyExpended.octets

    /// Fails unless the control point refuses these values as it should; a good write stands before and after them.
    fileprivate mutating func expectRefused(
        _ values: [[UInt8]], _ expected: String, by isRight: (ATTError) -> Bool
    ) throws(CheckExit) {
        let handle = try characteristic(.heartRateControlPoint, of: .heartRate).valueHandle
        try goodWrite(to: handle, "before")
        for octets in values {
            let error = try refusal(of: .write(handle: handle, value: octets), "a write of \(octets.hex) to 2A39")
            try expect(
                error.map(isRight) ?? false, "a write of \(octets.hex) to 2A39 is refused with \(expected)",
                seen: error.map { "\($0)" } ?? "it was accepted")
        }
        try goodWrite(to: handle, "after")
    }

    private mutating func goodWrite(to handle: UInt16, _ when: String) throws(CheckExit) {
        let words = "a write of 01 to 2A39"
        guard let error = try refusal(of: .write(handle: handle, value: Self.reset), words) else { return }
        throw .inconclusive("\(words), which is right, was refused \(when) the wrong ones: \(error)")
    }

    fileprivate mutating func expectReset() throws(CheckExit) {
        let handle = try characteristic(.heartRateControlPoint, of: .heartRate).valueHandle
        let (value, _) = try firstMeasurement()
        if scenarioValue(named: "energy_kj", of: .heartRate) != nil {
            try provoke(named: "energy_kj", of: .heartRate, to: 500, "set the energy")
        }
        // Without anybody who can set it, it takes its time to be more than what a reset one could have come to.
        let energetic = try nextMeasurement(of: value, within: .seconds(600)) {
            ($0.value?.energyExpended ?? 0) > Self.little
        }
        guard let before = energetic?.value?.energyExpended else {
            throw .inconclusive("Energy Expended did not come to more than \(Self.little) kJ within 600 s")
        }
        try write(Self.reset, to: handle, "2A39")
        guard let next = try nextMeasurement(of: value, within: .seconds(60), where: \.form.hasEnergy) else {
            throw failure(
                expected: "a measurement with Energy Expended within 60 s of the reset", seen: newest(of: value))
        }
        try expect(
            (next.value?.energyExpended ?? before) <= Self.little,
            "Energy Expended was \(before) kJ, and begins again from 0", seen: next.words)
    }

    /// In kJ: nobody spends more between two measurements.
    private static let little: UInt16 = 5
}
