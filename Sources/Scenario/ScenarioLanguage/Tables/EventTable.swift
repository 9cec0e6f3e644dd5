import Bluetooth
import Documents
import GATT
package import ScenarioModel
import SecurityManager

/// The definition of one event.
package struct EventRow: Sendable {
    package let target: Target
    /// One or two sentences.
    let about: String
    /// The event in a scenario.
    let example: Node
    /// The conditions on what the event reports.
    let filters: [Shape.Field]
}

extension Event.Kind {
    /// The row that defines the event: the reader, the schema, `explain` and the documentation use it.
    package var row: EventRow {
        switch self {
        case .advertising:
            of(.device, "strap", "A device starts advertising; it is still advertising when its next phase begins.")
        case .advertised:
            of(
                .device, "strap",
                "A device advertises other values than before: those of the fields of its advertising data that have names.",
                ["value": ["bpm": ["$min": 100]]], Self.value)
        case .scanning: of(.client, "client", "The client starts scanning.")
        case .scanningStopped: of(.client, "client", "The client stops scanning.")
        case .connecting: of(.device, "strap", "A central starts connecting to the device.")
        case .connected:
            of(.device, "strap", "A connection begins; the second one, `\"nth\": 2`, is a reconnection.", ["nth": 2])
        case .disconnected:
            of(.device, "strap", "A connection ends, for a `reason`.", ["reason": "connection_timeout"], Self.reason)
        case .encrypted: of(.device, "watch", "The link is encrypted.")
        case .paired: of(.device, "watch", "Two devices have paired.")
        case .pairingFailed:
            of(
                .device, "watch", "Pairing failed, for a `reason`.", ["reason": "confirm_value_failed"],
                .init("reason", .code(PairingFailedReason.names.map(\.name)), Self.aboutCode))
        case .encryptionFailed:
            of(
                .device, "watch", "A client tries to encrypt with keys that the device does not have.",
                ["reason": "pin_or_key_missing"], Self.reason)
        case .bondLost: of(.device, "watch", "A device loses the keys of a client.")
        case .mtu:
            of(
                .device, "strap", "The ATT MTU is negotiated.", ["value": ["$min": 247]],
                .init("value", .definition("matcher"), "The MTU, in octets."))
        case .parameters:
            of(
                .device, "strap",
                "The connection parameters change, or the device does not get those that it has requested: they are rejected, or do not change within 30 s.",
                ["value": ["accepted": false]],
                .init(
                    "value", .definition("matcher"),
                    "`interval_ms` (the longest, of those requested), `latency` and `timeout_ms`; whether they are `accepted`; the side that requested them, `by`: `peripheral` or `central`."
                ))
        case .discovering: of(.device, "strap", "A client starts discovering services, or all attributes.")
        case .discovered: of(.device, "strap", "A client finishes discovering services, or all attributes.")
        case .subscribed:
            of(.value(.sent), "strap/heart_rate", "A client subscribes to a value.", ["nth": 1, "after": "10 s"])
        case .unsubscribed: of(.value(.sent), "strap/heart_rate", "A client ends its subscription to a value.")
        case .read: of(.value(.read), "strap/battery", "A client reads a value.", ["value": ["$max": 20]], Self.value)
        case .written:
            of(
                .value(.write), "strap/heart_rate/control_point", "A client writes a value.", ["value": 1],
                Self.value)
        case .notified:
            of(
                .value(.notify), "strap/heart_rate", "A device sends a notification.",
                ["value": ["bpm": ["$min": 256]]], Self.value)
        case .delivered:
            of(
                .value(.sent), "strap/heart_rate", "The client's link layer receives a notification.", ["every": 10],
                Self.value)
        case .indicated:
            of(
                .value(.indicate), "strap/health_thermometer", "A device sends an indication.",
                ["value": ["$min": 38]], Self.value)
        case .confirmed:
            of(
                .value(.indicate), "strap/health_thermometer", "A client confirms an indication.", [:],
                Self.value)
        case .refused:
            of(
                .anything, "strap/heart_rate", "A device sends an Error Response with an `error`.",
                ["error": "read_not_permitted"], .init("error", .attError, Self.aboutCode))
        case .saturated:
            of(
                .value([]), "strap/heart_rate",
                "A value is out of range and was replaced by the nearest possible one; reported once per value. Also: a wall clock stopped, or attributes stayed in place, because they cannot move that far."
            )
        case .began: of(.rule, "away", "A rule of the script starts to act.")
        case .ended: of(.rule, "away", "A rule of the script stops acting.", ["after": "5 s"])
        case .said:
            of(
                .client, "client", "The client under test prints a line.",
                ["line": ["heart_rate": ["bpm": ["$min": 1]]]],
                .init("line", .definition("matcher"), required: true, "The line that the client printed."))
        case .exited:
            of(
                .client, "client", "The client under test exits.", ["status": 0],
                .init("status", .integer(0...255), "The client's exit status."))
        }
    }

    private func of(
        _ target: Target, _ path: Node, _ about: String, _ more: Node = [:], _ filter: Shape.Field? = nil
    ) -> EventRow {
        let own = [(key: "event", node: Node(.string(rawValue))), (key: "of", node: path)]
        let filters = [filter].compactMap(\.self) + (hasDescriptors ? [Self.descriptor] : [])
        return EventRow(target: target, about: about, example: .object(own + more.pairs), filters: filters)
    }

    /// Whether descriptors can cause it, too.
    private var hasDescriptors: Bool { self == .read || self == .written }
    private static let descriptor = Shape.Field(
        "descriptor", .uuid, example: "2908",
        "The type of a descriptor, which the event is about instead of the value: 2902 is the Client Characteristic Configuration."
    )
    private static let aboutCode = "A number, or the specification's name."
    private static let reason = Shape.Field("reason", .code(HCIStatus.allNames), aboutCode)
    private static let value = Shape.Field("value", .definition("matcher"), example: ["$min": 1], "The value.")
}
