package import ServiceFramework

/// A value of a device: `strap/heart_rate/contact` is the contact of a service.
package struct DeviceValue: Hashable, Sendable {
    /// The index of the service in the definition.
    package var service: Int
    package var id: ValueID

    package init(service: Int, _ id: ValueID) { (self.service, self.id) = (service, id) }

    var carrier: DeviceValue { DeviceValue(service: service, id.characteristicValue) }
}

/// A number out of range: the nearest value in range was sent, or the specification's value for "no number".
package struct SaturatedValue: Hashable, Sendable {
    package var value: DeviceValue
    /// The number out of range; nil for one of many samples.
    package var wanted: Double?

    /// A value, and the number that it could not hold.
    package init(value: DeviceValue, wanted: Double?) { (self.value, self.wanted) = (value, wanted) }
}
