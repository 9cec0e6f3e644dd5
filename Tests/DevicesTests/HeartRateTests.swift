import Basics
import Bluetooth
import Characteristics
import Devices
import Services
import Testing

@Suite struct HeartRateTests {
    @Test func `Once a second while a client is subscribed`() throws {
        var strap = try Wearer(.constant(72))
        #expect(strap.device.nextDue == nil)
        strap.device.didSubscribe(to: Wearer.measurement, at: at(10.25))
        let expected = (11...15).map {
            Wearer.Notified(time: at(Double($0)), handle: Wearer.measurement, octets: hex("00 48"))
        }
        #expect(strap.notified(until: at(15.5)) == expected)
        strap.device.didSubscribe(to: Wearer.measurement, at: at(15.5))  // a second one hears the same ones
        #expect(strap.notified(until: at(16.5)).map(\.time) == [at(16)])
        strap.device.didUnsubscribe(from: Wearer.measurement, at: at(100))
        #expect(strap.device.nextDue == nil)
        #expect(strap.pool.taken == 0)
    }

    @Test(arguments: [(0, 1_000_000_000), (999_999_999, 1_000_000_000), (1_000_000_000, 2_000_000_000)])
    func `Due at the next whole second`(subscribed: Int64, due: Int64) throws {
        var strap = try Wearer(.constant(72))
        strap.device.didSubscribe(to: Wearer.measurement, at: Instant(nanoseconds: subscribed))
        #expect(strap.device.nextDue == Instant(nanoseconds: due))
    }

    @Test func `A value without Notify is never due`() throws {
        var strap = try Wearer.complete()
        for handle in [0x001C, 0x0003, 0x0099] as [UInt16] { strap.device.didSubscribe(to: handle, at: .start) }
        #expect(strap.device.nextDue == nil)
    }

    static let formats: [(rate: Double, format: HeartRateMeasurement.Format, octets: String)] = [
        (0, .automatic, "00 00"), (72, .automatic, "00 48"), (255, .automatic, "00 FF"),
        (256, .automatic, "01 00 01"), (65535, .automatic, "01 FF FF"), (72, .uint16, "01 48 00"),
        (256, .uint16, "01 00 01"),
    ]

    @Test(arguments: formats)
    func `The format follows the value`(
        rate: Double, format: HeartRateMeasurement.Format, octets: String
    ) throws {
        var strap = try Wearer(.constant(rate)) { $0.format = format }
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        #expect(strap.notified(until: at(2)).map(\.octets) == [hex(octets), hex(octets)])
    }

    @Test func `The format changes from measurement to measurement`() throws {
        var strap = try Wearer(.step(start: 253, by: 1, period: .seconds(1)))
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        #expect(
            strap.notified(until: at(4)).map(\.octets) == [
                hex("00 FE"), hex("00 FF"), hex("01 00 01"), hex("01 01 01"),
            ])
    }

    @Test func `A sensor with contact detection always reports it, another never`() throws {
        var strap = try Wearer(.constant(72)) {
            $0.contact = .list([1, 0.4, 0.5], period: .seconds(1), then: .repeat)
        }
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        #expect(strap.notified(until: at(4)).map { $0.octets.first } == [0x04, 0x06, 0x06, 0x04])
        try strap.set(DeviceValue(service: 0, .contact), to: Signal(0), at: at(4))
        #expect(strap.notified(until: at(6)).map { $0.octets.first } == [0x04, 0x04])

        var other = try Wearer(.constant(72))
        other.device.didSubscribe(to: Wearer.measurement, at: .start)
        let isSet = other.device.set(DeviceValue(service: 0, .contact), to: .signal(Signal(1)), at: .start)
        #expect(!isSet)
        #expect(other.notified(until: at(2)).map { $0.octets.first } == [0x00, 0x00])
    }

    @Test func `A curve that has stopped is not notified`() throws {
        var strap = try Wearer(.list([72], period: .seconds(3), then: .stop))
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        #expect(strap.notified(until: at(9)).map(\.time) == [at(1), at(2)])
        #expect(strap.pool.taken == 0)
    }

    @Test func `A script can restore a value that it set`() throws {
        var strap = try Wearer(.step(start: 70, by: 1, period: .seconds(1)))
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        #expect(try strap.measured(until: at(2)).map(\.bpm) == [71, 72])
        let ramp = Signal(.step(start: 150, by: 10, period: .seconds(1)))
        try strap.set(DeviceValue(service: 0, .heartRate), to: ramp, at: at(2.5))
        #expect(try strap.measured(until: at(4)).map(\.bpm) == [150, 160])
        try strap.set(DeviceValue(service: 0, .heartRate), to: nil, at: at(4.5))
        #expect(try strap.measured(until: at(6)).map(\.bpm) == [75, 76])
    }

    @Test func `A script moves the sensor, and back`() throws {
        var strap = try Wearer.complete()
        let location = DeviceValue(service: 0, .location)
        #expect(strap.takes(.octets([5]), for: location, at: at(1)) == true)
        #expect(strap.read(Wearer.location, at: at(1)) == [5])
        #expect(strap.takes(.signal(Signal(2)), for: location, at: at(2)) == false)
        #expect(strap.takes(nil, for: location, at: at(2)) == true)
        #expect(strap.read(Wearer.location, at: at(2)) == [1])
    }

    @Test(arguments: [(255, 255), (256, 255), (300, 255), (1e300, 255), (0, 0), (.nan, 0)] as [(Double, UInt16)])
    func `With one octet the highest rate is 255`(wanted: Double, bpm: UInt16) throws {
        var strap = try Wearer(.constant(wanted)) { $0.highest = 255 }
        strap.device.didSubscribe(to: Wearer.measurement, at: .start)
        #expect(try strap.measured(until: at(2)).map(\.bpm) == [bpm, bpm])
        #expect(strap.device.saturatedValues.map(\.value.id) == ((0...255).contains(wanted) ? [] : [.heartRate]))
    }

    static let unsettable = [
        DeviceValue(service: 0, .rrIntervals), DeviceValue(service: 0, .controlPoint), DeviceValue(service: 0, .none),
        DeviceValue(service: 0, .contact), DeviceValue(service: 1, .none),
        DeviceValue(service: 3, .heartRate), DeviceValue(service: -1, .battery),
    ]

    @Test(arguments: unsettable)
    func `A value that cannot be set stays`(part: DeviceValue) throws {
        var strap = try Wearer.complete()
        for signal in [SensorInput.signal(Signal(1)), nil] {
            let isSet = strap.device.set(part, to: signal, at: .start)
            #expect(!isSet)
        }
        #expect(strap.answer(hex("0A 13 00")) == hex("0B 01"))
    }

    @Test(
        arguments: [
            (DeviceValue(service: 0, .heartRate), "08 48 00 00"), (DeviceValue(service: 0, .energy), "08 48 00 00"),
            (DeviceValue(service: 1, .battery), "50"), (DeviceValue(service: 0, .location), nil),
            (DeviceValue(service: 0, .controlPoint), nil), (DeviceValue(service: 0, .none), nil),
            (DeviceValue(service: 1, .none), nil), (DeviceValue(service: 9, .battery), nil),
        ] as [(DeviceValue, String?)])
    func `A value out of turn is that of its part`(part: DeviceValue, octets: String?) throws {
        var strap = try Wearer.complete()
        let packet = strap.device.packet(of: part, at: .start, pool: &strap.pool)
        #expect(packet.map { strap.pool.octets(of: $0) } == octets.map(hex))
        #expect(strap.pool.taken == (octets == nil ? 0 : 1))
    }
}
