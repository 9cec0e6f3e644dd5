import Documents
public import EventLog

/// Something that happened, as the script, its events and its expectations see it.
public struct ObservedEvent: Hashable, Sendable {
    /// What happened.
    public var kind: Event.Kind
    /// To what, as exactly as it is known; nil when it belongs to no thing of the scenario.
    public var of: EntityReference?
    /// The reason of a disconnection or failed pairing, the ATT error of a refusal, or the exit status of a client.
    public var code: UInt8?
    /// The value that was carried, or the line that a client said; nil when there was none.
    public var value: Datum?
    /// The samples in microvolts, where `value` only says how many there are; nil when they are not known.
    public var samples: [Int32]?

    /// What happened, to what, and what came with it.
    public init(
        _ kind: Event.Kind, of entity: EntityReference? = nil, code: UInt8? = nil, value: Datum? = nil,
        samples: [Int32]? = nil
    ) {
        (self.kind, of, self.code, self.value, self.samples) = (kind, entity, code, value, samples)
    }

    /// A client said a line.  That it is disconnected also says that it shows no heart rate any more.
    public init(said line: Datum?) {
        self.init(.said, of: .client, value: line)
        guard case .object(let members)? = line, line?["state"] == .string("disconnected"), line?["heart_rate"] == nil
        else { return }
        value = .object(members + [Datum.Member("heart_rate", .null)])
    }

    /// How many values it carries, each of which is a match of its own: one, but for streams.
    ///
    /// A notification of `measurements` is a list of values; one of `ecg` is an object with the number of its `samples`.
    public var count: Int {
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

    /// A notification does not hold more samples than one octet can count.
    public static let maximumSamples = 255

    /// Whether it carries values of a stream, however many.
    public var isStream: Bool {
        guard kind.carriesStreams else { return false }
        if case .list? = value { return true }
        return samples != nil || isCounted
    }

    /// One of the `count` values; nil for a sample of which only the number is known.
    public func value(at index: Int) -> Datum? {
        guard isStream else { return value }
        if let samples { return samples.indices.contains(index) ? .number(Double(samples[index])) : nil }
        guard case .list(let values)? = value, values.indices.contains(index) else { return nil }
        return values[index]
    }

    private var isCounted: Bool { if case .number? = value?["samples"] { true } else { false } }
}

extension Event.Kind {
    /// Whether what it carries can be several values of a stream.
    public var carriesStreams: Bool { self == .notified || self == .delivered }
}

/// A value of JSON's kinds, to be held against a matcher.
public enum Datum: Hashable, Sendable {
    /// A member of an object.
    public struct Member: Hashable, Sendable {
        /// Its key.
        public var key: String
        /// Its value.
        public var value: Datum

        /// A key and its value.
        public init(_ key: String, _ value: Datum) { (self.key, self.value) = (key, value) }
    }

    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number.
    case number(Double)
    /// A string.
    case string(String)
    /// Values in their order.
    case list([Datum])
    /// Members in their order; of two with one key, the first counts.
    case object([Member])

    /// What JSON text says; nil when it is none.
    public init?(json text: some Collection<UInt8>) {
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

    /// The value behind a key of an object; the first, when there are two.
    public subscript(key: String) -> Datum? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}
