package import Basics
package import Bluetooth
import Documents

/// An event of the log, as the script and the expectations match it.
package struct ObservedEvent: Hashable, Sendable {
    package var kind: Event.Kind
    /// The most specific entity; nil for an event of no entity of the scenario.
    package var of: EntityReference?
    /// The reason of a disconnection or failed pairing, an ATT error, or a client's exit status.
    package var code: UInt8?
    /// The value, or the line of a client; nil if there is none.
    package var value: Datum?
    /// The descriptor that is read or written; nil for a value.
    package var descriptor: Descriptor?
    /// The line as the client printed it, if `value` has more.
    package private(set) var printed: Datum?
    /// The samples in microvolts, if `value` has only their number; nil if they are not known.
    package var samples: [Int32]?
    /// The index of the first value of a frame, if `value` does not have it.
    package var index: UInt32?
    /// The octets, as the event log spells them, if the value has no other form.
    package var octets: String?

    package init(
        _ kind: Event.Kind, of entity: EntityReference? = nil, code: UInt8? = nil, value: Datum? = nil,
        samples: [Int32]? = nil
    ) {
        (self.kind, of, self.code, self.value, self.samples) = (kind, entity, code, value, samples)
    }

    /// A descriptor of a characteristic.
    package struct Descriptor: Hashable, Sendable {
        package var type: UUID
        /// The value of its characteristic.
        package var owner: EntityReference

        package init(_ type: UUID, of owner: EntityReference) { (self.type, self.owner) = (type, owner) }
    }

    /// A line of a client; `"state": "disconnected"` implies `"heart_rate": null`.
    package init(said line: Datum?) {
        self.init(.said, of: .client, value: line)
        guard case .object(let members)? = line, line?["state"] == .string("disconnected"), line?["heart_rate"] == nil
        else { return }
        (value, printed) = (.object(members + [Datum.Member("heart_rate", .null)]), line)
    }

    /// The number of values, each of which is a separate match: one, except for streams.
    ///
    /// A notification of `measurements` is a list of values; one of `ecg` is an object with the number of `samples`.
    package var count: Int {
        guard kind.carriesStreams else { return 1 }
        if let samples { return min(samples.count, Self.maximumSamples) }
        switch value {
        case .list(let values): return values.count
        case .object(let members):
            guard case .number(let samples)? = members.first(where: { $0.key == "samples" })?.value else { return 1 }
            return Int(exactly: samples).map { max(0, min($0, Self.maximumSamples)) } ?? 1
        default: return 1
        }
    }

    /// The limit on samples in a notification: one octet counts them.
    package static let maximumSamples = 255

    /// Whether its value is part of a stream.
    package var isStream: Bool {
        guard kind.carriesStreams else { return false }
        if case .list? = value { return true }
        return samples != nil || isCounted
    }

    /// One of the `count` values; nil for samples that are not known.
    package func value(at index: Int) -> Datum? {
        guard isStream else { return value }
        if let samples { return samples.indices.contains(index) ? .number(Double(samples[index])) : nil }
        guard case .list(let values)? = value, values.indices.contains(index) else { return nil }
        return values[index]
    }

    private var isCounted: Bool { if case .number? = value?["samples"] { true } else { false } }
}

extension Event.Kind {
    /// Whether such events can have several values of a stream.
    package var carriesStreams: Bool { self == .notified || self == .delivered }
}

/// A JSON value that can be matched.
package enum Datum: Hashable, Sendable {
    /// A member of an object.
    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: Datum

        package init(_ key: String, _ value: Datum) { (self.key, self.value) = (key, value) }
    }

    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    case number(Double)
    case string(String)
    /// Values in their order.
    case list([Datum])
    /// Members in their order; of two with one key, the first counts.
    case object([Member])

    /// Parses JSON text; nil if it is invalid.
    package init?(json text: some Collection<UInt8>) {
        guard let node = try? Node(json: text, file: "") else { return nil }
        self.init(node)
    }

    private init(_ node: Node) {
        switch node.value {
        case .null, .unknown: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let text): self = .number(Double(text) ?? .nan)
        case .string(let string): self = .string(string)
        case .array(let nodes): self = .list(nodes.map(Datum.init))
        case .object(let members): self = .object(members.map { Member($0.key, Datum($0.node)) })
        }
    }

    /// The value of a key of an object; the first of several.
    package subscript(key: String) -> Datum? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}

extension Datum: JSONWritable {
    package func write(to text: inout JSONText) {
        switch self {
        case .null: text.append("null")
        case .bool(let bool): text.append(bool ? "true" : "false")
        // JSON has no other numbers.
        case .number(let number) where !number.isFinite: text.append(quoted: "\(number)")
        case .number(let number): text.append(text: Int64(exactly: number).map { "\($0)" } ?? "\(number)")
        case .string(let string): text.append(quoted: string)
        case .list(let values): text.append(list: values) { $1.write(to: &$0) }
        case .object(let members):
            text.append("{")
            for (index, member) in members.enumerated() {
                text.append(text: "\(index > 0 ? ", " : "")\(member.key.quoted): ")
                member.value.write(to: &text)
            }
            text.append("}")
        }
    }
}
