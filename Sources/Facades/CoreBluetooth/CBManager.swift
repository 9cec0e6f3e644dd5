import Dispatch
public import Foundation
import Synchronization
import SystemBluetooth

/// Whether Bluetooth can be used.
public enum CBManagerState: Int, Sendable {
    /// The state is not known yet.
    case unknown = 0
    /// The connection to the system's service was lost for a moment.
    case resetting = 1
    /// There is no usable radio.
    case unsupported = 2
    /// The app may not use Bluetooth.  Never the case here.
    case unauthorized = 3
    /// Bluetooth is switched off.
    case poweredOff = 4
    /// Bluetooth can be used.
    case poweredOn = 5
}

extension CBManagerState {
    init(_ state: RadioState) {
        self =
            switch state {
            case .unknown: .unknown
            case .unsupported: .unsupported
            case .off: .poweredOff
            case .on: .poweredOn
            }
    }
}

/// Whether the user permits the app to use Bluetooth.
public enum CBManagerAuthorization: Int, Sendable {
    /// The user has not been asked.
    case notDetermined = 0
    /// The user cannot permit it.
    case restricted = 1
    /// The user does not permit it.
    case denied = 2
    /// The user permits it.
    case allowedAlways = 3
}

/// The base class of managers.
open class CBManager: NSObject {
    private let current = Mutex(CBManagerState.unknown)
    /// Where events arrive.
    let queue: DispatchQueue
    let id = Managers.newID()
    let radio: any Radio

    init(queue: DispatchQueue?) {
        self.queue = queue ?? .main
        radio = Managers.radio()
    }

    /// Whether Bluetooth can be used.
    open internal(set) var state: CBManagerState {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// Whether commands are accepted; warns if not.
    func isPoweredOn() -> Bool {
        guard state != .poweredOn else { return true }
        radio.warn("API MISUSE: \(self) can only accept this command while in the powered on state")
        return false
    }

    /// Always `allowedAlways`: a Linux process needs no permission of a user.
    open class var authorization: CBManagerAuthorization { .allowedAlways }

    /// The same as the class property.
    open var authorization: CBManagerAuthorization { Self.authorization }
}

/// A device on the other side of a link.
open class CBPeer: NSObject {
    /// The UUID by which the system knows the device; its address is hidden.
    public let identifier: UUID

    init(identifier: UUID) { self.identifier = identifier }
}
