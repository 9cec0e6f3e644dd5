import Basics
import Bluetooth
import Characteristics
import Devices
import Documents
import ScenarioModel

/// Reads the fields of advertising data, which follow curves and the values of their device.
struct AdvertisedFieldReader {
    let curves: CurveReader
    /// The id of the device, and its services.
    let device: String
    let services: [Service]

    /// The fields of service data or manufacturer data, and the octets before they have values; notes a problem if there is
    /// neither a list of fields nor octets, or both.
    func contents(_ item: Cursor) -> (fields: [Advertising.Field], octets: [UInt8]) {
        switch (item["fields"], item["octets"]) {
        case (let list?, nil):
            let fields = list.items.compactMap(field)
            _ = list.fits(fields.reduce(0) { $0 + $1.count }, Self.maximumLength)
            return (fields, fields.flatMap { Array(repeating: 0, count: $0.count) })
        case (let list?, .some):
            list.note(.conflict, "\"fields\" and \"octets\" exclude each other: delete one")
        case (nil, nil):
            if !item.node.hasUnknown {
                item.note(.missingKey, "\"octets\" or \"fields\" is required", help: "add one of them")
            }
        case (nil, .some): break
        }
        return ([], item.octets("octets") ?? [])
    }

    /// What fits after the length, the type and the shortest UUID.
    private static let maximumLength = AdvertisingData.Limit.legacy.rawValue - 4

    private func field(_ cursor: Cursor) -> Advertising.Field? {
        let factor = cursor["times"]?.number ?? 1
        if let of = cursor["of"] {
            if let value = cursor["value"] {
                value.note(.conflict, "\"value\" and \"of\" exclude each other: delete one")
            }
            let format: ValueFormat = cursor["format"].choice() ?? .uint8
            guard let (service, value) = value(of) else { return nil }
            guard format.range != nil else {
                cursor["format"]?.note(.conflict, "\(of.node.kind) is a number", help: "choose a format of numbers")
                return nil
            }
            return Advertising.Field(
                cursor.nameOfAdvertisedField, format, .value(service: service, value: value), factor: factor)
        }
        guard let written = cursor["value"] else {
            if !cursor.node.hasUnknown {
                cursor.note(.missingKey, "\"value\" or \"of\" is required", help: "add one of them")
            }
            return nil
        }
        let format: ValueFormat = cursor["format"].choice() ?? CustomReader.format(of: cursor)
        guard let value = CustomReader(services: ServiceReader(curves: curves)).value(written, as: format) else {
            return nil
        }
        switch value {
        case .curve(let curve): return Advertising.Field(cursor["id"]?.string, format, .curve(curve), factor: factor)
        case .text:
            if let times = cursor["times"] {
                times.note(.conflict, "only a number can be multiplied: delete \"times\"")
            }
            return Advertising.Field(cursor["id"]?.string, format, .octets(value.octets(as: format) ?? []))
        }
    }

    /// The indices of the service and of the value that a path names, with or without the device; nil after noting that it
    /// names no number of the device.
    private func value(_ cursor: Cursor) -> (service: Int, value: Int)? {
        var words = (cursor.string ?? "").split(separator: "/").map(String.init)
        if words.first == device, words.count > 1 { words.removeFirst() }
        let numbers = services.enumerated().flatMap { number, service in
            service.values.indices.filter { service.values[$0].description.range != nil }.map { (number, $0) }
        }
        func path(_ service: Int, _ value: Int) -> String {
            let name = services[service].values[value].name
            return services[service].id + (name.isEmpty ? "" : "/\(name)")
        }
        let wanted = words.joined(separator: "/")
        if let found = numbers.first(where: { path($0.0, $0.1) == wanted }) { return found }
        if words.count == 1, let service = services.firstIndex(where: { $0.id == wanted }),
            case let own = numbers.filter({ $0.0 == service }), own.count == 1
        {
            return own[0]
        }
        guard cursor.string != nil, !services.contains(where: { $0.id == words.first && $0.values.isEmpty }) else {
            return nil
        }
        let paths = numbers.map { path($0.0, $0.1) }
        let help =
            closestMatch(to: wanted, in: paths).map { "did you mean \($0.quoted)?" }
            ?? (paths.isEmpty ? "add a service" : "its numbers are \(paths.prefix(20).joined(separator: ", "))")
        cursor.note(.unknownEntity, "the device has no number \(wanted.abbreviated.quoted)", help: help)
        return nil
    }
}

// Advertising data in devices and in actions.
extension ActionReader {
    /// What `change_advertising` changes; nil after noting that it is nothing.
    func changeAdvertising(_ entity: EntityReference, _ cursor: Cursor) -> Action.Operation? {
        guard let index = entity.device else { return nil }
        let device = names.devices[index]
        if device.role == .central {
            (cursor["of"] ?? cursor).note(.wrongEntity, "a central does not advertise: choose a peripheral")
        }
        let keys = Advertising.Payload.Key.allCases.filter { cursor[$0.rawValue] != nil }
        if keys.isEmpty, cursor["scan_response"] == nil, !cursor.node.hasUnknown {
            cursor.note(.missingKey, "nothing changes: add \"manufacturer_data\", \"service_data\" or another key")
        }
        let reader = DeviceReader(curves: curves, changes: AttributeChanges([], onlyDevice: nil))
        let fields = AdvertisedFieldReader(curves: curves, device: device.id, services: device.services)
        return .changeAdvertising(
            Advertising.Change(
                reader.payload(cursor, fields), of: Set(keys),
                scanResponse: cursor["scan_response"].map { reader.payload($0, fields) }))
    }
}

extension Cursor {
    /// The names of the advertised fields in a rule.
    var namesOfAdvertisedFields: [String] {
        [self, self["scan_response"]].compactMap(\.self).flatMap { payload in
            ["service_data", "manufacturer_data"].flatMap { payload[$0]?.items ?? [] }
        }.flatMap { $0["fields"]?.items ?? [] }.compactMap(\.nameOfAdvertisedField)
    }

    fileprivate var nameOfAdvertisedField: String? {
        self["id"]?.string ?? self["of"]?.string?.split(separator: "/").last.map(String.init)
    }
}
