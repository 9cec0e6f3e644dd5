import Basics
import Bluetooth
import Characteristics
import Clients
import GATT
import Testing

/// The client's use of each value that it supports.
struct ValueTests {
    /// A value of one of the services of these tests.
    struct Example: Sendable, CustomTestStringConvertible {
        let service: DiscoveredService
        let uuid: UUID
        let octets: [UInt8]
        let line: String
        let text: String
        var testDescription: String { "\(uuid) \(octets.hex)" }

        init(_ service: DiscoveredService, _ uuid: UUID, _ octets: [UInt8], _ line: String, _ text: String) {
            (self.service, self.uuid, self.octets, self.line, self.text) = (service, uuid, octets, line, text)
        }
    }

    private static let examples: [Example] = [
        .init(
            Services.thermometer, .temperatureMeasurement, [0x00, 0x6E, 0x01, 0x00, 0xFF],
            #""temperature": {"celsius": 36.6}"#, "36.6 °C"),
        .init(
            Services.thermometer, .temperatureMeasurement, [0x01, 0xD3, 0x03, 0x00, 0xFF],  // °F
            #""temperature": {"celsius": 36.611}"#, "36.611 °C"),
        .init(
            Services.thermometer, .temperatureMeasurement,
            [0x06, 0x72, 0x0E, 0x00, 0xFE, 0xD0, 0x07, 1, 1, 0, 0, 0, 6],
            #""temperature": {"celsius": 36.98, "timestamp": "2000-01-01T00:00:00"}"#, "36.98 °C"),
        .init(
            Services.thermometer, .intermediateTemperature,
            [0x02, 0xA5, 0x01, 0x00, 0xFF, 0xEA, 0x07, 3, 14, 22, 15, 1],
            #""temperature": {"celsius": 42.1, "intermediate": true, "timestamp": "2026-03-14T22:15:01"}"#,
            "42.1 °C, intermediate"),
        .init(
            Services.thermometer, .temperatureMeasurement, [0x00, 0xFF, 0xFF, 0x7F, 0x00],  // not a number
            #""temperature": {"celsius": null}"#, "no temperature"),
        .init(
            Services.thermometer, .temperatureMeasurement, [0x00, 0x02, 0x00, 0x80, 0x00],  // -infinity
            #""temperature": {"celsius": null}"#, "no temperature"),
        .init(
            Services.thermometer, .temperatureMeasurement, [0x00, 0x01, 0x00, 0x00, 0x7F],  // 10¹²⁷
            #""temperature": {"celsius": null}"#, "no temperature"),
        .init(
            Services.thermometer, .intermediateTemperature, [0x00, 0xA5, 0x01, 0x00, 0xFF],
            #""temperature": {"celsius": 42.1, "intermediate": true}"#, "42.1 °C, intermediate"),
        .init(
            Services.thermometer, .intermediateTemperature, [0x00, 0xFF, 0xFF, 0x7F, 0x00],  // not a number
            #""temperature": {"celsius": null, "intermediate": true}"#, "no temperature, intermediate"),
        .init(
            Services.thermometer, .temperatureType, [6], #""temperature_type": "mouth""#,
            "temperature taken at: mouth"),
        .init(
            Services.thermometer, .temperatureType, [77], #""temperature_type": 77"#,
            "temperature taken at: place 77"),
        .init(
            Services.thermometer, .measurementInterval, [0x3C, 0x00], #""measurement_interval": 60"#,
            "a temperature every 60 s"),
        .init(Services.fitness, VendorUUID.steps.uuid, [0x73, 0x10, 0, 0], #""steps": 4211"#, "4211 steps"),
        .init(
            Services.fitness, VendorUUID.steps.uuid, [0xFF, 0xFF, 0xFF, 0xFF], #""steps": 4294967295"#,
            "4294967295 steps"),
        .init(
            Services.fitness, VendorUUID.stepsToday.uuid, [0x2C, 0x03, 0, 0], #""steps_today": 812"#,
            "812 steps today"),
        .init(Services.fitness, .temperature, [0x4C, 0x0E], #""temperature": {"celsius": 36.6}"#, "36.6 °C"),
        .init(Services.fitness, .temperature, [0x9C, 0xFF], #""temperature": {"celsius": -1}"#, "-1 °C"),
        .init(Services.fitness, .temperature, [0x00, 0x80], #""temperature": {"celsius": null}"#, "no temperature"),
        .init(Services.feed, VendorUUID.feedValue.uuid, [0xCF, 0x07, 0, 0], #""feed": 1999"#, "feed 1999"),
        .init(
            Services.ecg, VendorUUID.ecgDescription.uuid, [0xF4, 0x01, 0xE8, 0x03, 1],
            #""ecg_description": {"rate": 500, "resolution": 1000, "leads": 1}"#, "ECG at 500 Hz, leads: 1"),
        .init(
            Services.ecg, VendorUUID.ecgSamples.uuid, [1, 4, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 2, 0],
            #""ecg": {"samples": 2, "lost": 0, "index": 0}"#, "ECG, 2 samples, 0 lost"),
        .init(
            Services.measurements, VendorUUID.heartRates.uuid, [0, 0, 9, 0, 0, 0, 2, 62, 0, 0x2C, 0x01],
            #""measurements": {"samples": 2, "lost": 0, "index": 9, "bpm": 300}"#, "300 bpm, 2 samples, 0 lost"),
        .init(Services.battery, .batteryLevel, [87], #""battery": 87"#, "battery 87 %"),
    ]

    @Test(arguments: examples) func `A value is reported however it arrives`(_ example: Example) throws {
        let found = try #require(example.service.characteristics.first { $0.uuid == example.uuid })
        let line = #"{\#(example.line), "peer": "C0:FF:EE:00:00:01/random"}"#
        var stand = Stand()
        try stand.discovers([example.service])
        let asked = stand.procedures
        if found.properties.contains(.read) {
            let read = try #require(asked.first { $0.procedure == .read(handle: found.valueHandle) })
            stand.finishes(read.number, .success(.value(example.octets)))
            #expect(stand.lines == [line])
            #expect(stand.texts == [example.text])
        }
        if let configuration = found.configurationHandle {
            let isNotified = found.properties.contains(.notify)
            let subscription = Procedure.configure(
                handle: configuration, isNotified ? .notification : .indication)
            #expect(asked.contains { $0.procedure == subscription })
            if isNotified {
                stand.notifies(example.octets, of: found.valueHandle)
            } else {
                stand.indicates(example.octets, of: found.valueHandle)
            }
            #expect(stand.lines == [line])
            #expect(stand.texts == [example.text])
        }
        #expect(stand.pool.taken == 0)
    }

    @Test(arguments: examples) func `A truncated or changed value is reported, or named malformed, once`(
        _ example: Example
    ) throws {
        let found = try #require(example.service.characteristics.first { $0.uuid == example.uuid })
        var stand = Stand()
        try stand.discovers([example.service])
        let commands = stand.commands.count
        for octets in variants(of: example.octets) where found.configurationHandle != nil {
            if found.properties.contains(.notify) {
                stand.notifies(octets, of: found.valueHandle)
            } else {
                stand.indicates(octets, of: found.valueHandle)
            }
            #expect(stand.lines.count <= 1)
            #expect(stand.commands == [])
        }
        #expect(commands > 0)
        #expect(stand.pool.taken == 0)
    }

    private func variants(of octets: [UInt8]) -> [[UInt8]] {
        let cut = (0..<octets.count).map { Array(octets.prefix($0)) }
        let turned = (0..<octets.count * 8).map { bit in
            var copy = octets
            copy[bit / 8] ^= 1 << (bit % 8)
            return copy
        }
        return cut + turned + [octets + [0]]
    }

    @Test func `A repeated error is reported once, until a valid value`() throws {
        var stand = Stand()
        try stand.discovers([Services.ecg])
        let samples = Services.ecg.characteristics[0].valueHandle
        let lying: [UInt8] = [1, 4, 0, 0, 0, 0, 0, 0, 200, 0, 1, 0]  // 200 samples, and there is one
        stand.notifies(lying, of: samples)
        #expect(stand.texts.count == 1)
        #expect(stand.texts[0].hasPrefix("error: ECG Samples 01 04 00 00 00 00 00 00 C8 00 01 00 is malformed: "))
        stand.notifies(lying, of: samples)
        stand.notifies([], of: samples)
        #expect(stand.texts == [])
        stand.notifies([1, 4, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0], of: samples)
        #expect(stand.texts == ["ECG, 1 sample, 0 lost"])
        stand.notifies(lying, of: samples)
        #expect(stand.texts.count == 1)
    }

    @Test func `An indication of a notified value is ignored, and vice versa`() throws {
        var stand = Stand()
        try stand.discovers([Services.thermometer])
        stand.notifies([0x00, 0x6E, 0x01, 0x00, 0xFF], of: Services.thermometer.characteristics[0].valueHandle)
        #expect(stand.outputs == [])
        stand.indicates([0x00, 0x6E, 0x01, 0x00, 0xFF], of: Services.thermometer.characteristics[1].valueHandle)
        #expect(stand.outputs == [])
    }

    @Test func `Service Changed comes first, then reads, then subscriptions, the heart rate first`() throws {
        var stand = Stand()
        try stand.discovers([Services.attributes, Services.ecg, Services.fitness, Services.heartRate])
        #expect(
            stand.procedures.map(\.procedure) == [
                .configure(handle: 0xA3, .indication), .write(handle: 0xA5, value: [0x05]),
                .read(handle: 0x15), .read(handle: 0x52), .read(handle: 0x55), .read(handle: 0x58),
                .read(handle: 0x65), .configure(handle: 0x13, .notification), .configure(handle: 0x53, .notification),
                .configure(handle: 0x56, .notification), .configure(handle: 0x63, .notification),
            ])
    }

    @Test(arguments: [
        Services.thermometer, Services.fitness, Services.ecg, Services.measurements, Services.feed, Services.battery,
    ])
    func `A device is subscribed to, once, whatever it has`(service: DiscoveredService) throws {
        var stand = Stand()
        try stand.discovers([service])
        let lines = stand.allSucceeds()
        #expect(lines.filter { $0.hasPrefix(#"{"state": "subscribed""#) }.count == 1)
    }
}
