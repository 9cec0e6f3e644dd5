public import Bluetooth
import Characteristics
public import GATT
public import Octets
public import Sensors
public import Simulation

/// A device as its clients know it: attributes, their values over time, and what is notified when.  It does not know
/// how it reaches the air, or who listens: only for which values somebody does.
public struct PeripheralDevice: AttributeValues, Sendable {
    /// A value that is to be sent to everybody who is subscribed to it.
    public struct Notification: Hashable, Sendable {
        /// Of the value.
        public var handle: UInt16
        /// The value; it belongs to who takes the notification.
        public var packet: Packet

        /// A value that the sender has made itself.
        public init(handle: UInt16, packet: Packet) { (self.handle, self.packet) = (handle, packet) }
    }

    private struct Place: Sendable {
        let handle: UInt16
        let part: Part
    }

    private enum Source: Sendable {
        case heartRate(HeartRateSensor)
        case battery(BatterySensor)
        case nothing
    }

    /// Somebody listens to a value that is renewed.
    private struct Listening: Sendable {
        let handle: UInt16
        let service: Int
        var due: Instant
    }

    /// What it was made of.
    public let definition: PeripheralDefinition
    /// Its attributes.
    public let table: AttributeTable
    private var places: [Place] = []
    private var sources: [Source] = []
    private var listening: [Listening] = []
    /// Values that nobody is told, though they may listen: what comes of them is lost.
    private var silent: [UInt16] = []

    /// Gives the definition its handles; chance comes from `seed`.
    public init(_ definition: PeripheralDefinition, seed: RandomStream) throws(AttributeTable.DefinitionError) {
        self.definition = definition
        let own = 2  // Generic Access and Generic Attribute
        var services = [Self.genericAccess(definition), Self.genericAttribute]
        var parts: [(part: Part, characteristic: Int)] = []
        for (index, service) in definition.services.enumerated() {
            let (defined, quantities) = Self.define(service)
            services.append(defined)
            for (characteristic, quantity) in quantities.enumerated() {
                parts.append((Part(service: index, quantity), characteristic))
            }
            var chance = seed.stream("service \(index)")
            sources.append(Self.source(of: service, seed: chance.next()))
        }
        table = try AttributeTable(services)
        for (part, characteristic) in parts {
            guard let handle = table.handle(ofValue: characteristic, service: part.service + own) else { continue }
            places.append(Place(handle: handle, part: part))
        }
    }

    /// The part whose value has this handle; nil for what no script can name.
    public func part(of handle: UInt16) -> Part? { places.first { $0.handle == handle }?.part }

    /// The handle of the value that a part is sent with; nil when the device has no such part.
    public func handle(of part: Part) -> UInt16? {
        let carrier: Part.Quantity =
            switch part.quantity {
            case .contact, .energy: .heartRate
            default: part.quantity
            }
        return places.first { $0.part == Part(service: part.service, carrier) }?.handle
    }

    // MARK: Reading and writing

    /// Reads a value of now; the fixed ones are not asked for.
    public mutating func read(_ handle: UInt16, at now: Instant) throws(ATTError) -> [UInt8] {
        guard let part = part(of: handle), case .battery = part.quantity else { throw .unlikelyError }
        var level: UInt8 = 0
        changeBattery(part.service) { level = $0.level(at: now) }
        return [level]
    }

    /// Takes a command for a control point: Heart Rate Service 1.0, section 3.3.1.
    public mutating func write(_ value: [UInt8], to handle: UInt16, at now: Instant) throws(ATTError) {
        guard let part = part(of: handle), part.quantity == .controlPoint else { throw .unlikelyError }
        do throws(Malformed) {
            switch try HeartRateControlPoint(octets: value) {
            case .resetEnergyExpended: changeSensor(part.service) { $0.resetEnergy(at: now) }
            }
        } catch {
            switch error {
            case .tooShort, .tooLong: throw .invalidAttributeValueLength
            case .prohibited: throw ATTError(rawValue: HeartRateControlPoint.controlPointNotSupported)
            }
        }
    }

    // MARK: Notifications

    /// When `timePassed` has something to do; nil while nobody listens.
    public var nextDue: Instant? { listening.lazy.map(\.due).min() }

    /// Somebody listens to a value, who did not before.
    public mutating func begin(_ handle: UInt16, at now: Instant) {
        guard let part = part(of: handle), !listening.contains(where: { $0.handle == handle }),
            let period = period(of: part.service)
        else { return }
        changeSensor(part.service) { $0.begin(at: now) }
        changeBattery(part.service) { $0.begin(at: now) }
        listening.append(Listening(handle: handle, service: part.service, due: Self.next(after: now, every: period)))
    }

    /// Nobody listens to a value any more.
    public mutating func end(_ handle: UInt16) { listening.removeAll { $0.handle == handle } }

    /// From now on these values are not notified, and all others are again: of a heart, what beats from now on.
    public mutating func keepSilent(_ handles: [UInt16], at now: Instant) {
        let freed = silent.filter { !handles.contains($0) }
        silent = handles
        for handle in freed {
            guard let part = part(of: handle) else { continue }
            changeSensor(part.service) { $0.begin(at: now) }
        }
    }

