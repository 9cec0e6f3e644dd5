package import Bluetooth
package import ScenarioRuns
import Scenarios
import TextFormatting

/// The environment of a client under test.  The first variable is unique among the cases that run at the same time: the
/// address of the controller, or the case's id when the client uses another controller.
package func environment(
    of configuration: RunConfiguration, controller: String?, addresses: [DeviceAddress]
) -> [(name: String, value: String)] {
    let devices = configuration.scenario.devices
    let peers = zip(devices, addresses).map { device, address in
        "{\"id\": \(device.id.quoted), \"address\": \(address.description.quoted), \"name\": \(device.name.quoted)}"
    }
    let target = configuration.scenario.target ?? 0
    let name = devices.indices.contains(target) ? devices[target].name : ""
    return (controller.map { [("LUBDUB_CONTROLLER", $0)] } ?? []) + [
        ("LUBDUB_CASE", configuration.caseID), ("LUBDUB_SEED", "\(configuration.seed)"),
        ("LUBDUB_PEER", addresses.indices.contains(target) ? "\(addresses[target])" : ""), ("LUBDUB_PEER_NAME", name),
        ("LUBDUB_PEERS", "[\(peers.joined(separator: ", "))]"), ("PYTHONUNBUFFERED", "1"),
    ]
}
