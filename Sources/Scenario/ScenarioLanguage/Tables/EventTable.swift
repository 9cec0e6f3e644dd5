import Documents
import ScenarioModel

/// The documentation of one event.
struct EventRow: Sendable {
    /// One or two sentences.
    let about: String
    /// The event in a scenario.
    let example: Node

    /// The path of the example's target.
    var target: Node? { example["of"] }
}

extension Event.Kind {
    /// The row that describes the event: the schema, `explain` and the documentation use it.
    var row: EventRow {
        switch self {
        case .advertising:
            of("strap", "A device starts advertising; it is still advertising when its next phase begins.")
        case .scanning: of("client", "The client starts scanning.")
        case .scanningStopped: of("client", "The client stops scanning.")
        case .connecting: of("strap", "A central starts connecting to the device.")
        case .connected:
            of("strap", "A connection begins; the second one, `\"nth\": 2`, is a reconnection.", ["nth": 2])
        case .disconnected:
            of("strap", "A connection ends, for a `reason`.", ["reason": "connection_timeout"])
        case .encrypted: of("watch", "The link is encrypted.")
        case .paired: of("watch", "Two devices have paired.")
        case .pairingFailed:
            of("watch", "Pairing failed, for a `reason`.", ["reason": "confirm_value_failed"])
        case .encryptionFailed:
            of(
                "watch", "A client tries to encrypt with keys that the device does not have.",
                ["reason": "pin_or_key_missing"])
        case .bondLost: of("watch", "A device loses the keys of a client.")
        case .mtu: of("strap", "The ATT MTU is negotiated.", ["value": ["$min": 247]])
        case .discovering: of("strap", "A client starts discovering services, or all attributes.")
        case .discovered: of("strap", "A client finishes discovering services, or all attributes.")
        case .subscribed:
            of("strap/heart_rate", "A client subscribes to a value.", ["nth": 1, "after": "10 s"])
        case .unsubscribed: of("strap/heart_rate", "A client ends its subscription to a value.")
        case .read: of("strap/battery", "A client reads a value.", ["value": ["$max": 20]])
        case .written: of("strap/heart_rate/control_point", "A client writes a value.", ["value": 1])
        case .notified:
            of("strap/heart_rate", "A device sends a notification.", ["value": ["bpm": ["$min": 256]]])
        case .delivered:
            of("strap/heart_rate", "The client's link layer receives a notification.", ["every": 10])
        case .indicated:
            of("strap/health_thermometer", "A device sends an indication.", ["value": ["$min": 38]])
        case .confirmed: of("strap/health_thermometer", "A client confirms an indication.")
        case .refused:
            of("strap/heart_rate", "A device sends an Error Response with an `error`.", ["error": "read_not_permitted"])
        case .saturated:
            of(
                "strap/heart_rate",
                "A value is out of range and was replaced by the nearest possible one; reported once per value. Also: a wall clock stopped, or attributes stayed in place, because they cannot move that far."
            )
        case .began: of("away", "A rule of the script starts to act.")
        case .ended: of("away", "A rule of the script stops acting.", ["after": "5 s"])
        case .said:
            of("client", "The client under test prints a line.", ["line": ["heart_rate": ["bpm": ["$min": 1]]]])
        case .exited: of("client", "The client under test exits.", ["status": 0])
        }
    }

    private func of(_ target: Node, _ about: String, _ more: Node = [:]) -> EventRow {
        let own = [(key: "event", node: Node(.string(rawValue))), (key: "of", node: target)]
        return EventRow(about: about, example: .object(own + more.pairs))
    }
}
