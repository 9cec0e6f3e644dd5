import Basics
import Characteristics
import Devices
import Services
import Testing

/// Health Thermometer Service 1.0.  The handles, with a type and an interval:
///
///     000E-001A  1809  0010 2A1C, 0011 CCCD, 0013 2A1E, 0014 CCCD, 0016 2A1D, 0018 2A21, 0019 CCCD, 001A 2906
@Suite struct ThermometerTests {
    private static let measurement: UInt16 = 0x0010
    private static let intermediate: UInt16 = 0x0013
    private static let type: UInt16 = 0x0016
    private static let interval: UInt16 = 0x0018

    /// One that measures every 10 s, and has everything.
    private static func thermometer(
        _ value: Curve = .constant(36.4), _ change: (inout HealthThermometer) -> Void = { _ in }
    ) throws -> Wearer {
        var thermometer = HealthThermometer(value)
        thermometer.period = .seconds(10)
        thermometer.type = TemperatureType(1)
        change(&thermometer)
        return try Wearer(.healthThermometer(thermometer))
    }

    /// One more each second: a measurement at 20 s is 20.
    private static let seconds = Curve.step(start: 0, by: 1, period: .seconds(1))

    private static func celsius(_ notified: [Wearer.Notified]) throws -> [Double?] {
        try notified.map { try TemperatureMeasurement(octets: $0.octets).celsius }
    }

    // MARK: Declarations

    @Test func `HTS/SEN/SGGIT/SER/BV-01-C`() throws {
        var thermometer = try Self.thermometer()
        #expect(thermometer.answer(hex("06 01 00 FF FF 00 28 09 18")) == hex("07 0E 00 1A 00"))
    }

    @Test(
        arguments: [
            ("HTS/SEN/SGGIT/CHA/BV-01-C", "08 0F 00 0F 00 03 28", "09 07 0F 00 20 10 00 1C 2A"),
            ("HTS/SEN/SGGIT/CHA/BV-02-C", "08 15 00 15 00 03 28", "09 07 15 00 02 16 00 1D 2A"),
            ("HTS/SEN/SGGIT/CHA/BV-03-C", "08 12 00 12 00 03 28", "09 07 12 00 10 13 00 1E 2A"),
            ("HTS/SEN/SGGIT/CHA/BV-07-C", "08 17 00 17 00 03 28", "09 07 17 00 2A 18 00 21 2A"),
            ("HTS/SEN/SGGIT/DES/BV-01-C", "04 1A 00 1A 00", "05 01 1A 00 06 29"),
            ("1 s to 3600 s", "0A 1A 00", "0B 01 00 10 0E"),
            ("HTS/SEN/CIN/BV-01-C", "12 11 00 02 00", "13"),
            ("HTS/SEN/CIN/BV-02-C", "12 14 00 01 00", "13"),
            ("HTS/SEN/CIN/BV-03-C", "12 19 00 02 00", "13"),
            ("the armpit", "0A 16 00", "0B 01"),
            ("it is not written", "12 16 00 02", "01 12 16 00 03"),
        ])
    func `Its attributes are declared`(id: String, request: String, response: String) throws {
        var thermometer = try Self.thermometer()
        #expect(thermometer.answer(hex(request)) == hex(response), "\(id)")
    }

    @Test func `Without type and interval neither characteristic is present`() throws {
        var thermometer = try Self.thermometer { ($0.type, $0.period) = (nil, nil) }
        #expect(thermometer.answer(hex("04 15 00 FF FF")) == hex("01 04 15 00 0A"))
    }

    @Test func `A period of more than an hour is within the valid range`() throws {
        var thermometer = try Self.thermometer { $0.period = .seconds(7200) }
        #expect(thermometer.read(0x001A) == hex("01 00 20 1C"))
        #expect(thermometer.read(Self.interval) == hex("20 1C"))
    }

    // MARK: Measurements

