import Spelling

/// Why bluetoothd does not do what it is asked for, with what mends it.
public enum HostFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no bus, or it does not do what buses do.
    case bus(String)
    /// Nobody has the name `org.bluez`.
    case notRunning
    /// bluetoothd has no such adapter.
    case noAdapter(wanted: String?, there: [String])
    /// The adapter has no GattManager1.
    case cannotServe(String)
    /// The adapter cannot be switched on.
    case cannotSwitchOn(adapter: String, what: String, why: String)
    /// bluetoothd refuses what it was asked for.
    case refused(adapter: String, what: String, why: String)
    /// Somebody has switched the adapter off.
    case switchedOff(String)
    /// The adapter is not there any more.
    case unplugged(String)
    /// The adapter could not be made what it was before.
    case notPutBack(Adapter, why: String)
    /// The adapter was off, and could not be switched off again.
    case notSwitchedOff(Adapter, why: String)

    /// For people: what was tried, what was found, and what to do.
    public var description: String {
        switch self {
        case .bus(let why): "bluetoothd cannot be asked: \(why)"
        case .notRunning: "bluetoothd does not run; systemctl start bluetooth starts it"
        case .noAdapter(nil, _): "bluetoothd knows no Bluetooth adapter; plug one in, or see lubdub doctor"
        case .noAdapter(let wanted?, []): "bluetoothd knows no adapter, and so not \(wanted); see lubdub doctor"
        case .noAdapter(let wanted?, let there):
            "bluetoothd knows no adapter \(wanted); there is \(there.joined(separator: ", "))"
        case .cannotServe(let adapter): "\(adapter) cannot be a peripheral: bluetoothd offers no GattManager1 for it"
        case .cannotSwitchOn(let adapter, _, let why):
            "\(adapter) cannot be switched on: \(why); rfkill unblock bluetooth may help"
        case .refused(let adapter, let what, let why): "\(adapter): bluetoothd refuses \(what): \(why)"
        case .switchedOff(let adapter): "\(adapter) was switched off; bluetoothctl power on switches it on again"
        case .unplugged(let adapter): "\(adapter) is not there any more"
        case .notPutBack(let former, let why):
            "\(former.name) could not be made what it was: \(why); bluetoothctl system-alias \(former.alias.quoted)"
                + "\(former.isPowered ? "" : " and power off") will do it"
        case .notSwitchedOff(let former, let why):
            "\(former.name) was off and could not be switched off: \(why); bluetoothctl power off will do it"
        }
    }
}
