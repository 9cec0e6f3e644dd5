package import Basics
import Bluetooth
package import Characteristics
package import Devices
import Documents
import GATT

extension ServiceDescription {
    /// The Device Information Service, 0x180A.  Device Information Service 1.2.
    package static let deviceInformation = ServiceDescription(
        "device_information", .deviceInformation, "manufacturer, model and other strings", isAdvertised: false,
        example: [
            "service": "device_information", "manufacturer": "Acme", "model": "Strap 2", "serial": "0042",
            "hardware": "B", "firmware": "1.4.0", "software": "1.4.2",
        ],
        fields: DeviceInformation.allCases.map { DeviceInformationFields.field(of: $0) },
        characteristics: DeviceInformation.allCases.map { kind in
            CharacteristicDescription(
                kind.uuid, "the \(kind.rawValue) string", .read, format: UTF8Text.self,
                value: ValueDescription(.text, named: kind.rawValue, field: kind.rawValue),
                client: ClientUse(
                    "information", [kind.rawValue: "Acme"], member: kind.rawValue, importance: .extra,
                    isMeasurement: false, isLong: true))
        },
        sensor: { DeviceInformationSensor($0) })
}

/// The keys of `device_information` in a scenario: those of `DeviceInformation`.
package enum DeviceInformationFields {
    /// The string of one characteristic; nil: the device does not have it.
    package static func field(of kind: DeviceInformation) -> Field<String?> {
        .optionalText(kind.rawValue, "The \(kind.rawValue) string.")
    }
}

extension UTF8Text: CharacteristicValue {
    /// UTF-8.
    package init(octets: ArraySlice<UInt8>) throws(Malformed) { try self.init(octets: Array(octets), "value") }
    package func write(to text: inout JSONText) { text.append(quoted: self.text) }
    package var words: String { text.quoted }
}

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
