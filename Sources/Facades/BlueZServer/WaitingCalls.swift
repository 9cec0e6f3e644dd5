import BlueZNames
import Bluetooth
import DBus

/// Calls of programs that are answered later.
struct WaitingCalls {
    /// By number of the operation.
    var operations: [UInt32: WaitingOperation] = [:]
    var connecting: [DeviceAddress: [ReceivedCall]] = [:]
    var disconnecting: [DeviceAddress: [ReceivedCall]] = [:]
    var pairing: [DeviceAddress: ReceivedCall] = [:]
    /// Calls of Pair that have succeeded, and are answered when the services are known.
    var paired: [DeviceAddress: ReceivedCall] = [:]
    var removing: [DeviceAddress: [ReceivedCall]] = [:]
    /// Calls that are answered when the radio has been switched on or off.
    var powering: [ReceivedCall] = []
}

/// An operation of the host, and the calls that its end answers.
struct WaitingOperation {
    enum Kind: Equatable {
        case read(ObjectPath, InterfaceName, offset: Int)
        case write
        case startNotify(ObjectPath)
        case stopNotify(ObjectPath)
        case acquireNotify(ObjectPath)
    }

    let kind: Kind
    var calls: [ReceivedCall]
}
