import Bluetooth
package import Characteristics
import GATT
package import Octets
package import ServiceFramework
package import TextFormatting

extension ServiceDescription {
    /// The Device Information Service, 0x180A.  Device Information Service 1.2.
    package static let deviceInformation = ServiceDescription(
        "device_information", .deviceInformation, "manufacturer, model and other strings", isAdvertised: false,
        fields: DeviceInformation.allCases.map { DeviceInformationFields.field(of: $0) },
        characteristics: DeviceInformation.allCases.map { kind in
            CharacteristicDescription(
                kind.uuid, "the \(kind.rawValue) string", .read, format: UTF8Text.self,
                value: ValueDescription(.text, named: kind.rawValue, field: kind.rawValue),
                client: ClientUse(
                    "information", "{\"\(kind.rawValue)\": \"Acme\"}", member: kind.rawValue, importance: .extra,
                    isMeasurement: false, isLong: true))
        },
        sensor: { DeviceInformationSensor($0) })
}

/// The keys of `device_information` in a scenario: those of `DeviceInformation`.
package enum DeviceInformationFields {
    /// The string of one characteristic; nil: the device does not have it.
    package static func field(of kind: DeviceInformation) -> Field<String?> {
        .optionalText(kind.rawValue, "A string.")
    }
}

extension UTF8Text: CharacteristicValue {
    /// UTF-8.
    package init(octets: ArraySlice<UInt8>) throws(Malformed) { try self.init(octets: Array(octets), "value") }
    package func write(to text: inout JSONText) { text.append(quoted: self.text) }
    package var words: String { text.quoted }
}
