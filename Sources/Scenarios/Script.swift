/// What is done when.
public struct Rule: Hashable, Sendable {
    /// How long something lasts.
    public enum End: Hashable, Sendable {
        /// So long.
        case after(Duration)
        /// To the next such moment.
        case at(Moment)
    }

    /// By which other rules and expectations name it.
    public var id: String?
    /// It fires at each match.
    public var when: Moment
    /// What is done.
    public var action: Action
    /// How probable it is that a match counts, 0…1.
    public var chance: Double
    /// When it ends; nil: as it begins if it does not last, else never.
    public var end: End?
}

/// A point of time, or each of several.
public enum Moment: Hashable, Sendable {
    /// Once, as the scenario begins.
    case start
    /// Once, as it ends.
    case end
    /// Once, so long after the start.
    case time(Duration)
    /// First so long after the start, and then again and again; `times` in all, or until the end.
    case repeated(first: Duration, every: Duration, times: Int?)
    /// Each time that something happens.
    case event(Event)
}

/// Something that happens, or that is said about something that happened.
public struct Event: Hashable, Sendable {
    /// The events, as they are written.
    public enum Kind: String, CaseIterable, Sendable {
        case advertising, scanning, connecting, connected, disconnected, encrypted, paired, mtu, discovering, discovered
        case subscribed, unsubscribed, read, written, notified, delivered, indicated, confirmed, refused, began, ended
        case said, exited
        /// A scanner has stopped.
        case scanningStopped = "scanning_stopped"
        /// A pairing has failed.
        case pairingFailed = "pairing_failed"
    }

    /// Which of the matches count.
    public enum Occurrence: Hashable, Sendable {
        /// All.
        case each
        /// Only this one; counts from 1.
        case nth(Int)
        /// This one, the one as many later, and so on.
        case every(Int)
    }

    /// What else must be so.
    public enum Filter: Hashable, Sendable {
        /// A reason or error that is written as a number or by its name in the specification.
        case code(Code)
        /// The value that was carried.
        case value(Matcher)
        /// The line that a client said.
        case line(Matcher)
        /// With which a client exited.
        case status(Int)
    }

    /// What happens.
    public var kind: Kind
    /// To what; nil for anything.
    public var of: Thing?
    /// All of these must be so.
    public var filters: [Filter]
    /// Which matches count.
    public var occurrence: Occurrence
    /// So much later.
    public var delay: Duration
}

/// An error or reason, as an author wrote it.
public enum Code: Hashable, Sendable {
    /// The octet itself.
    case number(UInt8)
    /// In snake_case, as the specification calls it.
    case name(String)
}

/// What a rule does.
public enum Action: Hashable, Sendable {
    /// The actions, as they are written.
    public enum Kind: String, CaseIterable, Sendable {
        case silence, stall, disconnect, distance, rssi, loss, mtu, delay, drop, duplicate, reorder, truncate, lengthen
        case raw, notify, set, drift, burst, connect, unconfirmed, clear
        case linkLoss = "link_loss"
        case stopAdvertising = "stop_advertising"
        case attError = "att_error"
        case changeServices = "change_services"
        case moveHandles = "move_handles"
        case forgetBond = "forget_bond"
        case changeAddress = "change_address"
        case leadOff = "lead_off"
        case skipTime = "skip_time"
        case powerOff = "power_off"
    }

    /// Gives a part another value, for as long as the rule lasts.
    case set(Thing, to: Value)
    /// Ends the connections of a device; the reason is one of Core 6.0, Vol 1, Part F.
    case disconnect(Thing, reason: Code?)
    /// Notifies a part, whatever its period: so many times, with another value or with its own.
    case notify(Thing, times: Int, value: Value?)
    /// Ends all that rules did to a thing and still lasts.
    case clear(Thing)
    /// Checked, and not played yet; with the thing to which it is done.
    case notPlayed(Kind, of: Thing?)
}
