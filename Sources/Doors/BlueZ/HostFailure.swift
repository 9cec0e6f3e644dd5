import Basics
import BlueZNames

/// Why bluetoothd cannot be used, and how to fix it.
package enum HostFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no bus, or it does not work.
    case bus(String)
    /// The name `org.bluez` has no owner.
    case notRunning
    /// bluetoothd does not know the adapter.
    case noAdapter(wanted: String?, there: [String])
    /// The adapter has no GattManager1.
    case cannotServe(String)
    case cannotSwitchOn(adapter: String, what: String, why: String)
    /// bluetoothd rejected a call.
    case refused(adapter: String, what: String, why: String)
    case switchedOff(String)
    case unplugged(String)
    /// The adapter's original settings could not be restored.
    case notRestored(Adapter, why: String)
    /// The adapter could not be switched off again.
    case notSwitchedOff(Adapter, why: String)

    /// A message for users: the problem and, where possible, the fix.
    package var description: String {
        switch self {
        case .bus(let why): "cannot use bluetoothd: \(why)"
        case .notRunning: "bluetoothd is not running; start it with: systemctl start bluetooth"
        case .noAdapter(nil, _): "bluetoothd has no Bluetooth adapter; plug one in, or run lubdub doctor"
        case .noAdapter(let wanted?, []): "bluetoothd has no adapter, so \(wanted) cannot be used; run lubdub doctor"
        case .noAdapter(let wanted?, let there):
            "bluetoothd has no adapter \(wanted); use one of \(there.joined(separator: ", "))"
        case .cannotServe(let adapter): "\(adapter) cannot be a peripheral: bluetoothd has no GattManager1 for it"
        case .cannotSwitchOn(let adapter, _, let why):
            "cannot switch on \(adapter): \(why); try rfkill unblock bluetooth"
        case .refused(let adapter, let what, let why): "\(adapter): bluetoothd rejects \(what): \(why)"
        case .switchedOff(let adapter): "\(adapter) was switched off; switch it on with: bluetoothctl power on"
        case .unplugged(let adapter): "\(adapter) was removed"
        case .notRestored(let original, let why):
            "cannot restore the settings of \(original.name): \(why); "
                + "run bluetoothctl system-alias \(original.alias.quoted)"
                + "\(original.isPowered ? "" : " and bluetoothctl power off")"
        case .notSwitchedOff(let original, let why):
            "cannot switch \(original.name) off again: \(why); run bluetoothctl power off"
        }
    }
}
