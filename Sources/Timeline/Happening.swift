public import EventLog
public import Scenarios

extension ScriptRunner {
    /// Something that happened, as the script and its events see it.
    public struct Happening: Hashable, Sendable {
        /// What happened.
        public var kind: Event.Kind
        /// To what, as exactly as it is known; nil when it belongs to no thing of the scenario.
        public var of: Thing?
        /// The reason of a disconnection or failed pairing, the ATT error of a refusal, or the exit status of a client.
        public var code: UInt8?
        /// The value that was carried, or the line that a client said; nil when there was none.
        public var value: Datum?

        /// What happened, to what, and what came with it.
        public init(_ kind: Event.Kind, of thing: Thing? = nil, code: UInt8? = nil, value: Datum? = nil) {
            (self.kind, of, self.code, self.value) = (kind, thing, code, value)
        }
    }
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
}
