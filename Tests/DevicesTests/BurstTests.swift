import Basics
import Devices
import Services
import Testing

/// `burst`: a value is notified at a script's rate.
@Suite struct BurstTests {
    private static let heart = DeviceValue(service: 0, .heartRate)
    private static let measurement: UInt16 = 0x0010

    private func milliseconds(_ notified: [Wearer.Notified]) -> [Double] {
        notified.map { Double($0.time.nanoseconds) / 1e6 }
    }

    @Test func `It is notified at the rate, then at its period again`() throws {
        var strap = try Wearer(.constant(60)) { $0.hasRRIntervals = true }
        strap.device.didSubscribe(to: Self.measurement, at: .start)
        strap.device.burst(Self.heart, rate: 3, begun: at(2.5), at: at(2.5))
        let told = strap.notified(from: at(2.5), until: at(4.4))
        #expect(
            told.map(\.time.nanoseconds) == [
                2_500_000_000, 2_833_333_333, 3_166_666_666, 3_500_000_000, 3_833_333_333, 4_166_666_666,
            ])
        #expect(told.allSatisfy { $0.octets[1] == 60 })
        strap.device.burst(Self.heart, rate: nil, begun: at(4.4), at: at(4.4))
        #expect(strap.notified(from: at(4.4), until: at(6.5)).map(\.time) == [at(5), at(6)])
    }

    @Test(arguments: [0.001, 1, 999.5, 4000]) func `At every rate`(rate: Double) throws {
        var strap = try Wearer(.constant(60)) { _ in }
        strap.device.didSubscribe(to: Self.measurement, at: .start)
        strap.device.burst(Self.heart, rate: rate, begun: .start, at: .start)
        let seconds = max(2, 2 / rate)
        #expect(strap.notified(until: at(seconds)).count == Int(seconds * rate) + 1)
        #expect(strap.pool.taken == 0)
    }

    @Test func `A later or repeated subscription is served from then on`() throws {
        var strap = try Wearer(.constant(60)) { _ in }
        strap.device.burst(Self.heart, rate: 10, begun: .start, at: .start)
        #expect(strap.device.nextDue == nil)
        strap.device.didSubscribe(to: Self.measurement, at: at(3.05))
        #expect(milliseconds(strap.notified(from: at(3.05), until: at(3.25))) == [3100, 3200])
        strap.device.keepSilent([Self.measurement], at: at(3.25))
        #expect(strap.notified(from: at(3.25), until: at(5)).isEmpty)
        strap.device.keepSilent([], at: at(5.01))
        #expect(milliseconds(strap.notified(from: at(5.01), until: at(5.25))) == [5100, 5200])
        strap.device.didUnsubscribe(from: Self.measurement, at: at(5.25))
        #expect(strap.device.nextDue == nil)
    }

    @Test func `One that comes back keeps its own times`() throws {
        var strap = try Wearer(.constant(60)) { _ in }
        strap.device.didSubscribe(to: Self.measurement, at: .start)
        strap.device.burst(Self.heart, rate: 4, begun: at(0.1), at: at(7))
        #expect(milliseconds(strap.notified(from: at(7), until: at(7.7))) == [7100, 7350, 7600])
    }

    @Test func `A rare value is not notified at once when the burst ends`() throws {
        var strap = try Wearer(.constant(60)) { _ in }
        strap.device.didSubscribe(to: Self.measurement, at: .start)
        strap.device.burst(Self.heart, rate: 0.01, begun: at(0.5), at: at(0.5))
        #expect(milliseconds(strap.notified(from: at(0.5), until: at(50.2))) == [500])
        strap.device.burst(Self.heart, rate: nil, begun: at(50.2), at: at(50.2))
        #expect(milliseconds(strap.notified(from: at(50.2), until: at(52.5))) == [51000, 52000])
    }

    @Test func `An indication waits for the confirmation of the last`() throws {
        var ear = try Wearer(.healthThermometer(HealthThermometer(.constant(36.5))))
        let temperature = DeviceValue(service: 0, .bodyTemperature)
        let handle = try #require(ear.device.handle(of: temperature))
        ear.device.didSubscribe(to: handle, at: .start)
        ear.device.burst(temperature, rate: 10, begun: at(0.05), at: at(0.05))
        #expect(milliseconds(ear.notified(from: at(0.05), until: at(9), confirms: false)) == [50])
        ear.device.indicationWasConfirmed(of: handle, at: at(9.013))
        // At once, and then as the rate allows.
        #expect(milliseconds(ear.notified(from: at(9.013), until: at(9.3))) == [9013, 9113, 9213])
        // Not before the rate allows.
        #expect(milliseconds(ear.notified(from: at(9.3), until: at(9.32), confirms: false)) == [9313])
        ear.device.indicationWasConfirmed(of: handle, at: at(9.32))
        #expect(milliseconds(ear.notified(from: at(9.32), until: at(9.45), confirms: false)) == [9413])
        // There is no confirmation of a delayed or rejected indication, or from a client that has left.
        ear.device.notificationWasSuppressed(of: handle)
        #expect(milliseconds(ear.notified(from: at(9.45), until: at(9.55), confirms: false)) == [9513])
        ear.device.indicationWasDropped(of: handle, at: at(9.55))
        #expect(milliseconds(ear.notified(from: at(9.55), until: at(9.65), confirms: false)) == [9613])
        ear.device.subscribersChanged(of: handle, areIndicated: true)
        #expect(milliseconds(ear.notified(from: at(9.65), until: at(9.75))) == [9713])
        ear.device.burst(temperature, rate: nil, begun: at(9.75), at: at(9.75))
        #expect(milliseconds(ear.notified(from: at(9.75), until: at(12.5))) == [10000, 11000, 12000])
        #expect(ear.pool.taken == 0)
    }

    @Test func `A measurement that was held back is lost, and the next one comes`() throws {
        var ear = try Wearer(.healthThermometer(HealthThermometer(.step(start: 36, by: 1, period: .seconds(1)))))
        let handle = try #require(ear.device.handle(of: DeviceValue(service: 0, .bodyTemperature)))
        ear.device.didSubscribe(to: handle, at: .start)
        #expect(ear.notified(until: at(1), confirms: false).count == 1)
        ear.device.notificationWasSuppressed(of: handle)
        let second = ear.notified(from: at(1), until: at(2), confirms: false)
        #expect(second.map(\.time) == [at(2)])
        #expect(second.first.map { $0.octets[1...2] } == [0x7C, 0x01])  // 38.0 °C, and not 37.0
    }
}
