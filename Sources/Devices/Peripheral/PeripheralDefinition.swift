public import Bluetooth
public import Sensors
public import Services

/// What a device is, before it has handles and a radio.
public struct PeripheralDefinition: Sendable {
    /// Device Name, also in its advertising.
    public var name: String
    /// The category of the device.
    public var appearance: Appearance
    /// The services after Generic Access and Generic Attribute, in the order of their handles.
    public var services: [ConfiguredService]
    /// The places of services that the device does not have at the start: their handles are kept free.
    public var absentServices: [Int] = []
    /// The wall clock at the start.
    public var clock = WallClock()
    /// Peripheral Preferred Connection Parameters, for which the device asks a central too; nil: any will do.
    public var preferredConnection: ConnectionParameters?

    /// A device with these services, on 2000-01-01.
    public init(name: String, appearance: Appearance, services: [ConfiguredService]) {
        (self.name, self.appearance, self.services) = (name, appearance, services)
    }
}
