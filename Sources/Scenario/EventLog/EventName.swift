/// What can happen: the names that scenarios, expectations and the event log share.
public enum EventName: String, CaseIterable, Sendable {
    /// A device begins to advertise; when its next phase begins it goes on.
    case advertising
    /// A central looks for advertisements.
    case scanning
    /// A central has stopped looking.
    case scanningStopped = "scanning_stopped"
    /// A central asks for a link.
    case connecting
    /// A link is there.
    case connected
    /// A link is gone, for a `reason`.
    case disconnected
    /// A link is encrypted.
    case encrypted
    /// Two devices share keys.
    case paired
    /// Two devices do not share keys, for a `reason`.
    case pairingFailed = "pairing_failed"
    /// Both sides agree on an ATT_MTU, the `value`.
    case mtu
    /// A client has begun to search for services.
    case discovering
    /// A client's search for services is at its end.
    case discovered
    /// A client wants to be told of changes.
    case subscribed
    /// A client does not want to be told any more.
    case unsubscribed
    /// A client has read a value.
    case read
    /// A client has written a value.
    case written
    /// A notification has left the server.
    case notified
    /// The link layer of the other side has a notification.
    case delivered
    /// An indication has left the server.
    case indicated
    /// The client has confirmed an indication.
    case confirmed
    /// The server has sent an Error Response with an `error`.
    case refused
    /// A part could not say a `value`, and said the nearest that it can; once for each part.  Or a device's clock on the
    /// wall could not skip a `value` of seconds, and has stopped; or a device has no handles left to move its attributes by
    /// a `value`, and did not.
    case saturated
    /// A rule of the script begins to act.
    case began
    /// A rule of the script acts no more.
    case ended
    /// A client under test has printed a `line`.
    case said
    /// A client under test has ended with a status, the `value`.
    case exited
}
