import Bluetooth
import Characteristics
import Documents
import GATT
import Scenarios
import Sensors
import ServiceFramework
import Services
import TextFormatting

/// Makes custom services of checked trees.
struct CustomReader {
    /// The operations that a characteristic declares.
    enum Property: String, CaseIterable {
        case read
        case write
        case writeCommand = "write_command"
        case notify
        case indicate
        case broadcast
        case signedWrite = "signed_write"
        case extendedProperties = "extended_properties"

        var bit: CharacteristicProperties {
            switch self {
            case .read: .read
            case .write: .write
            case .writeCommand: .writeWithoutResponse
            case .notify: .notify
            case .indicate: .indicate
            case .broadcast: .broadcast
            case .signedWrite: .authenticatedSignedWrites
            case .extendedProperties: .extendedProperties
            }
        }
    }

    let services: ServiceReader

    func custom(_ cursor: Cursor) -> ConfiguredService {
        var taken: Set<String> = []
        let items = cursor["characteristics"]?.items ?? []
        for item in items {
            let name = name(of: item)
            guard !taken.insert(name).inserted else { continue }
            (item["id"] ?? item).note(.duplicateID, "this service has another characteristic \(name.quoted)")
        }
        var service = ConfiguredService.custom(
            cursor["uuid"]?.string.flatMap { UUID($0) } ?? UUID(0), items.map(characteristic))
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
            cursor["uuid"]?.note(.conflict, "declarations come by themselves")
        }
        return uuid
    }

    private static let declarations: [UUID] = [.primaryService, .secondaryService, .include, .characteristic]

    private func characteristic(_ cursor: Cursor) -> CustomCharacteristic {
        let format: ValueFormat = cursor["format"].choice() ?? Self.format(of: cursor["value"])
        noteRepeated(cursor["properties"]?.items ?? [])
        let properties = (cursor["properties"]?.items ?? []).compactMap { Optional($0).choice() as Property? }
        var characteristic = CustomCharacteristic(
            name(of: cursor), uuid: uuid(cursor) ?? UUID(0), format: format,
            properties: CharacteristicProperties(properties.map(\.bit)),
            initial: initial(cursor["value"].flatMap { value($0, as: format) }, as: format))
        characteristic.permissions = permissions(cursor["permissions"]) {
            AttributePermissions(characteristic.properties, needing: $0)
        }
        characteristic.period = within(cursor["period"], .milliseconds(1) ... .seconds(86_400)) ?? .seconds(1)
        characteristic.declarationHandle = cursor.handle("declaration_handle")
        characteristic.handle = cursor.handle("handle")
        characteristic.descriptors = descriptors(of: characteristic, cursor["descriptors"]?.items ?? [])
        noteDeviations(of: characteristic, cursor)
        return characteristic
    }

    private func initial(_ value: Value?, as format: ValueFormat) -> CustomCharacteristic.Initial {
        switch value {
        case .curve(let curve): .curve(curve)
        case .text: .octets(value?.octets(as: format) ?? [])
        case nil: format.range == nil ? .octets([]) : .curve(.constant(0))
        }
    }

    func noteRepeated(_ names: [Cursor]) {
        var seen: Set<String> = []
        for cursor in names {
            guard let name = cursor.string, !seen.insert(name).inserted else { continue }
            cursor.note(.repeatedName, "\(name.abbreviated.quoted) stands here already")
        }
    }

    private static func format(of cursor: Cursor?) -> ValueFormat {
        guard let cursor else { return .octets }
        return cursor.string == nil ? .uint8 : .utf8
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
            return cursor.fits(octets.count, Cursor.longestValue) ? value : nil
        }
    }
}

extension Cursor {
    /// The longest value of an attribute, in octets.  Core 6.0, Vol 3, Part F, section 3.2.9.
    static let longestValue = 512

    /// Whether `count` is at most `most`; otherwise a problem is noted.
    func fits(_ count: Int, _ most: Int) -> Bool {
        guard count > most else { return true }
        note(.outOfRange, "\(count) octets are more than the \(most) that this can have")
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
