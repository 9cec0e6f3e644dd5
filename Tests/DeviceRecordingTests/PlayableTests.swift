import Basics
import Bluetooth
import Devices
import Documents
import GATT
import HCI
import ScenarioLanguage
import Testing

@testable import DeviceRecording

/// Whatever was recorded, a scenario that is written can be read.
@Suite struct PlayableTests {
    private typealias Characteristic = RecordedDevice.Characteristic
    private typealias Descriptor = RecordedDevice.Descriptor

    private static func characteristic(
        _ uuid: UInt16, at handle: UInt16, _ properties: CharacteristicProperties = [.read],
        _ descriptors: [Descriptor] = [], octets: [UInt8]? = [1]
    ) -> Characteristic {
        Characteristic(
            uuid: UUID(uuid), properties: properties, declaration: handle - 1, handle: handle,
            content: .init(octets: octets), descriptors: descriptors, notifications: [])
    }

    private static func device(_ characteristics: [Characteristic]) -> RecordedDevice {
        var device = RecordedDevice()
        (device.name, device.address) = ("Strap", DeviceAddress(0xC0FF_EE00_0001, .random))
        device.services = [
            .init(uuid: UUID(0x180D), isPrimary: true, handle: 1, includes: [], characteristics: characteristics)
        ]
        return device
    }

    private static func playable(_ device: RecordedDevice, keepsValues: Bool = true) throws -> PlayableScenario {
        var settings = RecordedScenario.Settings(note: "a test", table: "a.csv")
        settings.keepsValues = keepsValues
        return try PlayableScenario(RecordedScenario(device, settings), path: "folder/a.json")
    }

    private static func problems(_ scenario: PlayableScenario) -> [Problem] {
        let (text, table) = (scenario.root.indentedJSON, scenario.table?.text ?? "")
        return ScenarioFile.read("a.json") { Array(($0 == "a.json" ? text : table).utf8) }.problems
    }

    @Test(arguments: [0x2900, 0x2901, 0x2903, 0x2904, 0x2905, 0x2906, 0x2908] as [UInt16], [true, false])
    func `A descriptor that was not read is in the scenario`(uuid: UInt16, keepsValues: Bool) throws {
        let descriptor = Descriptor(uuid: UUID(uuid), handle: 4, content: .init())
        let scenario = try Self.playable(
            Self.device([Self.characteristic(0x2A37, at: 3, [.read], [descriptor])]), keepsValues: keepsValues)
        #expect(scenario.omissions.isEmpty)
        #expect(Self.problems(scenario).isEmpty)
        #expect(scenario.root.indentedJSON.contains(UUID(uuid).description))
    }

    @Test func `Only the parts that no scenario can have are left out, and told`() throws {
        var second = Self.characteristic(0x2A38, at: 6, [.notify])
        second.notifications = [.init(at: .seconds(1), [1]), .init(at: .seconds(2), [UInt8](repeating: 1, count: 513))]
        let (short, twin) = (
            Descriptor(uuid: UUID(0x2904), handle: 4, content: .init(octets: [1, 2])),
            Descriptor(uuid: UUID(0x2904), handle: 5, content: .init(octets: [4, 0, 0, 0x27, 1, 0, 0]))
        )
        var declaration = Self.characteristic(0x2803, at: 10, [.notify])
        declaration.notifications = [.init(at: .seconds(1), [1])]
        let scenario = try Self.playable(
            Self.device([Self.characteristic(0x2A37, at: 3, [.read], [short, twin]), second, declaration]))
        #expect(Self.problems(scenario).isEmpty)
        #expect(scenario.omissions.first?.path == "devices[0].services[0].characteristics[0].descriptors[0].value")
        #expect(scenario.omissions.contains { $0.path.hasPrefix("devices[0].services[0].characteristics[2]") })
        #expect(scenario.counts.characteristics == 2)
        #expect(scenario.table?.count == 1)
        #expect(scenario.root.indentedJSON.split(separator: "2904").count == 2)
    }

