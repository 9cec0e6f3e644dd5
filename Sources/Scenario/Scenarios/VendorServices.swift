public import Bluetooth
public import Characteristics
public import Sensors

// The services that are Lubdub's own, and those that a file makes up.

/// Steps and a temperature, on demand.
public struct Fitness: Hashable, Sendable {
    /// All since the start; nil when it counts none.
    public var steps: Curve?
    /// In °C; nil when it has none.
    public var temperature: Curve?
    /// When a day begins, after midnight.
    public var dailyReset: Duration
    /// Between two looks at the counts, for who is subscribed.
    public var period: Duration
}

/// An electrocardiogram of the device's heart.
public struct Electrocardiogram: Hashable, Sendable {
    /// As which service it is offered.
    public enum Form: String, CaseIterable, Sendable {
        /// Lubdub's own.
        case ecg
        /// Polar Measurement Data.
        case pmd
    }

    /// As which service it is offered.
    public var form: Form
    /// Samples in a second.
    public var rate: Int
    /// The hum of the power line, in Hz; nil for none.
    public var mains: Int?
    /// Of the base line, in mV; nil for a resting person's.
    public var wander: Double?
    /// Of the muscles, in mV; nil for a resting person's.
    public var muscle: Double?
    /// The number of the lead.
    public var lead: Curve
}

/// Heart rates, several hundred in a second.
public struct Measurements: Hashable, Sendable {
    /// Values in a second.
    public var rate: Int
    /// In beats per minute.
    public var value: Curve
}

/// A service that a file describes.
public struct Custom: Hashable, Sendable {
    /// Its UUID.
    public var uuid: UUID
    /// In the order of handles; as many as the service has parts, and in their order.
    public var characteristics: [Characteristic]

    /// A characteristic that a file describes.
    public struct Characteristic: Hashable, Sendable {
        /// What a client may do.
        public enum Property: String, CaseIterable, Sendable {
            /// Read it.
            case read
            /// Write it, and be answered.
            case write
            /// Write it, and not be answered.
            case writeCommand = "write_command"
            /// Be notified.
            case notify
            /// Be indicated.
            case indicate
        }

        /// What a client needs.
        public enum Permission: String, CaseIterable, Sendable {
            /// A link that is encrypted.
            case encrypted
            /// Keys that a person has confirmed.
            case authenticated
            /// The user's consent.
            case authorized
        }

        /// Its UUID.
        public var uuid: UUID
        /// How a value is encoded.
        public var format: ValueFormat
        /// In the file's order.
        public var properties: [Property]
        /// In the file's order.
        public var permissions: [Permission]
        /// Nil for no octets.
        public var value: Value?
        /// Between two notifications.
        public var period: Duration
        /// Where its value stands; nil: the next free one.
        public var handle: UInt16?
        /// In the file's order.
        public var descriptors: [Descriptor]
    }

    /// A descriptor that a file describes.
    public struct Descriptor: Hashable, Sendable {
        /// Its UUID.
        public var uuid: UUID
        /// What can be read.
        public var octets: [UInt8]
    }
}

extension Value {
    /// Text as a format encodes it; nil for what is not text, and for octets that are not written as such.
    public func octets(as format: ValueFormat) -> [UInt8]? {
        guard case .text(let text) = self else { return nil }
        return format == .octets ? Units.octets(text) : Array(text.utf8)
    }
}
