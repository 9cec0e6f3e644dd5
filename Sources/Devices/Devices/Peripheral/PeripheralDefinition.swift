package import Bluetooth

/// The definition of a device, without handles and radio.
package struct PeripheralDefinition: Sendable {
    /// Device Name, also in its advertising.
    package var name: String
    package var appearance: Appearance
    /// Whether Generic Access and Generic Attribute precede the services; else these contain them, or the device has none.
    package var hasGenericServices = true
    /// The other services, in the order of their handles.
    package var services: [ConfiguredService]
    /// The indices of services that are absent at the start: their handles are reserved.
    package var absentServices: [Int] = []
    /// Whether a write of fewer octets than a value of fixed length has is rejected; else it changes the first ones.
    package var rejectsShortWrites = false
    package var clock = WallClock()
    /// Peripheral Preferred Connection Parameters, which the device also requests from a central; nil: it accepts any.
    package var preferredConnection: ConnectionParameters?

    /// A device with these services, on 2000-01-01.
    package init(name: String, appearance: Appearance, services: [ConfiguredService]) {
        (self.name, self.appearance, self.services) = (name, appearance, services)
    }
}

/// A value of a device: `strap/heart_rate/contact` is the contact of a service.
package struct DeviceValue: Hashable, Sendable {
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
