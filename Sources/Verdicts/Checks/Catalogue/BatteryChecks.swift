import ATT
import Bluetooth
import GATT
import Scenarios
import Services
import Simulation

// Battery Service 1.1, as far as it is about Battery Level, 2A19.
extension Check {
    private static let leveled = Claim.characteristic(.batteryLevel, of: .battery)
    private static let notified = Claim.notified(.batteryLevel, of: .battery)

    static let battery = [
        Check(
            "BAS/SR/SGGIT/SER/BV-01-C", "a Battery Service is there, as a primary service",
            "Battery Service 1.1, section 2", if: .service(.battery)
        ) { peripheral throws(CheckExit) in
            try peripheral.expect(
                peripheral.services.contains { $0.uuid == .battery && $0.isPrimary }, "a primary service 180F",
                seen: "none")
        },
        declaration("BV-01-C", .read, if: .notNotified(.batteryLevel, of: .battery)),
        declaration("BV-13-C", [.read, .notify], if: notified),
        Check(
            "battery/level_is_a_percentage", "2A19 is one octet from 0 to 100", "Battery Service 1.1, section 3.1",
            if: leveled
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.characteristic(.batteryLevel, of: .battery)
            let octets = try peripheral.read(value.valueHandle, "2A19")
            try peripheral.expect(
                octets.count == 1 && octets[0] <= 100, "one octet from 00 to 64", seen: octets.hex)
        },
        Check(
            "BAS/SR/CON/BV-01-C", "the configuration of 2A19 can be written and read",
            "Battery Service 1.1, section 3.1; Core 6.0, Vol 3, Part G, section 3.3.3.3", if: notified
        ) { peripheral throws(CheckExit) in try peripheral.expectConfigurable(.batteryLevel, of: .battery) },
        Check(
            "BAS/SR/CN/BV-01-C", "2A19 is notified when it changes", "Battery Service 1.1, section 3.1", if: notified
        ) { peripheral throws(CheckExit) in
            let value = try peripheral.characteristic(.batteryLevel, of: .battery)
            let octets = try peripheral.read(value.valueHandle, "2A19")
            let other: UInt8 = octets == [42] ? 43 : 42
            try peripheral.subscribe(.notification, to: value)
            try peripheral.provoke(of: .battery, to: Double(other), "set the battery")
            let told = try peripheral.next(of: value.valueHandle, within: .seconds(60)) { $0.octets == [other] }
            try peripheral.expect(
                told != nil, "a notification of \([other].hex) within 60 s of the battery being at \(other) %",
                seen: peripheral.notices.last { $0.handle == value.valueHandle }?.octets.hex ?? "none")
        },
        Check(
            "BAS/SR/CN/BV-21-C", "a bonded client that comes back hears of a change",
            "Battery Service 1.1, section 3.1", unasked: .pairing),
        Check(
            "BAS/SR/DES/BV-01-C", "of several batteries each has a presentation format of its own",
            "Battery Service 1.1, section 3.1.2.1", if: leveled
        ) { peripheral throws(CheckExit) in try peripheral.expectToldApart() },
    ]

    private static func declaration(
        _ number: String, _ properties: CharacteristicProperties, if claim: Claim
    ) -> Check {
        Check(
            "BAS/SR/SGGIT/CHA/\(number)", "2A19 is declared with \(properties.inWords) only",
            "Battery Service 1.1, section 3.1", if: claim
        ) { peripheral throws(CheckExit) in
            try peripheral.expectDeclared(.batteryLevel, of: .battery, with: properties)
        }
    }
}

extension Examiner {
    fileprivate mutating func expectToldApart() throws(CheckExit) {
        let levels = services.filter { $0.uuid == .battery }.flatMap { service in
            service.characteristics.filter { $0.uuid == .batteryLevel }
        }
        guard levels.count > 1 else { throw .skipped("not claimed: there is one battery") }
        var known: [[UInt8]] = []
        for (index, level) in levels.enumerated() {
            guard
                let handle = level.descriptors.first(where: { $0.type == .characteristicPresentationFormat })?.handle
            else {
                throw failure(
                    expected: "battery \(index + 1) of \(levels.count) has a presentation format, 2904", seen: "none")
            }
            // Behind format, exponent and unit stand namespace and description.
            let format = try read(handle, "a presentation format")
            try expect(format.count == 7, "a presentation format has 7 octets", seen: format.hex)
            let name = Array(format[4...])
            try expect(
                !known.contains(name), "namespace and description of each battery are its own",
                seen: "\(name.hex) once more")
            known.append(name)
        }
    }
}
