public import Bluetooth
public import Octets
public import Sensors
public import Simulation

/// What stands behind the values of a service: it is read and written, tells what is due to those who listen, and what it
/// measures can be taken over by a script.
///
/// A device holds each of its sensors once, as `any ServiceSensor`, and changes it in place: nothing is made per value.
public protocol ServiceSensor: Sendable {
    /// The value of now.
    mutating func read(_ quantity: SensorQuantity, at now: Instant, of body: inout SensorContext) throws(ATTError) -> [UInt8]
    /// Takes what a client wrote.
    mutating func write(
        _ value: [UInt8], to quantity: SensorQuantity, at now: Instant, of body: inout SensorContext
    ) throws(ATTError)

    /// Somebody listens from now on, who did not before.
    mutating func begin(_ quantity: SensorQuantity, at now: Instant, of body: inout SensorContext)
    /// Those who listen are told again, after a script's silence in which nothing was.
    mutating func resume(_ quantity: SensorQuantity, at now: Instant, of body: inout SensorContext)
    /// Nobody listens any more.
    mutating func end(_ quantity: SensorQuantity, at now: Instant)
    /// A client has confirmed an indication.
    mutating func confirmed(_ quantity: SensorQuantity, at now: Instant)
    /// What was told last could not be indicated.
    mutating func dropped(_ quantity: SensorQuantity, at now: Instant)
    /// What was told last is held back by a script, or thrown away: its confirmation is not to be waited for.
    mutating func withheld(_ quantity: SensorQuantity)
    /// Those who listen are told at the usual times again, after a script's own: what would have been told meanwhile is
    /// not.
    mutating func goOn(_ quantity: SensorQuantity, at now: Instant)
    /// When there is something to be told to those who listen; `.never` when it is not known.
    func due(_ quantity: SensorQuantity, of body: SensorContext) -> Instant
    /// Adds the value to be told to an empty packet that has room for the body's MTU; false when there is none.
    ///
    /// One that was due is told once: what is due next is later, or another.
    mutating func notify(
        _ quantity: SensorQuantity, _ occasion: Occasion, at now: Instant, of body: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool

    /// Takes a quantity over, or gives it back when `value` is nil; false when it cannot be set so.
    ///
    /// A signal's own time counts from `begun`, or from now when that is nil.
    mutating func set(
        _ quantity: SensorQuantity, to value: SensorInput?, at now: Instant, begun: Instant?, of body: inout SensorContext
    ) -> Bool
    /// An electrode comes off, or is put on again; false when there is none.
    mutating func setLead(isOff: Bool, at now: Instant) -> Bool
    /// The clock on the wall is about to be set forward.
    mutating func clockSkips(at now: Instant, of body: inout SensorContext)
    /// What is shown now, in its own unit; nil when there is no number.  Asking changes nothing.
    func number(of quantity: SensorQuantity, at now: Instant, of body: SensorContext) -> Double?
    /// A value that says this and nothing else; nil when it cannot be said.
    func octets(of quantity: SensorQuantity, saying value: SensorInput) -> [UInt8]?
}

/// Why a value is told.
public enum Occasion: Sendable {
    /// Its time has come.
    case due
    /// A script wants it, whatever its time.
    case asked
}

/// What sensors that neither listen nor change have in common.
extension ServiceSensor {
    public func read(_: SensorQuantity, at _: Instant, of _: inout SensorContext) throws(ATTError) -> [UInt8] { throw .unlikelyError }
    public func write(_: [UInt8], to _: SensorQuantity, at _: Instant, of _: inout SensorContext) throws(ATTError) {
        throw .unlikelyError
    }
    public func begin(_: SensorQuantity, at _: Instant, of _: inout SensorContext) {}
    public mutating func resume(_ quantity: SensorQuantity, at now: Instant, of body: inout SensorContext) {
        begin(quantity, at: now, of: &body)
    }
    public func end(_: SensorQuantity, at _: Instant) {}
    public func due(_: SensorQuantity, of _: SensorContext) -> Instant { .never }
    public func notify(
        _: SensorQuantity, _: Occasion, at _: Instant, of _: inout SensorContext, into _: inout Packet,
        pool _: inout PacketPool
    ) -> Bool { false }
    public func confirmed(_: SensorQuantity, at _: Instant) {}
    public func dropped(_: SensorQuantity, at _: Instant) {}
    public func withheld(_: SensorQuantity) {}
    public func goOn(_: SensorQuantity, at _: Instant) {}
    public func setLead(isOff _: Bool, at _: Instant) -> Bool { false }
    public func clockSkips(at _: Instant, of _: inout SensorContext) {}
    public func number(of _: SensorQuantity, at _: Instant, of _: SensorContext) -> Double? { nil }
}

/// What the sensors of a device share.
public struct SensorContext: Sendable {
    /// The hearts that they listen to.
    public var pulses: [Pulse] = []
    /// The clock on the wall.
    public var clock: WallClock
    /// The least of those who listen.
    public var mtu: Int
    /// What did not fit into what was told or read last.
    public var saturatedValues: [(quantity: SensorQuantity, wanted: Double?)] = []

    /// Of a device with this clock.
    public init(clock: WallClock, mtu: Int) { (self.clock, self.mtu) = (clock, mtu) }
}

/// When something is told again and again: at the whole multiples of a period, counted from the start.
public struct Schedule: Sendable {
    /// From one to the next.
    public let period: Duration
    /// The next one; `.never` before it goes on.
    public private(set) var due = Instant.never

    /// Every so often, once it goes on.
    public init(every period: Duration) { self.period = period }

    /// The next one is after `now`.
    public mutating func goOn(after now: Instant) { due = next(after: now) }

    /// The first one after `now`.
    public func next(after now: Instant) -> Instant {
        let step = max(1, period.inNanoseconds)
        return now.advanced(byNanoseconds: step - now.nanoseconds % step)
    }
}

extension SensorContext {
    /// Looks at a number that is about to be sent.
    public mutating func note(_ number: Double, as quantity: SensorQuantity, in range: ClosedRange<Double>) {
        if !range.contains(number) { saturatedValues.append((quantity, number)) }
    }
}
