import Basics
import Bluetooth
import Characteristics
import Testing

@testable import Devices
@testable import Services

/// The Running Speed and Cadence Service.  The handles:
///
///     000E-0019  1814  0010 2A53, 0011 CCCD, 0013 2A54, 0015 2A5D, 0017 2A55, 0018 CCCD
@Suite struct RunningTests {
    private static let measurement: UInt16 = 0x0010
    private static let feature: UInt16 = 0x0013
    private static let controlPoint: UInt16 = 0x0017

    /// A pod; with `steps`, the device also has a step counter.
    private static func pod(
        steps: Curve? = nil, _ fields: (String, FieldValue)?...
    ) throws -> Wearer {
        var configuration = ServiceConfiguration()
        for case (let key, let value)? in fields { configuration.set(key, to: value) }
        var services = [ConfiguredService(.runningSpeedAndCadence, configuration)]
        if let steps { services.append(.fitness(steps, temperature: nil)) }
        return try Wearer(PeripheralDefinition(name: "Pod", appearance: .unknown, services: services))
    }

    private static let everything = [
        RunningFields.strideLength(.constant(1.25)), RunningFields.totalDistance(.derived),
        RunningFields.running(.constant(1)), RunningFields.location("in_shoe"),
    ]

    private static func full(steps: Curve? = nil, speed: Curve = .constant(3)) throws -> Wearer {
        try pod(
            steps: steps, RunningFields.speed(speed), everything[0], everything[1], everything[2], everything[3])
    }

    private static func value(_ name: String) throws -> DeviceValue {
        DeviceValue(service: 0, try #require(ServiceDescription.runningSpeedAndCadence.value(named: name)).id)
    }

    private func measured(_ pod: inout Wearer, from begin: Double = 0, until end: Double) throws -> [RSCMeasurement] {
        try pod.notified(from: at(begin), until: at(end)).filter { $0.handle == Self.measurement }.map {
            try RSCMeasurement(octets: $0.octets[...])
        }
    }

    @Test func `Without steps the distance is that of the speed`() throws {
        var pod = try Self.full(speed: .list([2, 4], period: .seconds(2)))
        pod.device.didSubscribe(to: Self.measurement, at: .start)
        let measured = try measured(&pod, until: 5)
        #expect(measured.map(\.speed) == [512, 1024, 1024, 1024, 1024])
        #expect(measured.map(\.totalDistance) == [20, 40, 80, 120, 160])
        #expect(measured.map(\.cadence) == [160, 160, 160, 160, 160])
        #expect(measured.map(\.strideLength) == [125, 125, 125, 125, 125])
        #expect(measured.map(\.isRunning) == [true, true, true, true, true])
    }

    @Test func `After a restart the distance counts from zero, and nobody is subscribed`() throws {
        var pod = try Self.full(speed: .list([2, 4], period: .seconds(2)))
        pod.device.didSubscribe(to: Self.measurement, at: .start)
        let before = try measured(&pod, until: 3)
        #expect(before.last?.totalDistance == 80)
        pod.device.restart(at: at(3.5))
        #expect(try measured(&pod, from: 3.5, until: 5).isEmpty)
        pod.device.didSubscribe(to: Self.measurement, at: at(5.5))
        let after = try measured(&pod, from: 5.5, until: 7)
        #expect(after.first?.totalDistance == 80 && after.first?.speed == 1024, "three seconds after the restart")
    }

    @Test func `Cadence and distance follow the steps of the device`() throws {
        // 168 steps a minute, and none after the first 10 s.
        var pod = try Self.full(steps: .ramp(start: 0, end: 28, over: .seconds(10)))
        pod.device.didSubscribe(to: Self.measurement, at: .start)
        let measured = try measured(&pod, until: 15)
        #expect(measured.map(\.cadence) == [UInt8](repeating: 168, count: 10) + [126, 84, 42, 0, 0])
        #expect(measured.map(\.totalDistance) == (1...15).map { UInt32((min($0, 10) * 35)) })
    }

    @Test func `Steps that a script sets are those of the cadence`() throws {
        var pod = try Self.full(steps: .constant(0))
        pod.device.didSubscribe(to: Self.measurement, at: .start)
        let steps = try #require(ServiceDescription.fitness.value(named: "steps"))
        try pod.set(
            DeviceValue(service: 1, steps.id), to: Signal(.step(start: 2, by: 2, period: .seconds(1))), at: at(10))
        let measured = try measured(&pod, until: 20)
        #expect(measured.suffix(5).map(\.cadence) == [120, 120, 120, 120, 120])
        #expect(measured.last?.totalDistance == 275)
    }

    @Test func `A cadence in the scenario or the script comes before the steps`() throws {
        let steps = Curve.ramp(start: 0, end: 3600, over: .seconds(3600))
        var pod = try Self.pod(steps: steps, RunningFields.cadence(.constant(90)))
        #expect(pod.device.number(of: try Self.value("cadence"), at: at(10)) == 90)
        pod = try Self.pod(steps: steps)
        let cadence = try Self.value("cadence")
        #expect(pod.device.number(of: cadence, at: at(10)) == 60)
        try pod.set(cadence, to: Signal(200), at: at(10))
        #expect(pod.device.number(of: cadence, at: at(11)) == 200)
        try pod.set(cadence, to: nil, at: at(12))
        #expect(pod.device.number(of: cadence, at: at(13)) == 60)
    }

    @Test func `The device has only what the scenario has`() throws {
        var pod = try Self.pod()
        #expect(pod.read(Self.feature) == [0, 0])
        #expect(pod.read(0x0015) == nil)
        pod.device.didSubscribe(to: Self.measurement, at: .start)
        #expect(try measured(&pod, until: 1) == [RSCMeasurement(speed: 768, cadence: 160)])
        pod = try Self.full()
        #expect(pod.read(Self.feature) == [7, 0])
        #expect(pod.read(0x0015) == [2])
    }

    @Test func `A client sets the total distance`() throws {
        var pod = try Self.full()
        pod.device.didSubscribe(to: Self.measurement, at: .start)
        pod.device.didSubscribe(to: Self.controlPoint, at: .start)
        #expect(try measured(&pod, until: 10).last?.totalDistance == 300)
        #expect(pod.write(SCControlPoint.setCumulativeValue(5000).octets, to: Self.controlPoint, at: at(10)) == nil)
        let sent = pod.notified(from: at(10), until: at(12))
        #expect(sent.filter { $0.handle == Self.controlPoint }.map(\.octets) == [[16, 1, 1]])
        #expect(
            try sent.filter { $0.handle == Self.measurement }.map {
                try RSCMeasurement(octets: $0.octets[...]).totalDistance
            } == [5030, 5060])
    }

