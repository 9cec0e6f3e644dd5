#if canImport(LubdubTesting)
import BuggyHeartRate
import Foundation
import HeartRate
import HeartRateSensor
import LubdubTesting
import Testing

extension HeartRateTests {
    /// The app that plays a sensor and the app that reads one, on two phones.
    @Suite @MainActor struct SensorTests {
        @Test(arguments: [62, 255, 256, 300])
        func `The app reads the sensor app`(bpm: Int) async throws {
            try await withScenario("resting") { world in
                try world.do("link_loss", of: "strap")
                let sensor = world.onAnotherPhone {
                    let sensor = HeartRateSensor()
                    sensor.bpm = bpm
                    sensor.start()
                    return sensor
                }
                let monitor = HeartRateMonitor()
                monitor.start()
                await world.run(until: { monitor.measurement?.bpm == bpm }, within: .seconds(10))
                #expect(sensor.energy > 0)
            }
        }

        @Test func `The app reads a sensor app that demands pairing`() async throws {
            try await withScenario("resting") { world in
                try world.do("link_loss", of: "strap")
                let sensor = world.onAnotherPhone {
                    let sensor = HeartRateSensor(needsPairing: true)
                    sensor.start()
                    return sensor
                }
                let monitor = HeartRateMonitor()
                monitor.start()
                await world.run(until: { monitor.measurement?.bpm == sensor.bpm }, within: .seconds(10))
            }
        }

        @Test func `A reader shows the bug of a sensor`() async throws {
            try await withScenario("resting") { world in
                try world.do("link_loss", of: "strap")
                let sensor = world.onAnotherPhone {
                    let sensor = BuggySensor(.swappedOctets)
                    sensor.start()
                    return sensor
                }
                let monitor = HeartRateMonitor()
                monitor.start()
                await world.run(until: { monitor.measurement?.bpm == sensor.bpm << 8 }, within: .seconds(10))
            }
        }
    }
}
#endif
