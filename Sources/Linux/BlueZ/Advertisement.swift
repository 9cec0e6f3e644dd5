public import Bluetooth
import DBus
import Simulation

/// What a device says while it waits for a connection; bluetoothd puts the packets together, and moves a name that has
/// no room into the scan response.
public struct Advertisement: Hashable, Sendable {
    /// What it is called.
    public var name: String
    /// The services that it lists.
    public var services: [UUID] = []
    /// Octets that belong to a service.
    public var serviceData: [UUID: [UInt8]] = [:]
    /// Octets that a company gives a meaning, by the company's assigned number.
    public var manufacturerData: [UInt16: [UInt8]] = [:]
    /// The category that the device says it belongs to.
    public var appearance: UInt16?
    /// Whether it says how strong it sends.
    public var tellsPower = false
    /// From one advertising event to the next, 20 ms to 10.485 s; bluetoothd before 5.77 heeds it only with `-E`.
    public var interval = Duration.milliseconds(100)

    /// Whether a connection can be made.
    public var isConnectable = true

    /// One that says nothing but the name.
    public init(name: String) { self.name = name }

    /// The object that a LEAdvertisingManager1 registers; `released` is called when bluetoothd has no more use for it.
    func object(at path: ObjectPath, for owner: Owner, released: @escaping @Sendable () -> Void) -> ExportedObject {
        let release = Method("Release") { call in
            released()
            call.answer()
        }
        return ExportedObject(path, [Interface(.advertisement, methods: [owner.only(release)], properties: properties)])
    }

    private var properties: [Property] {
        let milliseconds = Value.uint32(UInt32(clamping: interval.inNanoseconds / 1_000_000))
        var properties = [
            Property("Type", constant: .string(isConnectable ? "peripheral" : "broadcast")),
            Property("LocalName", constant: .string(name)), Property("MinInterval", constant: milliseconds),
            Property("MaxInterval", constant: milliseconds),
        ]
        // A broadcast has no flags.
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
        if tellsPower { properties.append(Property("Includes", constant: .strings(["tx-power"]))) }
        return properties
    }
}
