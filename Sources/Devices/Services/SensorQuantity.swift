public import Characteristics

/// What a service has.
public enum SensorQuantity: Hashable, Sendable {
    /// A string of Device Information.
    case information(DeviceInformation)
    /// °C of a body; 0x2A1C.
    case bodyTemperature
    /// What 0x2A1C will be; 0x2A1E.
    case intermediateTemperature
    /// Where a thermometer measures; 0x2A1D.
    case temperatureType
    /// Seconds from measurement to measurement; 0x2A21.
    case measurementInterval
    /// Since the start; vendor 0x0101.
    case steps
    /// Since the day began; vendor 0x0102.
    case stepsToday
    /// °C; 0x2A6E.
    case temperature
    /// µV, several in a notification; vendor 0x0201, or PMD's data.
    case ecgSamples
    /// The number of the lead; sent as part of the samples.
    case lead
    /// Rate and resolution of the samples; vendor 0x0202.
    case ecgDescription
    /// PMD's control point.
    case pmdControlPoint
    /// Beats per minute, several in a notification; vendor 0x0301.
    case heartRates
    /// A value of a service that has a description.
    case described(ValueID)
    /// Of a custom service: which characteristic, counted from 0.
    case custom(Int)

    /// The quantity whose characteristic it is sent with: itself, if it has one of its own.
    public var carrier: SensorQuantity {
        switch self {
        case .lead: .ecgSamples
        case .described(let id): .described(id.characteristicValue)
        default: self
        }
    }
}

extension SensorQuantity {
    /// Which of its service's described values it is; nil for one of a service that has no description yet.
    public var place: Int? { if case .described(let id) = self { Int(id.index) } else { nil } }
}
