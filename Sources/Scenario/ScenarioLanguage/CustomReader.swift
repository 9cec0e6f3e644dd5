import Basics
import Bluetooth
import Characteristics
import Devices
import Documents
import GATT
import ScenarioModel
import Services

/// Makes custom services of checked trees.
struct CustomReader {
    let services: ServiceReader
    /// The id of the service; empty if none is read.
    var service = ""

    func custom(_ cursor: Cursor) -> ConfiguredService {
        var taken: [String: Cursor] = [:]
        let items = cursor["characteristics"]?.items ?? []
        let names = items.map(name)
        for (item, name) in zip(items, names) {
            guard !name.isEmpty, let first = taken.updateValue(taken[name] ?? item, forKey: name) else { continue }
            (item["id"] ?? item).note(
                .duplicateID, "this service has another characteristic \(name.quoted)",
                help: "give each its own \"id\"",
                related: [RelatedPlace(first["id"] ?? first["uuid"] ?? first, "the first is here")])
        }
        var service = ConfiguredService.custom(
            cursor["uuid"]?.string.flatMap { UUID($0) } ?? UUID(0),
            zip(items, names).map { characteristic($0, $1, among: names) })
        service.declaration.isSecondary = cursor["secondary"]?.bool ?? false
        service.declaration.handle = cursor.handle("handle")
        return service
    }

    private func name(of cursor: Cursor) -> String {
        cursor["id"]?.string ?? (cursor["uuid"]?.string ?? "").lowercased()
    }

    /// The UUID of a characteristic or a descriptor; declarations are not allowed.
    func uuid(_ cursor: Cursor) -> UUID? {
        guard let uuid = cursor["uuid"]?.string.flatMap({ UUID($0) }) else { return nil }
        if Self.declarations.contains(uuid) {
            cursor["uuid"]?.note(.conflict, "declarations come by themselves", help: "delete this")
        }
        return uuid
    }

    private static let declarations: [UUID] = [.primaryService, .secondaryService, .include, .characteristic]

    private func characteristic(_ cursor: Cursor, _ name: String, among ids: [String]) -> CustomCharacteristic {
        let format: ValueFormat = cursor["format"].choice() ?? Self.format(of: cursor)
        noteRepeated(cursor["properties"]?.items ?? [])
        let properties = (cursor["properties"]?.items ?? []).compactMap { Optional($0).choice() as PropertyWord? }
        var characteristic = CustomCharacteristic(
            name, uuid: uuid(cursor) ?? UUID(0), format: format,
            properties: CharacteristicProperties(properties.map(\.row.bit)),
            initial: initial(cursor["value"].flatMap { value($0, as: format) }, as: format))
        characteristic.permissions = permissions(cursor["permissions"]) {
            AttributePermissions(characteristic.properties, needing: $0)
        }
        characteristic.recording = recording(of: characteristic, cursor, among: ids)
        characteristic.period = within(cursor["period"], .milliseconds(1) ... .seconds(86_400)) ?? .seconds(1)
        characteristic.declarationHandle = cursor.handle("declaration_handle")
        characteristic.handle = cursor.handle("handle")
        characteristic.descriptors = descriptors(of: characteristic, cursor["descriptors"]?.items ?? [])
        noteDeviations(of: characteristic, cursor)
        return characteristic
    }

