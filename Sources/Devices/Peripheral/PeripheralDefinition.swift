public import Bluetooth
public import Characteristics
public import Sensors
public import Services
public import Simulation

/// What a device is, before it has handles and a radio.
public struct PeripheralDefinition: Sendable {
    /// Device Name, and the name in its advertising.
    public var name: String
    /// What it looks like to those who show an icon.
    public var appearance: Appearance
    /// What it offers besides Generic Access and Generic Attribute, in the order of their handles.
    public var services: [Service]
    /// Those of them, counted from 0, that are not there from the start: their handles are kept free for them.
    public var absentServices: [Int] = []
    /// The clock on the wall, at the start.
    public var clock = WallClock()
    /// Peripheral Preferred Connection Parameters, and what it asks a central for; nil: it does not mind.
    public var preferredConnection: ConnectionParameters?

    /// A device with these services, on 2000-01-01.
    public init(name: String, appearance: Appearance, services: [Service]) {
        (self.name, self.appearance, self.services) = (name, appearance, services)
    }

    /// A service that a device can have.
    public enum Service: Sendable {
        /// 0x180A: the strings that are there, in this order.
        case deviceInformation([(DeviceInformation, String)])
        /// 0x1809.
        case healthThermometer(HealthThermometer)
        /// Vendor 0x0100.
        case fitness(Fitness)
        /// Vendor 0x0200, or Polar Measurement Data.
        case ecg(Electrocardiogram)
        /// Vendor 0x0300.
        case measurements(Measurements)
        /// One that has a description.
        case described(ServiceDescription, ServiceConfiguration, chance: RandomStream)
        /// Any.
        case custom(Custom)
    }
}
