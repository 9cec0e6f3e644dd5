import Bluetooth
package import Characteristics
import GATT
import Octets
package import Sensors
package import ServiceFramework
import Simulation
import TextFormatting

extension ServiceDescription {
    /// The vendor-specific Fitness service, 0x0100: steps and a temperature, each computed when it is read.
    package static let fitness = ServiceDescription(
        "fitness", VendorUUID.fitness.uuid,
        "vendor service: steps, steps of today and body temperature, read on demand",
        fields: [
            FitnessFields.steps, FitnessFields.temperature,
            FitnessFields.dailyReset, FitnessFields.period,
        ],
        characteristics: [
            CharacteristicDescription(
                .steps, [.read, .notify], format: StepCount.self,
                value: ValueDescription(.number(FitnessFields.counts), named: "steps", field: FitnessFields.steps.key),
                client: ClientUse("steps", "4211", isMeasurement: true, isPolled: true, row: ScreenFact(.steps))),
            CharacteristicDescription(
                .stepsToday, [.read, .notify], format: StepCountOfDay.self,
                value: ValueDescription(
                    .number(FitnessFields.counts), named: "steps_today", isSettable: false,
                    field: FitnessFields.steps.key),
                client: ClientUse(
                    "steps_today", "812", isMeasurement: true, isPolled: true, row: ScreenFact(.stepsToday))),
            CharacteristicDescription(
                .temperature, "Temperature", .read, userDescription: "Body Temperature", format: Temperature.self,
                value: ValueDescription(
                    .number(FitnessFields.celsius), named: "temperature", key: "celsius", unit: "°C",
                    label: "temperature", example: "36.6",
                    tolerance: 0.05, field: FitnessFields.temperature.key),
                client: ClientUse(
                    "temperature", #"{"celsius": 36.6}"#, isMeasurement: true, isPolled: true, row: .temperature)),
        ],
        problem: { configuration in
            let isEmpty = [FitnessFields.steps.key, FitnessFields.temperature.key].allSatisfy { !configuration.has($0) }
            guard isEmpty else { return nil }
            return .missing("\"steps\", \"temperature\" or both are missing: this service has nothing to say")
        },
        steps: { source in
            source.configuration[FitnessFields.steps].map {
                StepCounter(
                    $0, seed: source.seed("steps"), clock: source.clock,
                    dailyReset: source.configuration[FitnessFields.dailyReset])
            }
        },
        sensor: { FitnessSensor($0) })
}

/// The keys of `fitness` in a scenario.
package enum FitnessFields {
    static let counts = 0.0...4_294_967_295
    static let celsius = -273.15...327.67
    /// Nil: the device has neither Steps nor Steps Today.
    package static let steps = Field.optionalCurve("steps", counts, "Steps since the start.")
    /// °C; nil: the device does not have the characteristic.
    package static let temperature = Field.optionalCurve("temperature", celsius, "In °C.")
    /// The time after midnight.
    package static let dailyReset = Field.timeOfDay("daily_reset", "Start of the day; 00:00 by default.")
    /// How often the count is compared; a subscribed client is notified of a change.
    package static let period = Field.period("How often changes are notified; 1 s by default.")
}

/// Steps, vendor 0x0101: a `VendorCount`.
package struct StepCount: NumberValue {
    package static let field = "Steps"
    package let number: UInt32
    package init(_ number: UInt32) { self.number = number }
    /// `4211 steps`.
    package var words: String { "\(number) steps" }
}

/// Steps Today, vendor 0x0102: a `VendorCount`.
package struct StepCountOfDay: NumberValue {
    package static let field = "Steps Today"
    package let number: UInt32
    package init(_ number: UInt32) { self.number = number }
    /// `4211 steps today`.
    package var words: String { "\(number) steps today" }
}

extension Temperature: CharacteristicValue {
    /// `36.6 °C`.
    package var words: String { celsius.degrees }
    /// °C.
    package func number(of _: String?) -> Double? { celsius }
}
