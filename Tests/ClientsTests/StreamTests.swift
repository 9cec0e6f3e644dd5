import Basics
import Bluetooth
import Characteristics
import Clients
import GATT
import Testing

/// Streams, and what is counted of them.
struct StreamTests {
    private static let samples = Services.ecg.characteristics[0].valueHandle
    private static let heartRates = Services.measurements.characteristics[0].valueHandle
    private static let (control, data) = (
        Services.polar.characteristics[0].valueHandle, Services.polar.characteristics[1].valueHandle
    )

    private static func frame(_ index: UInt32, _ count: Int) -> [UInt8] {
        ECGFrame(ECGFrame.Header(sequence: 0, index: index), samples: Array(repeating: -5, count: count))?.octets ?? []
    }

    @Test func `An ECG is counted, and reported at most once a second`() throws {
        var stand = Stand()
        try stand.discovers([Services.ecg])
        var said: [String] = []
        // ten frames a second, each of 50 samples; the twelfth does not come
        for number in 0..<25 where number != 11 {
            stand.notifies(Self.frame(UInt32(50 * number), 50), of: Self.samples)
            said += stand.lines.map { "\(stand.now) \($0.prefix { $0 != "}" })" }
            stand.pass(.milliseconds(100))
        }
        #expect(
            said == [
                #"1.000000 {"ecg": {"samples": 50, "lost": 0, "index": 0"#,
                #"2.000000 {"ecg": {"samples": 500, "lost": 0, "index": 50"#,
                #"3.000000 {"ecg": {"samples": 500, "lost": 50, "index": 600"#,
            ])
        stand.disconnects()
        let peer = #""peer": "C0:FF:EE:00:00:01/random"}"#
        #expect(stand.lines.first == #"{"ecg": {"samples": 150, "lost": 0, "index": 1100}, "# + peer)
        #expect(stand.lines.count == 3)
    }

    @Test func `A frame without samples counts for nothing`() throws {
        var stand = Stand()
        try stand.discovers([Services.ecg, Services.measurements])
        stand.notifies(Self.frame(0, 0), of: Self.samples)
        stand.notifies([0, 0, 0, 0, 0, 0, 0], of: Self.heartRates)
        #expect(stand.lines == [])
        stand.disconnects()
        #expect(stand.lines.count == 2)
    }

    @Test func `A drawing caller gets the samples and their rate`() throws {
        var settings = SensorCollector.Settings()
        settings.givesSamples = true
        var stand = Stand(settings)
        try stand.discovers([Services.ecg, Services.measurements])
        stand.finishes(3, .success(.value([0xFA, 0x00, 0xE8, 0x03, 1])))
        stand.notifies([1, 4, 7, 0, 9, 0, 0, 0, 2, 0, 0xFF, 0xFF, 1, 0], of: Self.samples)
        let frame = try #require(ECGFrame(ECGFrame.Header(sequence: 7, index: 9), samples: [-1, 1]))
        #expect(stand.contents.first == .ecgFrame(frame, rate: 250))
        #expect(stand.lines[0] == "")
        stand.notifies([0, 0, 9, 0, 0, 0, 2, 62, 0, 0x2C, 0x01], of: Self.heartRates)
        #expect(stand.contents.first == .measurements([62, 300]))
        #expect(stand.contents.count == 2)
    }

    @Test func `Statistics are of measurements where there are any`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate, Services.measurements])
        stand.allSucceeds()
        // 250 values in a frame, two frames a second: 50,000 after 100 s
        let slow = Array(repeating: UInt16(60), count: 250)
        var said: [String] = []
        for number in 0..<202 {
            stand.notifies([0x00, 200])
            #expect(stand.lines.count == 1)
            let frame = HeartRateFrame(sequence: 0, index: UInt32(250 * number), values: slow)?.octets ?? []
            stand.notifies(frame, of: Self.heartRates)
            said += stand.texts.filter { $0.contains("heart rate") }
            stand.notifies(frame, of: Self.heartRates)  // the radio has doubled it
            said += stand.texts.filter { $0.contains("heart rate") }
            stand.pass(.milliseconds(500))
        }
        #expect(said.filter { $0 == "resting heart rate 60 bpm" }.count == 100)
        #expect(said.filter { $0 == "most frequent heart rate 60 bpm" }.count == 13)
        #expect(said.filter { $0 == "average heart rate 60 bpm" }.count == 2)
        #expect(said.count == 115)
    }

    @Test func `Without measurements, statistics are over the heart rate of all connections`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        for _ in 0..<999 {
            stand.notifies([0x00, 60])
            #expect(stand.lines.count == 1)
            stand.pass(.seconds(1))
        }
        stand.disconnects()
        _ = stand.wait()
        try stand.advertises()
        _ = stand.wait()
        stand.connects(2)
        stand.finishes(stand.procedures[1].number, on: 2, .success(.services([Services.heartRate])))
        stand.notifies([0x00, 70], on: 2)
        #expect(stand.lines.count == 1)
        stand.notifies([0x00, 64], on: 2)
        #expect(
            stand.lines.last == #"{"statistic": {"name": "resting_heart_rate", "value": 60.004}, "#
                + #""peer": "C0:FF:EE:00:00:01/random"}"#)
    }

    // MARK: Polar

    /// Features with an ECG, and both subscriptions.
    private func polar(_ services: [DiscoveredService] = [Services.polar], features: UInt8 = 1) throws -> Stand {
        var stand = Stand()
        try stand.discovers(services)
        stand.allSucceeds(reading: PMD.Features(types: features).octets)
        return stand
    }

    @Test func `Polar's ECG is asked for its settings, started, and counted by its time stamps`() throws {
        var stand = Stand()
        try stand.discovers([Services.polar])
        #expect(
            stand.procedures.map(\.procedure) == [
                .read(handle: Self.control), .configure(handle: Self.control + 1, .indication),
                .configure(handle: Self.data + 1, .notification),
            ])
        stand.finishes(3, .success(.value(PMD.Features(types: 0x0D).octets)))
        stand.finishes(4, .success(.written))
        #expect(stand.commands == [])
        stand.finishes(5, .success(.written))
        #expect(stand.texts == ["subscribed to Lubdub HRM C0:FF:EE:00:00:01/random"])
        #expect(stand.procedures.map(\.procedure) == [.write(handle: Self.control, value: [0x01, 0x00])])
        stand.finishes(6, .success(.written))
        stand.indicates([0xF0, 0x01, 0x00, 0x00, 0x00, 0, 2, 65, 0, 130, 0, 1, 1, 14, 0], of: Self.control)
        let start: [UInt8] = [0x02, 0x00, 0, 1, 130, 0, 1, 1, 14, 0]
        #expect(stand.procedures.map(\.procedure) == [.write(handle: Self.control, value: start)])
        stand.indicates([0xF0, 0x02, 0x00, 0x00, 0x00], of: Self.control)
        #expect(stand.outputs == [])

        var said: [String] = []
        for number in 1...40 where number != 21 {
            let stamp = 1_000_000_000_000 + UInt64(number) * 73_000_000_000 / 130
            stand.notifies(PMDECGFrame(timeStamp: stamp, samples: Array(repeating: 1, count: 73)).octets, of: Self.data)
            said += stand.texts
            stand.pass(.milliseconds(500))
        }
        #expect(said.first == "ECG, 73 samples, 0 lost")
        #expect(said.filter { $0 == "ECG, 146 samples, 0 lost" }.count == 18)
        #expect(said.filter { $0 == "ECG, 146 samples, 73 lost" }.count == 1)
        #expect(said.count == 20)
        #expect(stand.pool.taken == 0)
    }

    @Test func `Polar's samples are drawn like others`() throws {
        var settings = SensorCollector.Settings()
        settings.givesSamples = true
        var stand = Stand(settings)
        try stand.discovers([Services.polar])
        stand.notifies(PMDECGFrame(timeStamp: 1, samples: [-1, 40_000]).octets, of: Self.data)
        let frame = try #require(
            ECGFrame(ECGFrame.Header(flags: [], sequence: 0, index: 0), samples: [-1, .max]))
        #expect(stand.contents.first == .ecgFrame(frame, rate: 130))
    }

    @Test(arguments: [
        // a time stamp after 10 s, and the report of a frame of 73
        (UInt64(10_561_538_461), "73 samples, 0 lost"), (11_123_076_923, "73 samples, 73 lost"),
        (10_000_000_000, "0 samples, 0 lost, 73 dropped"), (9_000_000_000, "0 samples, 0 lost, 73 dropped"),
        (0, "73 samples, 0 lost"), (.max, "73 samples, 0 lost"), (10_500_000_000, "73 samples, 0 lost"),
        (10_001, "0 samples, 0 lost, 73 dropped"),
    ])
    func `A frame that is not later is dropped, and time stamps that lie lose nothing`(
        stamp: UInt64, words: String
    ) throws {
        var stand = try polar()
        for stamp in [10_000_000_000, stamp] {
            stand.notifies(PMDECGFrame(timeStamp: stamp, samples: Array(repeating: 1, count: 73)).octets, of: Self.data)
        }
        stand.disconnects()
        #expect(stand.texts.first == "ECG, \(words)")
    }

    @Test(
        arguments: [
            ([0xF0, 0x01, 0x00, 0x03, 0x00], "starting the PMD stream failed: status 3"),
            ([0xF0, 0x01, 0x00, 0x0A], "starting the PMD stream failed: status 10"),
        ] as [([UInt8], String)])
    func `A refused start is reported, and ends a connection without other values`(octets: [UInt8], why: String) throws
    {
        var stand = try polar()
        stand.indicates(octets, of: Self.control)
        #expect(stand.texts == ["error: \(why)"])
        #expect(stand.commands.count == 1)

        var other = try polar([Services.heartRate, Services.polar])
        other.indicates(octets, of: Self.control)
        #expect(other.texts == ["error: \(why)"])
        #expect(other.commands == [])
    }

    @Test(
        arguments: [
            [], [0xF0], [0xF0, 0x01], [0x00, 0x01, 0x00, 0x00, 0x00], [0xF0, 0x01, 0x00, 0x63, 0x00],
            [0xF0, 0x01, 0x00, 0x00, 0x00, 0x00, 0xFF, 0x01],
        ] as [[UInt8]])
    func `A malformed answer is reported, and the client waits for the next`(octets: [UInt8]) throws {
        var stand = try polar()
        stand.indicates(octets, of: Self.control)
        #expect(stand.texts.count == 1)
        #expect(stand.texts[0].hasPrefix("error: PMD Control Point "))
        #expect(stand.commands == [])
        stand.indicates([0xF0, 0x01, 0x00, 0x00, 0x00], of: Self.control)
        #expect(stand.procedures.map(\.procedure) == [.write(handle: Self.control, value: [0x02, 0x00])])
    }

    @Test func `Unrequested answers cause no write`() throws {
        var stand = try polar()
        for octets in [[0xF0, 0x02, 0, 0, 0], [0xF0, 0x01, 2, 0, 0], [0xF0, 0x09, 0, 0, 0]] as [[UInt8]] {
            stand.indicates(octets, of: Self.control)
            #expect(stand.outputs == [])
        }
        stand.indicates([0xF0, 0x01, 0, 0, 0], of: Self.control)
        #expect(stand.commands.count == 1)
        stand.indicates([0xF0, 0x01, 0, 0, 0], of: Self.control)
        #expect(stand.outputs == [])
    }

    @Test func `It is requested again after Service Changed before the answer`() throws {
        var stand = try polar([Services.polar, Services.attributes])
        stand.indicates([0x01, 0x00, 0xFF, 0xFF], of: Services.attributes.characteristics[0].valueHandle)
        stand.finishesDiscovery([Services.polar])
        stand.allSucceeds(reading: PMD.Features(types: 1).octets)
        stand.indicates([0xF0, 0x01, 0, 0, 0], of: Self.control)
        #expect(stand.procedures.map(\.procedure) == [.write(handle: Self.control, value: [0x02, 0x00])])
    }

    @Test func `It is not asked for where there is none, or another`() throws {
        for (services, features) in [
            ([Services.polar], 0x04), ([Services.polar, Services.ecg], 1),
        ] as [([DiscoveredService], UInt8)] {
            var stand = Stand()
            try stand.discovers(services)
            let asked = stand.procedures
            for (procedure, number) in asked {
                let isRead = procedure == .read(handle: Self.control)
                let features = PMD.Features(types: features).octets
                stand.finishes(number, .success(isRead ? .value(features) : .written))
                #expect(stand.commands == [])
            }
        }
    }
}
