import Bluetooth
public import Characteristics
import GATT
public import Octets
public import Sensors
import Simulation

extension ServiceDescription {
    /// The Battery Service, 0x180F.  Battery Service 1.1.
    public static let battery = ServiceDescription(
        "battery", .battery, "a level, notified when it changes", isAdvertised: false,
        fields: [BatteryFields.level.description, BatteryFields.period.description],
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
public enum BatteryFields {
    static let range = 0.0...100
    /// Percent.
    public static let level = Field.curve("value", range, standard: 100, "In per cent; 100 if it is left out.")
    /// How often a subscribed client is told of a change.
    public static let period = Field.period("How often the value is looked at; 1 s if it is left out.")
}

extension BatteryLevel: CharacteristicValue {
    /// One octet.
    public init(octets: ArraySlice<UInt8>) throws(Malformed) { try self.init(octets: Array(octets)) }
    /// `battery 87 %`.
    public var words: String { "battery \(percent) %" }
    /// Percent.
    public func number(of _: String?) -> Double? { Double(percent) }
}
