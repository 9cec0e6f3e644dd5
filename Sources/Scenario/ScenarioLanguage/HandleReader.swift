import Devices
import Documents
import GATT
import ScenarioModel

/// Assigns the handles of a device, as the device itself will, and notes fixed handles that are not available.
/// Core 6.0, Vol 3, Part G, section 2.6.
struct HandleReader {
    private static let last = 0xFFFF

    private var next: Int

    /// Starts after Generic Access (with the Peripheral Preferred Connection Parameters, if the link has preferences) and
    /// Generic Attribute (Service Changed, Client Supported Features, Database Hash), if the device has these.
    init(_ device: Device) {
        let link = device.link
        let isChoosy = link.interval != nil || link.latency != nil || link.timeout != nil
        next = device.hasGenericServices ? isChoosy ? 0x0010 : 0x000E : 0x0001
    }

    mutating func add(_ service: Service, _ cursor: Cursor) {
        let wasFull = next > Self.last + 1
        let definition = service.configured.attributes.definition
        take(definition.handle, cursor)
        next += definition.includes.count
        let cursors = cursor["characteristics"]?.items ?? []
        for (place, characteristic) in definition.characteristics.enumerated() {
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
        take(characteristic.declarationHandle, cursor, "declaration_handle")
        take(characteristic.handle, cursor)
        let hasConfiguration = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
        if hasConfiguration, !characteristic.descriptors.contains(where: \.isConfiguration) { next += 1 }
        let cursors = cursor["descriptors"]?.items ?? []
        for (place, descriptor) in characteristic.descriptors.enumerated() {
            take(descriptor.handle, cursors.indices.contains(place) ? cursors[place] : cursor)
        }
    }

    /// Takes the fixed handle, or the next one.
    private mutating func take(_ fixed: UInt16?, _ cursor: Cursor, _ key: String = "handle") {
        let handle = fixed.map(Int.init) ?? next
        if handle < next { cursor[key]?.note(.handleTaken, "expected handle \(next) or higher, found \(handle)") }
        next = max(next, handle) + 1
    }
}
