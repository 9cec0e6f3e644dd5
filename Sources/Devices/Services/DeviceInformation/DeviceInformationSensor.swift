import Bluetooth
import Characteristics
import GATT
import Sensors
import ServiceFramework
import Simulation

/// The Device Information Service of a device: strings, which a script may change.
struct DeviceInformationSensor: ServiceSensor {
    /// In the order of the description; nil for one that the device does not have.
    private let strings: [[UInt8]?]
    private var set: [[UInt8]?]

    init(_ source: SensorSource) {
        strings = DeviceInformation.allCases.map { kind in
            source.configuration[DeviceInformationFields.field(of: kind)].map {
                $0.utf8(atMost: AttributeTable.maximumValueLength)
            }
        }
        set = strings.map { _ in nil }
    }

    func read(_ id: ValueID, at now: Instant, context: inout SensorContext) throws(ATTError) -> [UInt8] {
        guard strings.indices.contains(id.index), let string = set[id.index] ?? strings[id.index] else {
            throw .unlikelyError
        }
        return string
    }

    mutating func set(
        _ id: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool {
        guard strings.indices.contains(id.index), strings[id.index] != nil else { return false }
        switch input {
        case .octets(let octets): set[id.index] = Array(octets.prefix(AttributeTable.maximumValueLength))
        case nil: set[id.index] = nil
        case .signal: return false
        }
        return true
    }
}

extension String {
    /// The longest prefix of whole characters in at most `count` octets.
    package func utf8(atMost count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        for character in self {
            guard octets.count + character.utf8.count <= count else { break }
            octets += character.utf8
        }
        return octets
    }
}
