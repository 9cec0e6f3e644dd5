import Characteristics
import Documents
import FoundationEssentials
import GATT
import Sensors
import Simulation
import Testing

@testable import ServiceFramework
@testable import Services

@Suite struct RegistryTests {
    @Test func `Names, UUIDs and the names of values are unique`() {
        let services = ServiceRegistry.all
        #expect(Set(services).count == services.count)
        #expect(Set(services.map(\.uuid)).count == services.count)
        for service in services {
            #expect(Set(service.values.map(\.name)).count == service.values.count, "\(service.name)")
            #expect(Set(service.fields.map(\.key)).count == service.fields.count, "\(service.name)")
        }
    }

    @Test(arguments: ServiceRegistry.all)
    func `A value that needs a field names one of its service`(service: ServiceDescription) {
        for value in service.values {
            guard let field = value.description.field else { continue }
            #expect(service.fields.contains { $0.key == field }, "\(service.name)/\(value.name)")
        }
    }

    @Test(arguments: ServiceRegistry.all)
    func `Sensors of all values answer in a device with defaults`(service: ServiceDescription) throws {
        let configured = ConfiguredService(service)
        var sensor = configured.makeSensor(chance: .init(seed: 1), heart: 0, clock: .init())
        var context = SensorContext(clock: .init(), mtu: 23)
        context.pulses = [Pulse(.init(rate: .init(60)))]
        for (characteristic, id) in zip(configured.attributes.0.characteristics, configured.attributes.1)
        where characteristic.properties.contains(.read) {
            let octets = try sensor.read(id, at: .start, context: &context)
            if let format = service.format(of: id) { #expect(throws: Never.self) { try format.check(octets[...]) } }
        }
    }

    @Test(arguments: ServiceRegistry.all)
    func `Examples of lines are JSON, and each measurement has one`(service: ServiceDescription) throws {
        for client in service.characteristics.map(\.client) {
            #expect(!client.isMeasurement || !client.example.isEmpty, "\(service.name)")
            guard !client.example.isEmpty else { continue }
            #expect(throws: Never.self) { try Node(json: client.example.utf8, file: client.key) }
        }
    }

    @Test(
        arguments: [
            ("README.md", "services", ServiceRegistry.table),
            ("Documentation/built-in-client.md", "lines", ServiceRegistry.tableOfLines),
        ])
    func `The documentation has the registry's tables`(file: String, mark: String, table: String) throws {
        let root = #filePath.dropLast("Tests/ServicesTests/RegistryTests.swift".count)
        let text = try String(contentsOfFile: root + file, encoding: .utf8)
        let found = text.split(separator: "<!-- \(mark) -->\n").last?.split(separator: "\n<!-- /\(mark) -->").first
        #expect(found.map(String.init) == table, "\(file) needs this table:\n\(table)")
    }
}
