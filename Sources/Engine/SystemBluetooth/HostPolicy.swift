import ATT
package import Bluetooth
package import GATT
package import SecurityManager

/// How a system's Bluetooth service differs from those of other systems: a ``SystemHost`` follows it.
package struct HostPolicy: Sendable {
    /// The name of a machine that has no other: its GAP Device Name.
    package var name: String
    /// Its GAP Appearance.  Assigned Numbers, section 2.6.
    package var appearance: Appearance
    /// The ATT MTU that it offers, in octets.
    package var mtu: Int
    /// How it pairs.
    package var security: SecuritySettings
    /// The procedures that it runs by itself when a link with a peripheral begins.
    package var preparation: [Procedure]
    /// The services that are the system's own, so that no program may publish them.
    package var reservedServices: [UUID]
    /// How often it advertises, in units of 0.625 ms, before the random delay.
    package var advertisingInterval: UInt16
}

extension HostPolicy {
    /// An iPhone.  It displays numbers, its user can enter them, and it prefers authentication.
    package static let iPhone: HostPolicy = {
        var security = SecuritySettings()
        security.ioCapability = .keyboardDisplay
        security.authentication = .preferred
        return HostPolicy(
            name: "Lubdub phone", appearance: Appearance(0x0040), mtu: 185, security: security,
            preparation: [.exchangeMTU, .readByUUID(.deviceName, .all), .findPrimaryServices(.genericAttribute)],
            reservedServices: [.genericAccess, .genericAttribute], advertisingInterval: 160)
    }()
}
