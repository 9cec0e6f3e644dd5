import Basics
package import Bluetooth
package import Documents
import ScenarioModel
import SecurityManager

/// Reads devices from checked documents.
struct DeviceReader {
    let curves: CurveReader
    let changes: AttributeChanges

    func devices(_ cursors: [Cursor]) -> [Device] {
        var taken: [DeviceAddress: Cursor] = [:]
        for cursor in cursors.compactMap({ $0["address"] }) {
            guard let address = cursor.address else { continue }
            if let first = taken[address] {
                cursor.note(
                    .duplicateAddress, "another device has the address \(address)",
                    help: "give each its own address, or omit the addresses",
                    related: [RelatedPlace(first, "the first is here")])
            } else {
                taken[address] = cursor
            }
        }
        var addresses = Set(taken.keys)
        var next: UInt64 = 0xC0FF_EE00_0001
        return cursors.map { cursor in
            // Default addresses are numbered by position in the list, without those in use.
            while addresses.contains(DeviceAddress(next, .random)) { next += 1 }
            let address = cursor["address"]?.address ?? DeviceAddress(next, .random)
            addresses.insert(address)
            return device(cursor, address)
        }
    }

    private func device(_ cursor: Cursor, _ address: DeviceAddress) -> Device {
        var device = Device(id: cursor["id"]?.string ?? "", address: address)
        if let name = cursor["name"].flatMap({ $0.text(atMost: LanguageLimits.deviceName) }) { device.name = name }
        if let role: Device.Role = cursor["role"].choice() { device.role = role }
        if let distance = cursor["distance"]?.string { device.distance = Units.quantity(distance, unit: "m") ?? 1 }
        if let connections = cursor["connections"]?.integer { device.connections = connections }
        if let hasGenericServices = cursor["generic_services"]?.bool { device.hasGenericServices = hasGenericServices }
        device.rejectsShortWrites = cursor["short_writes"]?.string == "rejected"
        device.sendsEarlyValues = cursor["early_values"]?.bool ?? false
        device.link = link(cursor["link"])
        device.security = cursor["security"].map(security)
        if device.hasPrivacy, !address.isIdentity {
            cursor["address"]?.note(
                .outOfRange, "expected a public or static address, which privacy hides, found \(address)")
        }
        device.services = ServiceReader(curves: curves)
            .services(
                cursor["services"]?.items ?? [], after: HandleReader(device), changedBy: changes.of(device.id))
        device.advertising = advertising(
            cursor["advertise"], AdvertisedFieldReader(curves: curves, device: device.id, services: device.services))
        if cursor["advertise"]?["services"] == nil, device.advertising.payload.octets == nil {
            device.advertising.payload.services = device.services.advertised
        }
        return device
    }

    private func advertising(_ cursor: Cursor?, _ fields: AdvertisedFieldReader) -> Advertising {
        func interval(_ cursor: Cursor?) -> Duration {
            within(cursor, .milliseconds(20) ... .milliseconds(10_240)) ?? .milliseconds(100)
        }
        let phases = [cursor?["fast"], cursor?["slow"]].compactMap(\.self).map { phase in
            Advertising.Phase(interval: interval(phase["interval"]), duration: phase["for"]?.duration)
        }
        if let single = cursor?["interval"], !phases.isEmpty {
            single.note(.conflict, "\"interval\" and \"fast\" or \"slow\" exclude each other: delete one")
        }
        var advertising = Advertising()
        advertising.phases = phases.isEmpty ? [.init(interval: interval(cursor?["interval"]))] : phases
        advertising.payload = payload(cursor, fields)
        advertising.scanResponse = cursor?["scan_response"].map { payload($0, fields) }
        if let update = within(cursor?["update"], .milliseconds(100) ... .seconds(3600)) { advertising.update = update }
        advertising.isForBonded = cursor?["only_bonded"]?.bool ?? false
        advertising.isDirected = cursor?["directed"]?.bool ?? false
        for key in ["only_bonded", "directed"] where cursor?["connectable"]?.bool == false {
            guard let wrong = cursor?[key], wrong.bool == true else { continue }
            wrong.note(.conflict, "a device that is not connectable has no bonds: delete \(key.quoted)")
        }
        if let isConnectable = cursor?["connectable"]?.bool { advertising.isConnectable = isConnectable }
        return advertising
    }

    func payload(_ cursor: Cursor?, _ fields: AdvertisedFieldReader) -> Advertising.Payload {
        if let cursor, let octets = cursor["octets"] { return payload(octets, in: cursor) }
        func items(_ key: String) -> [Cursor] { cursor?[key]?.items ?? [] }
        var payload = Advertising.Payload()
        payload.services = items("services").compactMap { $0.string.flatMap { UUID($0) } }
        let long = items("services").compactMap(\.string).filter { $0.count > 4 }
        payload.fullServices = Set(long.compactMap { UUID($0) }.filter { $0.number != nil })
        payload.hasAllServices = cursor?["incomplete"]?.bool != true
        payload.serviceData = items("service_data").compactMap { item in
            let (fields, octets) = fields.contents(item)
            guard let uuid = item["uuid"]?.string.flatMap({ UUID($0) }) else { return nil }
            var data = Advertising.ServiceData(uuid: uuid, octets: octets)
            data.fields = fields
            return data
        }
        payload.manufacturerData = items("manufacturer_data").compactMap { item in
            let (fields, octets) = fields.contents(item)
            guard let company = (item["company"]?.integer).flatMap(UInt16.init(exactly:)) else { return nil }
            var data = Advertising.ManufacturerData(company: company, octets: octets)
            data.fields = fields
            return data
        }
        payload.appearance = (cursor?["appearance"]?.integer).flatMap(UInt16.init(exactly:))
        payload.txPower = (cursor?["tx_power"]?.integer).flatMap(Int8.init(exactly:))
        return payload
    }