    @Test(arguments: 0..<100) func `No recording gives a scenario that cannot be read`(seed: Int) throws {
        var chance = RandomStream(seed: UInt64(seed))
        var device = Self.device([])
        device.name = ["", "Strap ${x}", String(repeating: "n", count: 300), "\u{0}"][Int(chance.next() % 4)]
        if chance.next() % 4 == 0 { device.advertising = Self.octets(&chance, 300) }
        if chance.next() % 4 == 0 {
            device.timing = ConnectionTiming(interval: 1, latency: 65_535, supervisionTimeout: 1)
        }
        device.mtu = UInt16(truncatingIfNeeded: chance.next())
        var handle: UInt16 = 1
        device.services = (0..<1 + chance.next() % 4).map { _ in Self.service(at: &handle, &chance) }
        do throws(PlayableScenario.Unplayable) {
            for keepsValues in [true, false] {
                var settings = RecordedScenario.Settings(note: "a test", table: "a.csv")
                settings.keepsValues = keepsValues
                let scenario = try PlayableScenario(RecordedScenario(device, settings), path: "a.json")
                #expect(Self.problems(scenario).isEmpty)
                if scenario.counts.services == 0 { #expect(!scenario.omissions.isEmpty) }
            }
        } catch { Issue.record("\(error.problems)") }
    }

    private static func octets(_ chance: inout RandomStream, _ most: UInt64) -> [UInt8] {
        (0..<chance.next() % most).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
    }

    /// Handles that may repeat and go back, properties without a meaning, and values of any length.
    private static func service(at handle: inout UInt16, _ chance: inout RandomStream) -> RecordedDevice.Service {
        func next(_ chance: inout RandomStream) -> UInt16 {
            handle &+= chance.next() % 8 == 0 ? UInt16(chance.next() % 3) &- 1 : 1
            handle = max(1, handle)
            return handle
        }
        let types: [UInt16] = [
            0x2800, 0x2803, 0x2900, 0x2901, 0x2902, 0x2903, 0x2904, 0x2905, 0x2A00, 0x2A05, 0x2A37, 0x2B2A,
        ]
        func type(_ chance: inout RandomStream) -> UUID { UUID(types[Int(chance.next() % UInt64(types.count))]) }
        var service = RecordedDevice.Service(
            uuid: type(&chance), isPrimary: chance.next() % 4 != 0, handle: next(&chance),
            includes: [UInt16(chance.next() % 40)], characteristics: [])
        for _ in 0..<chance.next() % 4 {
            var own = Self.characteristic(
                0x2A37, at: next(&chance) &+ 1,
                CharacteristicProperties(rawValue: UInt8(truncatingIfNeeded: chance.next())))
            own.uuid = type(&chance)
            own.handle = next(&chance)
            own.content.octets = chance.next() % 4 == 0 ? nil : octets(&chance, 600)
            own.descriptors = (0..<chance.next() % 4).map { _ in
                let content = RecordedDevice.Content(octets: chance.next() % 2 == 0 ? nil : octets(&chance, 12))
                return Descriptor(uuid: type(&chance), handle: next(&chance), content: content)
            }
            own.notifications = (0..<chance.next() % 3).map { .init(at: .seconds(Int($0)), octets(&chance, 600)) }
            service.characteristics.append(own)
        }
        return service
    }

    @Test func `A table that would be too large has the first values, and says until when`() {
        let rows = (0..<10).map { (time: Duration.seconds($0), path: "a/b", octets: [UInt8(1)]) }
        let whole = RecordedTable(rows)
        #expect(whole.count == 10)
        #expect(whole.end == nil)
        let cut = RecordedTable(rows, atMost: whole.text.utf8.count - 1)
        #expect(cut.count == 9)
        #expect(cut.end == .seconds(9))
        #expect(whole.text.hasPrefix(cut.text))
    }
}
