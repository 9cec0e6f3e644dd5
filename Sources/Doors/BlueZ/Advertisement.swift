import Basics
import BlueZNames
package import Bluetooth
import DBus

/// The content of an advertisement. bluetoothd builds the packets, and moves a name that does not fit to the scan
/// response.
package struct Advertisement: Hashable, Sendable {
    package var name: String
    package var services: [UUID] = []
    package var serviceData: [UUID: [UInt8]] = [:]
    /// Manufacturer specific data by company identifier.
    package var manufacturerData: [UInt16: [UInt8]] = [:]
    package var appearance: UInt16?
    package var includesTxPower = false
    /// The advertising interval, 20 ms to 10.485 s; bluetoothd before 5.77 ignores it unless started with `-E`.
    package var interval = Duration.milliseconds(100)

    package var isConnectable = true

    package init(name: String) { self.name = name }

    /// The object to register with LEAdvertisingManager1; `released` is called when bluetoothd releases it.
    func object(
        at path: ObjectPath, for owner: BlueZOwner, released: @escaping @Sendable () -> Void
    ) -> ExportedObject {
        let release = Method("Release") { call in
            released()
            call.reply()
        }
        return ExportedObject(
            path, [Interface(.advertisement, methods: [owner.restricted(release)], properties: properties)])
    }

    /// The names and values of its properties.
    var values: [(name: MemberName, value: Value)] {
        properties.compactMap { property in property.get().map { (property.name, $0) } }
    }

    private var properties: [Property] {
        let milliseconds = Value.uint32(UInt32(clamping: interval.inNanoseconds / 1_000_000))
        var properties = [
            Property("Type", constant: .string(isConnectable ? "peripheral" : "broadcast")),
            Property("LocalName", constant: .string(name)), Property("MinInterval", constant: milliseconds),
            Property("MaxInterval", constant: milliseconds),
        ]
        // A broadcast has no Flags.
        if isConnectable { properties.append(Property("Discoverable", constant: .boolean(true))) }
        if !services.isEmpty {
            properties.append(Property("ServiceUUIDs", constant: .strings(services.map(\.description))))
        }
        if !serviceData.isEmpty {
            let entries = serviceData.sorted { $0.key.description < $1.key.description }
            properties.append(
                Property("ServiceData", constant: .options(entries.map { ($0.key.description, .octets($0.value)) })))
        }
        if !manufacturerData.isEmpty {
            let entries = manufacturerData.sorted { $0.key < $1.key }.map { company, octets in
                Value.Entry(.uint16(company), .variant(.octets(octets)))
            }
            properties.append(
                Property("ManufacturerData", constant: .dictionary(key: .uint16, value: .variant, entries)))
        }
        if let appearance { properties.append(Property("Appearance", constant: .uint16(appearance))) }
        if includesTxPower { properties.append(Property("Includes", constant: .strings(["tx-power"]))) }
        return properties
    }
}
