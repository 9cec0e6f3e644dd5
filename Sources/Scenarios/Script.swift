public import EventLog

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

    /// What is done when.
    public init(id: String? = nil, when: Moment, action: Action, chance: Double = 1, end: End? = nil) {
        (self.id, self.when, self.action, self.chance, self.end) = (id, when, action, chance, end)
    }
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
    /// The events, as they are written; the event log calls them the same.
    public typealias Kind = EventName

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
    /// What carries the thing, if it is none that is carried alone.
    public var carrier: Carrier?

    /// A characteristic whose value has a part that is named for itself, as `heart_rate` has `rr_ms`.
    public struct Carrier: Hashable, Sendable {
        /// The part that is carried with all that is in it.
        public var part: Thing
        /// Under which key the value has the other.
        public var key: String
    }
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
        /// Notifies nothing, and stays connected.
        case silence
        /// Answers no request.
        case stall
        /// Ends the connections.
        case disconnect
        /// Goes nearer or away.
        case distance
        /// Is heard this loud.
        case rssi
        /// Loses a share of the packets.
        case loss
        /// Takes no larger ATT MTU.
        case mtu
        /// Sends everything later.
        case delay
        /// Does not send.
        case drop
        /// Sends twice.
        case duplicate
        /// Sends in another order.
        case reorder
        /// Sends only the beginning.
        case truncate
        /// Sends more octets than belong there.
        case lengthen
        /// Sends these octets.
        case raw
        /// Notifies now.
        case notify
        /// Gives a part another value.
        case set
        /// Has a clock that is fast or slow.
        case drift
        /// Notifies as fast as this.
        case burst
        /// Connects, as a second central.
        case connect
        /// Does not confirm indications.
        case unconfirmed
        /// Ends what other rules did.
        case clear
        /// Goes out of range, without a word.
        case linkLoss = "link_loss"
        /// Does not advertise.
        case stopAdvertising = "stop_advertising"
        /// Answers requests with an error.
        case attError = "att_error"
        /// Has other services.
        case changeServices = "change_services"
        /// Has its attributes at other handles.
        case moveHandles = "move_handles"
        /// Forgets its keys.
        case forgetBond = "forget_bond"
        /// Has another address.
        case changeAddress = "change_address"
        /// Has an electrode that does not touch.
        case leadOff = "lead_off"
        /// Sets the sensors' wall clock forward.
        case skipTime = "skip_time"
        /// Has a controller without power.
        case powerOff = "power_off"

        /// Whether there is something that ends.
        public var lasts: Bool {
            switch self {
            case .disconnect, .raw, .notify, .changeServices, .moveHandles, .forgetBond, .changeAddress, .skipTime,
                .connect, .clear:
                false
            case .silence, .stall, .distance, .rssi, .loss, .mtu, .delay, .drop, .duplicate, .reorder, .truncate,
                .lengthen, .set, .drift, .burst, .unconfirmed, .linkLoss, .stopAdvertising, .attError, .leadOff,
                .powerOff:
                true
            }
        }
    }

    /// Gives a part another value, for as long as the rule lasts.
    case set(Thing, to: Value)
    /// Ends the connections of a device; the reason is one of Core 6.0, Vol 1, Part F.
    case disconnect(Thing, reason: Code?)
    /// Notifies nothing of a device, a service or a part for as long as the rule lasts; connections, reading and
    /// writing go on.
    case silence(Thing)
    /// Notifies a part, whatever its period: so many times, with another value or with its own.
    case notify(Thing, times: Int, value: Value?)
    /// Ends all that rules did to a thing and still lasts.
    case clear(Thing)
    /// Sets the clock on the wall of a device's sensors forward.
    case skipTime(Thing, by: Duration)
    /// An electrode of the electrocardiograms of a device, or of one of them, does not touch for as long as the rule
    /// lasts.
    case leadOff(Thing)
    /// Checked, and not played yet; with the thing to which it is done.
    case notPlayed(Kind, of: Thing?)
}
