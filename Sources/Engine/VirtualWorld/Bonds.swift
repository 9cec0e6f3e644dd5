import Basics
package import Bluetooth
package import LEHost
import ScenarioModel
package import SecurityManager
import VirtualRadio

// The bonds of the scenario's devices, which a file can keep.
extension World {
    /// What each device that pairs keeps.
    package var memories: [(device: DeviceAddress, memory: HostMemory)] {
        scenario.devices.indices.compactMap { index in
            scenario.devices[index].security.map { _ in (scenario.devices[index].address, nodes[index].host.memory) }
        }
    }

    /// Gives each device that pairs what it has kept in an earlier run.
    package mutating func restore(_ memory: (DeviceAddress) -> HostMemory?) {
        for index in scenario.devices.indices where scenario.devices[index].security != nil {
            if let memory = memory(scenario.devices[index].address) { nodes[index].restore(memory) }
        }
    }

    /// The identity address of an external client that has bonds from the start.
    package static let bondedClient = DeviceAddress(0xF0C1_1E47_0001, .random)

    /// Bonds each device with `bonded` with the built-in client.
    package mutating func bondDevices(withClient node: Int) {
        guard nodes.indices.contains(node),
            let address = airspace.publicAddress(of: nodes[node].controller)
        else { return }
        let bonds = bondDevices(withClientAt: address)
        if !bonds.isEmpty { nodes[node].restore(bonds) }
    }

    /// Bonds each device with `bonded` with a client that has an identity address; returns the client's bonds.
    package mutating func bondDevices(withClientAt client: DeviceAddress) -> [Bond] {
        scenario.devices.indices.compactMap { index in
            guard let security = scenario.devices[index].security, security.isBonded else { return nil }
            var secrets: HostSecurity.Secrets
            switch nodes[index].hosting {
            case .simulated: secrets = .stream(chance.stream("bond of \(scenario.devices[index].id)"))
            case .onController: secrets = .system
            case .attributes: return nil
            }
            let key = LongTermKey(of: security, using: &secrets)
            var (bond, clients) = (Bond(with: client), Bond(with: scenario.devices[index].address))
            (bond.keyAsPeripheral, clients.keyAsCentral) = (key, key)
            let resolvingKey = nodes[index].host.security.resolvingKey
            if resolvingKey != 0 { clients.peerResolvingKey = resolvingKey }
            nodes[index].restore([bond])
            return clients
        }
    }
}

extension LongTermKey {
    /// The key of a pairing in which the client has a keyboard and a display, and supports everything.
    fileprivate init(of security: Security, using secrets: inout HostSecurity.Secrets) {
        let isSecure = security.secureConnections != .off
        let value = UInt128(secrets.next()) << 64 | UInt128(secrets.next())
        let (ediv, rand) = (UInt16(truncatingIfNeeded: secrets.next()), secrets.next())
        self.init(
            value, ediv: isSecure ? 0 : ediv, rand: isSecure ? 0 : rand,
            size: UInt8(clamping: security.keySizes.upperBound), isAuthenticated: security.io != .noInputNoOutput,
            isSecureConnections: isSecure)
    }
}
