package import Arguments
import Bluetooth
package import CommandSupport
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

    package static let passkeyOption = Arguments.Grammar.Option.option(
        "--passkey", "DIGITS", "The passkey that the device displays, or that is printed on it")

    /// The passkey of `passkeyOption`; nil if it is not given.
    package static func passkey(_ invocation: Invocation) throws(CommandFailure) -> UInt32? {
        try orFail {
            try invocation.value("--passkey", as: "six digits, for example 123456") { text in
                text.utf8.count == 6 ? UInt32(text) : nil
            }
        }
    }

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
