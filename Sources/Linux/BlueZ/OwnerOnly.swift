import DBus
import Synchronization

/// Who has the name `org.bluez` now: nobody else may read or write our values, or ask our agent.
final class Owner: Sendable {
    private let name = Mutex<BusName?>(nil)

    /// Its unique name; nil when nobody has it.
    var current: BusName? {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    /// A method that refuses all other callers.
    func only(_ method: Method) -> Method {
        var guarded = method
        guarded.body = { call in
            guard let sender = call.sender, sender == self.current else { return call.refuse(.stranger) }
            method.body(call)
        }
        return guarded
    }
}

extension Refusal {
    fileprivate static let stranger = Refusal(
        "org.freedesktop.DBus.Error.AccessDenied", "only the owner of org.bluez may ask that")
}
