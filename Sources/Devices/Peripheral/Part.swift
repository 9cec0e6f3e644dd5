public import Characteristics
public import Sensors

/// A part of a device that a script can name: `strap/heart_rate/contact` is the contact of a service.
public struct Part: Hashable, Sendable {
    /// Which service, counted from 0 in the order of definition.
    public var service: Int
    /// What of it.
    public var quantity: Quantity

    /// A part of a service.
    public init(service: Int, _ quantity: Quantity) { (self.service, self.quantity) = (service, quantity) }

    /// What a service has.
    public enum Quantity: Hashable, Sendable {
        /// Beats per minute; sent as 0x2A37.
        case heartRate
        /// Of the heart-rate sensor and the skin; sent as part of 0x2A37.
        case contact
        /// Kilojoules; sent as part of 0x2A37.
        case energy
        /// Milliseconds; sent as part of 0x2A37.
        case rrIntervals
        /// 0x2A38.
        case location
        /// 0x2A39.
        case controlPoint
        /// Percent; 0x2A19.
        case battery
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
        /// Vendor 0x0401.
        case feed
        /// Of a custom service: which characteristic, counted from 0.
        case custom(Int)

        /// The quantity whose characteristic it is sent with: itself, if it has one of its own.
        var carrier: Quantity {
            switch self {
            case .contact, .energy, .rrIntervals: .heartRate
            case .lead: .ecgSamples
            default: self
            }
        }
    }
}

/// What a script gives to a part.
public enum PartValue: Sendable {
    /// A number that may change.
    case signal(Signal)
    /// Text, or whatever else has no number.
    case octets([UInt8])

    /// Nil for a number.
    var octets: [UInt8]? { if case .octets(let octets) = self { octets } else { nil } }

    /// What a notification of it says when it is sent at once: its first number, or the octets.
    var number: Double? {
        guard case .signal(var signal) = self else { return nil }
        return signal.value(atNanoseconds: 0)
    }
}
