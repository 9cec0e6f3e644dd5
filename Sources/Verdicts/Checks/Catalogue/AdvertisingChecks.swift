import Bluetooth
import Characteristics
import GATT
import HCI
import LEHost
import Octets
import Simulation
import Spelling

// What a peripheral says to everyone.
extension Check {
    static let advertising = [
        listing("HRP/SEN/HRF/BV-01-C", "a heart-rate sensor", .heartRate, "Heart Rate Profile 1.0, section 3.1.1"),
        naming("HRP/SEN/HRF/BV-02-C", "a heart-rate sensor", .heartRate, "Heart Rate Profile 1.0, section 3.1.2"),
        Check(
            "HRP/SEN/SGGIT/SDPNF/BV-01-C", "the service has no SDP record", "Heart Rate Profile 1.0, section 3",
            unasked: .classic),
        listing(
            "HTP/SEN/THF/BV-01-C", "a thermometer", .healthThermometer,
            "Health Thermometer Profile 1.0, section 3.1.1"),
        naming(
            "HTP/SEN/THF/BV-02-C", "a thermometer", .healthThermometer,
            "Health Thermometer Profile 1.0, section 3.1.2"),
        Check(
            "HTP/SEN/SGGIT/SDPNF/BV-01-C", "the service has no SDP record",
            "Health Thermometer Profile 1.0, section 3", unasked: .classic),
        Check(
            "advertising/well_formed", "advertising and scan response data are whole AD structures",
            "Core 6.0, Vol 3, Part C, section 11", scope: .advertising
        ) { peripheral throws(CheckExit) in
            for report in [peripheral.advertisement, peripheral.scanResponse].compactMap({ $0 }) {
                do throws(Malformed) { _ = try AdvertisingData(octets: report.data) } catch {
                    throw peripheral.failure(expected: "AD structures to the end", seen: "\(report.data.hex): \(error)")
                }
            }
        },
        Check(
            "advertising/no_type_twice", "flags, names, appearance and power stand at most once in a packet",
            "Core Specification Supplement 12, Part A, section 1", scope: .advertising
        ) { peripheral throws(CheckExit) in
            let single: [ADType] = [.flags, .shortenedLocalName, .completeLocalName, .appearance, .txPowerLevel]
            for data in [peripheral.advertised.data, peripheral.advertised.response].compactMap({ $0 }) {
                for type in single where data.structures.count(where: { $0.type == type }) > 1 {
                    throw peripheral.failure(expected: "AD type \(type) once", seen: data.octets.hex)
                }
            }
        },
        Check(
            "advertising/flags", "who says that it can be discovered says it for limited time, or always, but not both",
            "Core 6.0, Vol 3, Part C, sections 9.2.3.2 and 9.2.4.2", scope: .advertising
        ) { peripheral throws(CheckExit) in
            let flags = try peripheral.invitingFlags()
            try peripheral.expect(
                flags?.isSuperset(of: Self.discoverable) != true,
                "one of bits 0 and 1 of Flags at most, limited or general discoverable",
                seen: [flags?.rawValue ?? 0].hex)
        },
        Check(
            "advertising/discoverable", "who can be connected to says that it can be discovered",
            "Heart Rate Profile 1.0, section 5.1.1; Core 6.0, Vol 3, Part C, section 9.2", scope: .advertising,
            weight: .recommended
        ) { peripheral throws(CheckExit) in
            let flags = try peripheral.invitingFlags()
            try peripheral.expect(
                flags?.isDisjoint(with: Self.discoverable) == false,
                "one of bits 0 and 1 of Flags, limited or general discoverable; many scanners show nobody else",
                seen: flags.map { [$0.rawValue].hex } ?? "no Flags")
        },
        Check(
            "advertising/services_are_there", "every service that is advertised can be discovered",
            "Core Specification Supplement 12, Part A, section 1.1"
        ) { peripheral throws(CheckExit) in
            try peripheral.need(.advertisements)
            let found = peripheral.services.map(\.uuid)
            for service in peripheral.advertised.services where !found.contains(service) {
                throw peripheral.failure(
                    expected: "service \(service), which is advertised",
                    seen: "only " + found.map(\.description).joined(separator: ", "))
            }
        },
        Check(
            "advertising/name_fits", "the name that is advertised is the Device Name, or marked as its beginning",
            "Core 6.0, Vol 3, Part C, section 12.1; Core Specification Supplement 12, Part A, section 1.2",
            if: .characteristic(.deviceName, of: .genericAccess)
        ) { peripheral throws(CheckExit) in
            guard let said = peripheral.advertised.name else { throw .skipped("not claimed: it advertises no name") }
            let value = try peripheral.characteristic(.deviceName, of: .genericAccess)
            let name = try peripheral.read(value.valueHandle, "2A00")
            let fits = said.type == .completeLocalName ? name == said.data : name.starts(with: said.data)
            try peripheral.expect(
                fits, "AD type \(said.type) fits the Device Name \(String(decoding: name, as: UTF8.self).quoted)",
                seen: String(decoding: said.data, as: UTF8.self).quoted)
        },
        Check(
            "advertising/appearance_fits", "the appearance that is advertised is that of 2A01",
            "Core 6.0, Vol 3, Part C, section 12.2", if: .characteristic(.appearance, of: .genericAccess)
        ) { peripheral throws(CheckExit) in
            guard let said = peripheral.advertised.structure(.appearance) else {
                throw .skipped("not claimed: it advertises no appearance")
            }
            let value = try peripheral.characteristic(.appearance, of: .genericAccess)
            let octets = try peripheral.read(value.valueHandle, "2A01")
            try peripheral.expect(octets == said.data, "\(octets.hex), as 2A01 has it", seen: said.data.hex)
        },
    ]

    private static let discoverable: AdvertisingFlags = [.limitedDiscoverable, .generalDiscoverable]

    private static func listing(_ id: String, _ sensor: String, _ service: UUID, _ requirement: String) -> Check {
        Check(
            id, "\(sensor) advertises \(service)", requirement,
            if: .characteristic(
                service == .heartRate ? .heartRateMeasurement : .temperatureMeasurement, of: service)
        ) { peripheral throws(CheckExit) in
            try peripheral.need(.advertisements)
            let services = peripheral.advertised.services
            try peripheral.expectAdvertised(
                services.contains(service), "\(service) among the services that it advertises",
                seen: services.isEmpty ? "none" : services.map(\.description).joined(separator: ", "))
        }
    }

    private static func naming(_ id: String, _ sensor: String, _ service: UUID, _ requirement: String) -> Check {
        Check(id, "\(sensor) advertises its name", requirement, if: .service(service)) { peripheral throws(CheckExit) in
            try peripheral.need(.advertisements)
            try peripheral.expectAdvertised(
                peripheral.advertised.name?.data.isEmpty == false, "a local name in advertising or scan response data",
                seen: "none")
        }
    }
}

extension Examiner {
    /// The flags of who invites everyone to connect; skips the check for who does not.
    fileprivate func invitingFlags() throws(CheckExit) -> AdvertisingFlags? {
        guard advertisement?.kind == .undirected else {
            throw .skipped("not claimed: it does not invite everyone to connect")
        }
        return advertised.data?.flags
    }
}
