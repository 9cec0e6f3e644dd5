/// A number that was to be said and could not: what was said is the nearest that fits, or what the specification has in
/// place of a number.
public struct SaturatedValue: Hashable, Sendable {
    /// What was to say it.
    public var part: Part
    /// The number; nil where it is one of many samples.
    public var wanted: Double?

    /// This number of this part.
    public init(part: Part, wanted: Double?) { (self.part, self.wanted) = (part, wanted) }
}

extension Body {
    /// Looks at a number that is about to be said.
    mutating func say(_ number: Double, as quantity: Part.Quantity, in range: ClosedRange<Double>) {
        if !range.contains(number) { saturatedValues.append((quantity, number)) }
    }

    /// The same, where the quantity alone says what fits.
    mutating func say(_ number: Double, as quantity: Part.Quantity) {
        if let range = quantity.range { say(number, as: quantity, in: range) }
    }
}

extension Part.Quantity {
    /// The numbers that can be said; nil for what has none, and for what depends on more.
    var range: ClosedRange<Double>? {
        switch self {
        case .heartRate, .energy, .heartRates: 0...65535
        case .battery: 0...100
        case .bodyTemperature, .intermediateTemperature: -8_388_605e127...8_388_605e127
        case .temperature: -273.15...327.67
        case .steps, .stepsToday, .feed: 0...4_294_967_295
        case .lead: 0...255
        case .contact, .rrIntervals, .location, .controlPoint, .information, .temperatureType, .measurementInterval,
            .ecgSamples, .ecgDescription, .pmdControlPoint, .custom:
            nil
        }
    }
}
