public import Bluetooth
import Octets
public import Simulation
import Spelling

/// One thing that happened, with what can be said about it; what cannot is nil, and left out of the log.
public struct EventRecord: Hashable, Sendable {
    /// When it happened.
    public var instant: Instant
    /// What happened.
    public var event: EventName
    /// The thing it happened to, as scenarios name it: `strap/heart_rate`.
    public var thing: String?
    /// The other side of the link.
    public var peer: DeviceAddress?
    /// The attribute's handle.
    public var handle: UInt16?
    /// The decoded value, as JSON text: `{"bpm": 62}`.
    public var value: String?
    /// The value's octets.
    public var octets: [UInt8]?
    /// Why, in the specification's words.
    public var reason: String?
    /// The error, by the specification's name in snake case.
    public var error: String?
    /// What a client printed, as JSON text.
    public var line: String?
    /// The rule of the script that did it, by its id.
    public var rule: String?

    /// Says as little as possible; set what else is known.
    public init(_ event: EventName, of thing: String? = nil, at instant: Instant) {
        (self.event, self.thing, self.instant) = (event, thing, instant)
    }

    /// The line of the event log, without its end: a JSON object with its keys in the order of the properties above.
    public var json: String {
        let texts: [(key: String, json: String?)] = [
            ("of", thing?.quoted), ("peer", peer?.description.quoted), ("handle", handle.map { "\($0)" }),
            ("value", value), ("octets", octets?.hex.quoted), ("reason", reason?.quoted), ("error", error?.quoted),
            ("line", line), ("rule", rule?.quoted),
        ]
        let rest = texts.compactMap { text in text.json.map { ", \"\(text.key)\": \($0)" } }.joined()
        return "{\"t\": \(instant), \"event\": \"\(event.rawValue)\"\(rest)}"
    }

    /// The first line of an event log: what was played.
    public static func start(version: String, scenario: String, seed: UInt64) -> String {
        "{\"t\": \(Instant.start), \"event\": \"start\", \"lubdub\": \(version.quoted), "
            + "\"scenario\": \(scenario.quoted), \"seed\": \(seed)}"
    }

    /// The last line of an event log: the exit status.
    public static func end(status: Int32) -> String { "{\"event\": \"end\", \"status\": \(status)}" }
}
