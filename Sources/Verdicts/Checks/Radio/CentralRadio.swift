public import Bluetooth
public import LEHost
public import Octets
public import Scenarios
public import Simulation

/// What a central reaches its peripheral by: a world in virtual time, or a real radio.
///
/// An `Examiner` asks by it one thing after the other, from code that is not `async`.  It is spoken to in the words of
/// `Host`, which are those of GAP and of GATT's procedures: a radio that has a host of its own passes them on, one above
/// somebody else's host translates them.
public protocol CentralRadio {
    /// The present.
    var now: Instant { get }

    /// What the peripheral is played from, and which device it is there; nil where nobody can do anything to it.
    var stage: (scenario: Scenario, device: Int)? { get }

    /// Why it does not have what not every radio has; nil when it has.
    func unsupportedReason(_ faculty: RadioFaculty) -> String?

    /// Whether it is of no use any more: no time passes, whatever is waited for, and what was seen proves nothing.
    var isOver: Bool { get }

    /// Begins a case: a host that is ready says `.started`, now or soon.
    mutating func start()

    /// Has the central's host do something.
    mutating func command(_ command: Host.Command)

    /// Lets time pass until the host says something: false when it is `limit` and nothing was said.
    mutating func play(until limit: Instant) -> Bool

    /// What the host has said since this was last asked, without `.send` and `.wake`.
    mutating func takeSaid() -> [Host.Output]

    /// The octets of a packet that the host has handed over, which is released.
    mutating func take(_ packet: Packet) -> [UInt8]

    /// How long the machine itself stood still at the most since then, so that it heard late.
    func standstill(since begin: Instant) -> Duration

    /// Does to the peripheral of `stage` what a rule of its script would, for so long or for good: false where nobody can.
    mutating func act(_ action: Action, for duration: Duration?) -> Bool
}

extension CentralRadio {
    /// Who has a host of our own has all of it.
    public func unsupportedReason(_ faculty: RadioFaculty) -> String? { nil }
}

/// What a radio above somebody else's host may not let an examiner see or do.  What needs it is not asked there.
public enum RadioFaculty: Hashable, Sendable {
    /// What is advertised, packet by packet, and nothing else among it.  Core 6.0, Vol 3, Part C, section 11.
    case advertisements
    /// A connection in which nobody has asked for anything yet, with the MTU that it begins with.
    case untouchedConnections
    /// PDUs as octets, be they right or wrong, and answers as octets.  Core 6.0, Vol 3, Part F, section 3.3.1.
    case packets
    /// Indications that are not confirmed.  Core 6.0, Vol 3, Part G, section 4.11.
    case unconfirmedIndications
    /// Values that come although nobody has subscribed to them.
    case unwantedValues
    /// The attributes of this service.
    case service(UUID)
    /// An end of its links without a word, by a reset of its controller: to the peripheral it is as if it had gone out of
    /// range.  Core 6.0, Vol 4, Part E, section 7.3.2.
    case lossOfLinks
    /// A connection without a bond to the peripheral that is connected.  Core 6.0, Vol 3, Part C, section 9.4.4.
    case absenceOfBond
}
