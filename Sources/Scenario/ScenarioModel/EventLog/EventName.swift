/// The events of scenarios, expectations and the event log.
package enum EventName: String, CaseIterable, Sendable {
    /// A device starts advertising; it is still advertising when its next phase begins.
    case advertising
    /// The values in a device's advertising data are others; the `value` has those with names.
    case advertised
    /// A central starts scanning.
    case scanning
    case scanningStopped = "scanning_stopped"
    /// A central starts connecting.
    case connecting
    case connected
    /// A connection ends, for a `reason`.
    case disconnected
    case encrypted
    /// Two devices have paired.
    case paired
    /// Pairing failed, for a `reason`.
    case pairingFailed = "pairing_failed"
    /// A client tries to encrypt with keys that the device does not have; the `reason` is pin_or_key_missing.
    case encryptionFailed = "encryption_failed"
    /// A device loses the keys of a client.
    case bondLost = "bond_lost"
    /// ATT_MTU is negotiated; its `value`.
    case mtu
    /// The connection parameters change, or a request for others fails; a `value` with them.
    case parameters
    /// A client starts discovering services, or all attributes.
    case discovering
    /// A client finishes discovering services, or all attributes.
    case discovered
    case subscribed
    case unsubscribed
    /// A client reads a value.
    case read
    /// A client writes a value.
    case written
    /// A server sends a notification.
    case notified
    /// The peer's link layer receives a notification.
    case delivered
    /// A server sends an indication.
    case indicated
    /// A client confirms an indication.
    case confirmed
    /// A server sends an Error Response with an `error`.
    case refused
    /// A `value` is out of range and was replaced by the nearest possible one; reported once per value. Also: a wall
    /// clock stopped because it cannot skip a `value` of seconds, or attributes stayed in place because their handles
    /// cannot move by a `value`.
    case saturated
    /// A rule of the script starts to act.
    case began
    /// A rule of the script stops acting.
    case ended
    /// The client under test prints a `line`.
    case said
    /// The client under test exits with a status, its `value`.
    case exited
}
