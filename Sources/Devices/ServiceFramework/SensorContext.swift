package import Sensors
package import Simulation

/// The state that a device's sensors share.
package struct SensorContext: Sendable {
    /// The hearts of the device.
    package var pulses: [Pulse] = []
    /// The step counters that they read.
    package var steps: [StepCounter] = []
    /// The device's wall clock.
    package var clock: WallClock
    /// The smallest ATT MTU of the connected clients.
    package var mtu: Int
    /// Numbers out of range in the value notified or read last; nil for one of many samples.
    package var saturatedValues: [(id: ValueID, wanted: Double?)] = []

    /// The state of a device with this clock.
    package init(clock: WallClock, mtu: Int) { (self.clock, self.mtu) = (clock, mtu) }

    /// Records a number that is out of range.
    package mutating func noteSaturation(of number: Double, as id: ValueID, in range: ClosedRange<Double>) {
        if !range.contains(number) { saturatedValues.append((id, number)) }
    }
}

/// The source of a sensor's values.
package struct SensorSource: Sendable {
    package let configuration: ServiceConfiguration
    /// Random numbers of this service.
    let chance: RandomStream
    /// The index of the service's heart: its own, or else the device's first.
    package let heart: Int
    /// The step counter of the context that the service reads: its own, or else the device's first; nil when there is none.
    package let steps: Int?
    /// The device's wall clock at the start.
    package let clock: WallClock

    /// The seed of values without a named stream.
    package var seed: UInt64 { seed(of: chance) }

    package func seed(_ stream: String) -> UInt64 { seed(of: chance.stream(stream)) }

    private func seed(of chance: RandomStream) -> UInt64 {
        var chance = chance
        return chance.next()
    }

    /// A curve with the random numbers of a stream.
    package func signal(_ curve: Curve, _ stream: String) -> Signal { Signal(curve, seed: seed(stream)) }

    package func signal(_ field: Field<Curve>, _ stream: String) -> Signal { signal(configuration[field], stream) }

    /// The curve of a field; nil when the scenario does not have it.
    package func signal(_ field: Field<Curve?>, _ stream: String) -> Signal? {
        configuration[field].map { signal($0, stream) }
    }
}

/// A schedule of the whole multiples of a period, counted from the start.
package struct Schedule: Sendable {
    package let period: Duration
    /// `.never` before it is started.
    package private(set) var due = Instant.never

    package init(every period: Duration) { self.period = period }

    /// The next notification is the first multiple after `now`.
    package mutating func reschedule(after now: Instant) { due = next(after: now) }

    /// The first multiple of the period after `now`.
    package func next(after now: Instant) -> Instant {
        let step = max(1, period.inNanoseconds)
        return now.advanced(byNanoseconds: step - now.nanoseconds % step)
    }
}
