import Bluetooth
import Characteristics
import GATT
import Simulation

/// What stands behind a Device Information Service: strings, which a script may change.
struct InformationSensor: ServiceSensor {
    private let kinds: [DeviceInformation]
    private let strings: [[UInt8]]
    private var set: [[UInt8]?]

    /// The strings that are there, in this order; each ends at the whole character before the 513th octet.
    init(_ strings: [(DeviceInformation, String)]) {
        kinds = strings.map(\.0)
        self.strings = strings.map { $0.1.utf8(atMost: AttributeTable.maximumValueLength) }
        set = strings.map { _ in nil }
    }

    var attributes: (ServiceDefinition, [Part.Quantity]) {
        let characteristics = kinds.map { CharacteristicDefinition(uuid: $0.uuid, properties: .read) }
        return (
            ServiceDefinition(uuid: .deviceInformation, characteristics: characteristics),
            kinds.map { .information($0) }
        )
    }

    func read(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) throws(ATTError) -> [UInt8] {
        guard let place = place(of: quantity) else { throw .unlikelyError }
        return set[place] ?? strings[place]
    }

    mutating func set(
        _ quantity: Part.Quantity, to value: PartValue?, at now: Instant, begun: Instant?, of body: inout Body
    ) -> Bool {
        guard let place = place(of: quantity) else { return false }
        switch value {
        case .octets(let octets): set[place] = Array(octets.prefix(AttributeTable.maximumValueLength))
        case nil: set[place] = nil
        case .signal: return false
        }
        return true
    }

    func octets(of _: Part.Quantity, saying value: PartValue) -> [UInt8]? { nil }

    private func place(of quantity: Part.Quantity) -> Int? { kinds.firstIndex { .information($0) == quantity } }
}
