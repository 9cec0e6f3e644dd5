import Bluetooth
import Devices
import Documents
import GATT

// Faults of real devices: valid in a scenario, but noted.
extension CustomReader {
    func noteDeviations(of characteristic: CustomCharacteristic, _ cursor: Cursor) {
        guard !cursor.node.hasUnknown else { return }
        if characteristic.properties.isEmpty {
            cursor["properties"]?.noteDeviation("no client can use a characteristic without properties", "3.3.1.1")
        }
        noteDeviations(from: characteristic, cursor, .extendedProperties, .characteristicExtendedProperties)
        noteDeviations(from: characteristic, cursor, .broadcast, .serverCharacteristicConfiguration)
        noteDifferences(between: characteristic.properties, characteristic.permissions, cursor)
    }

    /// A property and the descriptor that belongs to it: a characteristic has both or neither.
    private func noteDeviations(
        from characteristic: CustomCharacteristic, _ cursor: Cursor, _ property: PropertyWord, _ descriptor: UUID
    ) {
        let isDeclared = characteristic.properties.contains(property.row.bit)
        let cursors = cursor["descriptors"]?.items ?? []
        let found = cursors.first { $0["uuid"]?.string.flatMap { UUID($0) } == descriptor }
        if isDeclared, found == nil {
            cursor["properties"]?.noteDeviation("\(property.rawValue) requires a descriptor \(descriptor)", "3.3.1.1")
        } else if !isDeclared, let found {
            found["uuid"]?.noteDeviation(
                "a \(descriptor) requires \(property.rawValue) among the properties", "3.3.1.1")
        }
        let octets = characteristic.descriptors.first { $0.uuid == descriptor }?.value
        if let octets, octets.count != 2 {
            found?["value"]?.noteDeviation("a \(descriptor) has 2 octets, and this has \(octets.count)", "3.3.3")
        }
    }

    private func noteDifferences(
        between properties: CharacteristicProperties, _ permissions: AttributePermissions, _ cursor: Cursor
    ) {
        let declared = AttributePermissions(properties)
        // A signed write needs the permission, and a server need not support it.
        let canBeDeclared = declared.union(properties.contains(.authenticatedSignedWrites) ? .writeable : [])
        for (name, access) in [("read", AttributePermissions.readable), ("write", .writeable)] {
            if declared.contains(access), !permissions.contains(access) {
                cursor["permissions"]?.noteDeviation("\(name) is declared and not permitted", "3.3.1.1")
            } else if !canBeDeclared.contains(access), permissions.contains(access) {
                cursor["permissions"]?.noteDeviation("\(name) is permitted and not declared", "3.3.1.1")
            }
        }
    }
}

extension Cursor {
    /// Reports a fault that a scenario can have on purpose.
    func noteDeviation(_ fault: String, _ section: String) {
        note(.deviation, "\(fault) (Core 6.0, Vol 3, Part G, section \(section)); it is played as written")
    }
}