    /// The content of AD structures.
    private func payload(_ cursor: Cursor, in parent: Cursor) -> Advertising.Payload {
        for key in ["services", "incomplete", "service_data", "manufacturer_data", "appearance", "tx_power"] {
            parent[key]?.note(.conflict, "\"octets\" are the whole data", help: "delete \(key.quoted), or \"octets\"")
        }
        var payload = Advertising.Payload()
        let octets = cursor.string.flatMap(Value.octets) ?? []
        guard cursor.fits(octets.count, AdvertisingData.Limit.legacy.rawValue) else { return payload }
        payload.octets = octets
        guard let data = try? AdvertisingData(octets: octets) else { return payload }
        payload.services = data.services
        payload.serviceData = data.allServiceData.map { .init(uuid: $0.service, octets: $0.data) }
        payload.manufacturerData = data.allManufacturerData.map { .init(company: $0.company, octets: $0.data) }
        (payload.appearance, payload.txPower) = (data.appearance?.number, data.txPowerLevel)
        return payload
    }

    private func link(_ cursor: Cursor?) -> Link {
        var link = Link()
        link.interval = within(cursor?["interval"], .microseconds(7_500) ... .seconds(4))
        link.latency = cursor?["latency"]?.integer
        link.timeout = within(cursor?["timeout"], .milliseconds(100) ... .seconds(32))
        link.mtu = cursor?["mtu"]?.integer
        return link
    }

    private func security(_ cursor: Cursor) -> Security {
        var security = Security()
        if let word = cursor["io"]?.string, let io = IOCapability.words.first(where: { $0.word == word }) {
            security.io = io.capability
        }
        security.passkey = cursor["passkey"]?.integer
        if let isBonding = cursor["bonding"]?.bool { security.isBonding = isBonding }
        if let preference = preference(cursor["secure_connections"], isTrue: .preferred) {
            security.secureConnections = preference
        }
        if let preference = preference(cursor["mitm"], isTrue: .required) { security.mitmProtection = preference }
        let sizes = (least: cursor["min_key_size"]?.integer ?? 7, most: cursor["key_size"]?.integer ?? 16)
        if sizes.least <= sizes.most {
            security.keySizes = sizes.least...sizes.most
        } else {
            cursor["min_key_size"]?.note(.outOfRange, "expected at most key_size, \(sizes.most), found \(sizes.least)")
        }
        security.bonds = cursor["bonds"]?.integer
        if let bonded = cursor["bonded"], let isBonded = bonded.bool {
            security.isBonded = isBonded
            if isBonded, !security.isBonding || security.bonds == 0 {
                bonded.note(.conflict, "a device that keeps no bonds cannot have one: delete \"bonded\"")
            }
        }
        if let hasOutOfBand = cursor["oob"]?.bool { security.hasOutOfBand = hasOutOfBand }
        if let hasSigningKey = cursor["signing_key"]?.bool { security.hasSigningKey = hasSigningKey }
        security.privacy = privacy(cursor["privacy"])
        return security
    }

    /// A duration, or the usual one as a boolean: Core 6.0, Vol 3, Part C, appendix A, TGAP(private_addr_int).
    private func privacy(_ cursor: Cursor?) -> Duration? {
        cursor?.bool.map { $0 ? .seconds(900) : nil } ?? within(cursor, .seconds(1) ... .seconds(3600))
    }

    /// A preference by its name, or as a boolean.
    private func preference(_ cursor: Cursor?, isTrue: SecuritySettings.Preference) -> SecuritySettings.Preference? {
        cursor?.bool.map { $0 ? isTrue : .off } ?? cursor.choice()
    }
}

extension IOCapability {
    /// The words of the language.
    static let words: [(word: String, capability: IOCapability)] = [
        ("display_only", .displayOnly), ("display_yes_no", .displayYesNo), ("keyboard_only", .keyboardOnly),
        ("no_input_no_output", .noInputNoOutput), ("keyboard_display", .keyboardDisplay), ("none", .noInputNoOutput),
    ]
}

extension Cursor {
    /// The address of a device, in a document checked as ``Shape/address``.
    package var address: DeviceAddress? { string.flatMap { DeviceAddress($0) } }
}

/// The duration at a cursor; nil after noting that it is out of range.
func within(_ cursor: Cursor?, _ range: ClosedRange<Duration>) -> Duration? {
    guard let cursor, let duration = cursor.duration else { return nil }
    guard range.contains(duration) else {
        cursor.note(
            .outOfRange,
            "expected \(Units.short(range.lowerBound)) to \(Units.short(range.upperBound)), found \(cursor.node.kind)")
        return nil
    }
    return duration
}
