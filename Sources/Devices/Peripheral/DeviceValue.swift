public import Services

/// A value of a device: `strap/heart_rate/contact` is the contact of a service.
public struct DeviceValue: Hashable, Sendable {
    /// The place of the service in the definition.
    public var service: Int
    /// The value in its service.
    public var id: ValueID

    /// A value of the service at this place.
    public init(service: Int, _ id: ValueID) { (self.service, self.id) = (service, id) }

    /// The characteristic value that carries it.
    var carrier: DeviceValue { DeviceValue(service: service, id.characteristicValue) }
}

/// A number that did not fit: the nearest that fits was sent, or what the specification has in place of a number.
public struct SaturatedValue: Hashable, Sendable {
    /// The value that was sent.
    public var value: DeviceValue
    /// The number that did not fit; nil for one of many samples.
    public var wanted: Double?

    /// This number for this value.
    public init(value: DeviceValue, wanted: Double?) { (self.value, self.wanted) = (value, wanted) }
}
