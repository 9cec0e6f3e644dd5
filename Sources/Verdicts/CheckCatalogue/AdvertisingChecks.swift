import Basics
import Bluetooth
import Characteristics
import Checks
import GATT
import HCI
import LEHost
import Services

// What a peripheral advertises.
extension Check {
    static let advertising =
        profile("HRP/SEN", "HRF", "a heart-rate sensor", .heartRate, .heartRateMeasurement, "Heart Rate Profile 1.0")
        + profile(
            "HTP/SEN", "THF", "a thermometer", .healthThermometer, .temperatureMeasurement,
            "Health Thermometer Profile 1.0") + advertisingData + advertisedValues

    /// What a profile recommends for a sensor's advertising.
    private static func profile(
        _ prefix: String, _ group: String, _ sensor: String, _ service: UUID, _ measurement: UUID,
        _ specification: String
    ) -> [Check] {
        [
            Check(
                "\(prefix)/\(group)/BV-01-C", "\(sensor) advertises the \(service.name) Service",
                "\(specification), section 3.1.1", scope: .advertising, weight: .recommended
            ) { peripheral throws(CheckExit) in
                let services = peripheral.advertised.services
                if services.contains(service) { return }
                try peripheral.connect()
                try peripheral.require(Prerequisite.characteristic(measurement, of: service))
                try peripheral.expectAdvertised(
                    false, "\(service.name) (\(service)) among the advertised services",
                    seen: services.isEmpty ? "none" : services.map(\.name).joined(separator: ", "))
            },
            Check(
                "\(prefix)/\(group)/BV-02-C", "\(sensor) advertises its name", "\(specification), section 3.1.2",
                scope: .advertising, weight: .recommended
            ) { peripheral throws(CheckExit) in
                if !peripheral.advertised.services.contains(service) {
                    try peripheral.connect()
                    try peripheral.require(Prerequisite.service(service))
                }
                try peripheral.expectAdvertised(
                    peripheral.advertised.name?.data.isEmpty == false,
                    "a local name in advertising or scan response data", seen: "none")
            },
            Check(
                "\(prefix)/SGGIT/SDPNF/BV-01-C", "the service has no SDP record", "\(specification), section 3",
                limitation: .classic),
        ]
    }

    private static let advertisingData = [
        Check(
            "advertising/well_formed", "advertising and scan response data consist of whole AD structures",
            "Core 6.0, Vol 3, Part C, section 11", scope: .advertising
        ) { peripheral throws(CheckExit) in
            for report in [peripheral.advertisement, peripheral.scanResponse].compactMap({ $0 }) {
                guard !report.isTruncated else {
                    throw .inconclusive("the controller has received only the beginning of the advertising data")
                }
                do throws(Malformed) { _ = try AdvertisingData(octets: report.data, limit: .extended) } catch {
                    throw peripheral.failure(expected: "whole AD structures", seen: "\(report.data.text): \(error)")
                }
            }
        },
        Check(
            "advertising/no_type_twice",
            "each AD type for flags, name, appearance and TX power appears at most once per packet",
            "Core Specification Supplement 12, Part A, section 1", scope: .advertising
        ) { peripheral throws(CheckExit) in
            let single: [ADType] = [.flags, .shortenedLocalName, .completeLocalName, .appearance, .txPowerLevel]
            for data in [peripheral.advertised.data, peripheral.advertised.response].compactMap({ $0 }) {
                for type in single where data.structures.count(where: { $0.type == type }) > 1 {
                    throw peripheral.failure(expected: "AD type \(type) at most once", seen: data.octets.text)
                }
            }
        },
        Check(
            "advertising/flags", "LE Limited and General Discoverable flags are not both set",
            "Core 6.0, Vol 3, Part C, sections 9.2.3.2 and 9.2.4.2", scope: .advertising
        ) { peripheral throws(CheckExit) in
            let flags = try peripheral.connectableFlags()
            try peripheral.expect(
                flags?.isSuperset(of: Self.discoverable) != true,
                "at most one of bits 0 (LE Limited) and 1 (LE General Discoverable) of Flags",
                seen: [flags?.rawValue ?? 0].text)
        },
        Check(
            "advertising/discoverable", "a connectable peripheral sets a discoverable flag",
            "Heart Rate Profile 1.0, section 5.1.1; Core 6.0, Vol 3, Part C, section 9.2", scope: .advertising,
            weight: .recommended
        ) { peripheral throws(CheckExit) in
            let flags = try peripheral.connectableFlags()
            try peripheral.expect(
                flags?.isDisjoint(with: Self.discoverable) == false,
                "bit 0 (LE Limited) or 1 (LE General Discoverable) of Flags; many scanners hide other devices",
                seen: flags.map { [$0.rawValue].text } ?? "no Flags")
        },
        Check(
            "advertising/services_are_there", "every advertised service can be discovered",
            "Core Specification Supplement 12, Part A, section 1.1"
        ) { peripheral throws(CheckExit) in
            try peripheral.require(.advertisements)
            let found = peripheral.services.map(\.uuid)
            for service in peripheral.advertised.services where !found.contains(service) {
                throw peripheral.failure(
                    expected: "\(service.name) (\(service)), which is advertised",
                    seen: "only " + found.map(\.name).joined(separator: ", "))
            }
        },
        Check(
            "advertising/name_fits", "the advertised name is the Device Name, or is marked as shortened",
            "Core 6.0, Vol 3, Part C, section 12.1; Core Specification Supplement 12, Part A, section 1.2",
            if: .deviceName
        ) { peripheral throws(CheckExit) in
            guard let advertised = peripheral.advertised.name else {
                throw .notApplicable("the peripheral advertises no name")
            }
            let name = try peripheral.read(.deviceName, of: .genericAccess)
            let fits =
                advertised.type == .completeLocalName ? name == advertised.data : name.starts(with: advertised.data)
            try peripheral.expect(
                fits,
                "AD type \(advertised.type) matches the Device Name \(String(decoding: name, as: UTF8.self).quoted)",
                seen: String(decoding: advertised.data, as: UTF8.self).quoted)
        },
        Check(
            "advertising/appearance_fits", "the advertised appearance matches the Appearance characteristic",
            "Core 6.0, Vol 3, Part C, section 12.2", if: .characteristic(.appearance, of: .genericAccess)
        ) { peripheral throws(CheckExit) in
            guard let advertised = peripheral.advertised.structure(.appearance) else {
                throw .notApplicable("the peripheral advertises no appearance")
            }
            let octets = try peripheral.read(.appearance, of: .genericAccess)
            try peripheral.expect(
                octets == advertised.data, "\(octets.text), as in Appearance", seen: advertised.data.text)
        },
    ]

    private static let discoverable: AdvertisingFlags = [.limitedDiscoverable, .generalDiscoverable]
}

extension Examiner {
    /// The flags of a peripheral that any central may connect to; skips the check for other peripherals.
    fileprivate func connectableFlags() throws(CheckExit) -> AdvertisingFlags? {
        guard advertisement?.kind == .undirected else {
            throw .notApplicable("the advertising is not connectable and undirected")
        }
        return advertised.data?.flags
    }
}
