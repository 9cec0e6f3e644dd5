import Basics
import Bluetooth
import Characteristics
import Devices
import GATT
import Services
import Testing

/// Octets from digits: `0A 0B 00`.  Other characters are left out.
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
    init(_ service: ConfiguredService, seed: UInt64 = 1) throws {
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

    /// Sets a value, or gives it back.
    mutating func set(_ value: DeviceValue, to signal: Signal?, at now: Instant, begun: Instant? = nil) throws {
        let isSet = device.set(value, to: signal.map { .signal($0) }, at: now, begun: begun)
        try #require(isSet)
    }

    /// Whether a value takes an input, or its end.
    mutating func takes(_ input: SensorInput?, for value: DeviceValue, at now: Instant) -> Bool {
        device.set(value, to: input, at: now)
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
                    device.indicationWasConfirmed(of: notification.handle, at: now)
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
