import Bluetooth
import Characteristics
import GATT
import Octets
import Scenarios
import Services
import Simulation

// Lubdub's own Fitness service: what it counts and measures is computed when it is read.
extension Check {
    private static let fitness = VendorUUID.fitness.uuid
    private static let counting = Claim.characteristic(VendorUUID.steps.uuid, of: fitness)
    private static let countingToday = Claim.characteristic(VendorUUID.stepsToday.uuid, of: fitness)

    static let vendor = [
        Check(
            "fitness/steps_on_demand", "a read of the steps tells as many as there are now",
            "Lubdub, Fitness service 0100, Steps 0101", if: counting
        ) { peripheral throws(CheckExit) in
            let before = try peripheral.count(.steps)
            let wanted = before &+ 1234
            try peripheral.provoke(named: "steps", of: .fitness, to: Double(wanted), "set the steps")
            let after = try peripheral.count(.steps)
            try peripheral.expect(after == wanted, "\(wanted) steps, as many as there are", seen: "\(after)")
        },
        Check(
            "fitness/steps_never_fall", "the steps since the start never become fewer",
            "Lubdub, Fitness service 0100, Steps 0101", if: counting
        ) { peripheral throws(CheckExit) in
            var last = try peripheral.count(.steps)
            for _ in 0..<10 {
                peripheral.wait(.seconds(3))
                let next = try peripheral.count(.steps)
                try peripheral.expect(next >= last, "\(last) steps or more", seen: "\(next)")
                last = next
            }
        },
        Check(
            "fitness/today_is_part_of_all", "the steps of today are no more than all steps",
            "Lubdub, Fitness service 0100, Steps Today 0102", if: counting, countingToday
        ) { peripheral throws(CheckExit) in
            let today = try peripheral.count(.stepsToday)
            let all = try peripheral.count(.steps)
            try peripheral.expect(today <= all, "no more steps of today than \(all), which are all", seen: "\(today)")
        },
        Check(
            "fitness/steps_are_notified", "a change of the steps is notified as it is read",
            "Lubdub, Fitness service 0100, Steps 0101", if: .notified(VendorUUID.steps.uuid, of: fitness)
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.characteristic(VendorUUID.steps.uuid, of: fitness)
            let before = try peripheral.count(.steps)
            try peripheral.subscribe(.notification, to: value)
            let wanted = VendorCount(before &+ 4321).octets
            try peripheral.provoke(named: "steps", of: .fitness, to: Double(before &+ 4321), "set the steps")
            let told = try peripheral.next(of: value.valueHandle, within: .seconds(60)) { $0.octets == wanted }
            try peripheral.expect(
                told != nil, "a notification of \(wanted.hex) within 60 s of the steps being so many",
                seen: peripheral.notices.last { $0.handle == value.valueHandle }?.octets.hex ?? "none")
        },
        Check(
            "fitness/temperature_on_demand", "a read of 2A6E tells the temperature as it is now",
            "GATT Specification Supplement, Temperature; Lubdub, Fitness service 0100",
            if: .characteristic(.temperature, of: fitness)
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.characteristic(.temperature, of: fitness).valueHandle
            for celsius in [38.51, -4.2] {
                try peripheral.provoke(named: "temperature", of: .fitness, to: celsius, "set the temperature")
                let octets = try peripheral.read(handle, "2A6E")
                let wanted = Temperature(celsius: celsius).octets
                try peripheral.expect(
                    octets == wanted, "\(wanted.hex), which is \(celsius) °C in hundredths", seen: octets.hex)
            }
        },
    ]
}

extension Examiner {
    /// How many there are; fails where the value has not four octets.
    fileprivate mutating func count(_ vendor: VendorUUID) throws(CheckExit) -> UInt32 {
        let handle = try characteristic(vendor.uuid, of: VendorUUID.fitness.uuid).valueHandle
        let octets = try read(handle, "\(vendor.uuid)")
        do throws(Malformed) { return try VendorCount(octets: octets, "Count").number } catch {
            throw failure(expected: "a number of four octets", seen: octets.hex)
        }
    }
}
