import Characteristics
import Peripheral
import Scenarios

extension Peripheral.Part {
    /// Which quantity a scenario's part is, the `place`th of its service; nil for one that no device has.
    init?(_ part: Scenarios.Part, at place: Int, of service: Scenarios.Service, at index: Int) {
        guard let quantity = Quantity(part, at: place, of: service.kind) else { return nil }
        self.init(service: index, quantity)
    }
}

extension Peripheral.Part.Quantity {
    fileprivate init?(_ part: Scenarios.Part, at place: Int, of kind: Scenarios.Service.Kind) {
        switch (kind, part.name) {
        case (.heartRate, ""): self = .heartRate
        case (.heartRate, "contact"): self = .contact
        case (.heartRate, "energy_kj"): self = .energy
        case (.heartRate, "rr_ms"): self = .rrIntervals
        case (.heartRate, "location"): self = .location
        case (.heartRate, "control_point"): self = .controlPoint
        case (.battery, ""): self = .battery
        case (.deviceInformation, let name):
            guard let kind = Characteristics.DeviceInformation(rawValue: name) else { return nil }
            self = .information(kind)
        case (.healthThermometer, ""): self = .bodyTemperature
        case (.healthThermometer, "intermediate"): self = .intermediateTemperature
        case (.healthThermometer, "type"): self = .temperatureType
        case (.healthThermometer, "interval"): self = .measurementInterval
        case (.fitness, "steps"): self = .steps
        case (.fitness, "steps_today"): self = .stepsToday
        case (.fitness, "temperature"): self = .temperature
        case (.ecg, "samples"): self = .ecgSamples
        case (.ecg, "lead"): self = .lead
        case (.ecg, "description"): self = .ecgDescription
        case (.ecg, "control_point"): self = .pmdControlPoint
        case (.measurements, ""): self = .heartRates
        case (.feed, ""): self = .feed
        case (.custom, _): self = .custom(place)
        default: return nil
        }
    }
}
