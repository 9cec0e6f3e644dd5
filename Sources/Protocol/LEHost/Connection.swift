import Bluetooth
import GATT
import HCI
import L2CAP
import Octets
import Simulation

/// What names a connection for as long as the host lives: unlike HCI's handles, it is never used again.
public struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    /// 1 for a host's first connection, and so on.
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
    /// What its client has sent while this host stalls, in order.
    var held: [Packet] = []
    var timing: ConnectionTiming
    /// When this peripheral asks for another rhythm.
    var rhythmDue = Instant.never
    /// Whether it has asked its controller for one.
    var asksController = false
    var isEnding = false
    /// Until when the controller has to tell the end, when it is ending.
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