    @Test func `Requests that cannot be done have a response`() throws {
        var pod = try Self.full()
        pod.device.didSubscribe(to: Self.controlPoint, at: .start)
        for (request, result) in [([1, 2, 3], 3), ([1, 0, 0, 0, 0, 0], 3), ([2], 2), ([4], 2), ([16, 1, 1], 2)]
            as [([UInt8], UInt8)]
        {
            #expect(pod.write(request, to: Self.controlPoint) == nil)
            #expect(pod.notified(until: at(1)).map(\.octets) == [[16, request[0], result]])
        }
    }

    @Test func `A request is refused without octets, without a subscription, and during another`() throws {
        var pod = try Self.full()
        let request = SCControlPoint.setCumulativeValue(0).octets
        #expect(pod.write(request, to: Self.controlPoint) == 0x81)
        pod.device.didSubscribe(to: Self.controlPoint, at: .start)
        #expect(pod.write([], to: Self.controlPoint) == 0x0D)
        #expect(pod.write(request, to: Self.controlPoint) == nil)
        #expect(pod.write(request, to: Self.controlPoint) == 0x80)
        #expect(pod.notified(until: at(1), confirms: false).count == 1)
        #expect(pod.write(request, to: Self.controlPoint) == 0x80)
        pod.device.indicationWasConfirmed(of: Self.controlPoint, at: at(1))
        #expect(pod.write(request, to: Self.controlPoint) == nil)
        pod.device.didUnsubscribe(from: Self.controlPoint, at: at(1))
        pod.device.didSubscribe(to: Self.controlPoint, at: at(1))
        #expect(pod.notified(from: at(1), until: at(2)).isEmpty)
        #expect(pod.write(request, to: Self.controlPoint) == nil)
    }

    @Test func `Quantities out of range are clamped and reported`() throws {
        var pod = try Self.pod(
            RunningFields.speed(.constant(1000)), RunningFields.cadence(.constant(300)),
            RunningFields.strideLength(.constant(-1)), RunningFields.totalDistance(.curve(.constant(1e12))))
        pod.device.didSubscribe(to: Self.measurement, at: .start)
        let expected = RSCMeasurement(speed: .max, cadence: .max, strideLength: 0, totalDistance: .max)
        #expect(try measured(&pod, until: 1) == [expected])
        #expect(pod.device.saturatedValues.map(\.wanted) == [1000, 300, -1, 1e12])
    }
}
