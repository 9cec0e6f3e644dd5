import ATT
import Basics
package import Bluetooth
import GATT

/// The identity of a peripheral in reports: the strings that describe it, and its attributes.
package struct PeripheralIdentity: Hashable, Sendable {
    /// A string that the peripheral has, such as its Model Number String.
    package struct Description: Hashable, Sendable {
        package let uuid: UUID
        package let text: String
    }

    /// Device Name and the strings of Device Information, by handle.
    package let descriptions: [Description]
    /// A line for each attribute, by handle: `0x0003  Device Name: Read, Write`.
    package let attributes: [String]

    /// Device Name, and the strings of Device Information Service 1.1, section 3.
    fileprivate static let uuids: Set<UUID> = [
        .deviceName, .modelNumberString, .serialNumberString, .firmwareRevisionString, .hardwareRevisionString,
        .softwareRevisionString, .manufacturerNameString,
    ]

    fileprivate init(_ services: [DiscoveredService], _ values: [UInt16: [UInt8]]) {
        let characteristics = services.flatMap(\.characteristics)
        descriptions = characteristics.compactMap { characteristic in
            values[characteristic.valueHandle].map {
                Description(uuid: characteristic.uuid, text: String(decoding: $0, as: UTF8.self))
            }
        }
        let lines = services.flatMap { service in
            [(service.range.first, "\(service.isPrimary ? "primary" : "secondary") service \(service.uuid.name)")]
                + service.characteristics.flatMap { characteristic in
                    [(characteristic.valueHandle, "\(characteristic.uuid.name): \(characteristic.properties.names)")]
                        + characteristic.descriptors.map { ($0.handle, "descriptor \($0.type.name)") }
                }
        }
        attributes = lines.sorted { $0.0 < $1.0 }.map { "\($0.0.inHex)  \($0.1)" }
    }
}

extension Examiner {
    /// Reads what identifies the peripheral in the present connection.
    mutating func identity() throws(CheckExit) -> PeripheralIdentity {
        let described = characteristics.filter { PeripheralIdentity.uuids.contains($0.uuid) }
        return PeripheralIdentity(services, try wholeValues(described.map(\.valueHandle)))
    }
}
