import Basics
import Bluetooth
import Characteristics
import Documents
import FoundationEssentials
import GATT
import Testing

@testable import Devices
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

    @Test func `16-bit UUIDs have assigned names`() {
        for service in ServiceRegistry.all {
            for uuid in [service.uuid] + service.characteristics.map(\.uuid) where uuid.number != nil {
                #expect(uuid.assignedName != nil, "\(service.name): \(uuid) is not in UUID.assigned")
            }
        }
    }

    @Test(arguments: ServiceRegistry.all, [false, true])
    func `Sensors of all values answer`(service: ServiceDescription, hasAllFields: Bool) throws {
        let configured = ConfiguredService(service, hasAllFields ? service.fullConfiguration : .init())
        var (sensor, context) = configured.sensor()
        for (characteristic, id) in zip(configured.attributes.0.characteristics, configured.attributes.1)
        where characteristic.properties.contains(.read) {
            let octets = try sensor.read(id, at: .start, context: &context)
            if let format = service.format(of: id) { #expect(throws: Never.self) { try format.check(octets[...]) } }
        }
    }

    @Test(arguments: ServiceRegistry.all)
    func `A script can set each settable value`(service: ServiceDescription) throws {
        let configured = ConfiguredService(service, service.fullConfiguration)
        var (sensor, context) = configured.sensor()
        for value in configured.values where value.description.isSettable {
            let input = try #require(value.description.sample, "\(service.name)/\(value.name) has no sample")
            let isSet = sensor.set(value.id, to: input, at: .start, begun: nil, context: &context)
            #expect(isSet, "\(service.name)/\(value.name): the sensor refuses it")
        }
    }

    @Test(arguments: ServiceRegistry.all)
    func `A notification has the numbers that the sensor reports`(service: ServiceDescription) throws {
        let configured = ConfiguredService(service, service.fullConfiguration)
        var (sensor, context) = configured.sensor()
        var pool = PacketPool()
        for value in configured.values where value.id == value.id.characteristicValue {
            guard !value.properties.isDisjoint(with: [.notify, .indicate]), let format = service.format(of: value.id)
            else { continue }
            sensor.didSubscribe(to: value.id, at: .start, context: &context)
            let now = min(sensor.nextNotification(of: value.id, context: context), .start.advanced(by: .seconds(60)))
            var packet = pool.take()
            defer { pool.release(packet) }
            guard
                sensor.encodeNotification(
                    of: value.id, trigger: .scheduled, at: now, context: &context, into: &packet, pool: &pool)
            else { continue }
            for part in configured.values where part.id.characteristicValue == value.id && part.description.isNumber {
                let sent = try format.number(pool.octets(of: packet)[...], of: part.description.key)
                guard let sent, let number = sensor.number(of: part.id, at: now, context: context) else { continue }
                let tolerance = max(part.description.tolerance, abs(number) * 0.01, 1)
                #expect(abs(sent - number) <= tolerance, "\(service.name)/\(part.name)")
            }
        }
    }

    @Test(arguments: ServiceRegistry.all)
    func `Each measurement has an example of its line`(service: ServiceDescription) {
        for client in service.characteristics.map(\.client) where client.isMeasurement {
            #expect(client.example != nil, "\(service.name)")
        }
    }

    @Test(
        arguments: [
            ("Documentation/services.md", "services", ServiceRegistry.table),
            ("Documentation/built-in-client.md", "lines", ServiceRegistry.tableOfLines),
        ])
    func `The documentation has the registry's tables`(file: String, mark: String, table: String) throws {
        let path = String(#filePath.dropLast("Tests/ServicesTests/RegistryTests.swift".count) + file)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let begin = try #require(text.firstRange(of: "<!-- \(mark) -->\n")).upperBound
        let end = try #require(text[begin...].firstRange(of: "\n<!-- /\(mark) -->")).lowerBound
        let updated = text[..<begin] + table + text[end...]
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try updated.write(toFile: path, atomically: true, encoding: .utf8)
        } else {
            #expect(text == updated, "\(file): update its table with make generate")
        }
    }
}

extension ServiceDescription {
    /// A configuration with every field that does not contradict another.
    fileprivate var fullConfiguration: ServiceConfiguration {
        var configuration = ServiceConfiguration()
        for field in fields.flatMap(\.leaves) {
            var more = configuration
            more.set(field.key, to: field.sample)
            if case .conflict? = problem(in: more) { continue }
            configuration = more
        }
        return configuration
    }
}

extension FieldDescription {
    fileprivate var leaves: [FieldDescription] { if case .object(let fields) = form { fields } else { [self] } }

    /// A value that differs from the default where that is possible.
    fileprivate var sample: FieldValue? {
        switch form {
        case .curve(let range), .truth(let range), .derivedOrCurve(let range):
            .curve(.constant(min(max(range.lowerBound, 42), range.upperBound)))
        case .duration(let range): .duration(min(max(range.lowerBound, .seconds(2)), range.upperBound))
        case .timeOfDay: .duration(.seconds(3600))
        case .flag: .flag(true)
        case .whole(let range): .whole(range.upperBound)
        case .number(let range): .number(range.upperBound)
        case .rate(let range): .whole(range.upperBound)
        case .word(let words): words.last.map(FieldValue.word)
        case .text: .word("text")
        case .object: nil
        }
    }
}

extension ValueDescription {
    /// A value that a script could set; nil for one that scripts cannot describe.
    fileprivate var sample: SensorInput? {
        switch content {
        case .word(let words, _): words.first.map { .octets(octets(of: $0)) }
        case .text: .octets(octets(of: "text"))
        default: range.map { .signal(Signal(.constant(min(max($0.lowerBound, 40), $0.upperBound)))) }
        }
    }
}

extension ConfiguredService {
    /// A sensor in a device with one heart, and with the steps that the service counts.
    fileprivate func sensor() -> (any ServiceSensor, SensorContext) {
        var context = SensorContext(clock: .init(), mtu: 247)
        context.pulses = [Pulse(.init(rate: .init(60)))]
        let counter = stepCounter(chance: .init(seed: 1), clock: .init())
        context.steps = counter.map { [$0] } ?? []
        let sensor = makeSensor(chance: .init(seed: 1), heart: 0, steps: counter.map { _ in 0 }, clock: .init())
        return (sensor, context)
    }
}
