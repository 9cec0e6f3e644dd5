import Basics
package import Bluetooth
import Cryptography
import LEHost
import ScenarioModel
package import SecurityManager

// What devices and clients exchange another way than by Bluetooth.  Core 6.0, Vol 3, Part H, sections 2.3.5.4, 2.3.5.6.4.
extension World {
    /// Lets the built-in client and each device with `oob` exchange data, once they have started.
    package mutating func exchangeOutOfBand(withClient client: Int) {
        let sharing = scenario.devices.indices.filter { hasOutOfBand($0) }
        guard nodes.indices.contains(client), !sharing.isEmpty, let own = ownOutOfBandData(of: "the client") else {
            return
        }
        for device in sharing {
            guard var given = giveOutOfBandData(of: device) else { continue }
            var taken = OutOfBandData()
            (taken.temporaryKey, taken.peers, taken.own) = (given.temporaryKey, try? given.own?.commitment, own)
            command(.exchangeOutOfBand(taken, with: nodes[device].host.address), of: client)
            if given.own != nil { given.peers = try? own.commitment }
            command(.exchangeOutOfBand(given, with: nodes[client].host.address), of: device)
        }
    }

    /// Lets a device with `oob` give data away, for a client outside of the world.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - address: The address that clients know.
    /// - Returns: AD structures; nil without `oob`, and if a foreign host pairs.
    package mutating func giveOutOfBandData(of device: Int, at address: DeviceAddress) -> [UInt8]? {
        try? giveOutOfBandData(of: device)?.structures(givenBy: address).flatMap(\.octets)
    }

    /// Lets a device use data that it gives away, for those kinds of pairing that it supports.
    private mutating func giveOutOfBandData(of device: Int) -> OutOfBandData? {
        guard hasOutOfBand(device), var settings = nodes[device].host.security.settings else { return nil }
        let id = scenario.devices[device].id
        var data = OutOfBandData()
        if settings.secureConnections != .off { data.own = ownOutOfBandData(of: id) }
        if settings.secureConnections != .required {
            var generator = outOfBandGenerator("temporary key of \(id)")
            data.temporaryKey = UInt128(using: &generator)
        }
        settings.outOfBand = data
        command(.changeSecurity(settings), of: device)
        return data
    }

    /// Gives a device these data out of band, for its next pairing; returns what the device gives away, or nil if it cannot.
    package mutating func exchangeOutOfBand(
        _ data: OutOfBandData, with device: Int
    ) -> OutOfBandData.Commitment? {
        guard hasOutOfBand(device), var settings = nodes[device].host.security.settings,
            let own = ownOutOfBandData(of: scenario.devices[device].id)
        else { return nil }
        settings.outOfBand = data
        settings.outOfBand.own = own
        command(.changeSecurity(settings), of: device)
        return try? own.commitment
    }

    private func hasOutOfBand(_ device: Int) -> Bool {
        scenario.devices.indices.contains(device) && scenario.devices[device].security?.hasOutOfBand == true
            && !nodes[device].hosting.hasOnlyAttributes
    }

    private func ownOutOfBandData(of name: String) -> OutOfBandData.Own? {
        var generator = outOfBandGenerator(name)
        return try? OutOfBandData.Own(using: &generator)
    }

    /// The data come from where the device's keys come from.
    private func outOfBandGenerator(_ name: String) -> HostSecurity.Secrets {
        hasSystemSecrets ? .system : .stream(chance.stream("out of band \(name)"))
    }
}
