import Bluetooth
package import HCI
package import LEHost
package import Octets

// The outputs of a world, and the hosts of its devices.
extension World {
    /// An output for an external host or controller, or for a client.
    package enum Output: Sendable {
        /// A packet for the external host of a controller; the receiver releases it.
        case toGuest(controller: Int, PacketKind, Packet)
        /// A packet for the external controller of a device's host; the receiver releases it.
        case toRadio(node: Int, PacketKind, Packet)
        /// The host of a device cannot use its external controller.
        case radioFailed(node: Int, Host.Failure)
        /// The host of a device reports `.refused` or `.malformed` of its external controller.
        case radioWarning(node: Int, Host.Output)
        case toForeignHost(node: Int, ForeignCommand)
        case client(node: Int, Host.Output)
    }

    /// The hosts and controllers of the scenario's devices.
    package enum HostBackend: Sendable {
        /// Hosts and virtual controllers of the world.
        case air
        /// Hosts of the world on external controllers: `.toRadio` and `receive(_:_:fromRadioOf:at:)` exchange packets.
        case radios
        /// Foreign hosts such as BlueZ, which use only attributes; see `ForeignHost.swift`.
        case foreignHosts
    }
}
