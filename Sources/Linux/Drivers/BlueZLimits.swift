import ScenarioLanguage
package import Scenarios

extension Scenario {
    /// Paths of the values in the file that bluetoothd does not let other programs choose; addresses are left out.
    package var unplayedByBluetoothd: [String] {
        var paths: [String] = []
        for (number, device) in devices.enumerated() {
            let path = "devices[\(number)]"
            // bluetoothd has one advertising interval.
            if device.advertising.phases.count > 1 { paths.append("\(path).advertise.slow") }
            if device.advertising.phases.first?.duration != nil { paths.append("\(path).advertise.fast.for") }
            if device.link.hasPreferences { paths.append("\(path).link") }
            // bluetoothd chooses the passkey that a device shows.
            if device.security?.passkey != nil { paths.append("\(path).security.passkey") }
        }
        for (number, rule) in script.enumerated() {
            if let key = RadioKind.bluetoothd.ignoredArgument(of: rule.action) {
                paths.append("script[\(number)].\(key)")
            }
        }
        return paths
    }
}

extension Link {
    fileprivate var hasPreferences: Bool { interval != nil || latency != nil || timeout != nil || mtu != nil }
}