    /// The recording of a characteristic, whose service has characteristics with these ids; nil without one, or after
    /// noting a problem.
    private func recording(
        of characteristic: CustomCharacteristic, _ cursor: Cursor, among ids: [String]
    ) -> RecordedValues? {
        guard let file = cursor["recording"] else { return nil }
        if let other = cursor["period"] {
            other.note(.conflict, "the recording has its own times", help: "delete \"period\"")
        }
        guard characteristic.format == .octets else {
            file.note(
                .conflict, "a recording has octets, and the format is \(characteristic.format)",
                help: "write \"format\": \"octets\"")
            return nil
        }
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            file.note(.conflict, "this characteristic has neither notify nor indicate: add one to its properties")
            return nil
        }
        return services.curves.loader.table(file) { octets throws(CSVTable.Failure) in
            try RecordingTable.values(octets, of: characteristic.name, in: service, among: ids)
        }
    }

    private func initial(_ value: Value?, as format: ValueFormat) -> CustomCharacteristic.Initial {
        switch value {
        case .curve(let curve): .curve(curve)
        case .text: .octets(value?.octets(as: format) ?? [])
        case nil: format.range == nil ? .octets([]) : .curve(.constant(0))
        }
    }

    func noteRepeated(_ names: [Cursor]) {
        var seen: [String: Cursor] = [:]
        for cursor in names {
            guard let name = cursor.string, let first = seen.updateValue(seen[name] ?? cursor, forKey: name) else {
                continue
            }
            cursor.note(
                .repeatedName, "the list has \(name.abbreviated.quoted) twice", help: "delete one",
                related: [RelatedPlace(first, "the first is here")])
        }
    }

    /// The format of a characteristic without the key.
    static func format(of characteristic: Cursor) -> ValueFormat {
        guard characteristic["recording"] == nil, let value = characteristic["value"] else { return .octets }
        return value.string == nil ? .uint8 : .utf8
    }

    func value(_ cursor: Cursor, as format: ValueFormat) -> Value? {
        guard let value = services.curves.value(cursor, in: format.range) else { return nil }
        switch value {
        case .curve where format.range == nil:
            cursor.note(.wrongType, "expected a string for \(format), found \(cursor.node.kind)")
            return nil
        case .text where format.range != nil:
            cursor.note(.wrongType, "expected a number or a curve for \(format), found \(cursor.node.kind)")
            return nil
        case .curve: return value
        case .text:
            guard let octets = value.octets(as: format) else {
                cursor.note(.wrongForm, "expected octets such as \"00FF\" or \"00 ff\", found \(cursor.node.kind)")
                return nil
            }
            return cursor.fits(octets.count, LanguageLimits.value) ? value : nil
        }
    }

    // MARK: Permissions.  Core 6.0, Vol 3, Part F, section 3.2.5.

    /// The access that a device grants: a list has the security that the declared access needs, an object the access of
    /// each direction, declared or not.
    ///
    /// `declared` returns the declared access over a link with a security.
    func permissions(_ cursor: Cursor?, declared: (LinkSecurity) -> AttributePermissions) -> AttributePermissions {
        guard let cursor else { return declared([]) }
        guard !cursor.members.isEmpty else { return declared(security(cursor)) }
        var permissions = declared([])
        for (key, access) in [
            ("read", AttributePermissions.readable(needing:)), ("write", AttributePermissions.writeable(needing:)),
        ] {
            guard let direction = cursor[key] else { continue }
            permissions.subtract(access(.full))
            if direction.bool != false { permissions.formUnion(access(security(direction))) }
        }
        return permissions
    }

    /// The security in a list.
    func security(_ cursor: Cursor) -> LinkSecurity {
        noteRepeated(cursor.items)
        return LinkSecurity(cursor.items.compactMap { Optional($0).choice() as PermissionWord? }.map(\.row.security))
    }
}

extension Cursor {
    /// Whether `count` is at most `most`; otherwise a problem is noted.
    func fits(_ count: Int, _ most: Int) -> Bool {
        guard count > most else { return true }
        note(.outOfRange, "\(count) octets are more than the \(most) that this can have", help: "shorten it")
        return false
    }

    /// The handle under a key; nil without a valid one.
    func handle(_ key: String) -> UInt16? {
        (self[key]?.integer).flatMap(UInt16.init(exactly:)).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The string; nil, and a problem, for one with too many octets.
    func text(atMost most: Int) -> String? {
        guard let string, fits(string.utf8.count, most) else { return nil }
        return string
    }
}
