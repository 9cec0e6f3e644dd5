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
        case battery(Gauge, period: Duration, told: UInt8?)
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
        return [batteryLevel(part.service, at: now)]
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
        if case .battery(let gauge, let period, _) = sources[part.service] {
            sources[part.service] = .battery(gauge, period: period, told: batteryLevel(part.service, at: now))
        }
        listening.append(Listening(handle: handle, service: part.service, due: Self.next(after: now, every: period)))
    }

    /// Nobody listens to a value any more.
    public mutating func end(_ handle: UInt16) { listening.removeAll { $0.handle == handle } }

    /// Makes the notifications that are due; `mtu` is the least of those who listen.
    public mutating func timePassed(
        at now: Instant, mtu: Int, pool: inout PacketPool, into outbox: inout [Notification]
    ) {
        for index in listening.indices where listening[index].due <= now {
            let (handle, service) = (listening[index].handle, listening[index].service)
            if let packet = value(of: service, isChange: true, at: now, mtu: mtu, pool: &pool) {
                outbox.append(Notification(handle: handle, packet: packet))
            }
            guard let period = period(of: service) else { continue }
            listening[index].due = Self.next(after: now, every: period)
        }
    }

    /// The present value of a part, to be notified out of turn; nil when there is none.
    public mutating func value(of part: Part, at now: Instant, mtu: Int, pool: inout PacketPool) -> Packet? {
        value(of: part.service, isChange: false, at: now, mtu: mtu, pool: &pool)
    }

    /// Takes a quantity over from its curve, or gives it back when `signal` is nil; false when it cannot be set.
    public mutating func set(_ part: Part, to signal: Signal?, at now: Instant) -> Bool {
        guard sources.indices.contains(part.service) else { return false }
        switch (sources[part.service], part.quantity) {
        case (.heartRate, _):
            var isSet = false
            changeSensor(part.service) { isSet = $0.set(part.quantity, to: signal, at: now) }
            return isSet
        case (.battery(var gauge, let period, let told), .battery):
            gauge.set(signal, at: now)
            sources[part.service] = .battery(gauge, period: period, told: told)
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
        case .battery(let gauge, let period, let told):
            let level = batteryLevel(service, at: now)
            guard !isChange || level != told else { return nil }
            sources[service] = .battery(gauge, period: period, told: level)
            return pool.take([level])
        case .nothing: return nil
        }
    }

    private mutating func changeSensor(_ service: Int, _ change: (inout HeartRateSensor) -> Void) {
        guard case .heartRate(var sensor) = sources[service] else { return }
        sources[service] = .nothing
        change(&sensor)
        sources[service] = .heartRate(sensor)
    }

    private mutating func batteryLevel(_ service: Int, at now: Instant) -> UInt8 {
        guard case .battery(var gauge, let period, let told) = sources[service] else { return 0 }
        let level = gauge.value(at: now) ?? 0
        sources[service] = .battery(gauge, period: period, told: told)
        return UInt8(max(0, min(100, level)).rounded())
    }

    private func period(of service: Int) -> Duration? {
        switch sources[service] {
        case .heartRate(let sensor): sensor.definition.period
        case .battery(_, let period, _): period
        case .nothing: nil
        }
    }

    /// The next whole multiple of a period, counted from the start.
    private static func next(after now: Instant, every period: Duration) -> Instant {
        let step = max(1, period.inNanoseconds)
        return Instant(nanoseconds: (now.nanoseconds / step + 1) * step)
    }
}

extension PeripheralDevice {
    private static func genericAccess(_ definition: PeripheralDefinition) -> ServiceDefinition {
        let name = Array(definition.name.utf8.prefix(DeviceName.maximumCount))
        return ServiceDefinition(
            uuid: .genericAccess,
            characteristics: [
                CharacteristicDefinition(uuid: .deviceName, properties: .read, value: .fixed(name)),
                CharacteristicDefinition(
                    uuid: .appearance, properties: .read, value: .fixed(definition.appearance.octets)),
            ])
    }

    /// Service Changed is there and never indicated: the attributes do not change while a device lives.
    private static var genericAttribute: ServiceDefinition {
        ServiceDefinition(
            uuid: .genericAttribute,
            characteristics: [
                CharacteristicDefinition(uuid: .serviceChanged, properties: .indicate, value: .fixed([]))
            ])
    }

    /// A service, and what each of its characteristics stands for.
    private static func define(
        _ service: PeripheralDefinition.Service
    ) -> (ServiceDefinition, [Part.Quantity]) {
        switch service {
        case .heartRate(let heartRate): define(heartRate)
        case .battery:
            (
                ServiceDefinition(
                    uuid: .battery,
                    characteristics: [CharacteristicDefinition(uuid: .batteryLevel, properties: [.read, .notify])]),
                [.battery]
            )
        case .deviceInformation(let strings):
            (
                ServiceDefinition(
                    uuid: .deviceInformation,
                    characteristics: strings.map { kind, text in
                        let value = Array(text.utf8.prefix(AttributeTable.longestValue))
                        return CharacteristicDefinition(uuid: kind.uuid, properties: .read, value: .fixed(value))
                    }), strings.map { .information($0.0) }
            )
        }
    }

    /// Heart Rate Service 1.0, table 3.1: the control point is there if and only if energy is.
    private static func define(_ service: PeripheralDefinition.HeartRate) -> (ServiceDefinition, [Part.Quantity]) {
        var characteristics = [CharacteristicDefinition(uuid: .heartRateMeasurement, properties: .notify)]
        var quantities = [Part.Quantity.heartRate]
        if let location = service.location {
            characteristics.append(
                CharacteristicDefinition(
                    uuid: .bodySensorLocation, properties: .read, value: .fixed(location.octets)))
            quantities.append(.location)
        }
        if case .none = service.energy {
        } else {
            characteristics.append(CharacteristicDefinition(uuid: .heartRateControlPoint, properties: .write))
            quantities.append(.controlPoint)
        }
        return (ServiceDefinition(uuid: .heartRate, characteristics: characteristics), quantities)
    }

    private static func source(of service: PeripheralDefinition.Service, seed: UInt64) -> Source {
        switch service {
        case .heartRate(let heartRate): .heartRate(HeartRateSensor(heartRate, seed: seed))
        case .battery(let battery): .battery(Gauge(battery.level), period: battery.period, told: nil)
        case .deviceInformation: .nothing
        }
    }
}
