import Basics
import Characteristics
import Devices
import Services
import Testing

/// Pulse Oximeter Service 1.0.1.  The handles, with spot-checks:
///
///     000E-0016  1822  0010 2A5F, 0011 CCCD, 0013 2A5E, 0014 CCCD, 0016 2A60
@Suite struct PulseOximeterTests {
    private static let continuous: UInt16 = 0x0010
    private static let spotCheck: UInt16 = 0x0013
    private static let features: UInt16 = 0x0016

    /// One more each second: at 20 s, SpO2 is 20 %.
    private static let seconds = Curve.step(start: 0, by: 1, period: .seconds(1))

    /// One with every field and spot-checks.
    private static func oximeter(_ spo2: Curve = .constant(97)) throws -> Wearer {
        try Wearer(
            ConfiguredService(
                .pulseOximeter,
                ServiceConfiguration(
                    PulseOximeterFields.spo2(spo2), PulseOximeterFields.pulseRate(.constant(62)),
                    PulseOximeterFields.amplitude(.constant(1.5)), PulseOximeterFields.contact(.constant(1)),
                    PulseOximeterFields.spotCheckPeriod(.seconds(10)))))
    }

    private static func value(_ name: String = "") throws -> DeviceValue {
        let value = try #require(ServiceDescription.pulseOximeter.value(named: name))
        return DeviceValue(service: 0, value.id)
    }

    @Test(
        arguments: [
            ("06 01 00 FF FF 00 28 22 18", "07 0E 00 16 00"),
            ("08 0F 00 0F 00 03 28", "09 07 0F 00 10 10 00 5F 2A"),
            ("08 12 00 12 00 03 28", "09 07 12 00 20 13 00 5E 2A"),
            ("08 15 00 15 00 03 28", "09 07 15 00 02 16 00 60 2A"),
            ("12 11 00 01 00", "13"), ("12 14 00 02 00", "13"),
            ("0A 16 00", "0B 4B 00 20 21 00 08 00"),
        ])
    func `Its attributes are declared`(request: String, response: String) throws {
        var oximeter = try Self.oximeter()
        #expect(oximeter.answer(hex(request)) == hex(response))
    }

    @Test func `Without optional fields it has only the continuous measurement`() throws {
        var plain = try Wearer(ConfiguredService(.pulseOximeter))
        #expect(plain.answer(hex("06 01 00 FF FF 00 28 22 18")) == hex("07 0E 00 13 00"))
        #expect(plain.read(0x0013) == hex("00 00"))
        plain.device.didSubscribe(to: Self.continuous, at: .start)
        #expect(plain.notified(until: at(1)).map(\.octets) == [hex("00 CA F3 3C 00")])
    }

    @Test func `Measurements are notified, and spot-checks indicated with a time stamp`() throws {
        var oximeter = try Self.oximeter()
        oximeter.device.didSubscribe(to: Self.continuous, at: .start)
        oximeter.device.didSubscribe(to: Self.spotCheck, at: .start)
        let notified = oximeter.notified(until: at(10))
        let measured = notified.filter { $0.handle == Self.continuous }
        #expect(measured.map(\.time) == (1...10).map { at(Double($0)) })
        #expect(measured.allSatisfy { $0.octets == hex("1C CA F3 3E 00 20 01 00 00 00 0F F0") })
        #expect(
            notified.filter { $0.handle == Self.spotCheck } == [
                .init(
                    time: at(10), handle: Self.spotCheck,
                    octets: hex("0F CA F3 3E 00 D0 07 01 01 00 00 0A 00 01 00 00 00 0F F0"))
            ])
        #expect(oximeter.pool.taken == 0)
    }

    @Test func `A spot-check waits until the one before is confirmed, and is then up to date`() throws {
        var oximeter = try Self.oximeter(Self.seconds)
        oximeter.device.didSubscribe(to: Self.spotCheck, at: .start)
        #expect(oximeter.notified(until: at(35), confirms: false).map(\.time) == [at(10)])
        oximeter.device.indicationWasConfirmed(of: Self.spotCheck, at: at(36))
        let late = oximeter.notified(from: at(36), until: at(45))
        #expect(late.map(\.time) == [at(36), at(40)])
        #expect(try late.map { try PLXSpotCheckMeasurement(octets: $0.octets[...]).value.spo2.value } == [36, 40])
    }

    @Test func `A dropped spot-check is not sent again`() throws {
        var oximeter = try Self.oximeter()
        oximeter.device.didSubscribe(to: Self.spotCheck, at: .start)
        #expect(oximeter.notified(until: at(10), confirms: false).count == 1)
        oximeter.device.indicationWasDropped(of: Self.spotCheck, at: at(10))
        #expect(oximeter.device.nextDue == at(20))
    }

    @Test func `Without a finger every number is NaN, and both statuses say why`() throws {
        var oximeter = try Self.oximeter()
        oximeter.device.didSubscribe(to: Self.continuous, at: .start)
        try oximeter.set(Self.value("contact"), to: Signal(0), at: .start)
        #expect(
            oximeter.notified(until: at(1)).map(\.octets) == [hex("1C FF 07 FF 07 20 20 00 08 00 FF 07")])
        try oximeter.set(Self.value("contact"), to: nil, at: at(1))
        try oximeter.set(Self.value(), to: Signal(88.5), at: at(1))
        try oximeter.set(Self.value("pulse_rate"), to: Signal(120), at: at(1))
        try oximeter.set(Self.value("amplitude"), to: Signal(0.3), at: at(1))
        #expect(
            oximeter.notified(from: at(1), until: at(2)).map(\.octets) == [
                hex("1C 75 F3 78 00 20 01 00 00 00 03 F0")
            ])
    }

    @Test func `A curve that has stopped measures nothing`() throws {
        var oximeter = try Self.oximeter(.list([97, 96], period: .seconds(1), then: .stop))
        oximeter.device.didSubscribe(to: Self.continuous, at: .start)
        #expect(oximeter.notified(until: at(10)).last?.time == at(1))
    }

    @Test func `Unsubscribed, it notifies nothing`() throws {
        var oximeter = try Self.oximeter()
        oximeter.device.didSubscribe(to: Self.continuous, at: .start)
        oximeter.device.didUnsubscribe(from: Self.continuous, at: at(3))
        #expect(oximeter.device.nextDue == nil)
    }
}
