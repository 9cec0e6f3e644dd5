package import Bluetooth
import GATT
package import ServiceFramework

extension ConfiguredService {
    /// A service that a scenario file describes: `custom`.
    package static func custom(_ uuid: UUID, _ characteristics: [CustomCharacteristic]) -> ConfiguredService {
        let description = ServiceDescription(
            "custom", uuid, "what the file describes", fields: [],
            characteristics: characteristics.map { characteristic in
                CharacteristicDescription(
                    characteristic.uuid, characteristic.name, characteristic.properties,
                    format: characteristic.format.codec,
                    value: ValueDescription(.custom(characteristic.format), named: characteristic.name),
                    client: ClientUse("custom", importance: .none, isMeasurement: false)
                ) { definition, _ in
                    definition.permissions = AttributePermissions(
                        characteristic.properties, needing: characteristic.security)
                    definition.descriptors = characteristic.descriptors
                    definition.handle = characteristic.handle
                }
            },
            sensor: { CustomSensor(characteristics, $0) })
        return ConfiguredService(
            description, ServiceConfiguration(("characteristics", .characteristics(characteristics))))
    }
}
