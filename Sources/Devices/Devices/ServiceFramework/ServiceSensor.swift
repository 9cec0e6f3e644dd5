package import Basics
package import Bluetooth

/// The server side of one service of a device: it reads and writes values, makes notifications and indications when
/// they are due, and lets a script override measurements.
///
/// A device stores each sensor as `any ServiceSensor` and changes it in place.
package protocol ServiceSensor: Sendable {
    mutating func read(_ id: ValueID, at now: Instant, context: inout SensorContext) throws(ATTError) -> [UInt8]
    /// The number of octets of a value that a client may write in part; nil for one of variable length and for a control
    /// point, which keeps nothing.
    func fixedLength(of id: ValueID) -> Int?
    /// Handles a value that a client has written.
    mutating func write(
        _ octets: [UInt8], to id: ValueID, at now: Instant, context: inout SensorContext
    ) throws(ATTError)

    /// The first client has subscribed.
    mutating func didSubscribe(to id: ValueID, at now: Instant, context: inout SensorContext)
    /// The last client has unsubscribed.
    mutating func didUnsubscribe(from id: ValueID, at now: Instant)
    /// A script no longer suppresses the value.
    mutating func didResumeNotifying(_ id: ValueID, at now: Instant, context: inout SensorContext)
    mutating func indicationWasConfirmed(of id: ValueID, at now: Instant)
    /// The last value could not be indicated.
    mutating func indicationWasDropped(of id: ValueID, at now: Instant)
    /// A script delays or discards the last value: there will be no confirmation.
    mutating func notificationWasSuppressed(of id: ValueID)
    /// Notifications follow their own schedule again after a script's rate has ended; missed ones are left out.
    mutating func reschedule(_ id: ValueID, after now: Instant)
    /// When the next notification is due; `.never` when that is unknown.
    func nextNotification(of id: ValueID, context: SensorContext) -> Instant
    /// Appends the present value to an empty packet, with room for the context's MTU.
    ///
    /// A scheduled value is returned once; then the next one is due.
    ///
    /// - Returns: Whether there is a value to notify.
    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool

    /// Sets a value, or restores the original one when `input` is nil; false when the value cannot be set so.
    ///
    /// The time of a signal counts from `begun`, or from now when that is nil.
    mutating func set(
        _ id: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool
    /// Removes or attaches an electrode; false when the service has none.
    mutating func setLead(isOff: Bool, at now: Instant) -> Bool
    /// The device's wall clock is about to be advanced.
    mutating func wallClockWillSkip(at now: Instant, context: inout SensorContext)
    /// The present number in the value's unit; nil when it has none.
    func number(of id: ValueID, at now: Instant, context: SensorContext) -> Double?
    /// The encoding of a value that depends on this input only; nil when it has none.
    func octets(of id: ValueID, for input: SensorInput) -> [UInt8]?
}

/// The reason for a notification.
package enum NotificationTrigger: Sendable {
    case scheduled
    case onDemand
}

/// Defaults: no values, no effects.
extension ServiceSensor {
    package func read(_: ValueID, at _: Instant, context _: inout SensorContext) throws(ATTError) -> [UInt8] {
        throw .unlikelyError
    }
    package func fixedLength(of _: ValueID) -> Int? { nil }
    package func write(_: [UInt8], to _: ValueID, at _: Instant, context _: inout SensorContext) throws(ATTError) {
        throw .unlikelyError
    }
    package func didSubscribe(to _: ValueID, at _: Instant, context _: inout SensorContext) {}
    package func didUnsubscribe(from _: ValueID, at _: Instant) {}
    /// The same as a new subscription.
    package mutating func didResumeNotifying(_ id: ValueID, at now: Instant, context: inout SensorContext) {
        didSubscribe(to: id, at: now, context: &context)
    }
    package func indicationWasConfirmed(of _: ValueID, at _: Instant) {}
    package func indicationWasDropped(of _: ValueID, at _: Instant) {}
    package func notificationWasSuppressed(of _: ValueID) {}
    package func reschedule(_: ValueID, after _: Instant) {}
    package func nextNotification(of _: ValueID, context _: SensorContext) -> Instant { .never }
    package func encodeNotification(
        of _: ValueID, trigger _: NotificationTrigger, at _: Instant, context _: inout SensorContext,
        into _: inout Packet, pool _: inout PacketPool
    ) -> Bool { false }
    package func set(
        _: ValueID, to _: SensorInput?, at _: Instant, begun _: Instant?, context _: inout SensorContext
    ) -> Bool { false }
    package func setLead(isOff _: Bool, at _: Instant) -> Bool { false }
    package func wallClockWillSkip(at _: Instant, context _: inout SensorContext) {}
    package func number(of _: ValueID, at _: Instant, context _: SensorContext) -> Double? { nil }
    package func octets(of _: ValueID, for _: SensorInput) -> [UInt8]? { nil }
}

/// A sensor whose only notified value is due at the multiples of a period.
package protocol PeriodicSensor: ServiceSensor {
    var schedule: Schedule { get set }
}

extension PeriodicSensor {
    package mutating func didSubscribe(to id: ValueID, at now: Instant, context _: inout SensorContext) {
        reschedule(id, after: now)
    }
    package mutating func reschedule(_: ValueID, after now: Instant) { schedule.reschedule(after: now) }
    package func nextNotification(of _: ValueID, context _: SensorContext) -> Instant { schedule.due }
}

/// A value that a script sets.
package enum SensorInput: Sendable {
    /// A number, constant or changing.
    case signal(Signal)
    case octets([UInt8])

    package var octets: [UInt8]? { if case .octets(let octets) = self { octets } else { nil } }

    /// The first number of a signal; nil for octets.
    package var number: Double? {
        guard case .signal(var signal) = self else { return nil }
        return signal.value(atNanoseconds: 0)
    }
}

extension SensorInput? {
    /// A signal, nil for the end of one, or `.none` for octets.
    package var signal: Signal?? {
        switch self {
        case .signal(let signal): .some(signal)
        case nil: .some(nil)
        case .octets: nil
        }
    }

    package var isTextOrEnd: Bool { if case .signal = self { false } else { true } }
}

extension Gauge {
    /// Overrides or restores the value by the wall clock, and forgets earlier ones.
    package mutating func set(_ signal: Signal?, at now: Instant, begun: Instant?, by clock: WallClock) {
        set(signal, at: clock.sensorTime(at: now), begun: begun.map { clock.sensorTime(at: $0) })
        forget(before: clock.sensorTime(at: now))
    }
}
