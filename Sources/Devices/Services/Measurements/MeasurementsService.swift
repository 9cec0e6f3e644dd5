package import Characteristics
import GATT
import Octets
package import Sensors
package import ServiceFramework

extension ServiceDescription {
    /// The vendor-specific Measurements service, 0x0300: several hundred heart rates per second.
    package static let measurements = ServiceDescription(
        "measurements", VendorUUID.measurements.uuid, "vendor service: a stream of heart rates, hundreds per second",
        fields: [MeasurementsFields.rate, MeasurementsFields.value],
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
package enum MeasurementsFields {
    static let range = 0.0...65535
    package static let rate = Field.rate("rate", 1...4000, "Values per second, 1 to 4000.")
    /// Beats per minute.
    package static let value = Field.curve("value", range, "In bpm.")
}

extension HeartRateFrame: CharacteristicValue {
    /// `500 heart rates`.
    package var words: String { "\(values.count) heart rates" }
}
