import ATT
import Basics
import Bluetooth
import Devices
import Documents
import Foundation
import GATT
import ScenarioLanguage
import ScenarioModel
import Synchronization
import Testing

@testable import Checks
@testable import DeviceRecording
@testable import VirtualWorld

/// A scenario's device is visited, recorded from the packets, played and visited again.
@Suite struct RoundTripTests {
    static let scenarios = [
        "resting", "thermometer", "fitness", "custom_attributes", "custom_feed", "pulse_oximeter", "running",
        "devices/polar_h10", "devices/wahoo_tickr", "ecg_500hz",
    ].filter { contents("scenarios/\($0).json") != nil }

    @Test(arguments: scenarios) func `A recording plays the same attributes and values`(name: String) throws {
        let original = try visited("scenarios/\(name).json", load: contents)
        let recording = RecordedScenario(original, .init(note: "a test", table: "strap.csv"))
        let table = try #require(recording.table())
        let files = ["strap.json": Array(recording.root.indentedJSON.utf8), "strap.csv": Array(table.text.utf8)]
        let again = try visited("strap.json") { files[$0] }
        #expect(again.advertising == original.advertising)
        #expect(again.scanResponse == original.scanResponse)
        #expect(again.name == original.name)
        #expect(again.address == original.address)
        let intervals = try (#require(original.interval), #require(again.interval))
        #expect(abs((intervals.0 - intervals.1).inNanoseconds) <= 2_000_000)
        #expect(again.mtu == original.mtu)
        #expect(again.services.flatMap(\.lines) == original.services.flatMap(\.lines))
        for (one, other) in zip(original.characteristics, again.characteristics) {
            let octets = one.notifications.map(\.octets)
            // Control points answer clients: they are not played by time.
            guard !one.properties.contains(.indicate) || !one.properties.contains(.write) else { continue }
            let count = min(octets.count, other.notifications.count)
            #expect(abs(octets.count - other.notifications.count) <= 2, "\(one.uuid.name)")
            #expect(other.notifications.prefix(count).map(\.octets) == Array(octets.prefix(count)), "\(one.uuid.name)")
            for (before, after) in zip(one.notifications, other.notifications) {
                // A value waits for the next connection event.
                #expect(abs((before.time - after.time).inNanoseconds) <= 60_000_000, "\(one.uuid.name)")
            }
        }
    }

    @Test func `Without values, a recording keeps only the structure`() throws {
        let original = try visited("scenarios/devices/polar_h10.json", load: contents)
        var settings = RecordedScenario.Settings(note: "a test", table: "strap.csv")
        settings.keepsValues = false
        let recording = RecordedScenario(original, settings)
        #expect(recording.table()?.count == 0)
        let text = recording.root.json
        #expect(!text.contains("Polar"))
        #expect(!text.contains("C0:FF"))
        let again = try visited("strap.json") { path in
            Array((path == "strap.csv" ? recording.table()?.text ?? "" : text).utf8)
        }
        #expect(again.name == "------------------")
        let lengths = original.services.flatMap(\.characteristics).map { $0.content.octets?.count }
        #expect(again.services.flatMap(\.characteristics).map { $0.content.octets?.count } == lengths)
        #expect(
            again.characteristics.allSatisfy { characteristic in
                [.databaseHash, .deviceName].contains(characteristic.uuid)
                    || characteristic.content.octets?.allSatisfy { $0 == 0 } ?? true
            })
    }

    private func visited(_ path: String, load: @escaping (String) -> [UInt8]?) throws -> RecordedDevice {
        let reading = ScenarioFile.read(path, load: load)
        try #require(reading.problems.filter { !$0.code.isWarning } == [], "\(reading.problems)")
        let scenario = try #require(reading.scenario)
        let capture = Mutex(DeviceCapture())
        var world = try World(scenario, seed: 1)
        let central = UInt16(scenario.devices.count)
        world.packets = PacketLog { chunk in
            capture.withLock { capture in
                for record in chunk.records where record.controller == central {
                    capture.take(record.kind, controller: 0, at: record.instant, chunk.octets(of: record))
                }
            }
        }
        _ = try Visit.run(to: 0, of: world, for: .seconds(20)).get()
        let devices = capture.withLock { $0.devices }
        return try #require(devices.first { $0.address == scenario.devices[0].address })
    }
}

extension RecordedDevice.Service {
    /// A line for each attribute, without the values that change by themselves.
    fileprivate var lines: [String] {
        ["\(handle) \(isPrimary) \(uuid) \(includes)"]
            + characteristics.flatMap { own in
                let changes = !own.properties.isDisjoint(with: [.notify, .indicate])
                let value = changes ? "" : "\(own.content)"
                return ["\(own.declaration) \(own.handle) \(own.uuid) \(own.properties) \(value)"]
                    + own.descriptors.map { "\($0.handle) \($0.uuid) \($0.content)" }
            }
    }
}

/// A file of the project.
private func contents(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }
