import Bluetooth
import Characteristics
import Devices
import Documents
import GATT
import ScenarioModel
import Services

// Descriptors.  Core 6.0, Vol 3, Part G, section 3.3.3.
extension CustomReader {
    func descriptors(of characteristic: CustomCharacteristic, _ cursors: [Cursor]) -> [DescriptorDefinition] {
        noteDuplicates(cursors)
        return cursors.compactMap { cursor -> DescriptorDefinition? in
            guard let uuid = uuid(cursor) else { return nil }
            var descriptor =
                uuid == .clientCharacteristicConfiguration
                ? configuration(of: characteristic, cursor) : self.descriptor(uuid, cursor)
            descriptor?.handle = cursor.handle("handle")
            return descriptor
        }
    }

    /// Sections 3.3.3.1 to 3.3.3.4 and 3.3.3.6: a characteristic has at most one of these.
    private static let singleTypes = [0x2900, 0x2901, 0x2902, 0x2903, 0x2905].map { UUID($0) }

    private func noteDuplicates(_ descriptors: [Cursor]) {
        var seen: Set<UUID> = []
        for cursor in descriptors.compactMap({ $0["uuid"] }) {
            guard let uuid = cursor.string.flatMap({ UUID($0) }), Self.singleTypes.contains(uuid),
                !seen.insert(uuid).inserted
            else { continue }
            cursor.note(.duplicateDescriptor, "a characteristic has only one \(cursor.node.kind)")
        }
    }

    /// The place and the permissions of the Client Characteristic Configuration; each client has its own value.
    private func configuration(of characteristic: CustomCharacteristic, _ cursor: Cursor) -> DescriptorDefinition? {
        if characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
            cursor["uuid"]?.note(
                .conflict, "this characteristic has neither notify nor indicate: add one to its properties")
        }
        cursor["value"]?.note(.conflict, "a 2902 has a value for each client, 0 at first: delete \"value\"")
        let security = characteristic.permissions.securityToRead.union(characteristic.permissions.securityToWrite)
        return DescriptorDefinition(
            uuid: .clientCharacteristicConfiguration,
            permissions: permissions(cursor["permissions"]) { [.readable, .writeable(needing: $0.union(security))] },
            value: nil)
    }

    private func descriptor(_ uuid: UUID, _ cursor: Cursor) -> DescriptorDefinition? {
        guard let value = cursor["value"] else {
            cursor.note(
                .missingKey, "\"value\" is required", help: "add \"value\": octets, text or a number", key: "value")
            return nil
        }
        guard let octets = octets(value, of: uuid) else { return nil }
        // Section 3.3.3.5.
        if uuid == .characteristicPresentationFormat, octets.count != 7 {
            value.note(.wrongLength, "a Characteristic Presentation Format has 7 octets, and this has \(octets.count)")
        }
        let permissions = permissions(cursor["permissions"]) { .readable(needing: $0) }
        // Section 3.3.3.1; clients cache it, and the Database Hash covers its value.
        if uuid == .characteristicExtendedProperties, permissions.contains(.writeable) {
            cursor["permissions"]?.note(.conflict, "a 2900 cannot be written: delete \"write\"")
        }
        return DescriptorDefinition(uuid: uuid, permissions: permissions, value: octets)
    }

    /// Bit fields of 16 bits.  Sections 3.3.3.1 and 3.3.3.4.
    private static let wideTypes: [UUID] = [.characteristicExtendedProperties, .serverCharacteristicConfiguration]

    /// A descriptor's value: a number in as few octets as hold it and its type has, or text.
    private func octets(_ cursor: Cursor, of uuid: UUID) -> [UInt8]? {
        if let number = cursor.number {
            guard let whole = UInt32(exactly: number) else { return nil }
            let octets = (0..<4).map { UInt8(truncatingIfNeeded: whole >> ($0 * 8)) }
            let isShort = whole < 256 && !Self.wideTypes.contains(uuid)
            return Array(octets[..<(isShort ? 1 : whole < 65536 ? 2 : 4)])
        }
        let format: ValueFormat = uuid == .characteristicUserDescription ? .utf8 : .octets
        guard case .text(let text)? = value(cursor, as: format) else { return nil }
        return Value.text(text).octets(as: format)
    }
}
