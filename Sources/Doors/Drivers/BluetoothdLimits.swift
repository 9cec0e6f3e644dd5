import Devices
import GATT
import ScenarioLanguage
package import ScenarioModel
import SecurityManager
import VirtualWorld

// The limits of bluetoothd.
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
            paths += device.security.map(\.unplayed)?.map { "\(path).security.\($0)" } ?? []
            for (place, service) in device.services.filter(\.isThereFromStart).enumerated() {
                paths += service.unplayed(at: place).map { "\(path).services[\(place)]\($0)" }
            }
        }
        for (number, rule) in script.enumerated() {
            if let key = RadioKind.bluetoothd.ignoredArgument(of: rule.action) {
                paths.append("script[\(number)].\(key)")
            }
        }
        return paths
    }

    /// The first attribute with which bluetoothd rejects the whole device, and what to do; nil if there is none.
    package var impossibleForBluetoothd: String? {
        for (number, device) in devices.enumerated() {
            for (place, service) in device.definitions.enumerated() {
                guard let (path, why) = service.impossible else { continue }
                return
                    "bluetoothd cannot serve devices[\(number)].services[\(place)]\(path): \(why); change it, or use "
                    + "another radio"
            }
        }
        return nil
    }
}

extension Link {
    fileprivate var hasPreferences: Bool { interval != nil || latency != nil || timeout != nil || mtu != nil }
}

extension Security {
    /// bluetoothd chooses the passkey that a device displays, and how it pairs.
    fileprivate var unplayed: [String] {
        var keys: [String] = []
        if passkey != nil { keys.append("passkey") }
        if mitmProtection != .off { keys.append("mitm") }
        if secureConnections != .preferred { keys.append("secure_connections") }
        if keySizes.upperBound != 16 { keys.append("key_size") }
        if keySizes.lowerBound != 7 { keys.append("min_key_size") }
        if bonds != nil { keys.append("bonds") }
        if isBonded { keys.append("bonded") }
        if privacy != nil { keys.append("privacy") }
        return keys
    }
}

extension Service {
    /// Keys of the service at `place`.
    fileprivate func unplayed(at place: Int) -> [String] {
        let keys = configured.attributes.definition.unplayed(at: place)
        guard configured.declaration.security.isBeyondBluetoothd else { return keys }
        return [".permissions"] + keys.filter { !$0.hasSuffix(".permissions") }
    }
}

extension LinkSecurity {
    /// bluetoothd knows only encryption, authentication and authorization.
    fileprivate var isBeyondBluetoothd: Bool { !isDisjoint(with: [.secureConnections, .fullKeySize]) }
}

extension Device {
    /// The services in the file's order, without those that only rules add.
    fileprivate var definitions: [ServiceDefinition] {
        services.filter(\.isThereFromStart).map(\.configured.attributes.definition)
    }
}

extension ServiceDefinition {
    /// Keys of the service at `place`.  bluetoothd assigns handles, puts the Client Characteristic Configuration first,
    /// derives permissions from properties, and finds only included services that precede.
    fileprivate func unplayed(at place: Int) -> [String] {
        var keys: [String] = []
        if handle != nil { keys.append(".handle") }
        if includes.contains(where: { $0 >= place }) { keys.append(".includes") }
        for (number, characteristic) in characteristics.enumerated() {
            keys += characteristic.unplayed.map { ".characteristics[\(number)].\($0)" }
        }
        return keys
    }

    /// bluetoothd rejects an empty list of flags.
    fileprivate var impossible: (key: String, why: String)? {
        for (number, characteristic) in characteristics.enumerated() {
            let key = ".characteristics[\(number)]"
            if characteristic.properties.isEmpty { return (key, "it requires a property") }
            for (place, descriptor) in characteristic.descriptors.enumerated()
            where !descriptor.isConfiguration && descriptor.permissions.isDisjoint(with: [.readable, .writeable]) {
                return ("\(key).descriptors[\(place)]", "it requires permission to read or to write")
            }
        }
        return nil
    }
}

extension CharacteristicDefinition {
    fileprivate var unplayed: [String] {
        var keys: [String] = []
        if declarationHandle != nil { keys.append("declaration_handle") }
        if handle != nil { keys.append("handle") }
        let granted = permissions.intersection([.readable, .writeable])
        let security = permissions.securityToRead.union(permissions.securityToWrite)
        if !granted.isSubset(of: AttributePermissions(properties)) || security.isBeyondBluetoothd {
            keys.append("permissions")
        }
        for (place, descriptor) in descriptors.enumerated() {
            if descriptor.isConfiguration {
                keys.append("descriptors[\(place)]")
            } else if descriptor.handle != nil {
                keys.append("descriptors[\(place)].handle")
            }
        }
        return keys
    }
}
