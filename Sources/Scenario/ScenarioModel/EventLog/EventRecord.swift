package import Basics
package import Bluetooth

/// An event and its details; details that are nil are omitted from the log.
package struct EventRecord: Hashable, Sendable {
    package var instant: Instant
    package var event: EventName
    /// What it happened to, as scenarios name it: `strap/heart_rate`.
    package var entity: String?
    /// The other side of the connection.
    package var peer: DeviceAddress?
    package var handle: UInt16?
    /// The decoded value, as JSON text: `{"bpm": 62}`.
    package var value: String?
    package var octets: [UInt8]?
    /// The reason, in the specification's terms.
    package var reason: String?
    /// The error, by the specification's name in snake case.
    package var error: String?
    /// A line that a client printed, or a manual action, as JSON text.
    package var line: String?
    /// The id of the script's rule that caused it.
    package var rule: String?

    /// The id of the device that it happened to, or to whose value; nil without an entity.
    package var device: String? { entity.flatMap(Self.device(of:)) }

    /// The first part of an entity's path.
    package static func device(of entity: String) -> String? { entity.split(separator: "/").first.map(String.init) }

    /// An event without details.
    package init(_ event: EventName, of entity: String? = nil, at instant: Instant) {
        (self.event, self.entity, self.instant) = (event, entity, instant)
    }

    /// The scenario's source, recorded if manual actions are possible.
    package struct Source: Hashable, Sendable {
        /// A digest of the scenario's files.
        package var digest: String
        /// The variables that were set, as `NAME=VALUE`.
        package var settings: [String]

        /// A source with this digest and these variables.
        package init(digest: String, settings: [String]) { (self.digest, self.settings) = (digest, settings) }
    }

    /// The first line of an event log.
    package static func start(version: String, scenario: String, seed: UInt64, source: Source? = nil) -> String {
        var line =
            "{\"t\": \(Instant.start), \"event\": \"start\", \"lubdub\": \(version.quoted), "
            + "\"scenario\": \(scenario.quoted), \"seed\": \(seed)"
        if let source {
            line += ", \"digest\": \(source.digest.quoted)"
            if !source.settings.isEmpty {
                line += ", \"set\": [\(source.settings.map(\.quoted).joined(separator: ", "))]"
            }
        }
        return line + "}"
    }

    /// The last line of an event log: the exit status.
    package static func end(status: Int32) -> String { "{\"event\": \"end\", \"status\": \(status)}" }
}

extension EventRecord: JSONWritable {
    /// Appends a JSON object with the keys in the order of the properties above.
    package func write(to text: inout JSONText) {
        text.begin(event, at: instant)
        if let entity { text.append(member: "of", quoted: entity) }
        if let peer { text.append(peer: peer) }
        if let handle { text.append(handle: handle) }
        if let value { text.append(member: "value", json: value) }
        if let octets { text.append(hex: octets[...]) }
        if let reason { text.append(member: "reason", quoted: reason) }
        if let error { text.append(member: "error", quoted: error) }
        if let line { text.append(member: "line", json: line) }
        if let rule { text.append(member: "rule", quoted: rule) }
        text.append("}")
    }
}

// The members of an event's line, after `t` and `event`.
extension JSONText {
    mutating func begin(_ event: EventName, at instant: Instant) { begin(event.rawValue, at: instant) }

    mutating func begin(_ event: String, at instant: Instant) {
        append("{\"t\": ")
        append(instant)
        append(", \"event\": \"")
        append(text: event)
        append("\"")
    }

    mutating func append(member key: StaticString) {
        append(", \"")
        append(key)
        append("\": ")
    }

    mutating func append(member key: StaticString, quoted text: String) {
        append(member: key)
        append(quoted: text)
    }

    mutating func append(peer: DeviceAddress) {
        append(member: "peer")
        peer.write(to: &self)
    }

    mutating func append(handle: UInt16) {
        append(member: "handle")
        append(Int64(handle))
    }

    mutating func append(hex octets: ArraySlice<UInt8>) {
        append(", \"octets\": \"")
        append(hex: octets, separator: " ")
        append("\"")
    }

    mutating func append(member key: StaticString, json: String) {
        append(member: key)
        append(text: json)
    }

    /// Seconds with six decimals, as in `Instant.description`.
    private mutating func append(_ instant: Instant) {
        let microseconds = instant.nanoseconds / 1000
        if microseconds < 0 { append("-") }
        append(microseconds.magnitude / 1_000_000, digits: 1)
        append(".")
        append(microseconds.magnitude % 1_000_000, digits: 6)
    }
}
