import Bluetooth
import EventLog
public import Scenarios
public import Simulation

/// Makes of an event log's lines what a judge is told.
public struct EventLogReader {
    private let scenario: Scenario
    private let things: [(path: String, thing: Thing)]

    /// A line.
    public struct Entry: Hashable, Sendable {
        /// When it happened.
        public var instant: Instant
        /// What happened.
        public var happening: Happening
    }

    /// Things are named as in this scenario.
    public init(_ scenario: Scenario) {
        self.scenario = scenario
        var things: [Thing] = [.client] + scenario.script.indices.map(Thing.rule)
        for (device, content) in scenario.devices.enumerated() {
            things.append(.device(device))
            for (service, content) in content.services.enumerated() {
                things += content.parts.indices.map { .part(device: device, service: service, part: $0) }
            }
        }
        self.things = things.compactMap { thing in scenario.path(of: thing).map { ($0, thing) } }
    }

    /// The lines of a log; without those of its start and its end, and without empty ones.
    public func entries(_ text: String) -> [Entry] {
        text.split(separator: "\n").compactMap { entry(Datum(json: Array($0.utf8))) }
    }

    private func entry(_ line: Datum?) -> Entry? {
        guard let line, case .number(let seconds)? = line["t"], case .string(let name)? = line["event"],
            let kind = EventName(rawValue: name)
        else { return nil }
        var happening = Happening(kind, value: line["value"])
        if kind == .said { happening = Happening(said: line["line"]) }
        if case .number(let status)? = line["value"], kind == .exited { happening.code = UInt8(exactly: status) }
        if case .string(let path)? = line["of"] { happening.of = things.first { $0.path == path }?.thing }
        if case .string(let reason)? = line["reason"] { happening.code = HCIStatus(name: reason)?.rawValue }
        if case .string(let error)? = line["error"] { happening.code = ATTError(name: error)?.rawValue }
        return Entry(instant: Instant(nanoseconds: Int64((seconds * 1e6).rounded()) * 1000), happening: happening)
    }
}
