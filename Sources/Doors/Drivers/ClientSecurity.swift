import Bluetooth
import LEHost
import SecurityManager

/// How the built-in client pairs above a controller.
package struct ClientSecurity: Sendable {
    /// A user whom the client can ask for the passkey that a device displays.
    package struct User: Sendable {
        package typealias Answer = @Sendable (UInt32?) -> Void

        /// Asks about a device, by its name; the answer is nil if the user gives none.
        let ask: @Sendable (String, @escaping Answer) -> Void
        /// Withdraws the question; its answer is nil.
        let cancel: @Sendable () -> Void

        package init(
            ask: @escaping @Sendable (_ device: String, @escaping Answer) -> Void,
            cancel: @escaping @Sendable () -> Void
        ) { (self.ask, self.cancel) = (ask, cancel) }
    }

    /// The passkey of devices that display one, or that have it printed on them.
    package var passkey: UInt32?
    /// The user who is asked for a passkey; without one, and without `passkey`, nobody enters one.
    package var user: User?
    /// Where the bonds are kept; nil: they end with the process.
    package var bonds: BondFile?

    /// Pairs without authentication (Just Works), and keeps no bonds.
    package init() {}

    /// The same for the host with an address.
    ///
    /// A passkey that is given authenticates each device that can; the user is asked only if the device demands it.
    func ofHost(_ address: DeviceAddress) -> HostSecurity {
        var settings = SecuritySettings()
        if passkey != nil || user != nil { settings.ioCapability = .keyboardOnly }
        if passkey != nil { settings.authentication = .preferred }
        return HostSecurity(settings, bonds: bonds?.bonds(of: address) ?? [])
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
