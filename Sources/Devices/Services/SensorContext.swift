public import Sensors
import Simulation

/// What the sensors of a device share.
public struct SensorContext: Sendable {
    /// The hearts that they listen to.
    public var pulses: [Pulse] = []
    /// The device's wall clock.
    public var clock: WallClock
    /// The smallest ATT MTU of the connected clients.
    public var mtu: Int
    /// Numbers that did not fit into the value that was notified or read last; nil for one of many samples.
    public var saturatedValues: [(id: ValueID, wanted: Double?)] = []

    /// For a device with this clock.
    public init(clock: WallClock, mtu: Int) { (self.clock, self.mtu) = (clock, mtu) }

    /// Remembers a number that is outside of the range that can be sent.
    mutating func noteSaturation(of number: Double, as id: ValueID, in range: ClosedRange<Double>) {
        if !range.contains(number) { saturatedValues.append((id, number)) }
    }
}

/// What a sensor is made from.
public struct SensorSource: Sendable {
    /// What the scenario says.
    let configuration: ServiceConfiguration
    /// Random numbers of this service.
    let chance: RandomStream
    /// The heart of the context that the service listens to: its own, or else the device's first.
    let heart: Int
    /// The device's wall clock at the start.
    let clock: WallClock

    /// The seed of what has no stream with a name.
    var seed: UInt64 { seed(of: chance) }

    /// The seed of a stream.
    func seed(_ stream: String) -> UInt64 { seed(of: chance.stream(stream)) }

    private func seed(of chance: RandomStream) -> UInt64 {
        var chance = chance
        return chance.next()
    }

    /// A curve with the random numbers of a stream.
    func signal(_ curve: Curve, _ stream: String) -> Signal { Signal(curve, seed: seed(stream)) }

    /// The curve of a field.
    func signal(_ field: Field<Curve>, _ stream: String) -> Signal { signal(configuration[field], stream) }

    /// The curve of a field; nil when the scenario does not have it.
    func signal(_ field: Field<Curve?>, _ stream: String) -> Signal? {
        configuration[field].map { signal($0, stream) }
    }
}

/// Notifies at the whole multiples of a period, counted from the start.
struct Schedule: Sendable {
    let period: Duration
    /// `.never` before it is started.
    private(set) var due = Instant.never

    init(every period: Duration) { self.period = period }

    /// The next notification is the first after `now`.
    mutating func reschedule(after now: Instant) { due = next(after: now) }

    /// The first multiple of the period after `now`.
    func next(after now: Instant) -> Instant {
        let step = max(1, period.inNanoseconds)
        return now.advanced(byNanoseconds: step - now.nanoseconds % step)
    }
}
