import Bluetooth
import Scenarios
import Spelling

/// What a client under test finds in its environment; the controller first, which no other case has.
func environment(
    of played: Played, controller: String
) -> [(name: String, value: String)] {
    let devices = played.scenario.devices
    let peers = devices.map { device in
        "{\"id\": \(device.id.quoted), \"address\": \(device.address.description.quoted), \"name\": \(device.name.quoted)}"
    }
    let target = played.scenario.target.map { devices[$0] } ?? devices.first
    return [
        ("LUBDUB_CONTROLLER", controller), ("LUBDUB_PEER", target.map { "\($0.address)" } ?? ""),
        ("LUBDUB_PEER_NAME", target?.name ?? ""), ("LUBDUB_PEERS", "[\(peers.joined(separator: ", "))]"),
        ("LUBDUB_CASE", played.caseID), ("LUBDUB_SEED", "\(played.seed)"), ("PYTHONUNBUFFERED", "1"),
    ]
}
