import Bluetooth
import Characteristics
import Documents
import GATT
import Scenarios
import Sensors
import ServiceFramework
import Services
import TextFormatting

/// Makes custom services from checked trees.
struct CustomReader {
    /// The operations that a client may use.
    enum Property: String, CaseIterable {
        case read
        case write
        case writeCommand = "write_command"
        case notify
        case indicate

        var bit: CharacteristicProperties {
            switch self {
            case .read: .read
            case .write: .write
            case .writeCommand: .writeWithoutResponse
            case .notify: .notify
            case .indicate: .indicate
            }
        }
    }

    /// The security that they need.
    enum Permission: String, CaseIterable {
        case encrypted
        case authenticated
        case authorized

        /// The security of the link; a key with an operator's confirmation also encrypts it.
        var security: LinkSecurity {
            switch self {
            case .encrypted: .encrypted
            case .authenticated: [.encrypted, .authenticated]
            case .authorized: .authorized
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
        return .custom(cursor["uuid"]?.string.flatMap { UUID($0) } ?? UUID(0), items.map(characteristic))
    }

    private func name(of cursor: Cursor) -> String {
        cursor["id"]?.string ?? (cursor["uuid"]?.string ?? "").lowercased()
    }

    /// The UUID of a characteristic or a descriptor; attributes that every device has are not allowed.
    private func uuid(_ cursor: Cursor) -> UUID? {
        guard let uuid = cursor["uuid"]?.string.flatMap({ UUID($0) }) else { return nil }
        if Self.ownTypes.contains(uuid) {
            cursor["uuid"]?.note(.conflict, "attributes of this type come by themselves")
        }
        return uuid
    }

    private static let ownTypes: [UUID] = [
        .primaryService, .secondaryService, .include, .characteristic, .clientCharacteristicConfiguration,
    ]

    private func characteristic(_ cursor: Cursor) -> CustomCharacteristic {
        let format: ValueFormat = cursor["format"].choice() ?? Self.format(of: cursor["value"])
        for key in ["properties", "permissions"] { noteRepeated(cursor[key]?.items ?? []) }
        let descriptors = cursor["descriptors"]?.items ?? []
        noteDuplicates(descriptors)
        let properties = (cursor["properties"]?.items ?? []).compactMap { Optional($0).choice() as Property? }
        var characteristic = CustomCharacteristic(
            name(of: cursor), uuid: uuid(cursor) ?? UUID(0), format: format,
            properties: CharacteristicProperties(properties.map(\.bit)),
            initial: initial(cursor["value"].flatMap { value($0, as: format) }, as: format))
        let permissions = (cursor["permissions"]?.items ?? []).compactMap { Optional($0).choice() as Permission? }
        characteristic.security = LinkSecurity(permissions.map(\.security))
        characteristic.period = within(cursor["period"], .milliseconds(1) ... .seconds(86_400)) ?? .seconds(1)
        characteristic.handle = (cursor["handle"]?.integer).flatMap(UInt16.init(exactly:))
        characteristic.descriptors = descriptors.compactMap(descriptor)
        return characteristic
    }

    private func initial(_ value: Value?, as format: ValueFormat) -> CustomCharacteristic.Initial {
        switch value {
        case .curve(let curve): .curve(curve)
        case .text: .octets(value?.octets(as: format) ?? [])
        case nil: format.range == nil ? .octets([]) : .curve(.constant(0))
        }
    }

    private func noteRepeated(_ names: [Cursor]) {
        var seen: Set<String> = []
        for cursor in names {
            guard let name = cursor.string, !seen.insert(name).inserted else { continue }
            cursor.note(.repeatedName, "\(name.abbreviated.quoted) stands here already")
        }
    }

    /// Core 6.0, Vol 3, Part G, sections 3.3.3.1, 3.3.3.2, 3.3.3.4 and 3.3.3.6: a characteristic has at most one of these.
    private static let singleTypes = [0x2900, 0x2901, 0x2903, 0x2905].map { UUID($0) }

    private func noteDuplicates(_ descriptors: [Cursor]) {
        var seen: Set<UUID> = []
        for cursor in descriptors.compactMap({ $0["uuid"] }) {
            guard let uuid = cursor.string.flatMap({ UUID($0) }), Self.singleTypes.contains(uuid),
                !seen.insert(uuid).inserted
            else { continue }
            cursor.note(.duplicateDescriptor, "a characteristic has only one \(cursor.node.kind)")
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

    private func descriptor(_ cursor: Cursor) -> DescriptorDefinition? {
        guard let uuid = uuid(cursor), let value = cursor["value"], let octets = octets(value, of: uuid) else {
            return nil
        }
        // Core 6.0, Vol 3, Part G, section 3.3.3.5.
        if uuid == .characteristicPresentationFormat, octets.count != 7 {
            value.note(.wrongLength, "a Characteristic Presentation Format has 7 octets, and this has \(octets.count)")
        }
        return DescriptorDefinition(uuid: uuid, value: octets)
    }

    /// A descriptor's value: a number in as few octets as hold it, or text.
    private func octets(_ cursor: Cursor, of uuid: UUID) -> [UInt8]? {
        if let number = cursor.number {
            guard let whole = UInt32(exactly: number) else { return nil }
            let octets = (0..<4).map { UInt8(truncatingIfNeeded: whole >> ($0 * 8)) }
            return Array(octets[..<(whole < 256 ? 1 : whole < 65536 ? 2 : 4)])
        }
        let format: ValueFormat = uuid == .characteristicUserDescription ? .utf8 : .octets
        guard case .text(let text)? = value(cursor, as: format) else { return nil }
        return Value.text(text).octets(as: format)
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

    /// The string; nil, and a problem, for one with too many octets.
    func text(atMost most: Int) -> String? {
        guard let string, fits(string.utf8.count, most) else { return nil }
        return string
    }
}

/// Assigns the handles of a device, as the device itself will, and notes fixed handles that are not available.
/// Core 6.0, Vol 3, Part G, section 2.6.
struct HandleReader {
    private static let last = 0xFFFF

    private var next: Int

    /// Starts after Generic Access (with the Peripheral Preferred Connection Parameters, if the link has preferences) and
    /// Generic Attribute (Service Changed, Client Supported Features, Database Hash).
    init(_ link: Link) {
        let isChoosy = link.interval != nil || link.latency != nil || link.timeout != nil
        next = isChoosy ? 0x0010 : 0x000E
    }

    mutating func add(_ service: Service, _ cursor: Cursor) {
        let wasFull = next > Self.last + 1
        next += 1
        let cursors = cursor["characteristics"]?.items ?? []
        for (place, characteristic) in service.configured.attributes.0.characteristics.enumerated() {
            add(characteristic, cursors.indices.contains(place) ? cursors[place] : cursor)
        }
        if next > Self.last + 1, !wasFull {
            cursor.note(.handleTaken, "this service exceeds the last handle, \(Self.last)")
        }
    }

    /// Reserves the handles for a `move_handles` whose distance is at `cursor`.
    mutating func move(_ cursor: Cursor) {
        let wasFull = next > Self.last + 1
        next += min(max(0, cursor.integer ?? 0), Self.last)
        if next > Self.last + 1, !wasFull {
            let text = "this moves the device's attributes beyond the last handle, \(Self.last)"
            cursor.note(.handleTaken, text)
        }
    }

    /// Declaration, value, configuration, and descriptors.
    private mutating func add(_ characteristic: CharacteristicDefinition, _ cursor: Cursor) {
        let lowest = next + 1
        var handle = lowest
        if let fixed = characteristic.handle.map(Int.init), fixed > 0 {
            if fixed < lowest {
                cursor["handle"]?.note(.handleTaken, "expected handle \(lowest) or higher")
            }
            handle = max(handle, fixed)
        }
        let hasConfiguration = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
        next = handle + 1 + (hasConfiguration ? 1 : 0) + characteristic.descriptors.count
    }
}
