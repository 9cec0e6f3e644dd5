import Documents
import GATT
import Services

/// Lays out the attributes of a device, as it will itself when it is made, and notes fixed handles that cannot be.
/// Core 6.0, Vol 3, Part G, section 2.6.
struct HandleReader {
    private static let last = 0xFFFF

    private var next: Int

    /// Begins behind Generic Access with a name, an appearance and what is preferred of a link, if anything is, and Generic
    /// Attribute with Service Changed, Client Supported Features and the Database Hash.
    init(_ link: Link) {
        let isChoosy = link.interval != nil || link.latency != nil || link.timeout != nil
        next = isChoosy ? 0x0010 : 0x000E
    }

    /// Lays out the service that stands at `cursor`.
    mutating func add(_ service: Service, _ cursor: Cursor) {
        let wasFull = next > Self.last + 1
        next += 1
        let cursors = cursor["characteristics"]?.items ?? []
        for (place, characteristic) in service.configured.attributes.0.characteristics.enumerated() {
            add(characteristic, cursors.indices.contains(place) ? cursors[place] : cursor)
        }
        if next > Self.last + 1, !wasFull {
            cursor.note(.handleTaken, "this service's attributes go beyond handle \(Self.last), the last that there is")
        }
    }

    /// Makes room for what a rule, whose distance stands at `cursor`, does once.
    mutating func move(_ cursor: Cursor) {
        let wasFull = next > Self.last + 1
        next += min(max(0, cursor.integer ?? 0), Self.last)
        if next > Self.last + 1, !wasFull {
            let text = "this moves the device's attributes beyond handle \(Self.last), the last that there is"
            cursor.note(.handleTaken, text)
        }
    }

    /// Declaration, value, configuration, and descriptors.
    private mutating func add(_ characteristic: CharacteristicDefinition, _ cursor: Cursor) {
        let lowest = next + 1
        var handle = lowest
        if let wanted = characteristic.handle.map(Int.init), wanted > 0 {
            if wanted < lowest {
                cursor["handle"]?.note(.handleTaken, "the lowest handle that this value can have is \(lowest)")
            }
            handle = max(handle, wanted)
        }
        let hasConfiguration = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
        next = handle + 1 + (hasConfiguration ? 1 : 0) + characteristic.descriptors.count
    }
}
