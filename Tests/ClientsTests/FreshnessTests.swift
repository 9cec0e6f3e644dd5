import Basics
import Bluetooth
import Clients
import GATT
import LEHost
import Testing

/// Values that are displayed, and then do not come any more.
struct FreshnessTests {
    private static let peer = #""peer": "C0:FF:EE:00:00:01/random"}"#
    private static let cleared = #"{"heart_rate": null, "# + peer

    /// Subscribed to these, at 1 s.
    private func subscribed(_ services: [DiscoveredService]) throws -> Stand {
        var stand = Stand()
        try stand.discovers(services)
        stand.allSucceeds()
        return stand
    }

    /// How long it takes from now until the heart rate is cleared; nil: it is not within 10 minutes.
    private func patience(_ stand: inout Stand) -> Duration? {
        let begin = stand.now
        while stand.wait() != nil, stand.now <= begin.advanced(by: .seconds(600)) {
            if stand.lines == [Self.cleared] { return begin.duration(to: stand.now) }
        }
        return nil
    }

    @Test(arguments: [
        // distances of notifications in ms, and after how many it is cleared
        ([], 10_000), ([1000], 3000), ([1000, 1000, 1000], 3000), ([100, 100, 100, 100, 100, 100], 3000),
        ([2000], 6000), ([2000, 2000], 6000), ([1000, 20_000, 1000, 1000], 3000), ([20_000, 1000], 60_000),
        ([1000, 1000, 4000, 4000, 4000], 12_000), ([5, 990, 5, 995], 3000), ([2000, 50, 1950, 50], 6000),
        ([400, 400, 400, 400], 3000), ([60_000, 60_000], 180_000), ([10, 10, 10], 10_000),
    ])
    func `A heart rate is cleared after three usual distances, three seconds at least`(
        distances: [Int], cleared: Int
    ) throws {
        var stand = try subscribed([Services.heartRate])
        stand.notifies([0x00, 72])
        for distance in distances {
            stand.pass(.milliseconds(distance))
            stand.notifies([0x00, 72])
            #expect(stand.texts == ["72 bpm"])
        }
        #expect(patience(&stand) == .milliseconds(cleared))
    }

    @Test func `It is cleared once, and displayed again with the next`() throws {
        var stand = try subscribed([Services.heartRate])
        for _ in 0..<5 {
            stand.notifies([0x00, 72])
            #expect(stand.pass(.seconds(1)) == [])
        }
        #expect(stand.pass(.seconds(300)) == [Self.cleared])
        stand.notifies([0x00, 73])
        #expect(stand.texts == ["73 bpm"])
        #expect(stand.pass(.seconds(300)) == [Self.cleared])
        stand.disconnects()
        #expect(stand.lines == [#"{"state": "disconnected", "# + Self.peer])
    }

    @Test func `A burst asks for few wakes`() throws {
        var stand = try subscribed([Services.heartRate])
        var wakes = 0
        for _ in 0..<5000 {
            stand.notifies([0x00, 72])
            wakes += stand.outputs.filter { if case .wake = $0 { true } else { false } }.count
            stand.pass(.milliseconds(2))
        }
        #expect(wakes <= 3)
        #expect(patience(&stand) == .milliseconds(2998))
    }

    @Test func `Values once a minute, and counters, are not cleared`() throws {
        var stand = try subscribed([Services.thermometer, Services.battery, Services.fitness, Services.feed])
        for minute in 0..<10 {
            stand.indicates([0x00, 0x6E, 0x01, 0x00, 0xFF], of: Services.thermometer.characteristics[0].valueHandle)
            #expect(stand.texts == ["36.6 °C"])
            if minute % 3 == 0 { stand.notifies([87], of: Services.level) }
            stand.notifies([1, 0, 0, 0], of: Services.feed.characteristics[0].valueHandle)
            #expect(stand.pass(.seconds(60)) == [])
        }
        #expect(stand.pass(.seconds(119)) == [])
        let none = #"{"temperature": {"celsius": null}, "# + Self.peer
        #expect(stand.pass(.seconds(2)) == [none])
        #expect(stand.pass(.seconds(3600)) == [])
    }

    @Test func `The value of a thermometer with a single measurement stays`() throws {
        var stand = try subscribed([Services.thermometer])
        stand.indicates([0x00, 0x6E, 0x01, 0x00, 0xFF], of: Services.thermometer.characteristics[0].valueHandle)
        #expect(stand.pass(.seconds(3600)) == [])
    }

    @Test func `Without another heart rate, Measurements are displayed`() throws {
        let frame: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 62, 0]
        let values = Services.measurements.characteristics[0].valueHandle
        var stand = try subscribed([Services.measurements])
        stand.notifies(frame, of: values)
        #expect(stand.pass(.seconds(60)) == [Self.cleared])
        stand = try subscribed([Services.measurements, Services.heartRate])
        stand.notifies(frame, of: values)
        #expect(stand.pass(.seconds(60)) == [])
    }

    // MARK: Services that moved without Service Changed

    @Test func `When notifications stop, the client checks the handles`() throws {
        var stand = try subscribed([Services.heartRate])
        stand.notifies([0x00, 72])
        _ = patience(&stand)
        #expect(stand.procedures.map(\.procedure) == [.discoverEverything])
        stand.finishesDiscovery([Services.heartRate])
        #expect(stand.lines == [])
        #expect(stand.procedures.isEmpty)
        #expect(stand.wait() == .seconds(5))
        let moved = Services.service(.heartRate, from: 0x30, [(.heartRateMeasurement, .notify)])
        stand.finishesDiscovery([moved])
        #expect(
            stand.texts == [
                "error: Lubdub HRM C0:FF:EE:00:00:01/random has changed its services without saying so"
            ])
        #expect(stand.procedures.map(\.procedure) == [.configure(handle: 0x33, .notification)])
        stand.allSucceeds()
        stand.notifies([0x00, 72], of: 0x32)
        #expect(stand.texts == ["72 bpm"])
        while stand.wait() != nil, stand.now < Instant(nanoseconds: 24_000_000_000) {
            #expect(stand.procedures.isEmpty)
        }
    }

    @Test func `A device without its advertised service is discovered again`() throws {
        var stand = try subscribed([Services.battery])
        #expect(stand.wait() == .seconds(5))
        stand.finishesDiscovery([Services.battery])
        #expect(stand.outputs.count == 1)
        #expect(stand.wait() == .seconds(5))
        stand.finishesDiscovery([Services.battery, Services.heartRate])
        #expect(stand.procedures.map(\.procedure).contains(.configure(handle: 0x13, .notification)))
        stand.allSucceeds()
        #expect(stand.wait() == nil)
    }

    @Test func `A check that fails ends the connection`() throws {
        var stand = try subscribed([Services.heartRate])
        stand.notifies([0x00, 72])
        _ = patience(&stand)
        stand.finishes(stand.procedures[0].number, .failure(.bearerLost))
        #expect(stand.texts == ["error: discovering the services failed: no answer within 30 s"])
        #expect(stand.commands == [.disconnect(ConnectionID(number: 1), reason: .remoteUserTerminated)])
    }
}
