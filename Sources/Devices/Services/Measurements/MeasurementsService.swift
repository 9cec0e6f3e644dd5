public import Characteristics
import GATT
import Octets
public import Sensors

extension ServiceDescription {
    /// Lubdub's own Measurements service, vendor 0x0300: heart rates, several hundred a second.
    public static let measurements = ServiceDescription(
        "measurements", VendorUUID.measurements.uuid, "a stream of heart rates, hundreds per second",
        fields: [MeasurementsFields.rate.description, MeasurementsFields.value.description],
        characteristics: [
            CharacteristicDescription(
                .heartRates, .notify, format: HeartRateFrame.self,
                value: ValueDescription(.number(MeasurementsFields.range)),
                client: ClientUse(
                    "measurements", #"{"samples": 476, "lost": 0, "bpm": 61}"#, role: .heartRates, isMeasurement: true))
        ],
        rate: { $0[MeasurementsFields.rate] },
        sensor: { MeasurementsSensor($0) })
}

/// The keys of `measurements` in a scenario.
public enum MeasurementsFields {
    static let range = 0.0...65535
    /// Values a second.
    public static let rate = Field.rate("rate", 1...4000, "Values in a second, 1 to 4000.")
    /// Beats per minute.
    public static let value = Field.curve("value", range, "In bpm.")
}

extension HeartRateFrame: CharacteristicValue {
    /// `500 heart rates`.
    public var words: String { "\(values.count) heart rates" }
}
