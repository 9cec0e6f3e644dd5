import ATT
import Basics
import Bluetooth
import Checks
import GATT
import Services

// Battery Service 1.1: Battery Level only.
extension Check {
    private static let notified = Prerequisite.characteristic(.batteryLevel, of: .battery, with: .notify)

    private static let requirement = ServiceRequirement(
        .battery, "Battery Service 1.1", ids: "BAS/SR", area: "battery", isSingle: false,
        characteristics: [
            .init("BV-01-C", .batteryLevel, .read, "section 3.1", .variant(of: .notify)),
            .init("BV-13-C", .batteryLevel, [.read, .notify], "section 3.1", .variant(of: .notify)),
        ],
        configurations: [
            .init("CON/BV-01-C", .batteryLevel, .notification, "section 3.1", if: notified)
        ])

    static let battery =
        requirement.declarationChecks + [
            Check(
                "battery/has_a_level", "each Battery Service has a Battery Level",
                "Battery Service 1.1, section 3 and table 3.1", if: .service(.battery)
            ) { peripheral throws(CheckExit) in
                for service in peripheral.services where service.uuid == .battery {
                    try peripheral.expect(
                        service.characteristics.contains { $0.uuid == .batteryLevel },
                        "a Battery Level (2A19) in the Battery Service at \(service.range.first.inHex)",
                        seen: service.characteristics.isEmpty
                            ? "no characteristic" : service.characteristics.map(\.uuid.name).joined(separator: ", "))
                }
            },
            requirement.valueCheck(
                "battery/level_is_a_percentage", "Battery Level is one octet from 0 to 100", .batteryLevel, "3.1",
                "one octet from 00 to 64"
            ) { $0.count == 1 && $0[0] <= 100 },
        ] + requirement.configurationChecks + [
            Check(
                "BAS/SR/CN/BV-01-C", "a change of Battery Level is notified", requirement.section("3.1"), if: notified,
                .control("set the battery level")
            ) { peripheral throws(CheckExit) in
                let value = try peripheral.characteristic(.batteryLevel, of: .battery)
                let other = try peripheral.otherLevel()
                try peripheral.subscribe(.notification, to: value)
                try peripheral.setValue(of: .battery, to: Double(other), "set the battery level")
                try peripheral.expectNotified(
                    [other], of: value, in: .battery, after: "the battery reaching \(other) %")
            },
            Check(
                "BAS/SR/CN/BV-21-C", "a bonded client is notified of a change when it reconnects",
                requirement.section("3.1"), scope: .freshConnection, if: notified, .pairing,
                .control("set the battery level")
            ) { peripheral throws(CheckExit) in
                let keys = try peripheral.bondWithAttributes()
                let value = try peripheral.characteristic(.batteryLevel, of: .battery)
                try peripheral.subscribe(.notification, to: value)
                let other = try peripheral.otherLevel()
                try peripheral.reconnect(withBond: keys)
                try peripheral.setValue(of: .battery, to: Double(other), "set the battery level")
                try peripheral.expectNotified(
                    [other], of: value, in: .battery,
                    after: "the battery reaching \(other) %, without a new subscription")
            },
            Check(
                "BAS/SR/DES/BV-01-C", "each of several batteries has its own presentation format",
                requirement.section("3.1.2.1"), if: .characteristic(.batteryLevel, of: .battery)
            ) { peripheral throws(CheckExit) in try peripheral.expectDistinctFormats() },
        ]
}

extension Examiner {
    /// Another level than the present one.
    fileprivate mutating func otherLevel() throws(CheckExit) -> UInt8 {
        try read(.batteryLevel, of: .battery) == [42] ? 43 : 42
    }

    fileprivate mutating func expectDistinctFormats() throws(CheckExit) {
        let levels = services.filter { $0.uuid == .battery }.flatMap { service in
            service.characteristics.filter { $0.uuid == .batteryLevel }
        }
        guard levels.count > 1 else { throw .notApplicable("there is only one battery") }
        var known: [[UInt8]] = []
        for (index, level) in levels.enumerated() {
            guard
                let handle = level.descriptors.first(where: { $0.type == .characteristicPresentationFormat })?.handle
            else {
                throw failure(
                    expected: "battery \(index + 1) of \(levels.count) has a Characteristic Presentation Format",
                    seen: "none")
            }
            // Format (1), exponent (1), unit (2), namespace (1), description (2).
            let format = try read(handle, "a presentation format")
            try expect(format.count == 7, "a presentation format has 7 octets", seen: format.text)
            let name = Array(format[4...])
            try expect(
                !known.contains(name), "different namespace and description for each battery",
                seen: "\(name.text) again")
            known.append(name)
        }
    }
}
