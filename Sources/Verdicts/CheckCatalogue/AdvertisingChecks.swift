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

// A peripheral keeps nothing for a client that is not bonded.
extension Check {
    private static let hasMeasurement = Prerequisite.characteristic(.heartRateMeasurement, of: .heartRate)

    static let reconnection = [
        advertising(
            "reconnection/advertises_again", "the peripheral advertises again after a disconnection", "5.1.1"
        ) { $0.disconnect() },
        advertising(
            "reconnection/advertises_after_loss", "the peripheral advertises again after link loss", "5.1.3"
        ) { peripheral throws(CheckExit) in try peripheral.loseLink(for: .seconds(2)) },
        Check(
            "reconnection/configuration_is_cleared",
            "the configuration of an unbonded client is 0x0000 after it reconnects", gatt("3.3.3.3"),
            scope: .freshConnection, recording: .values(for: .seconds(10))
        ) { peripheral throws(CheckExit) in try peripheral.expectConfigurationsCleared() }.withoutBond(),
        Check(
            "reconnection/nothing_is_replayed", "no measurement from before the reconnection is sent",
            "Heart Rate Service 1.0, section 3.4", scope: .freshConnection, recording: .values(for: .seconds(10)),
            if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            guard peripheral.scenarioValue(of: .heartRate) != nil else { return try peripheral.expectNoBurst() }
            let handle = try peripheral.subscribe(to: .heartRate).valueHandle
            try peripheral.setValue(of: .heartRate, to: 150, "set the heart rate")
            let time = peripheral.patience(.seconds(10), of: .heartRate)
            guard try peripheral.next(of: handle, within: time, where: { $0.heartRate?.bpm == 150 }) != nil
            else { throw .inconclusive("no measurement of 150 bpm within \(time.formatted)") }
            try peripheral.loseLink(for: .seconds(8))
            try peripheral.setValue(of: .heartRate, to: 60, "set the heart rate")
            peripheral.wait(.seconds(3))
            try peripheral.connect()
            let received = try peripheral.receive(.heartRate, for: .seconds(5))
            if let old = received.first(where: { $0.heartRate?.bpm == 150 }) {
                throw peripheral.failure(
                    expected: "only measurements of 60 bpm, the heart rate since before the connection",
                    seen: old.heartRateText)
            }
        },
    ]

    private static func advertising(
        _ id: String, _ title: String, _ section: String, after end: @escaping Body
    ) -> Check {
        Check(
            id, title, "Heart Rate Profile 1.0, section \(section)", scope: .freshConnection, weight: .recommended,
            if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            try end(&peripheral)
            peripheral.forgetReports()
            do throws(CheckExit) { try peripheral.findAdvertiser() } catch {
                throw peripheral.failure(
                    expected: "\(peripheral.peer) advertises again", seen: "no advertising for 21 s")
            }
        }
    }
}

extension Examiner {
    /// Subscribes to everything, reconnects, and fails if a configuration is not 0, or if a value arrives.
    fileprivate mutating func expectConfigurationsCleared() throws(CheckExit) {
        try require(.absenceOfBond)
        let accepted = Set(try subscribeToAllThatAccept().compactMap(\.configurationHandle))
        guard !accepted.isEmpty else { throw .notApplicable("no characteristic can be notified or indicated") }
        // A peripheral may act on a configuration only when it has a value to send.
        _ = wait(atMost: .seconds(10)) { !$0.receivedValues.isEmpty || $0.connection == nil }
        guard connection != nil else { throw disconnected(during: "a wait for notifications") }
        disconnect()
        try connect()
        let period = recording.map { Recording.patience(after: $0.values) }
        try stayConnected(for: min(.seconds(5), period ?? .seconds(5)))
        let early = receivedValues.first
        try expect(
            early == nil, "no value before the client subscribes again",
            seen: early.map { "\($0.description), of handle \($0.handle.inHex)" } ?? "")
        for value in characteristics {
            guard let handle = value.configurationHandle, accepted.contains(handle) else { continue }
            let octets = try read(handle, "the configuration of \(value.uuid.name)")
            try expect(octets == [0, 0], "the configuration of \(value.uuid.name) is 00 00", seen: octets.text)
        }
    }

    /// Fails if old measurements arrive in a burst after each of two reconnections; else skips the check, since a replay
    /// without a burst cannot be told from a constant heart rate.
    fileprivate mutating func expectNoBurst() throws(CheckExit) {
        let before = try receive(.heartRate, for: .seconds(10))
        let gaps = zip(before, before.dropFirst()).map { $0.instant.duration(to: $1.instant) }.sorted()
        guard gaps.count >= 3, gaps[gaps.count / 2] >= .milliseconds(300) else {
            throw .notApplicable("measurements come too often, or too seldom, to recognize a burst")
        }
        let window = gaps[gaps.count / 2] * 3 / 4
        for turn in 1...2 {
            disconnect()
            wait(.seconds(3))
            try connect()
            let handle = try subscribe(to: .heartRate).valueHandle
            wait(window)
            let old = receivedValues.filter { new in
                new.handle == handle && before.contains { $0.octets == new.octets }
            }
            guard old.count >= 3 else {
                throw .skipped("cannot set the heart rate of a real peripheral; no burst of old measurements was seen")
            }
            guard turn == 2 else { continue }
            throw failure(
                expected: "one measurement every \(gaps[gaps.count / 2].formatted), as before the disconnection",
                seen:
                    "\(old.count) old ones within \(window.formatted): \(old.map(\.heartRateText).joined(separator: ", "))"
            )
        }
    }
}
