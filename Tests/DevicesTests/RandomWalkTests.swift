import Basics
import Bluetooth
import Characteristics
import Devices
import GATT
import Glibc
import Services
import Testing

/// A device with everything, and clients and a script that do anything in any order.
@Suite struct RandomWalkTests {
    static let services: [ConfiguredService] = {
        var heartRate = HeartRate(rate: .walk(start: 70, by: 9, period: .seconds(1), range: 40...200))
        (heartRate.contact, heartRate.energy, heartRate.hasRRIntervals) = (.constant(1), .computed, true)
        heartRate.location = BodySensorLocation(1)
        var thermometer = HealthThermometer(.constant(36.6))
        (thermometer.period, thermometer.isStoring) = (.seconds(7), true)
        thermometer.type = TemperatureType(2)
        let characteristics = [
            CustomCharacteristic(
                "analog", uuid: UUID(0x2A58), format: .uint8, properties: [.read, .write, .notify],
                initial: .curve(.constant(4))),
            CustomCharacteristic(
                "digital", uuid: UUID(0x2A56), format: .utf8, properties: [.read, .write, .indicate],
                initial: .octets([0x61])),
        ]
        return [
            .heartRate(heartRate), .battery(.ramp(start: 100, end: 0, over: .seconds(86400))),
            .deviceInformation([(.manufacturer, "Lubdub"), (.model, "1")]), .healthThermometer(thermometer),
            .fitness(.days([10000, 300]), temperature: .constant(36.6)), .ecg(), .pmd(rate: 130),
            .measurements(.constant(72), rate: 4000),
            .feed(.step(start: 0, by: 1, period: .milliseconds(10)), .milliseconds(100)),
            .custom(UUID(0x1815), characteristics),
        ]
    }()

    static let values: [DeviceValue] = [
        .init(service: 0, .heartRate), .init(service: 0, .contact), .init(service: 0, .energy),
        .init(service: 0, .location), .init(service: 1, .battery), .init(service: 2, .model),
        .init(service: 3, .bodyTemperature), .init(service: 3, .measurementInterval),
        .init(service: 3, .temperatureType), .init(service: 4, .steps), .init(service: 4, .temperature),
        .init(service: 5, .lead), .init(service: 7, .heartRates), .init(service: 8, .feed),
        .init(service: 9, .custom0), .init(service: 9, .custom1), .init(service: 5, .ecgSamples),
        .init(service: 6, .pmdControlPoint), .init(service: 12, .feed), .init(service: 0, .none),
    ]

    static let numbers: [Double] = [
        0, 1, -1, 72, 300, 70000, 1e10, 1e300, -1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
    ]

    /// What is on its way.
    private struct Walk {
        var wearer: Wearer
        var chance: RandomStream
        var now = Instant.start
        var frames: [ECGFrame] = []
        var silent: [UInt16] = []
        let handles: [UInt16]

        init(seed: UInt64) throws {
            wearer = try Wearer(
                PeripheralDefinition(
                    name: "All", appearance: .heartRateBelt, services: RandomWalkTests.services), seed: seed)
            chance = RandomStream(seed: seed)
            let device = wearer.device
            handles = (1...120).filter { device.value(of: $0) != nil }
        }

        mutating func below(_ count: Int) -> Int { Int(chance.below(UInt64(count))) }
        mutating func handle() -> UInt16 { handles[below(handles.count)] }

        mutating func input() -> SensorInput? {
            switch below(5) {
            case 0: nil
            case 1: .octets(Array(repeating: 0x61, count: below(3) == 0 ? 2000 : below(4)))
            case 2:
                .signal(Signal(.list([RandomWalkTests.numbers[below(13)]], period: .seconds(1), then: .stop)))
            default: .signal(Signal(RandomWalkTests.numbers[below(13)]))
            }
        }

