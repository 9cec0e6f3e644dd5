public import Bluetooth
public import Sensors
public import Services

/// The definition of a device, without handles and radio.
public struct PeripheralDefinition: Sendable {
    /// Device Name, also in its advertising.
    public var name: String
    /// The category of the device.
    public var appearance: Appearance
    /// The services after Generic Access and Generic Attribute, in the order of their handles.
    public var services: [ConfiguredService]
    /// The indices of services that are absent at the start: their handles are reserved.
    public var absentServices: [Int] = []
    /// The wall clock at the start.
    public var clock = WallClock()
    /// Peripheral Preferred Connection Parameters, which the device also requests from a central; nil: it accepts any.
    public var preferredConnection: ConnectionParameters?

    /// A device with these services, on 2000-01-01.
    public init(name: String, appearance: Appearance, services: [ConfiguredService]) {
        (self.name, self.appearance, self.services) = (name, appearance, services)
    }
}
