import Basics
import Bluetooth
import Characteristics
import Checks
import GATT
import Services

// Quantities that no person and no room has, which reveal a fault of the encoding.  The limits are wide, so that no
// correct sensor exceeds them, on a table as well as on a body.
extension Check {
    static let temperaturesArePlausible = [
        temperatureIsPlausible("thermometer/is_plausible", .temperature, "3.1.1.2"),
        temperatureIsPlausible("thermometer/intermediate_is_plausible", .intermediateTemperature, "3.3"),
    ]

    private static func temperatureIsPlausible(_ id: String, _ value: SubscribableValue, _ section: String) -> Check {
        plausible(
            value, id, "temperatures are possible", "Health Thermometer Service 1.0, section \(section)",
            "a temperature from -100 °C to 200 °C"
        ) { received in
            guard let temperature = try? TemperatureMeasurement(octets: received.octets),
                let celsius = temperature.celsius, celsius.isFinite
            else { return nil }
            guard !Limits.temperature.contains(celsius) else { return nil }
            return "\(celsius.inTenths) °C\(temperature.hint)"
        }
    }

    static let oximetryIsPlausible = plausible(
        .plxContinuous, "pulse_oximeter/is_plausible", "saturations and pulse rates are possible",
        "Pulse Oximeter Service 1.0.1, section 3.2",
        "SpO2 from 0 % to 110 %, and a pulse rate from 0 to 1600"
    ) { received in
        guard let measurement = try? PLXContinuousMeasurement(octets: received.octets[...]) else { return nil }
        for pair in [measurement.normal, measurement.fast, measurement.slow].compactMap(\.self) {
            if let spo2 = pair.spo2.value, spo2.isFinite, !Limits.saturation.contains(spo2) {
                return "SpO2 of \(spo2.inTenths) %"
            }
            if let rate = pair.pulseRate.value, rate.isFinite, !Limits.pulseRate.contains(rate) {
                return "a pulse rate of \(rate.inTenths)"
            }
        }
        return nil
    }

    static let runningIsPlausible = plausible(
        .rsc, "running/is_plausible", "speeds and strides are possible",
        "Running Speed and Cadence Service 1.0, section 3.1",
        "a speed up to 100 m/s, and a stride up to 10 m"
    ) { received in
        guard let measurement = try? RSCMeasurement(octets: received.octets[...]) else { return nil }
        let (speed, stride) = (Double(measurement.speed) / 256, Double(measurement.strideLength ?? 0) / 100)
        if speed > Limits.speed { return "a speed of \(speed.inTenths) m/s" }
        return stride > Limits.stride ? "a stride of \(stride.inTenths) m" : nil
    }

    /// No value is impossible; `impossible` describes one that is.
    private static func plausible(
        _ value: SubscribableValue, _ id: String, _ title: String, _ section: String, _ expected: String,
        impossible: @escaping @Sendable (Examiner.ReceivedValue) -> String?
    ) -> Check {
        Check(id, title, section, recording: .values(for: .seconds(20)), if: value.exists) {
            peripheral throws(CheckExit) in
            for received in try peripheral.receive(value, for: .seconds(20)) {
                guard let seen = impossible(received) else { continue }
                throw peripheral.failure(
                    expected: expected, seen: "\(seen): \(received.octets.text)", evidence: received.octets)
            }
        }
    }
}

private enum Limits {
    /// In °C.
    static let temperature = -100.0...200
    /// In percent; a little above 100, since sensors measure it with an error.
    static let saturation = 0.0...110
    /// Per minute, as of the fastest heart in `HeartRatePlausibility.swift`.
    static let pulseRate = 0.0...1600
    /// In m/s.
    static let speed = 100.0
    /// In metres.
    static let stride = 10.0
    /// In °C, or in °F: of a person or a room.
    static let usual = 10.0...115
}

extension Double {
    fileprivate var inTenths: String { magnitude < 1e6 ? "\((self * 10).rounded() / 10)" : "\(Float(self))" }
}

extension TemperatureMeasurement {
    /// `, which looks like an IEEE 754 number, 36.6, in place of a FLOAT`, if it does; else empty.
    fileprivate var hint: String {
        let candidates = [("", value.bits), (" with swapped octets", value.bits.byteSwapped)]
        for (order, bits) in candidates {
            let number = Double(Float(bitPattern: bits))
            guard Limits.usual.contains(number) else { continue }
            return ", which looks like an IEEE 754 number\(order), \(number.inTenths), in place of a FLOAT"
        }
        return ""
    }
}
