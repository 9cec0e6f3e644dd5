package import Bluetooth
import LEHost
import Scenarios
package import SecurityManager

// The bonds of the scenario's devices, which a file can keep.
extension World {
    /// The bonds of each device that pairs, the oldest first.
    package var bonds: [(device: DeviceAddress, bonds: [Bond])] {
        scenario.devices.indices.compactMap { index in
            scenario.devices[index].security.map { _ in
                (scenario.devices[index].address, nodes[index].host.security.bonds)
            }
        }
    }

    /// Gives each device that pairs the bonds of an earlier run.
    package mutating func restoreBonds(_ bonds: (DeviceAddress) -> [Bond]) {
        for index in scenario.devices.indices where scenario.devices[index].security != nil {
            nodes[index].restore(bonds(scenario.devices[index].address))
        }
    }
}
