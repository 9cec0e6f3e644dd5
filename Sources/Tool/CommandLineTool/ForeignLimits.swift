import Bluetooth
import Scenarios

extension Scenario {
    /// What bluetoothd has to itself and nobody can ask of it, by its path in the file.  Addresses go without saying.
    var unplayedByBluetoothd: [String] {
        var paths: [String] = []
        for (number, device) in devices.enumerated() {
            let path = "devices[\(number)]"
            // From the first phase on, it advertises in the same way.
            if device.advertising.phases.count > 1 { paths.append("\(path).advertise.slow") }
            if device.advertising.phases.first?.duration != nil { paths.append("\(path).advertise.fast.for") }
            if device.link.wantsSomething { paths.append("\(path).link") }
            // It draws the digits that it shows.
            if device.security?.passkey != nil { paths.append("\(path).security.passkey") }
        }
        for (number, rule) in script.enumerated() {
            if let key = rule.action.keyUnplayedByBluetoothd { paths.append("script[\(number)].\(key)") }
        }
        return paths
    }
}

extension Action {
    /// The key that names what bluetoothd does not play of it; nil when it plays all.
    var keyUnplayedByBluetoothd: String? {
        // Its Disconnect has one reason.
        if case .disconnect(let reason?) = operation, !reason.means(.remoteUserTerminated) { return "reason" }
        return nil
    }
}

extension Link {
    fileprivate var wantsSomething: Bool { interval != nil || latency != nil || timeout != nil || mtu != nil }
}

extension Code {
    fileprivate func means(_ status: HCIStatus) -> Bool {
        switch self {
        case .number(let number): number == status.rawValue
        case .name(let name): name == status.name
        }
    }
}