    static let layouts: [(celsius: Double, unit: TemperatureMeasurement.Unit, octets: String)] = [
        (36.4, .celsius, "02 6C 01 00 FF D0 07 01 01 00 00 0A"),
        (37, .fahrenheit, "03 DA 03 00 FF D0 07 01 01 00 00 0A"),
        (-5, .celsius, "02 CE FF FF FF D0 07 01 01 00 00 0A"), (0, .celsius, "02 00 00 00 FF D0 07 01 01 00 00 0A"),
        (1e300, .celsius, "02 FE FF 7F 00 D0 07 01 01 00 00 0A"),
        (-1e300, .celsius, "02 02 00 80 00 D0 07 01 01 00 00 0A"),
        (.infinity, .celsius, "02 FE FF 7F 00 D0 07 01 01 00 00 0A"),
        (.nan, .fahrenheit, "03 FF FF 7F 00 D0 07 01 01 00 00 0A"),
    ]

    @Test(arguments: layouts)
    func `HTS/SEN/CI/BV-01-C`(celsius: Double, unit: TemperatureMeasurement.Unit, octets: String) throws {
        var thermometer = try Self.thermometer(.constant(celsius)) { $0.unit = unit }
        thermometer.device.didSubscribe(to: Self.measurement, at: .start)
        #expect(
            thermometer.notified(until: at(10)) == [
                .init(time: at(10), handle: Self.measurement, octets: hex(octets))
            ])
        #expect(thermometer.device.saturatedValues.count == (celsius.magnitude < 1e300 ? 0 : 1))
        #expect(thermometer.pool.taken == 0)
    }

    @Test func `HTS/SEN/SP/BV-01-C`() throws {
        var thermometer = try Self.thermometer(Self.seconds)
        thermometer.device.didSubscribe(to: Self.measurement, at: at(3))
        #expect(thermometer.notified(until: at(35)).map(\.time) == [at(10), at(20), at(30)])
        #expect(thermometer.write([7, 0], to: Self.interval, at: at(35)) == nil)
        let told = thermometer.notified(from: at(35), until: at(60))
        #expect(told.map(\.time) == [at(42), at(49), at(56)])
        #expect(try Self.celsius(told) == [42, 49, 56])
    }

    @Test func `A measurement waits until the one before is confirmed`() throws {
        var thermometer = try Self.thermometer(Self.seconds)
        thermometer.device.didSubscribe(to: Self.measurement, at: .start)
        #expect(try Self.celsius(thermometer.notified(until: at(45), confirms: false)) == [10])
        try thermometer.set(DeviceValue(service: 0, .bodyTemperature), to: Signal(-1), at: at(45))
        thermometer.device.indicationWasConfirmed(of: Self.measurement, at: at(46))
        let late = thermometer.notified(from: at(46), until: at(51))
        #expect(late.map(\.time) == [at(46), at(46), at(46), at(50)])
        #expect(try Self.celsius(late) == [20, 30, 40, -1])
    }

    @Test func `An indication without room comes with the next measurement`() throws {
        var thermometer = try Self.thermometer(Self.seconds)
        thermometer.device.didSubscribe(to: Self.measurement, at: .start)
        #expect(thermometer.notified(until: at(10), confirms: false).count == 1)
        thermometer.device.indicationWasDropped(of: Self.measurement, at: at(10))
        #expect(thermometer.device.nextDue == at(20))
        let told = thermometer.notified(from: at(10), until: at(20))
        #expect(told.map(\.time) == [at(20), at(20)])
        #expect(try Self.celsius(told) == [10, 20])
    }

    @Test func `HTS/SEN/SP/BV-03-C`() throws {
        var thermometer = try Self.thermometer(Self.seconds)
        thermometer.device.didSubscribe(to: Self.intermediate, at: at(10.5))
        #expect(try Self.celsius(thermometer.notified(until: at(14.5))) == [11, 12, 13, 14])
        thermometer.device.didUnsubscribe(from: Self.intermediate, at: at(14.5))
        #expect(thermometer.device.nextDue == nil)
    }

    @Test func `A curve that has stopped measures nothing`() throws {
        var thermometer = try Self.thermometer(.list([30, 31], period: .seconds(10), then: .stop)) {
            $0.isStoring = true
        }
        thermometer.device.didSubscribe(to: Self.measurement, at: .start)
        thermometer.device.didSubscribe(to: Self.intermediate, at: .start)
        let told = thermometer.notified(until: at(60))
        #expect(told.last?.time == at(19))
        #expect(told.count { $0.handle == Self.measurement } == 1)
    }

    // MARK: The interval

    static let intervals: [(written: String, error: UInt8?, read: String)] = [
        ("01 00", nil, "01 00"), ("10 0E", nil, "10 0E"), ("11 0E", 0x80, "0A 00"), ("00 00", 0x80, "0A 00"),
        ("FF FF", 0x80, "0A 00"), ("", nil, "0A 00"), ("01", nil, "01 00"), ("01 00 00", 0x0D, "0A 00"),
    ]

    @Test(arguments: intervals)
    func `HTS/SEN/CW/BV-02-C and HTS/SEN/SP/BI-01-C`(written: String, error: UInt8?, read: String) throws {
        var thermometer = try Self.thermometer()
        #expect(thermometer.read(Self.interval) == hex("0A 00"))
        #expect(thermometer.write(hex(written), to: Self.interval) == error)
        #expect(thermometer.read(Self.interval) == hex(read))
    }

    @Test func `HTS/SEN/CI/BV-02-C`() throws {
        var thermometer = try Self.thermometer()
        _ = thermometer.write([9, 0], to: Self.interval)
        thermometer.device.didSubscribe(to: Self.interval, at: .start)
        #expect(thermometer.notified(until: at(5)).isEmpty)
        _ = thermometer.write([8, 0], to: Self.interval, at: at(5))
        #expect(
            thermometer.notified(from: at(5), until: at(5)) == [
                .init(time: at(5), handle: Self.interval, octets: [8, 0])
            ])
        try thermometer.set(DeviceValue(service: 0, .measurementInterval), to: Signal(300), at: at(6))
        #expect(thermometer.notified(from: at(6), until: at(6)).map(\.octets) == [[0x2C, 1]])
        try thermometer.set(DeviceValue(service: 0, .measurementInterval), to: nil, at: at(7))
        #expect(thermometer.notified(from: at(7), until: at(9)).map(\.octets) == [[10, 0]])
    }

    @Test(arguments: [(0.2, 1), (-7, 1), (1e300, 65535), (.nan, 65535)] as [(Double, UInt16)])
    func `A script's interval is one`(wanted: Double, seconds: UInt16) throws {
        var thermometer = try Self.thermometer { $0.isStoring = true }
        try thermometer.set(DeviceValue(service: 0, .measurementInterval), to: Signal(wanted), at: at(1))
        #expect(thermometer.read(Self.interval, at: at(1)) == MeasurementInterval(seconds: seconds).octets)
    }

    // MARK: Stored measurements

    private static func stamps(_ notified: [Wearer.Notified]) throws -> [UInt8?] {
        try notified.map { try TemperatureMeasurement(octets: $0.octets).timeStamp?.seconds }
    }

    @Test func `HTS/SEN/SP/BV-02-C`() throws {
        var thermometer = try Self.thermometer(Self.seconds) { $0.isStoring = true }
        thermometer.device.didSubscribe(to: Self.measurement, at: at(25))
        let first = thermometer.notified(from: at(25), until: at(31))
        #expect(try Self.celsius(first) == [10, 20, 30])
        thermometer.device.didUnsubscribe(from: Self.measurement, at: at(35))
        thermometer.device.didSubscribe(to: Self.measurement, at: at(55))
        let second = thermometer.notified(from: at(55), until: at(60), confirms: false)
        #expect(try Self.celsius(second) == [40])
        #expect(try Self.stamps(second) == [40])
        // It was not confirmed, and comes again.
        thermometer.device.didUnsubscribe(from: Self.measurement, at: at(61))
        thermometer.device.didSubscribe(to: Self.measurement, at: at(75))
        let third = thermometer.notified(from: at(75), until: at(80))
        #expect(try Self.celsius(third) == [40, 50, 60, 70, 80])
        #expect(try Self.stamps(third) == [40, 50, 0, 10, 20])
        #expect(thermometer.pool.taken == 0)
    }

    @Test func `The last hundred are kept, with the values that they had`() throws {
        var thermometer = try Self.thermometer(Self.seconds) { ($0.isStoring, $0.period) = (true, .seconds(1)) }
        try thermometer.set(DeviceValue(service: 0, .bodyTemperature), to: Signal(-3), at: at(3550.5))
        thermometer.device.didSubscribe(to: Self.measurement, at: at(3600.5))
        let expected = (3501...3550).map(Double.init) + Array(repeating: -3, count: 51)
        let told = thermometer.notified(from: at(3600.5), until: at(3601))
        #expect(try Self.celsius(told) == expected)
    }

    @Test func `Without a store nothing old comes`() throws {
        var thermometer = try Self.thermometer(Self.seconds)
        thermometer.device.didSubscribe(to: Self.measurement, at: .start)
        #expect(thermometer.notified(until: at(20), confirms: false).count == 1)
        thermometer.device.didUnsubscribe(from: Self.measurement, at: at(25))
        thermometer.device.didSubscribe(to: Self.measurement, at: at(55))
        #expect(try Self.celsius(thermometer.notified(from: at(55), until: at(70))) == [60, 70])
    }

    @Test(arguments: [(true, [30.0, 40, 50, 60]), (false, [60.0])])
    func `A silence is stored too, or lost`(isStoring: Bool, celsius: [Double]) throws {
        var thermometer = try Self.thermometer(Self.seconds) { $0.isStoring = isStoring }
        thermometer.device.didSubscribe(to: Self.measurement, at: .start)
        #expect(thermometer.notified(until: at(25)).count == 2)
        thermometer.device.keepSilent([Self.measurement], at: at(25))
        #expect(thermometer.device.nextDue == nil)
        thermometer.device.keepSilent([], at: at(55))
        #expect(try Self.celsius(thermometer.notified(from: at(55), until: at(60))) == celsius)
    }

    @Test func `A clock that skips stamps what comes afterwards`() throws {
        var thermometer = try Self.thermometer(Self.seconds) { $0.isStoring = true }
        thermometer.device.skipTime(by: .seconds(1000), at: at(15))
        thermometer.device.didSubscribe(to: Self.measurement, at: at(25))
        let told = thermometer.notified(from: at(25), until: at(25))
        #expect(try Self.celsius(told) == [10, 1020])
        #expect(try Self.stamps(told) == [10, 0])
    }

    @Test func `A year of storing without a client keeps at most a hundred measurements`() throws {
        var thermometer = try Self.thermometer { ($0.isStoring, $0.period) = (true, .seconds(1)) }
        thermometer.device.didSubscribe(to: Self.measurement, at: at(365 * 86400))
        #expect(thermometer.notified(from: at(365 * 86400), until: at(365 * 86400)).count == 100)
    }

    @Test func `A script overrides the temperature, and restores it`() throws {
        var thermometer = try Self.thermometer()
        let type = DeviceValue(service: 0, .temperatureType)
        #expect(thermometer.takes(.octets([3]), for: type, at: at(1)) == true)
        #expect(thermometer.read(Self.type, at: at(1)) == [3])
        #expect(thermometer.takes(nil, for: type, at: at(2)) == true)
        #expect(thermometer.read(Self.type, at: at(2)) == [1])
        #expect(thermometer.takes(.signal(Signal(3)), for: type, at: at(2)) == false)
    }
}
