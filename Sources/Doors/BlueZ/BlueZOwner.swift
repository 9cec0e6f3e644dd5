import BlueZNames
import DBus
import Synchronization

/// The current owner of the name `org.bluez`: only it may read or write our values and call our agent.
final class BlueZOwner: Sendable {
    private let name = Mutex<BusName?>(nil)

    /// The owner's unique name; nil if the name has no owner.
    var current: BusName? {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    /// A method that rejects all other callers.
    func restricted(_ method: Method) -> Method {
        var guarded = method
        guarded.body = { call in
            guard let sender = call.sender, sender == self.current else { return call.fail(with: .accessDenied) }
            method.body(call)
        }
        return guarded
    }
}

extension MethodError {
    fileprivate static let accessDenied = MethodError(
        "org.freedesktop.DBus.Error.AccessDenied", "only the owner of org.bluez may call this")
}
