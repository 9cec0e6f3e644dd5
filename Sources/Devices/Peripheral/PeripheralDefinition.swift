package import Bluetooth
package import Sensors
package import ServiceFramework

/// The definition of a device, without handles and radio.
package struct PeripheralDefinition: Sendable {
    /// Device Name, also in its advertising.
    package var name: String
    /// The category of the device.
    package var appearance: Appearance
    /// The services after Generic Access and Generic Attribute, in the order of their handles.
    package var services: [ConfiguredService]
    /// The indices of services that are absent at the start: their handles are reserved.
    package var absentServices: [Int] = []
    package var clock = WallClock()
    /// Peripheral Preferred Connection Parameters, which the device also requests from a central; nil: it accepts any.
    package var preferredConnection: ConnectionParameters?

    /// A device with these services, on 2000-01-01.
    package init(name: String, appearance: Appearance, services: [ConfiguredService]) {
        (self.name, self.appearance, self.services) = (name, appearance, services)
    }
}
