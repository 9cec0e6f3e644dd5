import Bluetooth
import LEHost
import SecurityManager

/// How the built-in client pairs above a controller.
package struct ClientSecurity: Sendable {
    /// The passkey of devices that display one, or that have it printed on them; without, nobody enters one.
    package var passkey: UInt32?
    /// Where the bonds are kept; nil: they end with the process.
    package var bonds: BondFile?

    /// Pairs without authentication (Just Works), and keeps no bonds.
    package init() {}

    /// The same for the host with an address.
    func ofHost(_ address: DeviceAddress) -> HostSecurity {
        var settings = SecuritySettings()
        if passkey != nil {
            settings.ioCapability = .keyboardOnly
            settings.authentication = .preferred
        }
        return HostSecurity(settings, bonds: bonds?.bonds(of: address) ?? [])
    }

    /// What the user enters when a device asks; nil if it does not.
    func answer(to output: Host.Output) -> Host.Command? {
        guard case .security(let id, .requestPasskey) = output else { return nil }
        return .security(id, .passkey(passkey))
    }
}

extension Host.Output {
    /// Whether a bond was made or removed.
    var changesBonds: Bool {
        switch self {
        case .security(_, .completed(_, isBonded: true)), .bondLost: true
        default: false
        }
    }
}