        mutating func step() {
            let value = RandomWalkTests.values[below(RandomWalkTests.values.count)]
            switch below(16) {
            case 0...2: wearer.device.didSubscribe(to: handle(), at: now)
            case 3: wearer.device.didUnsubscribe(from: handle(), at: now)
            case 4:
                silent = below(2) == 0 ? [] : [handle(), handle()]
                wearer.device.keepSilent(silent, at: now)
            case 5, 6: _ = wearer.device.set(value, to: input(), at: now, begun: below(2) == 0 ? nil : .start)
            case 7: wearer.device.indicationWasConfirmed(of: handle(), at: now)
            case 8: wearer.device.indicationWasDropped(of: handle(), at: now)
            case 9: _ = wearer.device.setLead(ofService: below(12) - 1, isOff: below(2) == 0, at: now)
            case 10: wearer.device.skipTime(by: .seconds([0, 1, 86400, 1 << 40][below(4)]), at: now)
            case 11: _ = wearer.read(handle(), at: now)
            case 12:
                let octets = (0..<below(12)).map { _ in UInt8(truncatingIfNeeded: chance.next()) & 3 }
                _ = wearer.write(octets, to: handle(), at: now)
            case 13:
                guard let packet = wearer.device.packet(of: value, at: now, pool: &wearer.pool) else { return }
                if value.service == 5 { keep(wearer.pool.octets(of: packet)) }
                wearer.pool.release(packet)
            case 14: _ = value.service < 10 ? wearer.device.octets(of: value, for: .signal(Signal(1e300))) : nil
            default: _ = wearer.device.number(of: value, at: now)
            }
        }

        mutating func wait() {
            let pause = [0, 0.001, 0.3, 1, 4, 600, 7200][below(100) < 95 ? below(5) : below(7)]
            let end = now.advanced(byNanoseconds: Int64(pause * 1e9))
            let mtu = [23, 23, 185, 247, 517][below(5)]
            // A device that sleeps for hours has no subscriber, or is woken too late.
            let told = wearer.notified(
                from: pause > 4 ? end : now, until: end, mtu: mtu, confirms: below(4) != 0)
            let samples = wearer.device.handle(of: DeviceValue(service: 5, .ecgSamples))
            for notified in told where notified.handle == samples { keep(notified.octets) }
            now = end
        }

        mutating func keep(_ octets: [UInt8]) {
            if let frame = try? ECGFrame(octets: octets[...]) { frames.append(frame) }
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `Whatever is done in whatever order, nothing is lost and nothing goes round in circles`(seed: UInt64) throws {
        var walk = try Walk(seed: seed)
        let samples = try #require(walk.wearer.device.handle(of: DeviceValue(service: 5, .ecgSamples)))
        walk.wearer.device.didSubscribe(to: samples, at: .start)
        for _ in 0..<200 {
            walk.step()
            if walk.below(3) == 0 { walk.wait() }
            #expect(walk.wearer.pool.taken == 0)
        }
        #expect(walk.handles.count > 20 && !walk.frames.isEmpty)
        for (frame, next) in zip(walk.frames, walk.frames.dropFirst()) {
            let end = frame.header.index &+ UInt32(frame.samples.count)
            #expect(next.header.flags.contains(.gap) ? next.header.index &- end < 1 << 31 : next.header.index == end)
        }
        for handle in walk.handles { walk.wearer.device.didUnsubscribe(from: handle, at: walk.now) }
        #expect(walk.wearer.device.nextDue == nil)
        let values = walk.wearer.device.saturatedValues.map(\.value)
        #expect(Set(values).count == values.count)
    }

    /// A value that a script sets 3,600,000 times does not keep them all: the test would take minutes and gigabytes.
    @Test(arguments: values.prefix(14))
    func `A script that sets a value each millisecond costs no more as time goes on`(value: DeviceValue) throws {
        var device = try PeripheralDevice(
            PeripheralDefinition(name: "All", appearance: .heartRateBelt, services: Self.services),
            seed: RandomStream(seed: 1))
        func set(_ range: Range<Int64>) -> Duration {
            let begin = processorTime
            for millisecond in range {
                let input = SensorInput.signal(Signal(Double(millisecond % 100)))
                _ = device.set(value, to: input, at: Instant(nanoseconds: millisecond * 1_000_000))
            }
            return processorTime - begin
        }
        let first = set(1..<10_000)
        let later = set(50_000..<60_000)
        #expect(later < first * 4 + .milliseconds(100))
    }
}

/// The time that a processor has worked for this thread, which other threads do not change.
private var processorTime: Duration {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
