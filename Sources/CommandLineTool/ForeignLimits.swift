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
            // Its Disconnect has one reason.
            if case .disconnect(let reason?) = rule.action.deed, !reason.means(.remoteUserTerminated) {
                paths.append("script[\(number)].reason")
            }
            // Its adapter has the address that it has.
            if rule.action.kind == .changeAddress { paths.append("script[\(number)]") }
        }
        return paths
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
