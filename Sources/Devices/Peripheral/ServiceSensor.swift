import Bluetooth
import GATT
import Octets
import Sensors
import Simulation

/// What stands behind the values of a service: it is read and written, tells what is due to those who listen, and what it
/// measures can be taken over by a script.
///
/// A device holds each of its sensors once, as `any ServiceSensor`, and changes it in place: nothing is made per value.
protocol ServiceSensor: Sendable {
    /// The attributes, and the quantity that each of its characteristics stands for.
    var attributes: (ServiceDefinition, [Part.Quantity]) { get }

    /// The value of now.
    mutating func read(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) throws(ATTError) -> [UInt8]
    /// Takes what a client wrote.
    mutating func write(
        _ value: [UInt8], to quantity: Part.Quantity, at now: Instant, of body: inout Body
    ) throws(ATTError)

    /// Somebody listens from now on, who did not before.
    mutating func begin(_ quantity: Part.Quantity, at now: Instant, of body: inout Body)
    /// Those who listen are told again, after a script's silence in which nothing was.
    mutating func resume(_ quantity: Part.Quantity, at now: Instant, of body: inout Body)
    /// Nobody listens any more.
    mutating func end(_ quantity: Part.Quantity, at now: Instant)
    /// A client has confirmed an indication.
    mutating func confirmed(_ quantity: Part.Quantity, at now: Instant)
    /// What was told last could not be indicated.
    mutating func dropped(_ quantity: Part.Quantity, at now: Instant)
    /// What was told last is held back by a script, or thrown away: its confirmation is not to be waited for.
    mutating func withheld(_ quantity: Part.Quantity)
    /// Those who listen are told at the usual times again, after a script's own: what would have been told meanwhile is
    /// not.
    mutating func goOn(_ quantity: Part.Quantity, at now: Instant)
    /// When there is something to be told to those who listen; `.never` when it is not known.
    func due(_ quantity: Part.Quantity, of body: Body) -> Instant
    /// Adds the value to be told to an empty packet that has room for the body's MTU; false when there is none.
    ///
    /// One that was due is told once: what is due next is later, or another.
    mutating func tell(
        _ quantity: Part.Quantity, _ occasion: Occasion, at now: Instant, of body: inout Body,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool

    /// Takes a quantity over, or gives it back when `value` is nil; false when it cannot be set so.
    ///
    /// A signal's own time counts from `begun`, or from now when that is nil.
    mutating func set(
        _ quantity: Part.Quantity, to value: PartValue?, at now: Instant, begun: Instant?, of body: inout Body
    ) -> Bool
    /// An electrode comes off, or is put on again; false when there is none.
    mutating func setLead(isOff: Bool, at now: Instant) -> Bool
    /// The clock on the wall is about to be set forward.
    mutating func clockSkips(at now: Instant, of body: inout Body)
    /// What is shown now, in its own unit; nil when there is no number.  Asking changes nothing.
    func number(of quantity: Part.Quantity, at now: Instant, of body: Body) -> Double?
    /// A value that says this and nothing else; nil when it cannot be said.
    func octets(of quantity: Part.Quantity, saying value: PartValue) -> [UInt8]?
}

/// Why a value is told.
enum Occasion {
    /// Its time has come.
    case due
    /// A script wants it, whatever its time.
    case asked
}

/// What sensors that neither listen nor change have in common.
extension ServiceSensor {
    func read(_: Part.Quantity, at _: Instant, of _: inout Body) throws(ATTError) -> [UInt8] { throw .unlikelyError }
    func write(_: [UInt8], to _: Part.Quantity, at _: Instant, of _: inout Body) throws(ATTError) {
        throw .unlikelyError
    }
    func begin(_: Part.Quantity, at _: Instant, of _: inout Body) {}
    mutating func resume(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) {
        begin(quantity, at: now, of: &body)
    }
    func end(_: Part.Quantity, at _: Instant) {}
    func due(_: Part.Quantity, of _: Body) -> Instant { .never }
    func tell(
        _: Part.Quantity, _: Occasion, at _: Instant, of _: inout Body, into _: inout Packet,
        pool _: inout PacketPool
    ) -> Bool { false }
    func confirmed(_: Part.Quantity, at _: Instant) {}
    func dropped(_: Part.Quantity, at _: Instant) {}
    func withheld(_: Part.Quantity) {}
    func goOn(_: Part.Quantity, at _: Instant) {}
    func setLead(isOff _: Bool, at _: Instant) -> Bool { false }
    func clockSkips(at _: Instant, of _: inout Body) {}
    func number(of _: Part.Quantity, at _: Instant, of _: Body) -> Double? { nil }
}

/// What the sensors of a device share.
struct Body: Sendable {
    /// The hearts that they listen to.
    var pulses: [Pulse] = []
    /// The clock on the wall.
    var clock: WallClock
    /// The least of those who listen.
    var mtu: Int
    /// What did not fit into what was told or read last.
    var saturatedValues: [(quantity: Part.Quantity, wanted: Double?)] = []

    init(clock: WallClock, mtu: Int) { (self.clock, self.mtu) = (clock, mtu) }
}

/// When something is told again and again: at the whole multiples of a period, counted from the start.
struct Schedule: Sendable {
    let period: Duration
    private(set) var due = Instant.never

    init(every period: Duration) { self.period = period }

    /// The next one is after `now`.
    mutating func goOn(after now: Instant) { due = next(after: now) }

    func next(after now: Instant) -> Instant {
        let step = max(1, period.inNanoseconds)
        return now.advanced(byNanoseconds: step - now.nanoseconds % step)
    }
}
