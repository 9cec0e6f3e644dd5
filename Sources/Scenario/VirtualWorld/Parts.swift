import Characteristics
import Peripheral
import Scenarios
import Services

extension Peripheral.Part {
    /// Which quantity a scenario's part is, the `place`th of its service; nil for one that no device has.
    init?(_ part: Scenarios.Part, at place: Int, of service: Scenarios.Service, at index: Int) {
        guard let quantity = Quantity(part, at: place, of: service.kind) else { return nil }
        self.init(service: index, quantity)
    }
}

extension Peripheral.Part.Quantity {
    fileprivate init?(_ part: Scenarios.Part, at place: Int, of kind: Scenarios.Service.Kind) {
        if let description = ServiceRegistry.service(named: kind.rawValue) {
            guard let value = description.value(named: part.name) else { return nil }
            self = .described(value.id)
            return
        }
        switch (kind, part.name) {
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
        case (.custom, _): self = .custom(place)
        default: return nil
        }
    }
}
