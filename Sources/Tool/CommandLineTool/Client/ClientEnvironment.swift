import Bluetooth
import ScenarioRuns
import Scenarios
import Spelling

/// What a client under test finds in its environment: first a variable that no other case has that is played now, where
/// its controller is, or the case's id where it has one that is not ours.
func environment(
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
