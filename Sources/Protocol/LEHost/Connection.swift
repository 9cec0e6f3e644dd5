import Bluetooth
import GATT
import HCI
import L2CAP
import Octets
import Simulation

/// Identifies a connection of a host.  Unlike a Connection_Handle, it is never reused.
public struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    /// 1 for the first connection of a host, and so on.
    public let number: UInt32

    /// The connection with this number.
    public init(number: UInt32) { self.number = number }

    /// `#1`.
    public var description: String { "#\(number)" }
}

/// A connection and the machines above it.
struct Connection: Sendable {
    let id: ConnectionID
    let handle: UInt16
    let role: ConnectionComplete.Role
    let peer: DeviceAddress
    var reassembler = Reassembler()
    var server: Server
    var client: Client
    /// The PDUs that its client has sent during a stall, in order.
    var held: [Packet] = []
    var timing: ConnectionTiming
    /// When this peripheral requests other connection parameters.
    var updateDue = Instant.never
    /// Whether it has requested them from its controller.
    var isUpdating = false
    var isEnding = false
    /// The deadline for the controller to report the end, while it is ending.
    var deadline = Instant.never

    init(_ id: ConnectionID, _ complete: ConnectionComplete, receives mtu: Int, _ faults: Host.Faults) {
        (self.id, handle, role, peer) = (id, complete.handle, complete.role, complete.peer)
        timing = complete.timing
        server = Server(receives: mtu)
        client = Client(receives: mtu, confirmsIndications: faults.confirmsIndications)
        server.errorInjection = faults.errorInjection
    }

    var signalling: SignallingResponder { SignallingResponder(role == .central ? .central : .peripheral) }
}
