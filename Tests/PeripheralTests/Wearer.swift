import Bluetooth
import Characteristics
import GATT
import Octets
import Peripheral
import Sensors
import Services
import Simulation
import Testing

/// Octets from digits: `0A 0B 00`.  What is not hexadecimal is left out.
func hex(_ text: String) -> [UInt8] { text.split(separator: " ").compactMap { UInt8($0, radix: 16) } }

func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }


/// A strap and one client of it.  The handles, with energy and a location:
///
///     0001-0005  1800  0003 2A00, 0005 2A01
///     0006-000D  1801  0008 2A05, 0009 CCCD, 000B 2B29, 000D 2B2A
///     000E-0015  180D  0010 2A37, 0011 CCCD, 0013 2A38, 0015 2A39
///     0016-0019  180F  0018 2A19, 0019 CCCD
///     001A-001E  180A  001C 2A29, 001E 2A24
struct Wearer {
    static let measurement: UInt16 = 0x0010
    static let location: UInt16 = 0x0013
    static let controlPoint: UInt16 = 0x0015

    struct Notified: Equatable {
        let time: Instant
        let handle: UInt16
        let octets: [UInt8]
    }

    var device: PeripheralDevice
    var server = Server(receives: 517)
    var pool = PacketPool()

    init(_ definition: PeripheralDefinition, seed: UInt64 = 1) throws {
        device = try PeripheralDevice(definition, seed: RandomStream(seed: seed))
    }

    /// A strap that has only this service.
    init(_ service: PeripheralDefinition.Service, seed: UInt64 = 1) throws {
        try self.init(
            PeripheralDefinition(name: "Strap", appearance: .heartRateBelt, services: [service]), seed: seed)
    }

    /// A strap whose only service measures hearts.
    init(_ rate: Curve, seed: UInt64 = 1, _ change: (inout HeartRate) -> Void = { _ in }) throws {
        var heartRate = HeartRate(rate: rate)
        change(&heartRate)
        try self.init(.heartRate(heartRate), seed: seed)
    }

    /// A strap with everything.
    static func complete() throws -> Wearer {
        var heartRate = HeartRate(rate: .constant(72))
        (heartRate.energy, heartRate.location) = (.computed, BodySensorLocation(1))
        return try Wearer(
            PeripheralDefinition(
                name: "Strap", appearance: .heartRateBelt,
                services: [
                    .heartRate(heartRate), .battery(.constant(80)),
                    .deviceInformation([(.manufacturer, "Lubdub"), (.model, "1")]),
                ]))
    }

    /// Takes a quantity over, or gives it back.
    mutating func set(_ part: Part, to signal: Signal?, at now: Instant, begun: Instant? = nil) throws {
        let isSet = device.set(part, to: signal.map { .signal($0) }, at: now, begun: begun)
        try #require(isSet)
    }

    /// Whether a part takes a value, or its end.
    mutating func takes(_ value: SensorInput?, for part: Part, at now: Instant) -> Bool {
        device.set(part, to: value, at: now)
    }

    /// Whether a service has an electrode that comes off, or is put on.
    mutating func leadIsTaken(off isOff: Bool, ofService service: Int, at now: Instant) -> Bool {
        device.setLead(ofService: service, isOff: isOff, at: now)
    }

    /// What the server answers to one PDU.
    mutating func answer(_ octets: [UInt8], at now: Instant = .start) -> [UInt8] {
        var outbox: [Server.Output] = []
        server.receive(
            pool.take(octets), table: device.table, values: &device, at: now, pool: &pool, into: &outbox)
        var answer: [UInt8] = []
        for case .send(let packet) in outbox {
            answer += pool.octets(of: packet)
            pool.release(packet)
        }
        return answer
    }

