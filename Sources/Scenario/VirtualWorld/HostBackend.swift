import Bluetooth
public import HCI
public import LEHost
public import Octets

// What the world has to do with those outside.
extension World {
    /// What the world has for somebody outside.
    public enum Output: Sendable {
        /// A packet for the host outside that uses a controller; whoever takes it releases it.
        case toGuest(controller: Int, PacketKind, Packet)
        /// A packet for the controller outside that the host of a device uses; whoever takes it releases it.
        case toRadio(node: Int, PacketKind, Packet)
        /// The controller outside is of no use to the host of a device.
        case radioFailed(node: Int, Host.Failure)
        /// The host of a device reports `.refused` or `.malformed` of the controller outside.
        case radioWarning(node: Int, Host.Output)
        /// The foreign host of a device is to do this.
        case toForeignHost(node: Int, ForeignCommand)
        /// What the host of a client node says.
        case client(node: Int, Host.Output)
    }

    /// How the scenario's devices reach the air.
    public enum HostBackend: Sendable {
        /// By hosts of the world, above the virtual controllers of its own air.
        case air
        /// By hosts of the world, above controllers outside: what they say comes out as `.toRadio`, and
        /// `receive(_:_:fromRadioOf:at:)` takes the answers.
        case radios
        /// By somebody else's hosts, which only know attributes; `ForeignHost.swift` has what passes between.
        case foreignHosts
    }
}