    /// Whether a value is not notified.
    public func isSilent(_ handle: UInt16) -> Bool { silent.contains(handle) }

    /// What a part shows now, in its own unit, and a contact as 0 or 1; nil when it has no number, or none now.
    ///
    /// Asking changes nothing.
    public func number(of part: Part, at now: Instant) -> Double? {
        guard sources.indices.contains(part.service) else { return nil }
        switch (sources[part.service], part.quantity) {
        case (.heartRate(let sensor), .heartRate): return sensor.bpm(at: now).map(Double.init)
        case (.heartRate(let sensor), .contact): return sensor.isTouching(at: now).map { $0 ? 1 : 0 }
        case (.battery(var sensor), .battery): return Double(sensor.level(at: now))
        default: return nil
        }
    }

    /// Makes the notifications that are due; `mtu` is the least of those who listen.
    public mutating func timePassed(
        at now: Instant, mtu: Int, pool: inout PacketPool, into outbox: inout [Notification]
    ) {
        for index in listening.indices where listening[index].due <= now {
            let (handle, service) = (listening[index].handle, listening[index].service)
            if !silent.contains(handle),
                let packet = value(of: service, isChange: true, at: now, mtu: mtu, pool: &pool)
            {
                outbox.append(Notification(handle: handle, packet: packet))
            }
            guard let period = period(of: service) else { continue }
            listening[index].due = Self.next(after: now, every: period)
        }
    }

    /// The present value of a part, to be notified out of turn; nil when there is none.
    public mutating func value(of part: Part, at now: Instant, mtu: Int, pool: inout PacketPool) -> Packet? {
        switch part.quantity {
        case .heartRate, .contact, .energy, .battery:
            guard handle(of: part) != nil else { return nil }
            return value(of: part.service, isChange: false, at: now, mtu: mtu, pool: &pool)
        case .location, .controlPoint, .information: return nil
        }
    }

    /// Takes a quantity over from its curve, or gives it back when `signal` is nil; false when it cannot be set.
    ///
    /// The signal's own time counts from `begun`, or from now when that is nil.
    public mutating func set(_ part: Part, to signal: Signal?, at now: Instant, begun: Instant? = nil) -> Bool {
        guard sources.indices.contains(part.service) else { return false }
        switch (sources[part.service], part.quantity) {
        case (.heartRate, _):
            var isSet = false
            changeSensor(part.service) { isSet = $0.set(part.quantity, to: signal, at: now, begun: begun) }
            return isSet
        case (.battery, .battery):
            changeBattery(part.service) { $0.set(signal, at: now, begun: begun) }
            return true
        default: return false
        }
    }

    private mutating func value(
        of service: Int, isChange: Bool, at now: Instant, mtu: Int, pool: inout PacketPool
    ) -> Packet? {
        guard sources.indices.contains(service) else { return nil }
        switch sources[service] {
        case .heartRate(var sensor):
            sources[service] = .nothing  // so that the sensor has one owner, and is not copied
            defer { sources[service] = .heartRate(sensor) }
            var packet = pool.take()
            if sensor.measure(at: now, mtu: mtu, into: &packet, pool: &pool) { return packet }
            pool.release(packet)
            return nil
        case .battery(var sensor):
            sources[service] = .nothing
            defer { sources[service] = .battery(sensor) }
            guard let level = isChange ? sensor.change(at: now) : sensor.tell(at: now) else { return nil }
            var packet = pool.take()
            pool.append(level, to: &packet)
            return packet
        case .nothing: return nil
        }
    }

    private mutating func changeSensor(_ service: Int, _ change: (inout HeartRateSensor) -> Void) {
        guard case .heartRate(var sensor) = sources[service] else { return }
        sources[service] = .nothing
        change(&sensor)
        sources[service] = .heartRate(sensor)
    }

    private mutating func changeBattery(_ service: Int, _ change: (inout BatterySensor) -> Void) {
        guard case .battery(var sensor) = sources[service] else { return }
        sources[service] = .nothing
        change(&sensor)
        sources[service] = .battery(sensor)
    }

    private func period(of service: Int) -> Duration? {
        switch sources[service] {
        case .heartRate(let sensor): sensor.definition.period
        case .battery(let sensor): sensor.period
        case .nothing: nil
        }
    }

    /// The next whole multiple of a period, counted from the start.
    private static func next(after now: Instant, every period: Duration) -> Instant {
        let step = max(1, period.inNanoseconds)
        return now.advanced(byNanoseconds: step - now.nanoseconds % step)
    }

    private static func source(of service: PeripheralDefinition.Service, seed: UInt64) -> Source {
        switch service {
        case .heartRate(let heartRate): .heartRate(HeartRateSensor(heartRate, seed: seed))
        case .battery(let battery): .battery(BatterySensor(battery))
        case .deviceInformation: .nothing
        }
    }
}
