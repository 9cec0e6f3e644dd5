import Basics
import Bluetooth
import Characteristics
import Checks
import GATT
import Services

// Lubdub's vendor Fitness service, whose values are computed when they are read.
extension Check {
    private static let fitness = VendorUUID.fitness.uuid
    private static let hasSteps = Prerequisite.characteristic(VendorUUID.steps.uuid, of: fitness)

    static let vendor = [
        Check(
            "fitness/steps_on_demand", "a read of Steps returns the current number",
            "Lubdub, Fitness service 0100, Steps 0101", if: hasSteps, .control("set the steps")
        ) { peripheral throws(CheckExit) in
            let before = try peripheral.count(.steps)
            let expected = before &+ 1234
            try peripheral.setValue(named: "steps", of: .fitness, to: Double(expected), "set the steps")
            let after = try peripheral.count(.steps)
            try peripheral.expect(after == expected, "\(expected) steps", seen: "\(after)")
        },
        Check(
            "fitness/steps_never_fall", "Steps never decreases",
            "Lubdub, Fitness service 0100, Steps 0101", if: hasSteps
        ) { peripheral throws(CheckExit) in
            var last = try peripheral.count(.steps)
            for _ in 0..<10 {
                peripheral.wait(.seconds(3))
                let next = try peripheral.count(.steps)
                try peripheral.expect(next >= last, "at least \(last) steps", seen: "\(next)")
                last = next
            }
        },
        Check(
            "fitness/today_is_part_of_all", "Steps Today is at most Steps",
            "Lubdub, Fitness service 0100, Steps Today 0102", if: hasSteps,
            .characteristic(VendorUUID.stepsToday.uuid, of: fitness)
        ) { peripheral throws(CheckExit) in
            let today = try peripheral.count(.stepsToday)
            let all = try peripheral.count(.steps)
            try peripheral.expect(today <= all, "at most \(all) steps today, the value of Steps", seen: "\(today)")
        },
        Check(
            "fitness/steps_are_notified", "a change of Steps is notified with the value that a read returns",
            "Lubdub, Fitness service 0100, Steps 0101",
            if: .characteristic(VendorUUID.steps.uuid, of: fitness, with: .notify), .control("set the steps")
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.characteristic(VendorUUID.steps.uuid, of: fitness)
            let before = try peripheral.count(.steps)
            try peripheral.subscribe(.notification, to: value)
            let expected = VendorCount(before &+ 4321).octets
            try peripheral.setValue(named: "steps", of: .fitness, to: Double(before &+ 4321), "set the steps")
            try peripheral.expectNotified(expected, of: value, in: fitness, after: "the change")
        },
        Check(
            "fitness/temperature_on_demand", "a read of Temperature returns the current temperature",
            "GATT Specification Supplement, Temperature; Lubdub, Fitness service 0100",
            if: .characteristic(.temperature, of: fitness), .control("set the temperature")
        ) { peripheral throws(CheckExit) in
            for celsius in [38.51, -4.2] {
                try peripheral.setValue(named: "temperature", of: .fitness, to: celsius, "set the temperature")
                let octets = try peripheral.read(.temperature, of: fitness)
                let expected = Temperature(celsius: celsius).octets
                try peripheral.expect(
                    octets == expected, "\(expected.text), which is \(celsius) °C in units of 0.01 °C",
                    seen: octets.text)
            }
        },
    ]
}

extension Examiner {
    /// The value of a counter; fails unless it has four octets.
    fileprivate mutating func count(_ vendor: VendorUUID) throws(CheckExit) -> UInt32 {
        let handle = try characteristic(vendor.uuid, of: VendorUUID.fitness.uuid).valueHandle
        let octets = try read(handle, "\(vendor.uuid)")
        do throws(Malformed) { return try VendorCount(octets: octets, "Count").number } catch {
            throw failure(expected: "a uint32", seen: octets.text)
        }
    }
}
