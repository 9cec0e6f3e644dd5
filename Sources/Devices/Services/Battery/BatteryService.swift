import Bluetooth
package import Characteristics
import GATT
import Octets
package import Sensors
package import ServiceFramework
import Simulation

extension ServiceDescription {
    /// The Battery Service, 0x180F.  Battery Service 1.1.
    package static let battery = ServiceDescription(
        "battery", .battery, "a level, notified when it changes", isAdvertised: false,
        fields: [BatteryFields.level, BatteryFields.period],
        characteristics: [
            CharacteristicDescription(
                .batteryLevel, "Battery Level", [.read, .notify], format: BatteryLevel.self,
                value: ValueDescription(.number(BatteryFields.range), unit: "%"),
                client: ClientUse(
                    "battery", "87", importance: .extra, isMeasurement: false,
                    row: ScreenFact("battery", unit: "%", warnsUpTo: 10, isAlwaysThere: true)))
        ],
        sensor: { BatterySensor($0) })
}

/// The keys of `battery` in a scenario.
package enum BatteryFields {
    static let range = 0.0...100
    /// Percent.
    package static let level = Field.curve("value", range, standard: 100, "In percent; 100 by default.")
    /// How often the level is compared; a subscribed client is notified of a change.
    package static let period = Field.period("How often a change is notified; 1 s by default.")
}

extension BatteryLevel: CharacteristicValue {
    /// `battery 87 %`.
    package var words: String { "battery \(percent) %" }
    /// Percent.
    package func number(of _: String?) -> Double? { Double(percent) }
}
