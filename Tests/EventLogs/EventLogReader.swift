package import Basics
import Bluetooth
import Characteristics
package import ScenarioModel

/// Turns the lines of an event log into a judge's inputs.
package struct EventLogReader {
    private let scenario: Scenario
    private let entities: [(path: String, entity: EntityReference)]

    /// A line.
    package struct Entry: Hashable, Sendable {
        /// When it happened.
        package var instant: Instant
        /// What happened.
        package var observed: ObservedEvent
    }

    /// Things are named as in this scenario.
    package init(_ scenario: Scenario) {
        self.scenario = scenario
        var entities: [EntityReference] = [.client] + scenario.script.indices.map(EntityReference.rule)
        for (device, content) in scenario.devices.enumerated() {
            entities.append(.device(device))
            for (service, content) in content.services.enumerated() {
                entities += content.values.indices.map { .value(device: device, service: service, value: $0) }
            }
        }
        self.entities = entities.compactMap { entity in scenario.path(of: entity).map { ($0, entity) } }
    }

    /// The lines of a log; without those of its start and its end, and without empty ones.
    package func entries(_ text: String) -> [Entry] {
        text.split(separator: "\n").compactMap { entry(Datum(json: Array($0.utf8))) }
    }

    private func entry(_ line: Datum?) -> Entry? {
        guard let line, case .number(let seconds)? = line["t"], case .string(let name)? = line["event"],
            let kind = EventName(rawValue: name)
        else { return nil }
        var observed = ObservedEvent(kind, value: line["value"])
        if case .list? = observed.value, kind.carriesStreams, case .string(let octets)? = line["octets"] {
            let octets = octets.split(separator: " ").compactMap { UInt8($0, radix: 16) }
            observed.index = try? HeartRateFrame.header(of: octets[...]).index
        }
        if kind == .said { observed = ObservedEvent(said: line["line"]) }
        if case .number(let status)? = line["value"], kind == .exited { observed.code = UInt8(exactly: status) }
        if case .string(let path)? = line["of"] { observed.of = entities.first { $0.path == path }?.entity }
        if case .string(let reason)? = line["reason"] { observed.code = HCIStatus(name: reason)?.rawValue }
        if case .string(let error)? = line["error"] { observed.code = ATTError(name: error)?.rawValue }
        return Entry(instant: Instant(nanoseconds: Int64((seconds * 1e6).rounded()) * 1000), observed: observed)
    }
}