    /// What is notified and indicated until then; the device is called when it wants to be, and not before `begin`.
    ///
    /// Indications are confirmed at once, unless `confirms` is false.
    mutating func notified(
        from begin: Instant = .start, until end: Instant, mtu: Int = 23, confirms: Bool = true
    ) -> [Notified] {
        var all: [Notified] = []
        var outbox: [PeripheralDevice.Notification] = []
        var (now, rounds) = (begin, 0)
        device.mtu = mtu
        while let due = device.nextDue, due <= end {
            rounds = due > now ? 0 : rounds + 1
            guard rounds < 1000 else {
                Issue.record("at \(now) there is no end of what is due")
                break
            }
            now = max(now, due)
            outbox.removeAll()
            device.timePassed(at: now, pool: &pool, into: &outbox)
            for notification in outbox {
                let octets = pool.octets(of: notification.packet)
                all.append(Notified(time: now, handle: notification.handle, octets: octets))
                pool.release(notification.packet)
                if confirms, device.indicates(notification.handle) {
                    device.confirmed(notification.handle, at: now)
                }
            }
        }
        return all
    }

    /// What is read, or an error.
    mutating func read(_ handle: UInt16, at now: Instant = .start) -> [UInt8]? {
        let answer = answer([0x0A, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)], at: now)
        return answer.first == 0x0B ? Array(answer.dropFirst()) : nil
    }

    /// The error of a write; nil when there is none.
    mutating func write(_ octets: [UInt8], to handle: UInt16, at now: Instant = .start) -> UInt8? {
        let answer = answer([0x12, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] + octets, at: now)
        return answer == [0x13] ? nil : answer.last
    }

    /// The measurements until then.
    mutating func measured(until end: Instant, mtu: Int = 23) throws -> [HeartRateMeasurement] {
        try notified(until: end, mtu: mtu).map { try HeartRateMeasurement(octets: $0.octets) }
    }
}

extension PeripheralDefinition.Service {
    /// A battery with this level.
    static func battery(_ level: Curve) -> PeripheralDefinition.Service {
        .described(.battery, ServiceConfiguration(BatteryFields.level(level)), chance: RandomStream(seed: 0))
    }

    /// A feed of this.
    static func feed(_ value: Curve, _ period: Duration = .seconds(1)) -> PeripheralDefinition.Service {
        .described(
            .feed, ServiceConfiguration(FeedFields.value(value), FeedFields.period(period)),
            chance: RandomStream(seed: 0))
    }
}

/// What a Heart Rate Service of a test measures.
struct HeartRate {
    enum Energy {
        case none
        case computed
        case scripted(Curve)
    }

    var rate: Curve
    var format = HeartRateMeasurement.Format.automatic
    var highest = UInt16.max
    var contact: Curve?
    var energy = Energy.none
    var hasRRIntervals = false
    var mostRRIntervals: Int?
    var location: BodySensorLocation?
    var period = Duration.seconds(1)

    init(rate: Curve) { self.rate = rate }

    fileprivate var configuration: ServiceConfiguration {
        let energy: DerivedCurve? =
            switch energy {
            case .none: nil
            case .computed: .derived
            case .scripted(let curve): .curve(curve)
            }
        return ServiceConfiguration(
            HeartRateFields.rate(rate), HeartRateFields.period(period),
            HeartRateFields.format(highest == 255 ? "uint8" : format == .uint16 ? "uint16" : "auto"),
            HeartRateFields.contact(contact), HeartRateFields.energy(energy),
            HeartRateFields.rrIntervals(hasRRIntervals), HeartRateFields.rrPerNotification(mostRRIntervals),
            HeartRateFields.location(location?.name))
    }
}

extension PeripheralDefinition.Service {
    static func heartRate(_ heartRate: HeartRate) -> PeripheralDefinition.Service {
        .described(.heartRate, heartRate.configuration, chance: RandomStream(seed: 3))
    }
}

extension SensorQuantity {
    static let heartRate = ServiceDescription.heartRate.main
    static let contact = heart("contact")
    static let energy = heart("energy_kj")
    static let rrIntervals = heart("rr_ms")
    static let location = heart("location")
    static let controlPoint = heart("control_point")

    private static func heart(_ name: String) -> SensorQuantity {
        ServiceDescription.heartRate.value(named: name).map { .described($0.id) } ?? .steps
    }

    static let battery = SensorQuantity.described(ServiceDescription.battery.values[0].id)
    // Of another carrier than the battery's, so that the two are never taken for one.
    static let feed = SensorQuantity.described(ServiceDescription.feed.values[0].id)
}
