import Bluetooth
public import Characteristics
import GATT
public import Octets
public import Sensors

extension ServiceDescription {
    /// The Battery Service, 0x180F.  Battery Service 1.1.
    public static let battery = ServiceDescription(
        "battery", .battery, isAdvertised: false,
        fields: [BatteryFields.level.description, BatteryFields.period.description],
        characteristics: [
            CharacteristicDescription(
                .batteryLevel, "Battery Level", [.read, .notify], format: BatteryLevel.self,
                value: .number(in: BatteryFields.range, unit: "%"),
                client: ClientUse(
                    "battery", worth: .little, isMeasurement: false,
                    row: ScreenFact("battery", unit: "%", warnsUpTo: 10)))
        ],
        sensor: { BatterySensor($0) })
}

/// What a scenario can say of a battery.
public enum BatteryFields {
    /// In per cent.
    public static let range = 0.0...100
    /// How full it is.
    public static let level = Field.curve("value", range, standard: 100, "In per cent; 100 if it is left out.")
    /// Between two looks at the curve.
    public static let period = Field.period("How often the value is looked at; 1 s if it is left out.")
}

extension BatteryLevel: CharacteristicValue {
    /// Reads a value as it came.
    public init(octets: ArraySlice<UInt8>) throws(Malformed) { try self.init(octets: Array(octets)) }
    /// `battery 87 %`.
    public var words: String { "battery \(percent) %" }
    /// Per cent.
    public func number(of _: String?) -> Double? { Double(percent) }
}
